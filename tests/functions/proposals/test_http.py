"""The HTTP API: what each route takes and gives."""

from typing import Any

from kodiai.core.events.job import ProposalJob
from tests.functions.proposals.scene import (
    ANN,
    BEN,
    COMMIT,
    DIFF,
    HEAD,
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


def test_the_same_key_is_the_same_submission(api: Api) -> None:
    """An agent whose connection broke sends the request again, and has one proposal: here for a commit."""
    key, body = {"Idempotency-Key": "task 7"}, {**SUBMISSION, "pull_request": None, "base": HEAD}

    first, again = (api.ask("POST", "/proposals", body, headers=key) for _ in range(2))

    assert (first.status, first.json["pull_request"], first.json["base"]) == (201, None, HEAD)
    assert (again.status, again.json) == (201, first.json)


def test_a_claim_checks_the_diff_and_may_be_made_again_under_its_key(api: Api) -> None:
    """The reviewer knows which commit it applies to, and until when it is theirs. Both may be left out."""
    proposal, other, key = api.submit(), api.submit(), {"Idempotency-Key": "mine"}

    claimed, again = (
        api.ask("POST", f"/proposals/{proposal}/claim", {"seconds": 600}, token=BEN, headers=key) for _ in range(2)
    )
    plain = api.ask("POST", f"/proposals/{other}/claim", token=BEN)

    assert (claimed.status, claimed.json["status"], claimed.json["checked"]) == (200, "claimed", HEAD)
    assert claimed.json["claim"] == {"by": BEN_SHOWN, "generation": 1, "until": "2026-09-21T14:23:20Z"}
    assert again.json == claimed.json
    assert plain.json["claim"]["until"] == "2026-09-21T14:43:20Z"


def test_a_rejected_claim_shows_its_problems_until_the_diff_is_replaced(api: Api) -> None:
    """A claim is answered with 200: the caller gets what they asked for, and the proposer the errors."""
    proposal = api.submit(diff=STALE)

    claimed = api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    revised = api.ask("PUT", f"/proposals/{proposal}", REVISION)

    [problem] = claimed.json["problems"]
    assert (claimed.status, claimed.json["status"], claimed.json["claim"]) == (200, "rejected", None)
    assert (problem["path"], problem["hunk"], problem["line"]) == ("src/orders.py", 1, 1)
    assert problem["expected"] == ["def total(prices):", "    return add(prices)"]
    assert problem["found"] == ["def total(prices):", "    return sum(prices)"]
    assert (revised.status, revised.json["id"], revised.json["problems"]) == (200, proposal, [])
    assert api.ask("GET", f"/proposals/{proposal}/diff").text == DIFF


def test_a_verdict_is_shown_with_who_gave_it(api: Api) -> None:
    """With its generation, so that everybody sees to which claim it belongs."""
    proposal = api.submit()
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    given = {"decision": "request_changes", "notes": "Negative totals round up.", "generation": 1}

    answer = api.ask("POST", f"/proposals/{proposal}/verdict", given, token=BEN)

    assert (answer.status, answer.json["status"]) == (200, "changes_requested")
    assert answer.json["verdict"] == {**given, "by": BEN_SHOWN, "at": CREATED}


def test_an_applied_proposal_shows_its_commit(api: Api) -> None:
    """With its parent and its branch, and who had it made."""
    applied = api.ask("POST", f"/proposals/{approved(api)}/apply")

    assert (applied.status, applied.json["status"]) == (200, "applied")
    by = {"login": "ann", "agent": None}
    assert applied.json["commit"] == {"sha": COMMIT, "parent": HEAD, "branch": "feature", "by": by}


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


def test_proposals_are_listed_newest_first(api: Api) -> None:
    """Those that the query asks for; the name may be written in capitals."""
    for change in ({"description": "first"}, {"description": "base", "pull_request": None, "base": HEAD}):
        api.submit(**change)
    closed = api.submit(description="closed")
    api.ask("POST", f"/proposals/{closed}/close")

    queries: tuple[dict[str, str], ...] = ({}, {"pull_request": "7", "status": "pending"})
    everything, chosen = (
        api.ask("GET", "/proposals", token=READER, query={"repository": "Octo/Widgets", **query}) for query in queries
    )

    assert (everything.status, chosen.status) == (200, 200)
    assert [each["description"] for each in everything.json["proposals"]] == ["closed", "base", "first"]
    assert [each["description"] for each in chosen.json["proposals"]] == ["first"]


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
