"""A problem that was there before the change, on a line that the change touches: reader and judge say so, not code."""

import pytest

from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.scripts import Json, a_finding, a_report, rules, says

VERDICT = "review:\n  event: verdict\n"
TOTALS = str(DISCOUNT["src/orders.py"])
RENAMED = TOTALS.replace("prices", "amounts")
FOUND = a_finding(quote="return sum(amounts) + discount")
CHARGED = f"{TOTALS}\n\ndef charged(fee):\n    return fee - 1\n"
ADDED = a_finding(quote="return fee - 1", start_line=6, end_line=6, title="A fee is one short")
OLDER = {"pre_existing": True}
FIRST_LINE = ":yellow_circle: **Ready to merge with minor items** · 1 older MAJOR, not from this change"


def opened_with(stage: Stage, finding: Json, changed: str, ruling: Json, *, confirms: bool | None) -> Opened:
    """A pull request that changes the totals of the base branch; the judge rules so on what the reader finds."""
    report, ruled = a_report(finding), rules(finding["title"], **ruling)
    stage.model.answers = says(report, ruled, confirms=confirms)
    base = {".kodiai.yml": VERDICT, "src/orders.py": TOTALS}
    return stage.open({"src/orders.py": changed}, base=base)


@pytest.mark.parametrize(("older", "confirms"), [(True, None), (False, True)], ids=["the reader", "a second ruling"])
def test_a_problem_on_a_line_with_a_renamed_variable_is_older_if_two_say_so(
    stage: Stage, older: bool, confirms: bool | None
) -> None:
    """The judge, and its reader or a second ruling: it is listed as older, and requests no changes."""
    opened = opened_with(stage, {**FOUND, **(OLDER if older else {})}, RENAMED, OLDER, confirms=confirms)

    [review], [comment] = opened.reviews, opened.comments
    assert (review["body"].partition("\n")[0], review["state"]) == (FIRST_LINE, "APPROVED")
    assert "\n\nOlder problem, does not block: A discount of 5 makes" in comment["body"]


@pytest.mark.parametrize("confirms", [False, None], ids=["does not confirm", "says nothing"])
def test_a_blocker_is_not_older_by_the_word_of_the_judge_alone(stage: Stage, confirms: bool | None) -> None:
    """It blocks where the reader does not say so, and the second ruling does not agree."""
    opened = opened_with(stage, FOUND, RENAMED, OLDER, confirms=confirms)

    assert_it_blocks(opened, "The discount is added")


@pytest.mark.parametrize("ruling", [OLDER, {"fate": "not-from-this-change"}], ids=["older", "dropped"])
def test_code_that_is_new_in_every_word_is_not_older(stage: Stage, ruling: Json) -> None:
    """Code alone tells that it was not there before, whatever the judge says, twice."""
    opened = opened_with(stage, ADDED, CHARGED, ruling, confirms=True)

    assert_it_blocks(opened, "A fee is one short")


def assert_it_blocks(opened: Opened, title: str) -> None:
    """Assert that a MAJOR finding with this title requests changes."""
    [review], [comment] = opened.reviews, opened.comments
    assert review["body"].startswith(":red_circle: **Address before merging** · 1 major")
    assert (review["state"], opened.check["conclusion"]) == ("CHANGES_REQUESTED", "neutral")
    assert comment["body"].startswith(f"**[MAJOR] {title}**")
    assert "Older problem" not in comment["body"]
