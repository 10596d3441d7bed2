"""Limits of a review: calls to GitHub, findings and files shown to the model; and a review without its memory."""

from collections.abc import Mapping
from typing import Any

from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import FIXED, NOTES, ON_PUSH, opened_with_finding, push, shown, statuses
from tests.specs.scripts import a_finding, a_report, an_answer
from tests.specs.talking import items

MOST_CALLS = 8
NEW = {"path": "src/notes.py", "quote": "x = 1", "start_line": 1, "end_line": 1, "title": "Nobody needs x"}
_TOKEN = "POST /app/installations/{installation_id}/access_tokens"


def calls(outcome: Mapping[str, Any]) -> int:
    """The number of requests of a run to GitHub, the installation token aside."""
    return sum(times for route, times in outcome["github"]["by_route"].items() if route != _TOKEN)


def test_a_review_of_a_hundred_files_takes_eight_calls_and_a_re_review_one_more_for_each_file_said_to_be_fixed(
    stage: Stage,
) -> None:
    """Writes included: with a thread to answer, an older summary to collapse and a finding off the diff.

    What is said to be resolved is held against its file as it was at the last review, which is one call. Here the App
    may not resolve threads: one more call asks what it was granted.
    """
    off_the_diff = a_finding(
        path="README.md", quote="# Widgets", title="No word of discounts", start_line=1, end_line=1
    )
    files = {f"src/part_{number}.py": f"n = {number}\n" for number in range(99)} | {
        "src/orders.py": FIXED["src/orders.py"]
    }
    opened = opened_with_finding(stage, a_finding(quote="return sum(prices) - discount"), off_the_diff, files=files)
    first = stage.outcome()
    told = next(known for known in opened.ledger.findings() if known.comment_id is not None)
    mended = {"src/orders.py": "def total(prices, discount):\n    return max(sum(prices) - discount, 0)\n"}

    push(opened, mended, a_report(earlier=[an_answer(told.id, quote="return max(sum(prices) - discount, 0)")]))

    again = stage.outcome()
    assert (first["files_total"], calls(first)) == (100, MOST_CALLS + 1)  # README.md is read too
    assert (again["delta"]["resolved"], calls(again)) == (1, MOST_CALLS + 1)
    assert len(opened.reviews) == 2


def test_thirty_findings_are_asked_back_and_the_rest_stays_open(stage: Stage) -> None:
    """The others are counted; fifty files that stand as they were are named, the rest is counted too.

    The log and the first line count what changed, without any path, title or code of the pull request.
    """
    lines = [f"value_{number} = {number}" for number in range(32)]
    text = "".join(f"{line}\n" for line in lines)
    others = {f"src/part_{number:02}.py": f"n = {number}\n" for number in range(51)}
    findings = [
        a_finding(path="src/values.py", quote=line, title=f"Value {at} is odd", start_line=at + 1, end_line=at + 1)
        for at, line in enumerate(lines)
    ]
    config = f"{ON_PUSH}  maxComments: 40\n"
    opened = opened_with_finding(stage, *findings, config=config, files={"src/values.py": text} | others)
    assert len(opened.ledger.findings()) == 32
    asked = stage.asked
    gone = [an_answer(each.id, path="src/values.py", quote="value_0 = -1") for each in opened.ledger.findings()]

    push(opened, {"src/values.py": "value_0 = -1\n", **NOTES}, a_report(a_finding(**NEW), earlier=gone))

    question = shown(opened, asked)
    assert question.count('{"finding": "F-') == 30
    assert (question.count('"src/part_'), '"and_more": 1' in question) == (50, True)
    assert (statuses(opened).count("fixed"), statuses(opened).count("open")) == (30, 3)
    outcome = stage.outcome()
    assert outcome["delta"] == {"new": 1, "resolved": 30, "still_open": 2, "settled": 0}
    assert outcome["asked_back"] == 30
    assert "values" not in str(outcome)
    assert opened.reviews[1]["body"].startswith(
        ":red_circle: **New blockers found** · 1 new · 30 resolved · 2 still open\n"
    )
    assert "- Rechecked: 30 of 32 findings; 2 did not fit and stay open\n" in opened.reviews[1]["body"]


def test_a_memory_that_cannot_be_read_costs_no_review(stage: Stage) -> None:
    """The findings are restored from GitHub, and that is said; without the snapshot everything is read."""
    opened = opened_with_finding(stage)
    [before] = opened.ledger.findings()
    new = a_finding(title="Totals may be negative", category="reliability", quote="return sum(prices) - discount")

    garble(opened, "FINDING#", "finding", "garbled")
    push(opened, FIXED, a_report(new))

    assert (stage.outcome()["outcome"], stage.outcome()["mode"]) == ("completed", "incremental")
    body = opened.reviews[1]["body"]
    assert body.partition("\n\n")[2].startswith("<details><summary>Kodiai Re-Review Summary</summary>")
    assert "Problem: the findings of earlier reviews cannot be read: 1 finding restored from GitHub" in body
    [known] = [each for each in opened.ledger.findings() if each.id == before.id]
    assert (known.status, known.comment_id) == ("open", before.comment_id)
    assert statuses(opened) == ["open", "open"]

    garble(opened, "SNAPSHOT#", "data", b"garbled")
    push(opened, NOTES, a_report(new, a_finding(**NEW)))

    assert (stage.outcome()["outcome"], stage.outcome()["mode"]) == ("completed", "full")
    body = opened.reviews[2]["body"]
    assert body.partition("\n\n")[2].startswith("<details><summary>Kodiai Review Summary</summary>")
    assert "restored from GitHub" not in body
    assert statuses(opened) == ["open"] * 3


def garble(opened: Opened, prefix: str, attribute: str, garbled: str | bytes) -> None:
    """Make every item of a kind one that cannot be read."""
    found = items(opened, prefix)
    assert found
    for item in found:
        opened.stage.table.put_item(Item={**item, attribute: garbled})
