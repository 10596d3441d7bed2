"""The HTTP API: what each route takes and gives."""

from typing import Any

import pytest

from kodiai.core.events.job import ProposalJob
from tests.functions.proposals.scene import (
    ANN,
    BEN,
    COMMIT,
    DIFF,
    HEAD,
    NOW,
    READER,
    REPOSITORY,
    STALE,
    SUBMISSION,
    Api,
)

REVISION = {name: SUBMISSION[name] for name in ("description", "changes", "diff")}
BEN_SHOWN = {"login": "ben", "agent": None}
CREATED = "2026-09-21T14:13:20Z"


def approved(api: Api) -> str:
    """Have ben approve a proposal of ann's; its id."""
    proposal = api.submit()
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    api.ask("POST", f"/proposals/{proposal}/verdict", {"decision": "approve", "generation": 1}, token=BEN)
    return proposal


def test_a_submission_is_stored_and_queued_for_kodiai(api: Api) -> None:
    """The answer has everything that the caller may know, and where it is from now on."""
    agent = {"agent_type": "claude-code", "role": "implementer"}

    answer = api.ask("POST", "/proposals", {**SUBMISSION, "agent": agent})

    proposal = answer.json["id"]
    assert (answer.status, answer.kind) == (201, "application/json")
    assert answer.headers["location"] == f"/proposals/{proposal}"
    assert answer.json == {
        "id": proposal,
        "repository": REPOSITORY,
        "pull_request": 7,
        "base": None,
        "status": "pending",
        "proposer": {
            "login": "ann",
            "agent": {"agent_type": "claude-code", "role": "implementer", "phase": "", "plan": "", "task": ""},
        },
        "reviewed_by": "kodiai",
        "description": SUBMISSION["description"],
        "changes": SUBMISSION["changes"],
        "files": [{"path": "src/orders.py", "operation": "modify", "added": 1, "removed": 1, "previous_path": None}],
        "revision": 1,
        "claim": None,
        "checked": None,
        "problems": [],
        "verdict": None,
        "commit": None,
        "created": CREATED,
        "updated": CREATED,
    }
    [(queue, job)] = api.queue.sent
    assert isinstance(job, ProposalJob)
    assert (queue, job.proposal, job.revision) == ("reviews", proposal, 1)


def test_a_submission_for_anybody_is_not_queued(api: Api) -> None:
    """Kodiai does not pay for a review that somebody else is to give."""
    api.submit()

    assert api.queue.sent == []


def test_a_change_may_be_for_a_commit(api: Api) -> None:
    """There need not be a pull request."""
    answer = api.ask("POST", "/proposals", {**SUBMISSION, "pull_request": None, "base": HEAD})

    assert (answer.status, answer.json["pull_request"], answer.json["base"]) == (201, None, HEAD)


def test_the_same_key_is_the_same_submission(api: Api) -> None:
    """An agent whose connection broke sends the request again, and has one proposal."""
    key = {"Idempotency-Key": "task 7"}

    first = api.ask("POST", "/proposals", SUBMISSION, headers=key)
    again = api.ask("POST", "/proposals", SUBMISSION, headers=key)
    other = api.ask("POST", "/proposals", SUBMISSION)

    assert (again.status, again.json) == (201, first.json)
    assert other.json["id"] != first.json["id"]


def test_a_key_for_another_submission_is_refused(api: Api) -> None:
    """The caller would take the answer for that of what they have just sent."""
    key = {"Idempotency-Key": "task 7"}
    api.ask("POST", "/proposals", SUBMISSION, headers=key)

    answer = api.ask("POST", "/proposals", {**SUBMISSION, "description": "Another"}, headers=key)

    assert (answer.status, answer.json["detail"]) == (
        422,
        "This idempotency key was used for another submission: choose a new key.",
    )


def test_a_claim_checks_the_diff_and_may_be_made_again_under_its_key(api: Api) -> None:
    """The reviewer knows which commit it applies to, and until when it is theirs."""
    proposal, key = api.submit(), {"Idempotency-Key": "mine"}

    claimed = api.ask("POST", f"/proposals/{proposal}/claim", {"seconds": 600}, token=BEN, headers=key)
    again = api.ask("POST", f"/proposals/{proposal}/claim", {"seconds": 600}, token=BEN, headers=key)

    assert (claimed.status, claimed.json["status"], claimed.json["checked"]) == (200, "claimed", HEAD)
    assert claimed.json["claim"] == {"by": BEN_SHOWN, "generation": 1, "until": "2026-09-21T14:23:20Z"}
    assert again.json == claimed.json


