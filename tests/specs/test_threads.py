"""What people say in the threads of findings, and what the next review makes of it."""

import pytest

from local.github.failures import forbidden_field
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import EDITED, FIXED, NOTES, opened_with_finding, push, statuses, the_finding
from tests.specs.scripts import a_finding, a_report, an_answer

ARGUMENT = "Discounts are negative here, see the caller."
DISAGREES = {ARGUMENT: "disagrees"}


def reply(opened: Opened, body: str, login: str = "ann", role: str = "write") -> None:
    """Answer in the thread of the first inline comment."""
    github = opened.stage.github
    github.set_role(login, role)  # type: ignore[arg-type]  # one of GitHub's roles
    github.reply(opened.comments[0]["id"], body, login=login)


@pytest.mark.parametrize(
    ("said", "understood", "status"),
    [("Won't fix, by design.", "by design", "wont_fix"), ("Acknowledged.", "acknowledged", "acknowledged")],
)
def test_what_a_person_decided_is_respected(stage: Stage, said: str, understood: str, status: str) -> None:
    """The finding leaves the open list and is never raised again, in other words neither; its thread says why."""
    opened = opened_with_finding(stage)
    reply(opened, said)

    push(opened, EDITED, a_report(a_finding(title="Orders get dearer by their rebate", severity="CRITICAL")))

    [known] = opened.ledger.findings()
    assert (known.status, known.settled_by) == (status, "ann")
    assert (len(opened.reviews), len(opened.comments)) == (1, 3)
    assert opened.comments[-1]["body"].startswith(f"Dismissed as {understood} by @\u2060ann. Reply `reopen` to undo.\n")
    assert opened.check["conclusion"] == "success"
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 0, "settled": 1}


@pytest.mark.parametrize(
    ("who", "severity", "status"),
    [
        (("mallory", "read"), "MEDIUM", "open"),
        (("mallory", "triage"), "MAJOR", "open"),
        (("octocat", "read"), "MEDIUM", "wont_fix"),
        (("octocat", "read"), "MAJOR", "open"),
        (("octocat", "write"), "MAJOR", "wont_fix"),
        (("ann", "maintain"), "CRITICAL", "wont_fix"),
    ],
)
def test_who_may_decide_is_asked_of_github(stage: Stage, who: tuple[str, str], severity: str, status: str) -> None:
    """Who may write decides; the author decides what is not severe; what is severe is then listed as disputed."""
    opened = opened_with_finding(stage, a_finding(severity=severity))
    reply(opened, "won't fix", *who)

    push(opened, NOTES)
    stage.github.set_role("octocat", "write")

    assert statuses(opened) == [status]
    disputed = "-- the author disagrees" in opened.check["output"]["summary"]
    assert disputed is (who[0] == "octocat" and status == "open")


def test_a_thread_that_a_person_resolved_is_respected_until_it_is_opened_again(stage: Stage) -> None:
    """Neither asked back nor told again; opened again, it is open again."""
    opened = opened_with_finding(stage)
    root = opened.comments[0]["id"]
    stage.github.resolve_thread(root)

    push(opened, EDITED, a_report(a_finding(title="Orders get dearer by their rebate")))

    assert statuses(opened) == ["dismissed"]
    assert (len(opened.reviews), len(opened.comments)) == (1, 1)

    stage.github.resolve_thread(root, resolved=False)
    push(opened, NOTES)

    assert statuses(opened) == ["open"]
    assert ":red_circle: **Blockers still open** -- 1 from before" in opened.reviews[1]["body"]


def test_who_may_not_dismiss_a_finding_cannot_do_it_by_resolving_its_thread(stage: Stage) -> None:
    """It stays open, which is said in the thread, once."""
    opened = opened_with_finding(stage)
    stage.github.set_role("octocat", "read")
    stage.github.resolve_thread(opened.comments[0]["id"])

    push(opened, NOTES)
    push(opened, EDITED)
    stage.github.set_role("octocat", "write")

    assert statuses(opened) == ["open"]
    [told] = [comment["body"] for comment in opened.comments if "kodiai:reply" in comment["body"]]
    assert told.startswith(
        "@\u2060octocat resolved this thread. "
        "Only somebody with write access can dismiss this: it is MAJOR. It stays open.\n\n<!-- kodiai:reply "
    )
    assert "-- the author disagrees" in opened.check["output"]["summary"]


