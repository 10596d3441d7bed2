"""Replies in the threads of findings, and what the next review makes of them."""

from local.github.failures import forbidden_field
from local.github.state import Role
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import EDITED, FIXED, NOTES, ON_PUSH, opened_with_finding, push, statuses, the_finding
from tests.specs.scripts import a_finding, a_report, an_answer
from tests.specs.talking import reply

ARGUMENT = "Discounts are negative here, see the caller."
VERDICT = f"{ON_PUSH}  event: verdict\n"
DISAGREES = {ARGUMENT: "disagrees"}


def told(opened: Opened) -> list[str]:
    """The first lines of what we said in threads, oldest first."""
    return [each["body"].partition("\n")[0] for each in opened.comments if "kodiai:reply" in each["body"]]


def test_decisions_count_in_a_review_that_asks_no_model(stage: Stage) -> None:
    """No hunk has changed: a finding that was reopened is listed again, and one that was acknowledged is not."""
    opened = opened_with_finding(stage, config=VERDICT)
    reply(opened, "Won't fix, by design.")
    asked = stage.asked

    reply(opened, "reopen", "mia")
    opened.push(stage.repository.commit_again(opened.head))

    assert (stage.outcome()["outcome"], statuses(opened)) == ("unchanged", ["open"])

    reply(opened, "Acknowledged.")
    opened.push(stage.repository.commit_again(opened.head))

    assert (stage.outcome()["outcome"], statuses(opened)) == ("unchanged", ["acknowledged"])
    assert (stage.asked, len(opened.reviews)) == (asked, 1)
    assert opened.check["conclusion"] == "success"


def test_an_argument_that_is_right_is_conceded_to_people_who_may_write(stage: Stage) -> None:
    """In its thread; an argument of others ends nothing, and the author's is listed as disagreement."""
    rows: tuple[tuple[str, Role, str], ...] = (
        ("ann", "maintain", "conceded"),
        ("mallory", "read", "open"),
        ("octocat", "read", "open"),
    )
    lines = [f"value_{at} = {at}" for at in range(len(rows))]
    findings = [
        a_finding(severity="MAJOR", title=f"Value {at} is odd", quote=line, start_line=at + 1, end_line=at + 1)
        for at, line in enumerate(lines)
    ]
    opened = opened_with_finding(stage, *findings, files={"src/orders.py": "\n".join(lines)})
    roots = {comment["line"]: comment["id"] for comment in opened.comments}
    for at, (login, role, _) in enumerate(rows, 1):
        reply(opened, ARGUMENT, login, role, to=roots[at])
    right = [
        an_answer(known.id, "CANNOT_TELL", concedes=True, why="Callers pass negative discounts.")
        for known in opened.ledger.findings()
    ]

    push(opened, NOTES, a_report(earlier=right), readings=DISAGREES)
    stage.github.set_role("octocat", "write")

    standing = {known.finding.title: known.status for known in opened.ledger.findings()}
    assert [standing[f"Value {at} is odd"] for at in range(len(rows))] == [row[-1] for row in rows]
    assert opened.check["output"]["summary"].count("-- the author disagrees") == 1
    [conceded] = [each["body"] for each in opened.comments if each["body"].startswith("You are right")]
    assert conceded.startswith(
        "You are right, and this is settled.\n\nCallers pass negative discounts.\n\n<!-- kodiai:reply "
    )
    body = unlinked(opened.reviews[1]["body"])
    assert ":white_check_mark: [MAJOR] src/orders.py: Value 0 is odd -- resolved" in body


def test_a_thread_that_a_person_resolved_is_respected_until_it_is_opened_again_or_its_code_is_worse(
    stage: Stage,
) -> None:
    """On the code that the person saw it stays dismissed, whatever it is called; opened again, it is open again.

    A MAJOR whose code makes it a CRITICAL is new, with a comment of its own.
    """
    opened = opened_with_finding(stage, a_finding(severity="MAJOR"))
    root = opened.comments[0]["id"]
    stage.github.resolve_thread(root)

    push(opened, EDITED, a_report(a_finding(severity="CRITICAL", title="Orders get dearer by their rebate")))

    assert statuses(opened) == ["dismissed"]
    assert (len(opened.reviews), len(opened.comments)) == (1, 1)

    stage.github.resolve_thread(root, resolved=False)
    push(opened, NOTES)

    assert statuses(opened) == ["open"]
    assert ":red_circle: **Blockers still open** -- 1 earlier finding still blocks" in opened.reviews[1]["body"]

    stage.github.resolve_thread(root)
    worse = "return sum(prices) + 100 * discount"
    edited = {"src/orders.py": f"def total(prices, discount):\n    {worse}\n"}
    push(opened, edited, a_report(a_finding(severity="CRITICAL", quote=worse)))

    assert ":new: [CRITICAL] src/orders.py (2): The discount is added" in unlinked(opened.reviews[2]["body"])
    assert sorted(statuses(opened)) == ["dismissed", "open"]
    assert len(opened.comments) == 2


def test_a_person_who_may_not_dismiss_a_finding_cannot_do_it_by_resolving_its_thread(stage: Stage) -> None:
    """It stays open, which is said in the thread, once."""
    opened = opened_with_finding(stage)
    stage.github.set_role("octocat", "read")
    stage.github.resolve_thread(opened.comments[0]["id"])

    push(opened, NOTES)
    push(opened, EDITED)
    stage.github.set_role("octocat", "write")

    assert statuses(opened) == ["open"]
    [line] = told(opened)
    assert line == (
        "@\u2060octocat resolved this thread. "
        "Only somebody with write access can dismiss this: it is MAJOR. It stays open."
    )
    assert "-- the author disagrees" in opened.check["output"]["summary"]


def test_a_claim_that_it_is_done_is_held_against_the_code(stage: Stage) -> None:
    """The fix stands in another file, so that the finding's own hunk is as it was: it is asked back all the same."""
    opened = opened_with_finding(stage)
    said = "Das prüft jetzt der Aufrufer."
    reply(opened, said)
    elsewhere = an_answer(the_finding(opened), path="src/caller.py", quote="total(prices, -abs(discount))")
    caller = {"src/caller.py": "def charge(prices, discount):\n    return total(prices, -abs(discount))\n"}

    push(opened, caller, a_report(earlier=[elsewhere]), readings={said: "done"})

    assert statuses(opened) == ["fixed"]


def test_where_resolving_is_refused_all_the_same_the_thread_is_told(talk: Stage) -> None:
    """GitHub says that we may, and then that we may not."""
    opened = opened_with_finding(talk)
    talk.github.fail_next("POST /graphql resolveReviewThread", forbidden_field("resolveReviewThread"))

    push(opened, FIXED, a_report(earlier=[an_answer(the_finding(opened))]))

    assert statuses(opened) == ["fixed"]
    assert opened.comments[-1]["body"].startswith(f"Fixed in {opened.head[:7]}.")
    assert opened.check["status"] == "completed"


def test_a_request_for_changes_is_lifted_by_the_approval_once_no_blocker_is_left(stage: Stage) -> None:
    """Nobody has to dismiss it."""
    opened = opened_with_finding(stage, config=VERDICT)

    push(opened, FIXED, a_report(earlier=[an_answer(the_finding(opened))]))

    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED", "APPROVED"]
