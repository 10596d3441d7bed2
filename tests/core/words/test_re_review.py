"""The texts of a re-review, whole, as the author of the pull request reads them."""

from typing import Any

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.changes.snapshot import Coverage
from kodiai.core.judge.delta import Delta
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.words.check import reviewed
from kodiai.core.words.review import first_review, re_review
from tests.builders import HEAD, LINKS, PULL, RUN, a_delta, a_file, a_finding, a_scope, followed, some_details
from tests.review_form import review_faults
from tests.tables import each_row

LAST = "0123456789" * 4
BLOB = f"https://github.com/octo/app/blob/{HEAD}"
THREAD = f"{PULL}#discussion_r11"
MARKER = f"<!-- kodiai:review run={RUN} head={HEAD} -->"
NOT_OURS = "1 older MAJOR, not from this change"
SINCE: dict[str, Any] = {"mode": "incremental", "reason": "since-0123456"}


def test_a_re_review_with_everything_in_it() -> None:
    """New, resolved and open, each in its section; what people settled is in the details.

    Older problems and suggestions that are new say so too.
    """
    delta = a_delta(
        [
            a_finding(severity="CRITICAL", title="The token is logged", path="src/login.py", start_line=3, end_line=5),
            a_finding(severity="MINOR", kind="preference", title="A generator reads better", explanation="It is lazy."),
            a_finding(title="The lock is kept", pre_existing=True),
        ],
        followed(a_finding(title="The file stays open", path="src/__init__.py"), "resolved"),
        followed(a_finding(severity="MEDIUM", title="No test fails without it"), author_disagrees=True),
        followed(a_finding(title="The retry never ends", start_line=90)),
        followed(a_finding(severity="MINOR", title="The name says little"), "dismissed"),
        followed(a_finding(title="It is slow"), "dismissed", {"status": "dismissed", "settled_by": None}),
    )
    scope = a_scope(
        [a_file("src/login.py")],
        [Skipped("uv.lock", "lock file")],
        **SINCE,
        total_files=4,
        total_hunks=5,
        as_reviewed=2,
    )
    dropped = [
        SuppressedFinding(a_finding(severity="MINOR", title="Unused name"), "The linter says so.", "not-worth-it")
    ]
    details = some_details(strengths=["Short"], asked_back=2, not_asked_back=1)

    body = re_review(scope, delta, dropped, details, LAST)

    assert (
        body
        == f"""\
:red_circle: **New blockers found** · 2 new (1 blocking) · 1 resolved · 2 dismissed · 2 still open · {NOT_OURS}

<details><summary>Kodiai Re-Review Summary</summary>

## Re-review -- Changes since 0123456

## What Changed

- The report is written as a stream.

## New Findings

:new: [CRITICAL] [src/login.py (3-5)]({BLOB}/src/login.py?plain=1#L3-L5): The token is logged

## Older Problems

:new: [MAJOR] [src/app.py (12)]({BLOB}/src/app.py?plain=1#L12): The lock is kept

## Suggestions

:new: [MINOR] [src/app.py (12)]({BLOB}/src/app.py?plain=1#L12): A generator reads better

## Resolved Findings

:white_check_mark: [MAJOR] [`src/__init__.py`]({THREAD}): The file stays open -- resolved

## Still Open

2 still open.

<details><summary>Show</summary>

- [MAJOR] [src/app.py]({THREAD}): The retry never ends
- [MEDIUM] [src/app.py]({THREAD}): No test fails without it -- the author disagrees

</details>

## Verdict Update

:red_circle: **New blockers found** -- Address 1 new finding and 1 that was open before

</details>

<details><summary>Review Details</summary>

- Scope: incremental (since 0123456) · Depth: lite
- Coverage: read 1 of 4 files, 1 of 5 hunks; 2 files unchanged since the last review
- Rechecked: 2 of 5 findings; 1 did not fit and stay open
- Model: claude-haiku-5-5, claude-sonnet-5-5, 12,345 tokens in (9,000 from cache), 678 out, $0.0123
- Time: 42 s

Dismissed:

- [MAJOR] src/app.py: It is slow -- dismissed, somebody
- [MINOR] src/app.py: The name says little -- won't fix, ann

Suppressed:

- [MINOR] src/app.py (12): Unused name -- not worth it

Not read:

- uv.lock -- lock file

</details>

{MARKER}"""
    )
    assert review_faults(body) == []


BLOCKING = a_finding()
MINOR = a_finding(severity="MINOR")
OLDER = a_finding(pre_existing=True)
OPTIONAL = a_finding(severity="MEDIUM", kind="preference")
NEW = ":red_circle: **New blockers found** -- Address {} new finding"
OPEN = ":red_circle: **Blockers still open** -- {} earlier finding still blocks"
RESOLVED = ":green_circle: **Blockers resolved** -- Ready to merge"
PARTLY = Coverage(7, 2)
UNREAD = ":yellow_circle: **Not fully reviewed** -- read 7 of 9 files{}"
WHOLE = ":green_circle: **Ready to merge**"
MINOR_ITEMS = ":yellow_circle: **Ready to merge with minor items**"
READY = ":large_blue_circle: **Still ready** -- {}"


