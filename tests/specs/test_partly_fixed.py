"""A push that fixes a finding in part, or does not fix it, is answered in its thread once; other pushes are not."""

from tests.git_repository import Files
from tests.review_form import reply_faults
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, SHELF
from tests.specs.pushing import EDITED, NOTES, ON_PUSH, opened_with_finding, push, statuses, the_finding
from tests.specs.scripts import Json, Readings, a_finding, a_report, an_answer, says
from tests.specs.talking import reply, thread

CAPPED = "return sum(prices) + max(discount, 0)"
HALVED = "return sum(prices) + max(discount, 0) / 2"
LEFT = "Positive discounts are added"
STILL = "A discount of 5 still makes an order of 100 cost 105."
WHY = "An order of 100 with a discount of 5 still costs 105."
SAID = "Das prüft jetzt der Aufrufer."
DONE: Readings = {SAID: "done"}


def code(line: str) -> Files:
    """The file of the finding, with this line where its code was."""
    return {"src/orders.py": f"def total(prices, discount):\n    {line}\n"}


def partial(finding: str, **more: str) -> Json:
    """A report that a finding is fixed in part."""
    said = {"title": LEFT, "problem": STILL, "quote": CAPPED, "why": "Negative ones count as none.", **more}
    return a_report(earlier=[an_answer(finding, "PARTIAL", **said)])


def not_addressed(finding: str, quote: str = CAPPED) -> Json:
    """A report that a finding is not fixed."""
    return a_report(earlier=[an_answer(finding, "NOT_ADDRESSED", quote=quote, why=WHY)])


def listed(opened: Opened) -> list[str]:
    """The open findings that the check run lists."""
    return [line for line in unlinked(opened.check["output"]["summary"]).split("\n") if line.startswith("- [M")]


def test_a_partly_fixed_finding_says_once_a_push_what_is_left(stage: Stage) -> None:
    """From then on its title and its problem are those of what is left, in lists and in the check run.

    A push elsewhere says nothing, though the reader answers the same; one that changes its lines does, once more.
    """
    opened = opened_with_finding(stage)
    finding = the_finding(opened)

    push(opened, code(CAPPED), partial(finding))

    first = f"Partly fixed in {opened.head[:7]}: Negative ones count as none; still: {STILL}"
    assert (thread(opened), statuses(opened), len(opened.reviews)) == ([first], ["open"], 1)
    assert listed(opened) == [f"- [MAJOR] src/orders.py (2): {LEFT} -- partly fixed"]
    assert opened.check["output"]["title"] == "Address before merging · 1 major"

    shelf = a_finding(path="src/stock.py", quote="return len(shelf) - 1", title="One is missing", severity="MEDIUM")
    push(opened, SHELF, {**partial(finding, why="It is so."), "findings": [shelf]})

    assert thread(opened) == [first]
    assert f"- [MAJOR] src/orders.py: {LEFT}\n" in unlinked(opened.reviews[1]["body"])
    assert listed(opened)[0] == f"- [MAJOR] src/orders.py (2): {LEFT}"

    less = {"title": "Half is added", "problem": "It is 102.50 now.", "quote": HALVED, "why": "Half of it is gone."}
    push(opened, code(HALVED), partial(finding, **less))

    second = f"Partly fixed in {opened.head[:7]}: Half of it is gone; still: It is 102.50 now."
    assert thread(opened) == [first, second]
    assert listed(opened)[0] == "- [MAJOR] src/orders.py (2): Half is added -- partly fixed"
    assert opened.check["conclusion"] == "neutral"


def test_a_partly_fixed_finding_is_fixed_by_the_rest(stage: Stage) -> None:
    """Its code is not what it was when it was reported, and the answer holds all the same."""
    opened = opened_with_finding(stage)
    finding = the_finding(opened)
    push(opened, code(CAPPED), partial(finding))

    push(opened, code("return sum(prices) - discount"), a_report(earlier=[an_answer(finding)]))

    assert statuses(opened) == ["fixed"]
    assert f":white_check_mark: [MAJOR] src/orders.py: {LEFT} -- resolved" in unlinked(opened.reviews[1]["body"])