def test_a_claim_holds_for_half_an_hour_unless_it_says_otherwise(api: Api) -> None:
    """A body may be left out where all its members may. A claim that has ended is none."""
    proposal = api.submit()

    claimed = api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    api.clock.time = NOW + 1_801
    later = api.ask("GET", f"/proposals/{proposal}")

    assert claimed.json["claim"]["until"] == "2026-09-21T14:43:20Z"
    assert (later.json["status"], later.json["claim"], later.json["checked"]) == ("pending", None, None)


def test_a_stale_diff_is_rejected_with_what_was_expected_and_found(api: Api) -> None:
    """A claim is answered with 200: the caller gets what they asked for, and the proposer the errors."""
    proposal = api.submit(diff=STALE)

    claimed = api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)

    [problem] = claimed.json["problems"]
    assert (claimed.status, claimed.json["status"], claimed.json["claim"]) == (200, "rejected", None)
    assert (problem["path"], problem["hunk"], problem["line"]) == ("src/orders.py", 1, 1)
    assert problem["expected"] == ["def total(prices):", "    return add(prices)"]
    assert problem["found"] == ["def total(prices):", "    return sum(prices)"]


def test_a_rejected_proposal_is_revised_in_place(api: Api) -> None:
    """The id stays, the content is replaced, and it waits for a claim again."""
    proposal = api.submit(diff=STALE)
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)

    revised = api.ask("PUT", f"/proposals/{proposal}", REVISION)

    assert (revised.status, revised.json["id"], revised.json["revision"]) == (200, proposal, 2)
    assert (revised.json["status"], revised.json["problems"]) == ("pending", [])
    assert api.ask("GET", f"/proposals/{proposal}/diff").text == DIFF


def test_a_verdict_is_shown_with_who_gave_it(api: Api) -> None:
    """With its generation, so that everybody sees to which claim it belongs."""
    proposal = api.submit()
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    given = {"decision": "request_changes", "notes": "Negative totals round up.", "generation": 1}

    answer = api.ask("POST", f"/proposals/{proposal}/verdict", given, token=BEN)

    assert (answer.status, answer.json["status"]) == (200, "changes_requested")
    assert answer.json["verdict"] == {**given, "by": BEN_SHOWN, "at": CREATED}


def test_after_requested_changes_the_same_reviewer_goes_on(api: Api) -> None:
    """The new revision is checked immediately, and has a claim of another generation."""
    proposal = api.submit()
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    given = {"decision": "request_changes", "notes": "Why?", "generation": 1}
    api.ask("POST", f"/proposals/{proposal}/verdict", given, token=BEN)

    revised = api.ask("PUT", f"/proposals/{proposal}", {**REVISION, "description": "Round, for invoices"})
    late = api.ask("POST", f"/proposals/{proposal}/verdict", {"decision": "approve", "generation": 1}, token=BEN)

    assert (revised.json["status"], revised.json["claim"]["generation"], revised.json["checked"]) == (
        "claimed",
        2,
        HEAD,
    )
    assert (late.status, late.json["name"]) == (409, "claim_lost")


def test_an_approved_proposal_becomes_one_commit(api: Api) -> None:
    """With the message that names who proposed, approved and applied it; a second time is the same."""
    proposal = approved(api)

    applied = api.ask("POST", f"/proposals/{proposal}/apply")
    again = api.ask("POST", f"/proposals/{proposal}/apply")

    assert (applied.status, applied.json["status"]) == (200, "applied")
    assert applied.json["commit"] == {
        "sha": COMMIT,
        "parent": HEAD,
        "branch": "feature",
        "by": {"login": "ann", "agent": None},
    }
    assert [parent for parent, _ in api.committed] == [HEAD]
    assert f"Proposal: {proposal}\nProposed-by: ann\nApproved-by: ben\nApplied-by: ann\n" in api.committed[0][1]
    assert again.status == 200


