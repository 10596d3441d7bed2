"""The texts of a re-review, whole, as the author of the pull request reads them."""

from typing import Any

import pytest

from kodiai.core.changes.coverage import Coverage
from kodiai.core.changes.scope import Skipped
from kodiai.core.findings.delta import Delta
from kodiai.core.findings.judge import Dropped
from kodiai.core.words.review import re_review
from tests.builders import HEAD, RUN, a_delta, a_file, a_finding, a_scope, a_telling, followed
from tests.review_form import review_faults

LAST = "0123456789" * 4
MARKER = f"<!-- kodiai:review run={RUN} head={HEAD} -->"
SINCE: dict[str, Any] = {"mode": "incremental", "reason": "since-0123456"}


def test_a_re_review_with_everything_in_it() -> None:
    """New, resolved and open, each in its section; what people settled stands in the details."""
    delta = a_delta(
        [
            a_finding(severity="CRITICAL", title="The token is logged", path="src/login.py", start_line=3, end_line=5),
            a_finding(severity="MINOR", kind="preference", title="A generator reads better", explanation="It is lazy."),
        ],
        followed(a_finding(title="The file stays open", path="src/__init__.py"), "resolved"),
        followed(a_finding(severity="MEDIUM", title="No test fails without it"), author_disagrees=True),
        followed(a_finding(title="The retry never ends", start_line=90)),
        followed(a_finding(severity="MINOR", title="The name says little"), "settled"),
        followed(a_finding(title="It is slow"), "settled", {"status": "dismissed", "settled_by": None}),
    )
    scope = a_scope(
        [a_file("src/login.py")],
        [Skipped("uv.lock", "lock file")],
        **SINCE,
        total_files=4,
        total_hunks=5,
        as_reviewed=2,
    )
    dropped = [Dropped(a_finding(severity="MINOR", title="Unused name"), "The linter says so.", "not-worth-it")]
    telling = a_telling(strengths=["Short"], suggestions=["Measure"], asked_back=2, not_asked_back=1)

    body = re_review(scope, delta, dropped, telling, LAST)

    assert (
        body
        == f"""\
<details><summary>Kodiai Re-Review Summary</summary>

## Re-review -- Changes since 0123456

## What Changed

- The report is written as a stream.

## New Findings

:new: [CRITICAL] src/login.py (3-5): The token is logged
An empty list leaves `total` unset, so the first report fails.

:new: [MINOR] src/app.py (12): A generator reads better
Optional: It is lazy.

## Resolved Findings

:white_check_mark: [MAJOR] `src/__init__.py`: The file stays open -- resolved

## Still Open

2 findings of before.

<details><summary>Which ones</summary>

- [MAJOR] src/app.py: The retry never ends
- [MEDIUM] src/app.py: No test fails without it -- the author disagrees

</details>

## Verdict Update

:yellow_circle: **New blockers found** -- Address 1 new issue(s)

</details>

<details><summary>Review Details</summary>

- Mode: incremental (since-0123456), lite
- Coverage: read 1 of 4 files, 1 of 5 hunks; 2 files as reviewed before
- Findings: 1 CRITICAL, 1 MAJOR, 1 MEDIUM, 1 MINOR
- Since the last review: 2 new, 1 resolved, 2 still open, 2 settled
- Asked back: 2 of 5 findings; not shown, and still open: 1
- Model: claude-sonnet-5-5, claude-haiku-5-5, 12,345 tokens in (9,000 from cache), 678 out, $0.0123
- Time: 42 s

Settled by people:

- [MAJOR] src/app.py: It is slow -- dismissed, somebody
- [MINOR] src/app.py: The name says little -- wont fix, ann

Dropped:

- [MINOR] src/app.py (12): Unused name -- not worth it: The linter says so.

Not read:

- uv.lock -- lock file

</details>

{MARKER}"""
    )
    assert review_faults(body) == []


def test_a_re_review_after_everything_was_mended() -> None:
    """Sections without anything in them are not there."""
    delta = a_delta([], followed(a_finding(), "resolved"))

    body = re_review(a_scope(**SINCE), delta, [], a_telling(asked_back=1), LAST)

    assert (
        body
        == f"""\
<details><summary>Kodiai Re-Review Summary</summary>

## Re-review -- Changes since 0123456

## What Changed

- The report is written as a stream.

## Resolved Findings

:white_check_mark: [MAJOR] src/app.py: The total is read before it is set -- resolved

## Verdict Update

:green_circle: **Blockers resolved** -- Ready to merge

</details>

<details><summary>Review Details</summary>

- Mode: incremental (since-0123456), lite
- Coverage: read 1 of 1 file, 1 of 1 hunk
- Findings: none
- Since the last review: 0 new, 1 resolved, 0 still open, 0 settled
- Asked back: 1 of 1 finding
- Model: claude-sonnet-5-5, claude-haiku-5-5, 12,345 tokens in (9,000 from cache), 678 out, $0.0123
- Time: 42 s

</details>

{MARKER}"""
    )
    assert review_faults(body) == []


