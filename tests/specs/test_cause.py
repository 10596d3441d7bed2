"""A finding outside the diff whose cause the diff shows: its comment stands on the cause, and names the place."""

from tests.git_repository import Content
from tests.review_form import comment_faults
from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import TILL, opened_at_cause, push, statuses, the_finding
from tests.specs.scripts import a_finding, a_report, an_answer, says

EDITED: dict[str, Content] = {"src/orders.py": "def total(prices, discount):\n    return discount + sum(prices)\n"}


def place(opened: Opened) -> str:
    """The line that goes wrong, at the head."""
    return f"{opened.web}/blob/{opened.head}/src/till.py?plain=1#L5"


def test_a_finding_outside_the_diff_is_commented_at_its_cause(stage: Stage) -> None:
    """The comment names the other place, and so does the body; the ledger knows the finding by its own place.

    It is known again: a push that edits the cause does not post it twice, whatever it is called. The fix stands where
    the problem was, in a file that was not part of the change before; the thread at the cause gets the reply.
    """
    opened = opened_at_cause(stage)

    [comment], [review], [known] = opened.comments, opened.reviews, opened.ledger.findings()
    assert (comment["path"], comment["line"]) == ("src/orders.py", 1)
    assert comment["body"].startswith(
        "**[MAJOR] The till gives no discount**\n\n"
        f"In [src/till.py (5)]({place(opened)}): Every sale raises TypeError.\n\n"
        "<!-- kodiai:finding id=F-"
    )
    assert comment_faults(comment["body"]) == []
    assert f"[MAJOR] [src/till.py (5)]({place(opened)}): The till gives no discount\n" in review["body"]
    assert "Every sale raises TypeError.\n" not in review["body"]
    assert (known.finding.path, known.finding.lines, known.comment_id) == ("src/till.py", "5", str(comment["id"]))
    assert opened.check["output"]["annotations_count"] == 0

    push(opened, EDITED, a_report({**TILL, "title": "Sales fail"}))

    assert (the_finding(opened), statuses(opened)) == (known.id, ["open"])
    assert (len(opened.reviews), len(opened.comments)) == (1, 1)
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 1, "settled": 0}
    line = f"- [MAJOR] [src/till.py (5)]({comment['html_url']}): The till gives no discount\n"
    assert line in opened.check["output"]["summary"]

    fixed = "return total(prices, 0)"
    till = f"from orders import total\n\n\ndef charge(prices):\n    {fixed}\n"
    claim = an_answer(known.id, path="src/till.py", quote=fixed)
    push(opened, {"src/till.py": till}, a_report(earlier=[claim]))

    root, told = opened.comments
    assert statuses(opened) == ["fixed"]
    assert (told["in_reply_to_id"], told["body"].split("\n")[0]) == (root["id"], f"Fixed in {opened.head[:7]}.")


def test_a_finding_whose_lines_reach_out_of_the_diff_is_commented_on_those_within(stage: Stage) -> None:
    """GitHub takes no comment on the others; the finding keeps all its lines."""
    rows = [f"line_{number} = {number}" for number in range(1, 41)]
    reaching = a_finding(
        path="src/long.py", start_line=30, end_line=40, quote="\n".join([*rows[29:39], "line_40 = 41"])
    )
    stage.model.answers = says(a_report(reaching))

    before, after = (f"{text}\n" for text in ("\n".join(rows), "\n".join([*rows[:-1], "line_40 = 41"])))
    opened = stage.open({"src/long.py": after}, base={"src/long.py": before})

    [comment], [known] = opened.comments, opened.ledger.findings()
    assert (comment["start_line"], comment["line"], known.finding.lines) == (37, 40, "30-40")
    there = f"{opened.web}/blob/{opened.head}/src/long.py?plain=1#L30-L40"
    assert f"[MAJOR] [src/long.py (30-40)]({there}): The discount is added\n" in opened.reviews[0]["body"]
    assert "\n\nA discount of 5 makes" in comment["body"]
