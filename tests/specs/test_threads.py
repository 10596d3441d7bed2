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


def test_decisions_count_at_a_push_that_changes_nothing_until_they_are_taken_back(stage: Stage) -> None:
    """No model is asked; the thread says why, and neither a request for changes nor a failed check stays."""
    opened = opened_with_finding(stage, config=VERDICT)
    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"]
    asked = stage.asked
    reply(opened, "Won't fix, by design.")
    opened.push(stage.repository.commit_again(opened.head))

    assert (stage.outcome()["outcome"], statuses(opened)) == ("unchanged", ["wont_fix"])
    assert [review["state"] for review in opened.reviews] == ["DISMISSED"]
    assert opened.check["conclusion"] == "success"

    reply(opened, "reopen", "mia")
    opened.push(stage.repository.commit_again(opened.head))

    assert (stage.outcome()["outcome"], statuses(opened)) == ("unchanged", ["open"])
    assert (stage.asked, len(opened.reviews)) == (asked, 1)
    assert told(opened) == [
        "Dismissed as by design by @\u2060ann. Reply `reopen` to undo.",
        "Reopened by @\u2060mia. The next review counts it again.",
    ]


def test_arguments_end_what_their_authors_may_decide(stage: Stage) -> None:
    """One that is right is conceded in its thread; of somebody who may only comment it ends nothing.

    A severe finding that its author would dismiss, or argues about, is listed as disputed by them.
    """
    rows: tuple[tuple[str, Role, str, str], ...] = (
        ("octocat", "read", "won't fix", "open"),
        ("ann", "maintain", ARGUMENT, "conceded"),
        ("mallory", "read", ARGUMENT, "open"),
        ("octocat", "read", ARGUMENT, "open"),
    )
    lines = [f"value_{at} = {at}" for at in range(len(rows))]
    findings = [
        a_finding(title=f"Value {at} is odd", quote=line, start_line=at + 1, end_line=at + 1)
        for at, line in enumerate(lines)
    ]
    opened = opened_with_finding(stage, *findings, files={"src/orders.py": "\n".join(lines)})
    roots = {comment["line"]: comment["id"] for comment in opened.comments}
    ids = {known.finding.title: known.id for known in opened.ledger.findings()}
    for at, (login, role, said, _) in enumerate(rows):
        reply(opened, said, login, role, to=roots[at + 1])
    right = [
        an_answer(ids[f"Value {at} is odd"], "CANNOT_TELL", concedes=True, why="Callers pass negative discounts.")
        for at, row in enumerate(rows)
        if row[2] == ARGUMENT
    ]

    push(opened, NOTES, a_report(earlier=right), readings=DISAGREES)
    stage.github.set_role("octocat", "write")

    standing = {known.finding.title: known.status for known in opened.ledger.findings()}
    assert [standing[f"Value {at} is odd"] for at in range(len(rows))] == [row[-1] for row in rows]
    assert opened.check["output"]["summary"].count("-- the author disagrees") == 2
    [conceded] = [each["body"] for each in opened.comments if each["body"].startswith("You are right")]
    assert conceded.startswith(
        "You are right, and this is settled.\n\nCallers pass negative discounts.\n\n<!-- kodiai:reply "
    )
    body = unlinked(opened.reviews[1]["body"])
    assert ":white_check_mark: [MAJOR] src/orders.py: Value 1 is odd -- resolved" in body


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


def test_a_finding_stays_open_if_somebody_without_write_access_resolves_its_thread(stage: Stage) -> None:
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


def test_a_thread_that_github_does_not_resolve_gets_a_reply(talk: Stage) -> None:
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
