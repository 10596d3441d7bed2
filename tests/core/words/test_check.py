"""The texts of the check run, and the answer to a request for a review that is done."""

import json
from dataclasses import replace

import pytest

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.markers import answer_marker
from kodiai.core.judge.delta import Delta, delta
from kodiai.core.words import check
from tests.builders import LINKS, PULL, a_delta, a_finding, followed, kept
from tests.review_form import reply_faults
from tests.tables import each_row

HEAD = "0123456789" * 4
THREAD = f"{PULL}#discussion_r11"
APP = LINKS.code("src/app.py", 12, 12)
OPEN = (
    followed(a_finding(severity="MINOR", title="The name says little"), author_disagrees=True),
    followed(a_finding(path="src/__init__.py", title="The <b> retry\nnever ends")),
)
TEXT = "\n\n  An empty list leaves `total` unset, so the first report fails."
LIST = f"""\
- [MAJOR] [`src/__init__.py` (12)]({THREAD}): The &lt;b> retry never ends{TEXT}
- [MINOR] [src/app.py (12)]({THREAD}): The name says little -- the author disagrees{TEXT}"""


def counts(**given: int | str) -> str:
    """The last line of a summary, with zeros for what is not given."""
    names = "critical major medium minor blocking new more_severe resolved dismissed still_open".split()
    zeros: dict[str, int | str] = {"verdict": "ready", **dict.fromkeys(names, 0), "files_read": 1, "files_unread": 0}
    return f"<!-- kodiai:counts {json.dumps({**zeros, **given})} -->"


@each_row(
    ("delta", "again", "title", "summary"),
    [
        (a_delta(), False, "Ready to merge · nothing found in 1 file", f"Read 1 of 1 file.\n\n{counts()}"),
        (
            a_delta([], followed(a_finding(), "resolved")),
            True,
            "Blockers resolved · ready to merge · 1 resolved",
            f"Read 1 of 1 file.\n\n{counts(resolved=1)}",
        ),
        (
            a_delta([a_finding(severity="MEDIUM")], OPEN[0]),
            True,
            "Still ready · 1 new · 1 still open",
            f"""\
Read 1 of 1 file.

- [MEDIUM] [src/app.py (12)]({APP}): The total is read before it is set{TEXT}
- [MINOR] [src/app.py (12)]({THREAD}): The name says little -- the author disagrees{TEXT}

{counts(verdict="minor-items", medium=1, minor=1, new=1, still_open=1)}""",
        ),
        (
            a_delta(coverage=Coverage(1_999, 1)),
            False,
            "Not fully reviewed · read 1,999 of 2,000 files",
            "Read 1,999 of 2,000 files.\n\n" + counts(verdict="not-fully-reviewed", files_read=1_999, files_unread=1),
        ),
        (
            a_delta([a_finding(severity="CRITICAL")], *OPEN),
            False,
            "Address before merging · 1 critical, 1 major · not blocking: 1 minor",
            f"""\
Read 1 of 1 file.

- [CRITICAL] [src/app.py (12)]({APP}): The total is read before it is set{TEXT}
{LIST}

{counts(verdict="address-before-merging", critical=1, major=1, minor=1, blocking=2, new=1, still_open=2)}""",
        ),
    ],
)
def test_a_check_says_what_the_review_says(delta: Delta, again: bool, title: str, summary: str) -> None:
    """Its title is the review's first line; below it a line for each open finding, and the counts for programs."""
    assert check.reviewed(delta, LINKS, again=again) == (title, summary)


def test_a_check_leads_to_its_review_or_says_why_there_is_none() -> None:
    """The link comes first: the counts stay the last line. A request is answered with the head, and what to ask for."""
    said = check.already_reviewed(HEAD)

    assert check.with_review(f"Read 1 of 1 file.\n\n{counts()}", LINKS.review("80")) == (
        f"[Review]({PULL}#pullrequestreview-80)\n\nRead 1 of 1 file.\n\n{counts()}"
    )
    assert check.superseded("the head moved on to 0123456") == (
        "Superseded",
        "No review of this head: the head moved on to 0123456.",
    )
    assert check.refused("Fix `.kodiai.yml`.") == ("Not reviewed", "Fix `.kodiai.yml`.")
    assert said == "Reviewed at 0123456; nothing changed since. `full review` looks again."
    assert reply_faults(f"{said}\n\n{answer_marker('d-1')}") == []
    assert check.reviewed_lately(HEAD, 39_900) == (
        "Reviewed at 0123456, with the settings and the base of now. The same review is done again from 11:05 UTC;"
        " after a push, or a change of the settings or the base, at once."
    )