@each_row(
    ("delta", "verdict"),
    [
        (a_delta([BLOCKING, MINOR]), NEW.format(1)),
        (a_delta([], followed(BLOCKING, "raised")), NEW.format(1)),
        (
            a_delta([BLOCKING], followed(BLOCKING, "raised"), followed(BLOCKING)),
            f"{NEW.format(2)}s and 1 that was open before",
        ),
        (a_delta([MINOR], followed(BLOCKING)), OPEN.format(1)),
        (
            a_delta([], followed(BLOCKING), followed(BLOCKING), followed(BLOCKING, "resolved")),
            OPEN.replace("finding still blocks", "findings still block").format(2),
        ),
        (a_delta([], followed(BLOCKING, "reopened")), OPEN.format(1)),
        (a_delta([MINOR], followed(BLOCKING, "resolved"), followed(MINOR)), RESOLVED),
        (a_delta([MINOR], followed(BLOCKING, "dismissed")), RESOLVED),
        (a_delta([], followed(MINOR, "resolved")), READY.format("No new findings")),
        (a_delta([MINOR, OPTIONAL]), READY.format("2 new, none of them blocking")),
        (a_delta([OLDER, MINOR]), READY.format(f"1 new, none of them blocking; {NOT_OURS}")),
        (a_delta([OLDER]), READY.format(NOT_OURS)),
        (a_delta([], followed(a_finding(severity="MEDIUM"), "raised")), READY.format("No new findings")),
        (a_delta([BLOCKING], coverage=PARTLY), f"{NEW.format(1)}; 2 files were not read"),
        (a_delta([], followed(BLOCKING, "resolved"), coverage=PARTLY), UNREAD.format("")),
        (a_delta([], followed(BLOCKING, "resolved"), coverage_before=PARTLY), RESOLVED),
        (a_delta([MINOR], coverage=PARTLY), UNREAD.format("; 1 finding, not blocking")),
        (a_delta(coverage=Coverage(0, 0)), ":white_circle: **Nothing to read** -- no changed file needs to be read"),
        (a_delta(coverage=Coverage(9, 0), coverage_before=PARTLY), f"{WHOLE} -- nothing found in 9 files"),
        (a_delta([MINOR], coverage_before=PARTLY), f"{MINOR_ITEMS} -- 1 finding, not blocking"),
    ],
)
def test_the_verdict_names_the_transition(delta: Delta, verdict: str) -> None:
    """It is over everything that is open, and new blockers outweigh whatever was resolved."""
    body = re_review(a_scope(**SINCE), delta, [], some_details(), LAST)

    assert f"## Verdict Update\n\n{verdict}\n\n</details>\n" in body
    assert review_faults(body) == []


@each_row(
    ("delta", "first"),
    [
        (a_delta([BLOCKING], followed(MINOR)), ":red_circle: **New blockers found** · 1 new · 1 still open"),
        (
            a_delta([], followed(BLOCKING, "dismissed")),
            ":green_circle: **Blockers resolved** · ready to merge · 1 dismissed",
        ),
        (a_delta(), ":large_blue_circle: **Still ready** · no new findings"),
        (a_delta([OLDER]), f":large_blue_circle: **Still ready** · {NOT_OURS}"),
        (a_delta([OLDER, MINOR]), f":large_blue_circle: **Still ready** · 1 new · {NOT_OURS}"),
        (
            a_delta([OLDER, BLOCKING], coverage=PARTLY),
            f":red_circle: **New blockers found** · 1 new · {NOT_OURS} · 2 files were not read",
        ),
        (a_delta([BLOCKING], coverage=PARTLY), ":red_circle: **New blockers found** · 1 new · 2 files were not read"),
        (a_delta([MINOR], coverage=PARTLY), ":yellow_circle: **Not fully reviewed** · read 7 of 9 files · 1 new"),
        (
            a_delta(coverage=Coverage(9, 0), coverage_before=PARTLY),
            ":green_circle: **Ready to merge** · nothing found in 9 files",
        ),
    ],
)
def test_the_first_line_counts_what_changed(delta: Delta, first: str) -> None:
    """It is red while anything open blocks."""
    body = re_review(a_scope(**SINCE), delta, [], some_details(), LAST)

    assert body.startswith(f"{first}\n\n<details>")


NOT_READ = (("gradle/gradle-wrapper.jar", "binary file"), ("vendor/a.go", "vendor/"), ("vendor/b/c.go", "vendor/"))


NOTHING_BLOCKS = ":yellow_circle: **Nothing blocking in what was read** · read 1 of"
NOT_FULLY = ":yellow_circle: **Not fully reviewed** · read"


