"""The completed check run, and the gate that it is where the repository requires it."""

import json

from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF
from tests.specs.pushing import FIXED, NOTES, ON_PUSH, opened_with_finding, push
from tests.specs.scripts import Json, a_finding, a_report, an_answer

GATED = f"{ON_PUSH}  check:\n    failOn: MAJOR\n"
MISSING = {**OFF_BY_ONE, "severity": "MEDIUM"}
BOTH = {**DISCOUNT, **SHELF}
TITLE = "Address before merging · 1 major · not blocking: 1 medium"


def fixed(opened: Opened) -> Json:
    """A report that says that the blocking finding is fixed."""
    [known] = [known for known in opened.ledger.findings() if known.finding.blocks]
    return a_report(earlier=[an_answer(known.id)])


NEXT = (
    "This check fails while a blocking finding of MAJOR or above is open. Fix it, or have it dismissed in its thread. "
    "In an emergency, somebody with write access lets this commit pass with `@kodiai break glass <why>`."
)


def counts(opened: Opened) -> Json:
    """The figures for programs in the last line of the check's summary."""
    last = opened.check["output"]["summary"].rpartition("\n\n")[2]
    assert last.startswith("<!-- kodiai:counts {")
    assert last.endswith("} -->")
    return dict(json.loads(last.removeprefix("<!-- kodiai:counts ").removesuffix(" -->")))


def test_the_check_of_a_pull_request_from_its_opening_to_its_fix(stage: Stage) -> None:
    """It says what the review says, and fails while something is open that the gate names.

    A push about which there is nothing to say leaves it failed, and so does a rebase, though nobody reads anything
    again. What is less severe than the gate leaves it neutral, which a required check lets pass.
    """
    opened = opened_with_finding(stage, a_finding(), MISSING, config=GATED, files=BOTH)
    first, there = opened.head, f"{opened.web}/blob/{opened.head}/src"
    thread = next(each["html_url"] for each in opened.comments if each["path"] == "src/stock.py")

    [review], check = opened.reviews, opened.check
    assert review["body"].startswith(":red_circle: **Address before merging** · 1 major · not blocking: 1 medium\n")
    assert (check["conclusion"], check["output"]["title"]) == ("failure", TITLE)
    assert check["output"]["summary"] == (
        f"[Review]({review['html_url']})\n\n"
        f"{NEXT}\n\n"
        "Read 2 of 2 files.\n\n"
        f"- [MAJOR] [src/orders.py (2)]({there}/orders.py?plain=1#L2): The discount is added\n\n"
        "  A discount of 5 makes an order of 100 cost 105.\n"
        f"- [MEDIUM] [src/stock.py (2)]({there}/stock.py?plain=1#L2): One is missing\n\n"
        "  A discount of 5 makes an order of 100 cost 105.\n\n"
        '<!-- kodiai:counts {"verdict": "address-before-merging", "critical": 0, "major": 1, "medium": 1, '
        '"minor": 0, "blocking": 1, "new": 2, "more_severe": 0, "resolved": 0, "dismissed": 0, "still_open": 0, '
        '"files_read": 2, "files_unread": 0} -->'
    )

    push(opened, NOTES)

    quiet, check = opened.head, opened.check
    summary = unlinked(check["output"]["summary"])
    assert (len(opened.reviews), check["conclusion"]) == (1, "failure")
    assert check["output"]["title"] == TITLE
    assert summary.startswith(
        f"{NEXT}\n\nNothing new since {first[:7]}.\n\n- [MAJOR] src/orders.py (2): The discount is added\n"
    )
    assert (counts(opened)["major"], counts(opened)["still_open"]) == (1, 2)

    moved_base = stage.repository.commit({".kodiai.yml": GATED, "docs/news.md": "News.\n"}, stage.base)
    opened.push(stage.commit({**BOTH, **NOTES}, moved_base), moved_base)

    assert (stage.outcome()["outcome"], opened.check["conclusion"]) == ("unchanged", "failure")
    assert quiet[:7] in opened.check["output"]["summary"]

    push(opened, FIXED, fixed(opened))

    check = opened.check
    assert (check["conclusion"], check["output"]["title"]) == (
        "neutral",
        "Blockers resolved · ready to merge · 1 resolved · 1 still open",
    )
    assert check["output"]["summary"].startswith(
        f"[Review]({opened.reviews[1]['html_url']})\n\nRead 3 of 3 files.\n\n"
        f"- [MEDIUM] [src/stock.py (2)]({thread}): One is missing\n\n  A discount"
    )
    assert counts(opened) == {
        "verdict": "minor-items",
        "critical": 0,
        "major": 0,
        "medium": 1,
        "minor": 0,
        "blocking": 0,
        "new": 0,
        "more_severe": 0,
        "resolved": 1,
        "dismissed": 0,
        "still_open": 1,
        "files_read": 3,
        "files_unread": 0,
    }
