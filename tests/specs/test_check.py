"""What the check run says when it is done, and what it gates where the repository makes it required."""

import json

import pytest

from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF
from tests.specs.pushing import FIXED, NOTES, ON_PUSH, opened_with_finding, push
from tests.specs.scripts import Json, a_finding, a_report, an_answer

GATED = f"{ON_PUSH}  check:\n    failOn: MAJOR\n"
MISSING = {**OFF_BY_ONE, "severity": "MEDIUM"}
BOTH = {**DISCOUNT, **SHELF}


def fixed(opened: Opened) -> Json:
    """A report that says that the blocking finding is fixed."""
    [known] = [known for known in opened.ledger.findings() if known.finding.blocks]
    return a_report(earlier=[an_answer(known.id)])


def counts(opened: Opened) -> Json:
    """What the last line of the check's summary has for programs."""
    last = opened.check["output"]["summary"].rpartition("\n\n")[2]
    assert last.startswith("<!-- kodiai:counts {")
    assert last.endswith("} -->")
    return dict(json.loads(last.removeprefix("<!-- kodiai:counts ").removesuffix(" -->")))


@pytest.mark.parametrize(("others", "then"), [((), "success"), ((MISSING,), "neutral")])
def test_the_check_fails_while_something_is_open_that_the_gate_names(
    stage: Stage, others: tuple[Json, ...], then: str
) -> None:
    """A push about which there is nothing to say leaves it failed; once that is resolved, it fails no longer."""
    opened = opened_with_finding(stage, a_finding(), *others, config=GATED, files=BOTH)
    assert opened.check["conclusion"] == "failure"

    push(opened, NOTES)

    assert (len(opened.reviews), opened.check["conclusion"]) == (1, "failure")

    push(opened, FIXED, fixed(opened))

    assert (len(opened.reviews), opened.check["conclusion"]) == (2, then)


def test_the_check_fails_at_a_head_that_changes_nothing(stage: Stage) -> None:
    """A rebase does not open the gate, though nobody reads anything again."""
    opened = opened_with_finding(stage, config=GATED)
    moved_base = stage.repository.commit({".kodiai.yml": GATED, "docs/news.md": "News.\n"}, stage.base)

    opened.push(stage.commit(DISCOUNT, moved_base), moved_base)

    assert (stage.outcome()["outcome"], opened.check["conclusion"]) == ("unchanged", "failure")


@pytest.mark.parametrize(
    ("gate", "severity", "conclusion"),
    [
        ("never", "CRITICAL", "neutral"),
        ("CRITICAL", "MAJOR", "neutral"),
        ("CRITICAL", "CRITICAL", "failure"),
        ("MAJOR", "MEDIUM", "neutral"),
        ("MAJOR", "CRITICAL", "failure"),
    ],
)
def test_what_is_less_severe_than_the_gate_fails_nothing(
    stage: Stage, gate: str, severity: str, conclusion: str
) -> None:
    """It leaves the check neutral, which a required check lets pass."""
    config = GATED.replace("MAJOR", gate)

    opened = opened_with_finding(stage, a_finding(severity=severity), config=config)

    assert opened.check["conclusion"] == conclusion


def test_the_summary_of_a_check_leads_to_the_review_and_ends_with_the_counts(stage: Stage) -> None:
    """Every open finding is a line in it, linked to its code; the last line is for programs, and people do not see it.

    Its title is the first line of the review, in plain text.
    """
    opened = opened_with_finding(stage, a_finding(), MISSING, files=BOTH)

    there = f"{opened.web}/blob/{opened.head}/src"
    [review] = opened.reviews
    assert review["body"].startswith(":red_circle: **Address before merging** · 1 major, 1 medium\n")
    assert opened.check["output"]["title"] == "Address before merging · 1 major, 1 medium"
    assert opened.check["output"]["summary"] == (
        f"[Review]({review['html_url']})\n\n"
        "Read 2 of 2 files.\n\n"
        f"- [MAJOR] [src/orders.py (2)]({there}/orders.py?plain=1#L2): The discount is added\n"
        f"- [MEDIUM] [src/stock.py (2)]({there}/stock.py?plain=1#L2): One is missing\n\n"
        '<!-- kodiai:counts {"verdict": "address-before-merging", "critical": 0, "major": 1, "medium": 1, '
        '"minor": 0, "blocking": 1, "new": 2, "more_severe": 0, "resolved": 0, "dismissed": 0, "still_open": 0, '
        '"files_read": 2, "files_unread": 0} -->'
    )


def test_after_a_push_the_check_counts_what_has_changed_and_lists_what_is_open(stage: Stage) -> None:
    """It leads to the review of this push, and to the threads of what is still open."""
    opened = opened_with_finding(stage, a_finding(), MISSING, files=BOTH)
    thread = next(each["html_url"] for each in opened.comments if each["path"] == "src/stock.py")

    push(opened, FIXED, fixed(opened))

    output = opened.check["output"]
    assert output["title"] == "Blockers resolved · 1 resolved · 1 still open"
    assert output["summary"].startswith(
        f"[Review]({opened.reviews[1]['html_url']})\n\nRead 2 of 2 files.\n\n"
        f"- [MEDIUM] [src/stock.py (2)]({thread}): One is missing\n\n<!-- "
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
        "files_read": 2,
        "files_unread": 0,
    }


def test_a_check_without_a_review_of_its_own_links_none(stage: Stage) -> None:
    """Where there is nothing to say the summary says so first, and the counts are there all the same."""
    opened = opened_with_finding(stage)
    first = opened.head

    push(opened, NOTES)

    summary = unlinked(opened.check["output"]["summary"])
    assert opened.check["output"]["title"] == "Address before merging · 1 major"
    assert summary.startswith(
        f"Nothing new since {first[:7]}.\n\n- [MAJOR] src/orders.py (2): The discount is added\n\n<!-- "
    )
    assert (counts(opened)["major"], counts(opened)["still_open"]) == (1, 1)
