"""The HTTP API: the requests and answers of each route."""

import json

from kodiai.core.proposals.proposal import Agent
from kodiai.core.review.run import ReviewState
from tests.builders import a_finding, a_known
from tests.functions.proposals.scene import (
    ANN,
    BEN,
    DIFF,
    HEAD,
    NOW,
    READER,
    REPOSITORY,
    REVISION,
    STALE,
    STRANGER,
    SUBMISSION,
    Api,
)

BEN_SHOWN = {"login": "ben", "agent": None}
AGENT = {"agent_type": "claude-code", "role": "implementer"}
ANN_BY_AGENT = {"login": "ann", "agent": {**AGENT, "phase": "", "plan": "", "task": ""}}
CREATED = "2026-09-21T14:13:20Z"


def test_a_submission_is_answered_with_the_proposal(api: Api) -> None:
    """The answer has everything that the caller may know and nothing else, and where it is from now on."""
    answer = api.ask("POST", "/proposals", {**SUBMISSION, "agent": AGENT})

    proposal = answer.json["id"]
    assert (answer.status, answer.kind) == (201, "application/json")
    assert answer.headers["location"] == f"/proposals/{proposal}"
    assert answer.json == {
        "id": proposal,
        "repository": REPOSITORY,
        "pull_request": 7,
        "base": None,
        "status": "pending",
        "proposer": ANN_BY_AGENT,
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


def test_the_header_has_the_key_of_a_submission_and_of_a_claim(api: Api) -> None:
    """An agent whose connection broke sends the request again: here for a commit. A claim may have no body."""
    key = {"Idempotency-Key": "task 7"}
    body = {**SUBMISSION, "pull_request": None, "base": HEAD, "reviewed_by": "anyone"}

    first, again = (api.ask("POST", "/proposals", body, headers=key) for _ in range(2))
    path = f"/proposals/{first.json['id']}/claim"
    claimed, repeated = (api.ask("POST", path, token=BEN, headers=key) for _ in range(2))

    assert (first.status, first.json["pull_request"], first.json["base"]) == (201, None, HEAD)
    assert (again.status, again.json) == (201, first.json)
    assert (claimed.status, claimed.json["status"], claimed.json["checked"]) == (200, "claimed", HEAD)
    assert claimed.json["claim"] == {"by": BEN_SHOWN, "generation": 1, "until": "2026-09-21T14:43:20Z"}
    assert repeated.json == claimed.json


def test_a_rejected_claim_shows_its_problems_until_the_diff_is_replaced(api: Api) -> None:
    """A claim is answered with 200: the caller gets what they asked for, and the proposer the errors."""
    proposal = api.submit(diff=STALE)

    claimed = api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)
    revised = api.ask("PUT", f"/proposals/{proposal}", {**REVISION, "agent": AGENT})

    [problem] = claimed.json["problems"]
    assert (claimed.status, claimed.json["status"], claimed.json["claim"]) == (200, "rejected", None)
    assert problem == {
        "message": problem["message"],
        "path": "src/orders.py",
        "hunk": 1,
        "line": 1,
        "expected": ["def total(prices):", "    return add(prices)"],
        "found": ["def total(prices):", "    return sum(prices)"],
    }
    assert (revised.status, revised.json["id"], revised.json["problems"]) == (200, proposal, [])
    assert api.store.events(proposal)[-1].by.agent == Agent(**AGENT)


def test_a_proposal_is_shown_with_its_verdict_its_commit_and_its_history(api: Api) -> None:
    """A commit that is stored is not shown before the branch has it: it might never get there."""
    proposal = api.submit()
    approval = {"decision": "approve", "notes": "Good.", "generation": 1}

    api.ask("POST", f"/proposals/{proposal}/claim", {"seconds": 600}, token=BEN)
    decided = api.ask("POST", f"/proposals/{proposal}/verdict", approval, token=BEN)
    applied = api.ask("POST", f"/proposals/{proposal}/apply", {"agent": AGENT})
    shown = api.ask("GET", f"/proposals/{proposal}", token=READER).json
    stored = api.store.proposals[proposal]
    api.store.proposals[proposal] = stored.model_copy(update={"status": "approved"})

    commit = {"sha": api.code.branches["feature"], "parent": HEAD, "branch": "feature", "by": ANN_BY_AGENT}
    events = shown.pop("events")
    assert (decided.status, applied.status, shown) == (200, 200, applied.json)
    assert decided.json["verdict"] == shown["verdict"] == {**approval, "by": BEN_SHOWN, "at": CREATED}
    assert (shown["status"], shown["commit"]) == ("applied", commit)
    assert [event["action"] for event in events] == ["submit", "claim", "check", "verdict", "stage", "apply"]
    given = {"action": "verdict", "status": "approved", "note": "approve: Good."}
    assert events[3] == {"number": 4, "at": CREATED, "by": BEN_SHOWN, **given}
    assert api.ask("GET", f"/proposals/{proposal}").json["commit"] is None


