"""Changes are new by their content: commits, their order and a base that moves make nothing new."""

import pytest

from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import ON_PUSH, push, statuses
from tests.specs.scripts import a_finding, a_report, an_answer, says

LINES = [f"line_{number} = {number}" for number in range(40)]


def module(**changed: str) -> str:
    """A module of forty lines, some of them changed: `at_3="x = 1"` is the line 3 (from 0)."""
    lines = [changed.get(f"at_{number}", line) for number, line in enumerate(LINES)]
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def base(stage: Stage) -> str:
    """A base with a module to change."""
    return stage.commit({".kodiai.yml": ON_PUSH, "src/lines.py": module(), "src/other.py": module()})


def opened_at(stage: Stage, head: str, base: str) -> Opened:
    """A pull request that was reviewed at this head, with a finding on each of two hunks."""
    first = a_finding(path="src/lines.py", quote="line_3 = 33", title="Three is wrong", start_line=4, end_line=4)
    second = a_finding(path="src/lines.py", quote="line_30 = 33", title="Thirty is off", start_line=31, end_line=31)
    stage.model.answers = says(a_report(first, second))
    opened = stage.open_at(head, base)
    assert len(opened.comments) == 2
    return opened


def assert_unchanged(opened: Opened, asked: int) -> None:
    """Nobody was asked, nothing was posted, and the pointer has moved on."""
    said = opened.stage.outcome()
    assert (said["outcome"], said["mode"], opened.stage.asked) == ("unchanged", "unchanged", asked)
    assert (len(opened.reviews), len(opened.comments)) == (1, 2)
    assert opened.check["output"]["title"] == "Address before merging · 2 major"


CHANGE = {"src/lines.py": module(at_3="line_3 = 33", at_30="line_30 = 33")}


def test_a_rebase_a_merge_of_the_base_a_force_push_and_a_rename_change_nothing(stage: Stage, base: str) -> None:
    """The base's own changes move lines and context; between the two hunks they even split or join what git shows.

    A renamed file keeps its findings; edited under its new name, only what was edited is asked about.
    """
    head = stage.commit(CHANGE, base)
    opened = opened_at(stage, head, base)
    asked = stage.asked
    moved = stage.commit(
        {"src/lines.py": module(at_0="line_0 = -1", at_38="line_38 = -1"), "docs/news.md": "News.\n"}, base
    )
    both = {"src/lines.py": module(at_0="line_0 = -1", at_38="line_38 = -1", at_3="line_3 = 33", at_30="line_30 = 33")}

    for new, new_base in (
        (stage.repository.commit(both | {"docs/news.md": "News.\n"}, (head, moved)), moved),  # the base merged
        (stage.commit(both, moved), moved),  # rebased and force-pushed
        (stage.commit(CHANGE, base), base),  # onto the old base again
    ):
        opened.push(new, new_base)
        assert_unchanged(opened, asked)
        assert statuses(opened) == ["open", "open"]
        assert opened.check["conclusion"] == "neutral"
        assert opened.check["output"]["summary"].startswith("Every change of this pull request was reviewed at ")

    push(opened, {"src/lines.py": None, "src/rows.py": CHANGE["src/lines.py"]})

    assert_unchanged(opened, asked)
    assert {known.finding.path for known in opened.ledger.findings()} == {"src/rows.py"}

    push(opened, {"src/rows.py": module(at_3="line_3 = 33", at_30="line_30 = 33", at_20="line_20 = 1")})

    assert (stage.outcome()["mode"], stage.outcome()["hunks_asked"]) == ("incremental", 1)


def test_changes_that_are_taken_back_are_no_news(stage: Stage, base: str) -> None:
    """A state that was reviewed is not asked about again; findings of the push in between are resolved by that.

    A finding whose fix is undone is open again: its hunk is what it was, and no comment is repeated. Other settings
    make it a full review that says only what is news.
    """
    opened = opened_at(stage, stage.commit(CHANGE, base), base)
    known = {each.finding.title: each.id for each in opened.ledger.findings()}
    new = a_finding(path="src/other.py", quote="line_3 = 0", title="Nothing is left", start_line=4, end_line=4)
    push(opened, {"src/other.py": module(at_3="line_3 = 0")}, a_report(new))
    assert statuses(opened).count("open") == 3
    asked, reviews = stage.asked, len(opened.reviews)

    push(opened, {"src/other.py": module()})

    assert (stage.outcome()["mode"], stage.asked, len(opened.reviews)) == ("unchanged", asked, reviews)
    assert sorted(statuses(opened)) == ["fixed", "open", "open"]
    assert "Nothing is left" not in opened.check["output"]["summary"]

    fixed = an_answer(known["Three is wrong"], path="src/lines.py", quote="line_3 = 3.0", why="It is three.")
    push(opened, {"src/lines.py": module(at_3="line_3 = 3.0", at_30="line_30 = 33")}, a_report(earlier=[fixed]))
    assert sorted(statuses(opened)) == ["fixed", "fixed", "open"]
    asked, comments = stage.asked, len(opened.comments)

    push(opened, CHANGE)

    assert (stage.outcome()["mode"], stage.asked, len(opened.comments)) == ("unchanged", asked, comments)
    assert sorted(statuses(opened)) == ["fixed", "open", "open"]
    assert "Three is wrong" in opened.check["output"]["summary"]

    reviews = len(opened.reviews)
    stage.github.set_base_file(opened.number, ".kodiai.yml", f"{ON_PUSH}  maxComments: 7\n".encode())
    opened.push(stage.repository.commit_again(opened.head))

    outcome = stage.outcome()
    assert (outcome["mode"], outcome["reason"], outcome["hunks_asked"]) == ("full", "config-changed", 2)
    assert (len(opened.reviews), len(opened.comments)) == (reviews, comments)
    assert sorted(statuses(opened)) == ["fixed", "open", "open"]


def test_another_base_branch_shows_another_change(stage: Stage, base: str) -> None:
    """Retargeted, the pull request is what it changes now: only what it did not change before is asked about."""
    feature = stage.commit({"src/other.py": module(at_3="line_3 = 0")}, base)
    opened = opened_at(stage, stage.commit(CHANGE, feature), feature)

    stage.github.push(opened.number, stage.repository.commit_again(opened.head), base)
    stage.settle()

    said = stage.outcome()
    assert (said["mode"], said["hunks_asked"], said["hunks_total"]) == ("incremental", 1, 3)
