"""The team's rules in the tab of check runs: their rulings, their evidence, and who overrode them."""

from collections.abc import Callable

import pytest

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.changes.team_ruling import TeamRuling
from local.github import LocalGitHub
from tests.builders import a_finding, a_known
from tests.git_repository import GitRepository
from tests.local.page.activity_scene import Scene
from tests.local.page.reader import Element, Page

SETTINGS = """\
review:
  rules:
    - {id: no-plus, text: Discounts are never added., level: error}
    - {id: has-notes, text: Every change has a note.}
    - {id: is-named, text: Every total has a name., level: note}
    - {id: is-new, text: Nobody has ruled on this one.}
"""
CODE = "def total(prices):\n    # <b>\n    return sum(\n        prices)\n"
LIVE = "see @bob <img src=x onerror=alert(1)>"
RULINGS = (
    TeamRuling(rule="no-plus", result="fail", why="It adds", path="src/app.py", quote="    # <b>"),
    TeamRuling(rule="has-notes", result="fail", why="No note", looked_at=("notes/", "description")),
    TeamRuling(rule="is-named", result="pass", why=LIVE, path="src/app.py", quote="    return sum(\n        prices)"),
    TeamRuling(rule="issue-1", result="cannot_tell", why="Nothing shows it", criterion=f"An invoice, {LIVE}"),
)


@pytest.fixture
def tab(scene: Scene, repository: GitRepository, watched: tuple[LocalGitHub, object]) -> Callable[[], Page]:
    """Reads the tab of a pull request whose base has these settings, reviewed at its head."""
    base = repository.commit({".kodiai.yml": SETTINGS, "src/app.py": "a = 1\n"}, "refs/heads/main")
    scene.number = watched[0].open_pull_request(repository.commit({"src/app.py": CODE}, base), base)

    return lambda: scene.reader.read(f"/acme/widgets/pull/{scene.number}/checks")


def reviewed(scene: Scene) -> str:
    """The head, after a review that ruled so; an older one ruled otherwise."""
    head = scene.github.state.pulls[scene.number].head_sha
    for run, rulings in (("old", ()), ("new", RULINGS)):
        scene.records_run("guid", id=run, head=head)
        scene.ledger.snapshots[run] = Snapshot((), "", rulings)
    scene.records_run("guid", id="running", head=head, status="running")
    return head


def rule(page: Page, name: str) -> Element:
    return page.by_id(f"rule-{name}")


def test_each_rule_has_its_ruling_its_reason_and_its_place(scene: Scene, tab: Callable[[], Page]) -> None:
    """By the newest completed review; the place leads to the lines at its head, the failure to its thread."""
    head = reviewed(scene)
    failing = a_finding(rule="no-plus", category="rule")
    scene.records(a_known(failing, id="F-1", comment_id="42"), a_known(failing, id="F-0", status="fixed"))

    page = tab()

    assert page.by_id("rules").one("h2").text == f"Team rules at {head[:7]}"
    assert [each["id"] for each in page.by_id("rules").all("li")] == [
        *(f"rule-{name}" for name in ("no-plus", "has-notes", "is-named", "is-new", "issue-1"))
    ]
    assert rule(page, "no-plus").texts("p") == [
        "✕ Fails no-plus error",
        "Discounts are never added.",
        "It adds",
        "at src/app.py:2, its thread",
    ]
    blob = f"/acme/widgets/blob/{head}/src/app.py"
    assert rule(page, "no-plus").values("a", "href") == [
        f"{blob}#L2",
        f"/acme/widgets/pull/{scene.number}#discussion_r42",
    ]
    assert rule(page, "has-notes").texts("p") == [
        "✕ Fails has-notes warning",
        "Every change has a note.",
        "No note",
        "looked at notes/, description",
    ]
    assert rule(page, "is-named").values("a", "href") == [f"{blob}#L3-L4"]
    assert rule(page, "is-new").texts("p") == ["○ Not ruled on yet is-new warning", "Nobody has ruled on this one."]
    assert scene.reader.read(f"{blob}").by_id("L2").text == "2 # <b>"


def test_the_words_of_a_model_are_text(scene: Scene, tab: Callable[[], Page]) -> None:
    """In a reason and in a criterion; nothing of it becomes an element."""
    reviewed(scene)

    page = tab()

    assert rule(page, "is-named").texts("p")[2] == LIVE
    assert rule(page, "issue-1").texts("p")[1] == f"An invoice, {LIVE}"
    assert page.by_id("rules").all("img") == []


def test_an_override_has_its_name_and_reason(scene: Scene, tab: Callable[[], Page]) -> None:
    """In place of the failure, whose reason is still there."""
    reviewed(scene)
    finding = a_finding(rule="no-plus", category="rule")
    scene.records(a_known(finding, id="F-1", status="dismissed", settled_by="ann", reason="<i>It is</i> a surcharge"))

    assert rule(tab(), "no-plus").texts("p") == [
        "↷ Overridden no-plus error",
        "Discounts are never added.",
        "It adds",
        "at src/app.py:2",
        "Overridden by ann: <i>It is</i> a surcharge",
    ]


def test_before_the_first_review_the_rules_are_those_of_the_base(scene: Scene, tab: Callable[[], Page]) -> None:
    """Findings that cannot be read cost only what they tell."""
    scene.ledger.is_readable = False

    page = tab()

    assert page.by_id("rules").one("h2").text == "Team rules"
    assert {each.texts("span", "chip")[0] for each in page.by_id("rules").all("li")} == {"○ Not ruled on yet"}


def test_without_rules_the_section_is_hidden(scene: Scene) -> None:
    """It is there, so that an open page can show what comes."""
    page = scene.reader.read(f"/acme/widgets/pull/{scene.number}/checks")

    assert "hidden" in page.by_id("rules").attributes
    assert page.by_id("rules").all("li") == []