def test_a_diff_is_sent_as_it_was_submitted(api: Api) -> None:
    """Byte for byte, and whole: characters that JSON writes with six bytes would not fit into a function's answer."""
    odd = DIFF.replace("2)", "2)  # für 日本 \N{PARTY POPPER}\f")
    long = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,600 @@\n" + ("+" + "\x01" * 999 + "\n") * 600

    answers = [api.ask("GET", f"/proposals/{api.submit(diff=diff)}/diff", token=READER) for diff in (odd, long)]

    assert [(each.status, each.kind) for each in answers] == [(200, "text/x-diff; charset=utf-8")] * 2
    assert [each.text for each in answers] == [odd, long]


def test_a_proposal_is_closed_with_a_note(api: Api) -> None:
    """The answer shows it closed; its history says by whom, by which program, and why."""
    proposal = api.submit()

    closed = api.ask("POST", f"/proposals/{proposal}/close", {"note": "Not needed any more", "agent": AGENT})

    last = api.store.events(proposal)[-1]
    assert (closed.status, closed.json["id"], closed.json["status"]) == (200, proposal, "closed")
    assert (last.note, last.by.login, last.by.agent) == ("Not needed any more", "ann", Agent(**AGENT))


def test_proposals_are_listed_newest_first_of_a_repository_a_status_and_a_pull_request(api: Api) -> None:
    """The query filters the list; the name may be in capitals."""
    for change in ({"description": "first"}, {"description": "base", "pull_request": None, "base": HEAD}):
        api.submit(**change)
    api.ask("POST", f"/proposals/{api.submit(description='closed')}/close")

    queries: tuple[dict[str, str], ...] = ({}, {"pull_request": "7", "status": "pending"})
    everything, chosen = (
        api.ask("GET", "/proposals", token=READER, query={"repository": "Octo/Widgets", **query}) for query in queries
    )

    assert (everything.status, chosen.status) == (200, 200)
    assert [each["description"] for each in everything.json["proposals"]] == ["closed", "base", "first"]
    assert [each["description"] for each in chosen.json["proposals"]] == ["first"]


def test_a_body_may_be_encoded(api: Api) -> None:
    """API Gateway encodes what it does not take for text."""
    body = json.dumps({**SUBMISSION, "description": "für"})
    headers = {"content-type": "application/json", "authorization": f"Bearer {ANN}"}

    answer = api.pass_on("POST", "/proposals", body, headers, as_base64=True)

    assert (answer.status, answer.json["description"]) == (201, "für")


def test_the_ports_are_opened_with_the_callers_own_token(api: Api) -> None:
    """The function has no rights of its own that a caller could borrow."""
    proposal = api.submit()
    api.ask("POST", f"/proposals/{proposal}/claim", token=BEN)

    assert api.tokens == [ANN, BEN]


def test_findings_are_read_with_their_evidence_and_the_state_of_the_review(api: Api) -> None:
    """Most severe first, for people who may read the repository; nobody else learns that it exists."""
    severe = a_finding(severity="CRITICAL", fix="Check it.", explanation="It comes from the request.")
    minor, settled = a_finding(severity="MINOR", title="A name"), a_finding(title="Another")
    api.findings.known = (a_known(minor, comment_id=None), a_known(settled, status="wont_fix"), a_known(severe))
    api.findings.state = ReviewState("0123", NOW, "not-fully-reviewed", ("a.lock",), running=HEAD, since=NOW)
    query = {"repository": "Octo/Widgets", "pull_request": "7"}

    answer, hidden = (api.ask("GET", "/findings", token=token, query=query) for token in (READER, STRANGER))

    first, second = answer.json["findings"]
    assert (answer.status, hidden.status, answer.json["head"]) == (200, 404, HEAD)
    assert answer.json["state"] == {
        "reviewed_head": "0123",
        "verdict": "not-fully-reviewed",
        "unread": ["a.lock"],
        "running_head": HEAD,
    }
    assert (first["severity"], first["blocks"], first["fix"]) == ("CRITICAL", True, "Check it.")
    assert (first["mechanism"], second["comment_url"]) == ("It comes from the request.", None)
    assert first["comment_url"] == "https://github.com/octo/widgets/pull/7#discussion_r11"