BLOCKING = a_finding()
MINOR = a_finding(severity="MINOR")
OPTIONAL = a_finding(severity="MEDIUM", kind="preference")
NEW = ":yellow_circle: **New blockers found** -- Address {} new issue(s)"
OPEN = ":yellow_circle: **Blockers still open** -- {} from before"
RESOLVED = ":green_circle: **Blockers resolved** -- Ready to merge"
PARTLY = Coverage(7, 2)
UNREAD = ":yellow_circle: **Not fully reviewed** -- read 7 of 9 files{}"
WHOLE = ":green_circle: **Ready to merge**"
MINOR_ITEMS = ":yellow_circle: **Ready to merge with minor items**"
READY = ":large_blue_circle: **Still ready** -- {}"


@pytest.mark.parametrize(
    ("delta", "verdict"),
    [
        (a_delta([BLOCKING, MINOR]), NEW.format(1)),
        (a_delta([BLOCKING], followed(BLOCKING, "resolved")), NEW.format(1)),
        (a_delta([BLOCKING, BLOCKING], followed(BLOCKING)), NEW.format(2)),
        (a_delta([], followed(BLOCKING, "raised")), NEW.format(1)),
        (a_delta([BLOCKING], followed(BLOCKING, "raised"), followed(BLOCKING)), NEW.format(2)),
        (a_delta([MINOR], followed(BLOCKING)), OPEN.format(1)),
        (a_delta([], followed(BLOCKING), followed(BLOCKING), followed(BLOCKING, "resolved")), OPEN.format(2)),
        (a_delta([], followed(BLOCKING, "reopened")), OPEN.format(1)),
        (a_delta([MINOR], followed(BLOCKING, "resolved"), followed(MINOR)), RESOLVED),
        (a_delta([MINOR], followed(BLOCKING, "settled")), RESOLVED),
        (a_delta([], followed(MINOR, "resolved")), READY.format("No new issues")),
        (a_delta([], followed(MINOR), followed(OPTIONAL, "resolved")), READY.format("No new issues")),
        (a_delta([MINOR, OPTIONAL]), READY.format("2 new, none of them blocking")),
        (a_delta([], followed(a_finding(severity="MEDIUM"), "raised")), READY.format("No new issues")),
        (a_delta([BLOCKING], coverage=PARTLY), f"{NEW.format(1)}; 2 files were not read"),
        (a_delta([], followed(BLOCKING), coverage=PARTLY), f"{OPEN.format(1)}; 2 files were not read"),
        (a_delta([], followed(BLOCKING, "resolved"), coverage=PARTLY), UNREAD.format("")),
        (a_delta([], followed(BLOCKING, "resolved"), coverage_before=PARTLY), RESOLVED),
        (a_delta([MINOR], coverage=PARTLY), UNREAD.format("; 1 finding, not blocking")),
        (a_delta(coverage=PARTLY), UNREAD.format("")),
        (a_delta(coverage=Coverage(0, 0)), ":white_circle: **Nothing to read** -- no changed file needs to be read"),
        (a_delta(coverage=Coverage(9, 0), coverage_before=PARTLY), f"{WHOLE} -- nothing found in 9 files"),
        (a_delta([MINOR], coverage_before=PARTLY), f"{MINOR_ITEMS} -- 1 finding, not blocking"),
    ],
)
def test_the_verdict_names_the_transition(delta: Delta, verdict: str) -> None:
    """It is over everything that is open, and new blockers outweigh whatever was resolved."""
    body = re_review(a_scope(**SINCE), delta, [], a_telling(), LAST)

    assert f"## Verdict Update\n\n{verdict}\n\n</details>\n" in body
    assert review_faults(body) == []


def test_one_finding_still_open_is_counted_in_the_singular() -> None:
    """Words agree with their number."""
    body = re_review(a_scope(**SINCE), a_delta([], followed(MINOR)), [], a_telling(), LAST)

    assert "## Still Open\n\n1 finding of before.\n\n<details>" in body


def test_what_a_push_changed_is_told_without_the_models_words_too() -> None:
    """Where only what is not read was pushed, it says that."""
    delta = a_delta([], followed(MINOR))
    unread = a_scope([], [Skipped("uv.lock", "lock file"), Skipped("a.png", "binary")], **SINCE)

    silent = re_review(a_scope(**SINCE), delta, [], a_telling(what_changed=[]), LAST)
    nothing = re_review(unread, delta, [], a_telling(what_changed=[]), LAST)

    assert "## What Changed\n\n1 file; the reviewer did not sum the change up.\n" in silent
    assert "## What Changed\n\n2 files, not read.\n" in nothing


def test_a_re_review_lists_new_findings_above_the_floor_and_problems_of_before_apart() -> None:
    """A severe problem that was there before is new to the author, but nothing that the push brought."""
    old = a_finding(title="The lock is never freed", pre_existing=True, start_line=50)
    delta = a_delta([old, a_finding(severity="MEDIUM", title="A slow loop"), MINOR])

    body = re_review(a_scope(**SINCE), delta, [], a_telling(floor="MEDIUM"), LAST)

    assert (
        body.partition("## New Findings\n\n")[2].partition("\n\n</details>")[0]
        == """\
:new: [MEDIUM] src/app.py (12): A slow loop
An empty list leaves `total` unset, so the first report fails.

## Found Along the Way

[MAJOR] src/app.py (50): The lock is never freed
Pre-existing, not brought by this change: An empty list leaves `total` unset, so the first report fails.

## Verdict Update

:large_blue_circle: **Still ready** -- 3 new, none of them blocking"""
    )
    assert "- Findings: 1 MAJOR, 1 MEDIUM, 1 MINOR; 1 below the severity floor MEDIUM, not listed\n" in body
    assert review_faults(body) == []
