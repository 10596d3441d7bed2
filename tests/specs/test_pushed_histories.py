"""What is new is told by content: neither commits, nor their order, nor the base that moves make anything new."""

import pytest

from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import ON_PUSH, push, statuses
from tests.specs.scripts import a_finding, a_report, says

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
    opened = Opened(stage, stage.github.open_pull_request(head, base))
    stage.settle()
    assert len(opened.comments) == 2
    return opened


def assert_unchanged(opened: Opened, asked: int) -> None:
    """Nobody was asked, nothing was posted, and the pointer has moved on."""
    said = opened.stage.outcome()
    assert (said["outcome"], said["mode"], opened.stage.asked) == ("unchanged", "unchanged", asked)
    assert (len(opened.reviews), len(opened.comments)) == (1, 2)
    assert opened.check["output"]["title"] == "Nothing new to review"


CHANGE = {"src/lines.py": module(at_3="line_3 = 33", at_30="line_30 = 33")}


def test_a_rebase_a_merge_of_the_base_and_a_force_push_change_nothing(stage: Stage, base: str) -> None:
    """The base's own changes move lines and context; between the two hunks they even split or join what git shows."""
    head = stage.commit(CHANGE, base)
    opened = opened_at(stage, head, base)
    asked = stage.asked
    moved = stage.commit(
        {"src/lines.py": module(at_0="line_0 = -1", at_38="line_38 = -1"), "docs/news.md": "News.\n"}, base
    )
    both = {"src/lines.py": module(at_0="line_0 = -1", at_38="line_38 = -1", at_3="line_3 = 33", at_30="line_30 = 33")}

    for new, new_base in (
        (stage.commit(both, moved), moved),  # rebased
        (stage.repository.commit(both | {"docs/news.md": "News.\n"}, head, merge=moved), moved),  # the base merged
        (stage.repository.commit_again(stage.commit(both, moved)), moved),  # force-pushed
        (stage.commit(CHANGE, base), base),  # onto the old base again
    ):
        opened.push(new, new_base)
        assert_unchanged(opened, asked)
        assert statuses(opened) == ["open", "open"]


def test_hunks_that_the_base_joins_or_parts_are_no_new_ones(stage: Stage) -> None:
    """Two changes close to each other are one hunk; where the base puts lines between them, they are two."""
    near = {"src/lines.py": module(at_3="line_3 = 33", at_6="line_6 = 66")}
    base = stage.commit({".kodiai.yml": ON_PUSH, "src/lines.py": module()})
    stage.model.answers = says(a_report())
    opened = Opened(stage, stage.github.open_pull_request(stage.commit(near, base), base))
    stage.settle()
    asked = stage.asked
    wide = "".join(f"between_{number} = 0\n" for number in range(20))
    parted = stage.commit({"src/lines.py": module().replace("line_5 = 5\n", f"line_5 = 5\n{wide}")}, base)

    opened.push(
        stage.commit({"src/lines.py": near["src/lines.py"].replace("line_5 = 5\n", f"line_5 = 5\n{wide}")}, parted),
        parted,
    )

    assert (stage.outcome()["mode"], stage.outcome()["hunks_total"], stage.asked) == ("unchanged", 2, asked)


def test_a_push_that_is_taken_back_is_no_news(stage: Stage, base: str) -> None:
    """A state that was reviewed is not asked about again; what was told of the push in between is resolved by that."""
    head = stage.commit(CHANGE, base)
    opened = opened_at(stage, head, base)
    new = a_finding(path="src/other.py", quote="line_3 = 0", title="Nothing is left", start_line=4, end_line=4)
    push(opened, {"src/other.py": module(at_3="line_3 = 0")}, a_report(new))
    assert statuses(opened).count("open") == 3
    asked, reviews = stage.asked, len(opened.reviews)

    push(opened, {"src/other.py": module()})

    assert (stage.outcome()["mode"], stage.asked, len(opened.reviews)) == ("unchanged", asked, reviews)
    assert sorted(statuses(opened)) == ["fixed", "open", "open"]
    assert "Nothing is left" not in opened.check["output"]["summary"]


def test_what_was_mended_and_is_undone_is_open_again(stage: Stage, base: str) -> None:
    """Its hunk is what it was when the finding was told: nobody needs to be asked, and no comment is repeated."""
    head = stage.commit(CHANGE, base)
    opened = opened_at(stage, head, base)
    known = {each.finding.title: each.id for each in opened.ledger.findings()}
    mended = {"src/lines.py": module(at_3="line_3 = 3.0", at_30="line_30 = 33")}
    fixed = {
        "finding": known["Three is wrong"], "answer": "ADDRESSED", "path": "src/lines.py", "quote": "line_3 = 3.0",
        "why": "It is three.", "severity": None, "concedes": False,
    }  # fmt: skip
    push(opened, mended, a_report(earlier=[fixed]))
    assert sorted(statuses(opened)) == ["fixed", "open"]
    asked, comments = stage.asked, len(opened.comments)

    push(opened, CHANGE)

    assert (stage.outcome()["mode"], stage.asked, len(opened.comments)) == ("unchanged", asked, comments)
    assert statuses(opened) == ["open", "open"]
    assert "Three is wrong" in opened.check["output"]["summary"]


def test_a_renamed_file_keeps_its_findings(stage: Stage, base: str) -> None:
    """A rename alone is no news; edited under its new name, only what was edited is asked about."""
    opened = opened_at(stage, stage.commit(CHANGE, base), base)
    asked = stage.asked

    push(opened, {"src/lines.py": None, "src/rows.py": CHANGE["src/lines.py"]})

    assert_unchanged(opened, asked)
    assert {known.finding.path for known in opened.ledger.findings()} == {"src/rows.py"}

    push(opened, {"src/rows.py": module(at_3="line_3 = 33", at_30="line_30 = 33", at_20="line_20 = 1")})

    assert (stage.outcome()["mode"], stage.outcome()["hunks_asked"]) == ("incremental", 1)


def test_another_base_branch_shows_another_change(stage: Stage, base: str) -> None:
    """Retargeted, the pull request is what it changes now: only what it did not change before is asked about."""
    feature = stage.commit({"src/other.py": module(at_3="line_3 = 0")}, base)
    opened = opened_at(stage, stage.commit(CHANGE, feature), feature)

    stage.github.push(opened.number, stage.repository.commit_again(opened.head), base)
    stage.settle()

    said = stage.outcome()
    assert (said["mode"], said["hunks_asked"], said["hunks_total"]) == ("incremental", 1, 3)


def test_other_settings_make_it_a_full_review_that_says_only_what_is_news(stage: Stage, base: str) -> None:
    """With nothing new to say nothing is posted, and no comment is repeated."""
    opened = opened_at(stage, stage.commit(CHANGE, base), base)
    stage.github.set_base_file(opened.number, ".kodiai.yml", f"{ON_PUSH}  maxComments: 7\n".encode())

    opened.push(stage.repository.commit_again(opened.head))

    said = stage.outcome()
    assert (said["mode"], said["reason"], said["hunks_asked"]) == ("full", "config-changed", 2)
    assert (len(opened.reviews), len(opened.comments), statuses(opened)) == (1, 2, ["open", "open"])