@each_row(
    ("coverage", "first", "below"),
    [
        (
            Coverage(1, 0, (*NOT_READ, ("web/bun.lock", "lock file"))),
            f"{NOTHING_BLOCKS} 5 files",
            "Not read: gradle/gradle-wrapper.jar, 1 lock file, 2 files in vendor/.",
        ),
        (
            Coverage(2, 1, (("a.py", ""), ("lib", "submodule")), (("b.js", "it has a NUL character"),)),
            f"{NOT_FULLY} 2 of 4 files · 1 not visible on GitHub",
            "Not read: a.py, lib (submodule).\n\nNot visible on GitHub: b.js (it has a NUL character).",
        ),
        (
            Coverage(1, 0, tuple((f"{at}.png", "binary file") for at in range(5))),
            f"{NOTHING_BLOCKS} 6 files",
            "Not read: 5 binary files.",
        ),
        (
            Coverage(0, 5, tuple((f"`{at}`.py", "") for at in range(5))),
            f"{NOT_FULLY} 0 of 5 files",
            "Not read: `` `0`.py ``, `` `1`.py ``, `` `2`.py ``, 2 more files.",
        ),
        (
            Coverage(0, 0, (("a.png", "binary file"),)),
            ":white_circle: **Nothing to read** · no changed file can be read",
            "Not read: a.png.",
        ),
    ],
)
def test_the_first_lines_name_what_was_not_read(coverage: Coverage, first: str, below: str) -> None:
    """The first review says so too, and the check run."""
    delta = a_delta(coverage=coverage)
    again = re_review(a_scope(**SINCE), delta, [], some_details(), LAST)

    for body in (again, first_review(a_scope(), delta, [], some_details())):
        assert body.startswith(f"{first}\n\n{below}\n\n<details>")
    assert below in reviewed(delta, LINKS, again=False)[1]


def test_a_new_blocker_without_a_comment_stands_outside_the_folds() -> None:
    """With its text, and not among the new findings again."""
    body = re_review(a_scope(**SINCE), a_delta([BLOCKING, OPTIONAL], inline=False), [], some_details(), LAST)

    assert body.startswith(
        f"""\
:red_circle: **New blockers found** · 2 new (1 blocking)

:new: [MAJOR] [src/app.py (12)]({BLOB}/src/app.py?plain=1#L12): The total is read before it is set
An empty list leaves `total` unset, so the first report fails.

<details>"""
    )
    assert body.count("[MAJOR] ") == 1
    assert review_faults(body) == []


def test_a_blocker_of_before_without_a_comment_stands_there_too() -> None:
    """The review that had its text is collapsed; of one that became more severe it says why."""
    silent = {"comment_id": None}
    delta = a_delta(
        [],
        followed(a_finding(), "raised", silent, why="It is charged twice now."),
        followed(a_finding(title="The retry never ends", start_line=90), known=silent),
        followed(a_finding(title="It has a comment")),
    )

    body = re_review(a_scope(**SINCE), delta, [], some_details(), LAST)

    assert body.startswith(
        f"""\
:red_circle: **New blockers found** · 1 more severe · 3 still open

[MAJOR] [src/app.py (12)]({BLOB}/src/app.py?plain=1#L12): The total is read before it is set
It is charged twice now.

[MAJOR] [src/app.py (90)]({BLOB}/src/app.py?plain=1#L90): The retry never ends
An empty list leaves `total` unset, so the first report fails.

<details>"""
    )
    assert review_faults(body) == []


def test_the_list_of_changes_has_a_sentence_without_the_models_words() -> None:
    """Where only what is not read was pushed, it says that."""
    delta = a_delta([], followed(MINOR))
    unread = a_scope([], [Skipped("uv.lock", "lock file"), Skipped("a.png", "binary")], **SINCE)

    silent = re_review(a_scope(**SINCE), delta, [], some_details(what_changed=[]), LAST)
    nothing = re_review(unread, delta, [], some_details(what_changed=[]), LAST)

    assert "## What Changed\n\n1 file; the reviewer did not sum the change up.\n" in silent
    assert "## What Changed\n\n2 files, not read.\n" in nothing


def test_a_re_review_lists_new_findings_above_the_floor_and_problems_of_before_apart() -> None:
    """A severe problem that was there before is new to the author, but nothing that the push brought."""
    old = a_finding(title="The lock is never freed", pre_existing=True, start_line=50)
    delta = a_delta([old, a_finding(severity="MEDIUM", title="A slow loop"), MINOR], inline=False)

    body = re_review(a_scope(**SINCE), delta, [], some_details(floor="MEDIUM"), LAST)

    assert (
        body.partition("## New Findings\n\n")[2].partition("\n\n</details>")[0]
        == f"""\
:new: [MEDIUM] [src/app.py (12)]({BLOB}/src/app.py?plain=1#L12): A slow loop
An empty list leaves `total` unset, so the first report fails.

## Older Problems

:new: [MAJOR] [src/app.py (50)]({BLOB}/src/app.py?plain=1#L50): The lock is never freed
Older problem, does not block: An empty list leaves `total` unset, so the first report fails.

## Verdict Update

:large_blue_circle: **Still ready** -- 2 new, none of them blocking; 1 older MAJOR, not from this change"""
    )
    assert "- Not listed: 1 below the severity floor MEDIUM\n" in body
    assert review_faults(body) == []