def test_a_check_without_a_review_carries_what_is_still_open() -> None:
    """The author is not told again on every push, and can read it all the same."""
    nothing, some = a_delta(), a_delta([], *OPEN)
    partly = a_delta(coverage=Coverage(7, 2))
    of_some = counts(verdict="address-before-merging", major=1, minor=1, blocking=1, still_open=2)
    reviewed_before = "Every change of this pull request was reviewed at 0123456."

    assert check.nothing_to_say(HEAD, nothing, LINKS) == (
        "Ready to merge · nothing found in 1 file",
        f"Nothing new since 0123456.\n\n{counts()}",
    )
    assert check.nothing_to_say(HEAD, some, LINKS) == (
        "Address before merging · 1 major · not blocking: 1 minor",
        f"Nothing new since 0123456.\n\n{LIST}\n\n{of_some}",
    )
    assert check.nothing_to_say(HEAD, partly, LINKS) == (
        "Not fully reviewed · read 7 of 9 files",
        "Nothing new since 0123456; 2 files were not read.\n\n"
        + counts(verdict="not-fully-reviewed", files_read=7, files_unread=2),
    )
    assert check.unchanged(HEAD, partly, LINKS) == check.nothing_to_say(HEAD, partly, LINKS)
    assert check.unchanged(HEAD, nothing, LINKS) == ("Nothing new to review", f"{reviewed_before}\n\n{counts()}")
    assert check.unchanged(HEAD, some, LINKS) == (
        "Address before merging · 1 major · not blocking: 1 minor",
        f"{reviewed_before}\n\n{LIST}\n\n{of_some}",
    )


def test_a_check_that_stands_for_its_review_has_the_texts_of_the_findings() -> None:
    """Every open one has its text, with a comment or without, below the reason for which no review is posted."""
    told = a_finding(problem="A total of 0 is read.", fix="Set it first.")
    summary = check.reviewed(a_delta([told], followed(told)), LINKS, again=True)[1]

    text = "The total is read before it is set\n\n  A total of 0 is read.\n\n  Set it first.\n"
    assert check.without_review(check.LOCKED, summary).startswith(
        "The conversation of this pull request is locked, so the findings are here.\n\nRead 1 of 1 file.\n\n"
        f"- [MAJOR] [src/app.py (12)]({APP}): {text}- [MAJOR] [src/app.py (12)]({THREAD}): {text}\n<!-- kodiai"
    )


def test_a_fix_that_is_a_suggestion_alone_is_shown_as_code() -> None:
    """The check run says which lines it is for. What no comment offers is not shown."""
    told = a_finding(problem="A total of 0 is read.", replacement="    total = 0\n", replaces=(12, 13))
    offered = replace(kept(told), suggestion="    total = 0\n")
    deleted = replace(kept(told.model_copy(update={"replaces": None})), suggestion="")
    worded = replace(offered, finding=told.model_copy(update={"fix": "Set it."}))

    summary = check.reviewed(delta([offered, deleted], ()), LINKS, again=False)[1]
    others = check.reviewed(delta([kept(told), worded], (followed(told),)), LINKS, again=False)[1]

    assert "  Replace lines 12-13 with:\n\n  ```\n      total = 0\n  ```\n" in summary
    assert "\n\n  Delete line 12.\n" in summary
    assert "total = 0" not in others


def test_a_check_that_stands_for_its_review_is_not_longer_than_github_takes() -> None:
    """Every finding is listed, and the first ones with their texts. GitHub takes 65,535 bytes."""
    told = a_finding(problem=" ".join(["\N{GRINNING FACE}" * 30] * 30))
    summary = check.reviewed(a_delta([told] * 60), LINKS, again=False)[1]
    texts = summary.count("\N{GRINNING FACE}") / 900

    assert len(check.without_review(check.LOCKED, summary).encode()) < 65_535
    assert (summary.count("\n- [MAJOR]"), 10 < texts < 60) == (60, True)


@pytest.mark.parametrize(
    ("title", "times", "listed"),
    [("The total is unset", 100, 100), ("The total is unset", 103, 100), ("<" * 80, 100, 37)],
)
def test_a_check_lists_as_many_as_it_has_room_for(title: str, times: int, listed: int) -> None:
    """GitHub takes 65,535 characters, and a text that is longer costs the whole check."""
    delta = a_delta([], *[followed(a_finding(title=title))] * times)

    _, summary = check.unchanged(HEAD, delta, LINKS)

    assert summary.count("\n- [MAJOR] ") == listed
    assert (f"\n- and {times - listed} more\n\n<!-- kodiai:counts" in summary) == (listed < times)
    assert len(summary) <= 18_000


@each_row(
    ("findings", "told"), [(0, "\n\n- Pass: `a`\n- Cannot tell: `b` (漢"), (100, ": there is no room for them here.")]
)
def test_rules_that_do_not_fail_stand_below_as_far_as_there_is_room(findings: int, told: str) -> None:
    """GitHub refuses a summary of over 64 KB, and without the check run there would be no review at all."""
    new = [a_finding(title=f"{at}", explanation="漢" * 700) for at in range(findings)]
    summary = check.reviewed(a_delta(new), LINKS, again=False)[1]
    lines = ["Pass: `a`", *(f"Cannot tell: `{name}` ({'漢' * 300})" for name in "bcdefghij")]

    whole = check.with_team_rules(summary, lines)

    assert whole.startswith(f"{summary}\n\n**Team rules**{told}")
    assert len(whole.encode()) < 65_000
    assert check.with_team_rules(summary, []) == summary