def test_a_reply_about_a_push_is_short(stage: Stage) -> None:
    """At most 45 words come after its first ones, however much the reader says."""
    opened = opened_with_finding(stage)
    finding, long = the_finding(opened), " ".join(f"word{at}" for at in range(60))

    push(opened, code(CAPPED), partial(finding, why=long, problem=long))
    opened_again = opened_with_finding(stage)
    answer = an_answer(the_finding(opened_again), "NOT_ADDRESSED", quote=CAPPED, why=long)
    push(opened_again, code(CAPPED), a_report(earlier=[answer]))

    [partly], [still] = thread(opened), thread(opened_again)
    lengths = [len(each.partition(": ")[2].split()) for each in (partly, still)]
    assert [15 < length <= 45 for length in lengths] == [True, True], lengths
    assert [reply_faults(each.comments[-1]["body"]) for each in (opened, opened_again)] == [[], []]


def test_an_answer_without_code_that_shows_it_changes_nothing(stage: Stage) -> None:
    """The reader is asked for what is missing; what it does not give leaves title and thread as they are."""
    opened = opened_with_finding(stage)
    finding = the_finding(opened)

    for line, without in ((CAPPED, {"quote": ""}), (HALVED, {"quote": "return max(prices)"})):
        push(opened, code(line), partial(finding, **without))

    assert (thread(opened), statuses(opened)) == ([], ["open"])
    assert [known.finding.title for known in opened.ledger.findings()] == ["The discount is added"]


def test_a_try_that_fixes_nothing_is_answered_once(stage: Stage) -> None:
    """It is a push that changes the lines of the finding; pushes elsewhere, also in its file, are not answered."""
    opened = opened_with_finding(stage)
    finding = the_finding(opened)

    push(opened, EDITED, not_addressed(finding, "return sum(prices) + discount"))
    assert thread(opened) == []

    push(opened, code(CAPPED), not_addressed(finding))
    tried = f"Still open at {opened.head[:7]}: {WHY}"
    assert thread(opened) == [tried]

    push(opened, NOTES, not_addressed(finding))
    push(opened, {"src/orders.py": f"{code(CAPPED)['src/orders.py']!s}\n\nLIMIT = 5\n"}, not_addressed(finding))
    assert (thread(opened), statuses(opened)) == ([tried], ["open"])


def test_a_try_in_a_file_that_was_renamed_is_answered(stage: Stage) -> None:
    """The push moves a file of the base branch, and edits the line."""
    rest = "".join(f"ROW_{at} = {at}\n" for at in range(20))
    was = f"{DISCOUNT['src/orders.py']!s}{rest}"
    stage.model.answers = says(a_report(a_finding()))
    base = {".kodiai.yml": ON_PUSH, "src/orders.py": was.replace(" + discount", "")}
    opened = stage.open({"src/orders.py": was}, base=base)
    answer = an_answer(the_finding(opened), "NOT_ADDRESSED", path="src/tills.py", quote=CAPPED, why=WHY)

    moved: Files = {"src/orders.py": None, "src/tills.py": f"{code(CAPPED)['src/orders.py']!s}{rest}"}
    push(opened, moved, a_report(earlier=[answer]))

    assert thread(opened) == [f"Still open at {opened.head[:7]}: {WHY}"]


def test_a_claim_that_does_not_hold_is_answered_once(stage: Stage) -> None:
    """By the next review, though its push is elsewhere; later pushes say nothing more."""
    opened = opened_with_finding(stage)
    there = not_addressed(the_finding(opened), "return sum(prices) + discount")
    reply(opened, SAID)

    push(opened, NOTES, there, readings=DONE)
    answered = f"Still open at {opened.head[:7]}: {WHY}"
    assert thread(opened) == [answered]

    push(opened, {"src/more.py": "def more(discount):\n    return discount\n"}, there, readings=DONE)
    assert (thread(opened), statuses(opened)) == ([answered], ["open"])


def test_a_claim_that_the_conversation_has_answered_is_not_answered_again(talk: Stage) -> None:
    """It was called for, and has said that the code is still there; a try that fails is answered all the same."""
    opened = opened_with_finding(talk)
    finding = the_finding(opened)
    reply(opened, "@kodiai done")
    said = f"The code of this finding is still there at the head, {opened.head[:7]}."
    assert thread(opened) == [said]

    push(opened, NOTES, not_addressed(finding, "return sum(prices) + discount"))
    assert thread(opened) == [said]

    reply(opened, "@kodiai done")
    again = f"The code of this finding is still there at the head, {opened.head[:7]}."
    push(opened, code(CAPPED), not_addressed(finding))
    assert thread(opened) == [said, again, f"Still open at {opened.head[:7]}: {WHY}"]