def test_a_decision_is_taken_back_in_the_thread(stage: Stage) -> None:
    """Where no webhook said so the next review hears of it, and says so once."""
    opened = opened_with_finding(stage)
    reply(opened, "won't fix")
    push(opened, NOTES)
    decided = statuses(opened)
    reply(opened, "reopen", "mia")

    opened.push(stage.repository.commit_again(opened.head))
    push(opened, EDITED)

    assert (decided, statuses(opened)) == (["wont_fix"], ["open"])
    assert [comment["body"].partition("\n")[0] for comment in opened.comments if "kodiai:reply" in comment["body"]] == [
        "Dismissed as won't fix by @\u2060ann. Reply `reopen` to undo.",
        "Reopened by @\u2060mia. The next review counts it again.",
    ]


def test_what_a_person_dismissed_is_told_again_where_it_became_materially_worse(stage: Stage) -> None:
    """A MEDIUM that was resolved and whose code makes it a CRITICAL now is new, with a comment of its own.

    On the code that the person saw it stays dismissed, whatever it is called.
    """
    opened = opened_with_finding(stage, a_finding(severity="MEDIUM"))
    stage.github.resolve_thread(opened.comments[0]["id"])

    push(opened, EDITED, a_report(a_finding(severity="CRITICAL")))

    assert (len(opened.reviews), statuses(opened)) == (1, ["dismissed"])

    worse = "return sum(prices) + 100 * discount"
    edited = {"src/orders.py": f"def total(prices, discount):\n    {worse}\n"}
    push(opened, edited, a_report(a_finding(severity="CRITICAL", quote=worse)))

    assert ":new: [CRITICAL] src/orders.py (2): The discount is added" in unlinked(opened.reviews[1]["body"])
    assert sorted(statuses(opened)) == ["dismissed", "open"]
    assert len(opened.comments) == 2


def test_an_argument_that_is_right_is_conceded(stage: Stage) -> None:
    """The thread is told so, the finding is settled."""
    opened = opened_with_finding(stage)
    reply(opened, ARGUMENT)
    right = an_answer(the_finding(opened), "CANNOT_TELL", concedes=True, why="Callers pass negative discounts.")

    push(opened, NOTES, a_report(earlier=[right]), readings=DISAGREES)

    assert statuses(opened) == ["conceded"]
    assert opened.comments[-1]["body"].startswith(
        "You are right, and this is settled.\n\nCallers pass negative discounts.\n\n<!-- kodiai:reply "
    )
    body = unlinked(opened.reviews[1]["body"])
    assert ":white_check_mark: [MAJOR] src/orders.py: The discount is added -- resolved" in body


def test_an_argument_is_answered_once_with_code_and_never_twice(stage: Stage) -> None:
    """The finding stays open; a second argument is not answered, nor the first one again."""
    opened = opened_with_finding(stage)
    wrong = an_answer(
        the_finding(opened),
        "NOT_ADDRESSED",
        quote="return sum(prices) + discount",
        why="The sum grows with each discount.",
    )
    second = "It really is what the shop wants, look at the price list."
    reply(opened, ARGUMENT)
    push(opened, NOTES, a_report(earlier=[wrong]), readings=DISAGREES)
    reply(opened, second)

    push(opened, {"src/notes.py": "x = 2\n"}, a_report(earlier=[wrong]), readings={second: "disagrees"})

    said = [comment["body"] for comment in opened.comments if "kodiai:reply" in comment["body"]]
    assert len(said) == 1
    assert said[0].startswith("It still stands, as far as the code shows:\n\nThe sum grows with each discount.")
    assert statuses(opened) == ["open"]