def test_a_commit_is_not_shown_before_the_branch_has_it(api: Api) -> None:
    """It is stored before the branch is moved, and might never get there."""
    proposal = approved(api)
    stored = api.store.proposals[proposal]
    commit = {"sha": COMMIT, "parent": HEAD, "branch": "feature", "by": {"login": "ann"}}
    api.store.proposals[proposal] = type(stored).model_validate({**stored.model_dump(), "commit": commit})

    assert api.ask("GET", f"/proposals/{proposal}").json["commit"] is None


def test_a_proposal_is_closed_with_a_note(api: Api) -> None:
    """The note is part of its history."""
    proposal = api.submit()

    answer = api.ask("POST", f"/proposals/{proposal}/close", {"note": "Not needed any more"})

    assert (answer.status, answer.json["status"]) == (200, "closed")
    history = api.ask("GET", f"/proposals/{proposal}").json["events"]
    assert history[-1] == {
        "number": 2,
        "at": CREATED,
        "by": {"login": "ann", "agent": None},
        "action": "close",
        "status": "closed",
        "note": "Not needed any more",
    }


def test_a_reader_sees_a_proposal_with_its_history_and_its_diff(api: Api) -> None:
    """Read access is enough, and the diff is what was submitted, byte for byte."""
    diff = DIFF.replace("2)", "2)  # für 日本 \N{PARTY POPPER}\f")
    proposal = api.submit(diff=diff)

    whole = api.ask("GET", f"/proposals/{proposal}", token=READER)
    read = api.ask("GET", f"/proposals/{proposal}/diff", token=READER)

    assert (whole.status, [event["action"] for event in whole.json["events"]]) == (200, ["submit"])
    assert (read.status, read.kind, read.text) == (200, "text/x-diff; charset=utf-8", diff)


def test_a_long_answer_is_sent_whole(api: Api) -> None:
    """A diff of characters that JSON writes with six bytes each would else not fit into a function's answer."""
    line = "+" + "\x01" * 999 + "\n"
    diff = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,600 @@\n" + line * 600
    proposal = api.submit(diff=diff)

    assert api.ask("GET", f"/proposals/{proposal}/diff").text == diff


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["base", "closed", "first"]),
        ({"status": "pending"}, ["base", "first"]),
        ({"pull_request": "7"}, ["closed", "first"]),
        ({"pull_request": "7", "status": "closed"}, ["closed"]),
        ({"status": "applied"}, []),
    ],
)
def test_proposals_are_listed_newest_first(api: Api, query: dict[str, str], expected: list[str]) -> None:
    """All of a repository, those of a status, or of a pull request; the name may be written in capitals."""
    api.submit(description="first")
    closed = api.submit(description="closed")
    api.ask("POST", f"/proposals/{closed}/close")
    api.submit(description="base", pull_request=None, base=HEAD)

    answer = api.ask("GET", "/proposals", token=READER, query={"repository": "Octo/Widgets", **query})

    assert (answer.status, [each["description"] for each in answer.json["proposals"]]) == (200, expected)


def test_nothing_of_the_inside_is_shown(api: Api) -> None:
    """Neither versions and digests nor keys nor the installation of the App."""
    proposal = approved(api)

    def names(node: Any) -> set[str]:
        if isinstance(node, list):
            return set().union(*(names(each) for each in node))
        return set(node).union(*(names(each) for each in node.values())) if isinstance(node, dict) else set()

    shown = names(api.ask("GET", f"/proposals/{proposal}").json)

    assert (
        shown
        & {"version", "content", "claims", "key", "seconds", "origin", "repository_id", "owner_id", "installation"}
        == set()
    )


def test_a_body_may_be_encoded(api: Api) -> None:
    """API Gateway encodes what it does not take for text."""
    answer = api.ask("POST", "/proposals", {**SUBMISSION, "description": "für"}, as_base64=True)

    assert (answer.status, answer.json["description"]) == (201, "für")


def test_the_ports_are_opened_with_the_callers_own_token(api: Api) -> None:
    """The function has no rights of its own that a caller could borrow."""
    proposal = api.submit()
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)

    assert api.tokens == [ANN, BEN]