@pytest.mark.parametrize("login", ["mallory", "octocat"])
def test_an_argument_of_somebody_who_may_not_decide_ends_nothing_severe(stage: Stage, login: str) -> None:
    """Whoever may comment cannot talk a finding away, nor can the author alone."""
    opened = opened_with_finding(stage)
    reply(opened, ARGUMENT, login, "read")
    concedes = an_answer(the_finding(opened), "CANNOT_TELL", concedes=True)

    push(opened, NOTES, a_report(earlier=[concedes]), readings=DISAGREES)
    stage.github.set_role("octocat", "write")

    assert statuses(opened) == ["open"]


def test_a_claim_that_it_is_done_is_held_against_the_code(stage: Stage) -> None:
    """The fix stands in another file, so that the finding's own hunk is as it was: it is asked back all the same."""
    opened = opened_with_finding(stage)
    said = "Das prüft jetzt der Aufrufer."
    reply(opened, said)
    elsewhere = an_answer(the_finding(opened), path="src/caller.py", quote="total(prices, -abs(discount))")
    caller = {"src/caller.py": "def charge(prices, discount):\n    return total(prices, -abs(discount))\n"}

    push(opened, caller, a_report(earlier=[elsewhere]), readings={said: "done"})

    assert statuses(opened) == ["fixed"]


def test_a_decision_counts_where_no_hunk_has_changed(stage: Stage) -> None:
    """The model is not asked, nothing is posted, and the check no longer lists it."""
    opened = opened_with_finding(stage)
    reply(opened, "by design")
    asked = stage.asked

    opened.push(stage.repository.commit_again(opened.head))

    assert stage.outcome()["outcome"] == "unchanged"
    assert (stage.asked, len(opened.reviews), statuses(opened)) == (asked, 1, ["wont_fix"])
    assert opened.check["conclusion"] == "success"


def test_where_it_is_permitted_the_thread_is_resolved_and_nothing_is_said(trusted: Stage) -> None:
    """A person who opens it again asks for the finding."""
    opened = opened_with_finding(trusted)

    push(opened, FIXED, a_report(earlier=[an_answer(the_finding(opened))]))

    root = opened.comments[0]["id"]
    assert (len(opened.comments), statuses(opened)) == (1, ["fixed"])
    assert trusted.github.state.resolutions[root].by == trusted.github.bot_login
    run = opened.ledger.run(trusted.outcome()["run"])
    assert run is not None
    assert run.facts["threads_resolved"] == [the_finding(opened)]

    trusted.github.resolve_thread(root, resolved=False)
    push(opened, NOTES)

    assert statuses(opened) == ["open"]


def test_where_resolving_is_refused_all_the_same_the_thread_is_told(trusted: Stage) -> None:
    """GitHub says that we may, and then that we may not."""
    opened = opened_with_finding(trusted)
    trusted.github.fail_next("POST /graphql resolveReviewThread", forbidden_field("resolveReviewThread"))

    push(opened, FIXED, a_report(earlier=[an_answer(the_finding(opened))]))

    assert statuses(opened) == ["fixed"]
    assert opened.comments[-1]["body"].startswith(f"Fixed in {opened.head[:7]}.")
    assert opened.check["status"] == "completed"


def test_a_request_for_changes_is_lifted_once_no_blocker_is_left(stage: Stage) -> None:
    """By the approval that follows; and where nothing is posted, because a person settled it, by hand."""
    config = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
    mended, settled = (opened_with_finding(stage, config=config) for _ in range(2))
    assert [opened.reviews[0]["state"] for opened in (mended, settled)] == ["CHANGES_REQUESTED"] * 2
    reply(settled, "won't fix")

    push(mended, FIXED, a_report(earlier=[an_answer(the_finding(mended))]))
    push(settled, NOTES)

    assert [review["state"] for review in mended.reviews] == ["CHANGES_REQUESTED", "APPROVED"]
    assert [review["state"] for review in settled.reviews] == ["DISMISSED"]
