"""The tools, called with the official client: what an agent reads, and what it does next."""

import importlib
from collections.abc import Mapping
from typing import Any, get_args

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from kodiai.core.errors import Retry
from kodiai.core.findings.known import HistoryEntry
from kodiai.core.proposals.protocol import RefusalName
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
    SUBMISSION,
    Api,
)
from tests.mcp_agent import McpAgent, Mode, text_of
from tests.tables import each_row


@pytest.fixture
def ann(served: str) -> McpAgent:
    return McpAgent(served, ANN)


@pytest.fixture
def ben(served: str) -> McpAgent:
    return McpAgent(served, BEN)


def data(result: Any) -> Any:
    """The data of a result that is no error."""
    assert not result.is_error, text_of(result)
    return result.structured_content


@pytest.mark.parametrize(
    ("mode", "revision"), [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]
)
def test_old_and_new_clients_connect_and_call(served: str, mode: Mode, revision: str) -> None:
    """A client may begin with a handshake, without one, or probe for one."""
    agent = McpAgent(served, ANN, mode)

    version, name, instructions = agent.negotiated()
    submitted = data(agent.call("submit_proposal", **SUBMISSION))

    assert version == revision
    if mode != "2026-07-28":  # such a client asks for nothing before its first call
        assert name == "kodiai"
        assert instructions is not None
        assert instructions.startswith("Kodiai reviews pull requests and brokers proposals")
    assert data(agent.call("get_proposal", proposal_id=submitted["id"]))["status"] == "pending"


def test_each_tool_says_when_to_use_it_and_has_schemas(ann: McpAgent) -> None:
    """An agent knows nothing else of us."""
    tools = {tool.name: tool for tool in ann.tools()}

    assert list(tools) == [
        "open_findings",
        "finding",
        "submit_proposal",
        "get_proposal",
        "revise_proposal",
        "list_proposals",
        "claim_proposal",
        "give_verdict",
        "apply_proposal",
        "close_proposal",
    ]
    for tool in tools.values():
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            required = {name for name, each in schema["properties"].items() if "default" not in each}
            assert set(schema.get("required", ())) == required
        described = tool.input_schema["properties"].values()
        assert all("description" in each for each in described)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.description is not None
        assert 100 < len(tool.description) < 900
        assert tool.title
    hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations is not None}
    reads = {"open_findings", "finding", "get_proposal", "list_proposals"}
    assert {name for name, each in hints.items() if each.read_only_hint} == reads
    assert {name for name, each in hints.items() if each.destructive_hint} == {"close_proposal"}
    once = {name for name, each in hints.items() if each.idempotent_hint}
    assert once == set(tools) - reads - {"submit_proposal", "claim_proposal"}


def test_each_answer_has_the_status_and_the_next_step(ann: McpAgent, ben: McpAgent, api: Api) -> None:
    """The way leads from a stale diff, each hunk with its expected and found lines, to a commit."""
    proposal = data(ann.call("submit_proposal", **{**SUBMISSION, "diff": STALE, "reviewed_by": "anyone"}))["id"]
    codex, notes = {"agent_type": "codex"}, "Round down.\nInvoices do."
    calls: list[tuple[McpAgent, str, Mapping[str, Any]]] = [
        (ben, "claim_proposal", {}),
        (ann, "revise_proposal", REVISION),
        (ben, "claim_proposal", {"seconds": 600, "agent": codex}),
        (ben, "give_verdict", {"decision": "request_changes", "notes": notes, "generation": 2, "agent": codex}),
        (ann, "revise_proposal", {**REVISION, "description": "Round down"}),
        (ben, "give_verdict", {"decision": "approve", "generation": 3}),
        (ann, "apply_proposal", {}),
    ]

    said = [text_of(agent.call(tool, proposal_id=proposal, **given)) for agent, tool, given in calls]

    claimed = (
        "claimed, revision {}.\nben (codex) reviews it: claim generation {}, until 2026-09-21 14:23:20 UTC."
        f" The diff applies to {HEAD}. The reviewer reads it with get_proposal and decides with give_verdict,"
        " generation {}."
    )
    assert [each.removeprefix(f"{proposal} for octo/widgets#7 is ") for each in said] == [
        (
            "rejected, revision 1.\nIt was rejected, since the diff does not apply or may not. Make the diff again from"
            " the files as they are now, and call revise_proposal with all of it:\n"
            "- src/orders.py, hunk 1, line 1: The lines that this hunk expects are not in the file."
            " Read the file at the head again, and make the diff again.\n"
            "  expected:\n    |def total(prices):\n    |    return add(prices)\n"
            "  found:\n    |def total(prices):\n    |    return sum(prices)"
        ),
        "pending, revision 2.\nSomebody else with write access has to claim it with claim_proposal.",
        claimed.format(2, 2, 2),
        (
            "changes_requested, revision 2.\nben (codex) said request_changes:\n    Round down.\n    Invoices do.\n"
            "The proposer calls revise_proposal with the whole new diff; the same reviewer then goes on."
        ),
        claimed.format(3, 3, 3),
        "approved, revision 3.\nben said approve.\nCall apply_proposal to make the commit.",
        (f"applied, revision 3.\nIt is commit {api.code.branches['feature']} on the branch feature. Fetch the branch."),
    ]


def test_a_proposal_is_read_with_its_diff(ann: McpAgent, served: str) -> None:
    """The text has everything: some clients show their model nothing else."""
    agent = {"agent_type": "claude-code", "task": "7"}
    proposal = data(ann.call("submit_proposal", **SUBMISSION, agent=agent))["id"]

    result = McpAgent(served, READER).call("get_proposal", proposal_id=proposal)

    assert data(result)["diff"] == DIFF
    assert text_of(result) == (
        f"{proposal} for octo/widgets#7 is pending, revision 1.\n"
        "Kodiai reviews it. Call get_proposal in a minute or two to see the verdict.\n\n"
        "Proposed by ann (claude-code):\n    Round the total of an order to cents\n\n"
        "Changes:\n- total() rounds its result\n  Why: 0.1 + 0.2 is shown with 17 digits\n\n"
        "Files:\n- modify src/orders.py (+1 -1)\n\n"
        "History:\n- 2026-09-21 14:13:20 UTC, ann (claude-code): submit → pending\n\n"
        f"Diff:\n{DIFF}"
    )


def test_proposals_are_listed_on_a_line_each(ann: McpAgent) -> None:
    """A reviewer looks for what is pending."""
    targets: tuple[dict[str, Any], ...] = ({"pull_request": 7}, {"pull_request": None, "base": HEAD})
    first, second = (data(ann.call("submit_proposal", **{**SUBMISSION, **each}))["id"] for each in targets)
    ann.call("close_proposal", proposal_id=second, note="Not needed")

    listed = ann.call("list_proposals", repository=REPOSITORY)

    title = SUBMISSION["description"]
    assert [each["id"] for each in data(listed)["proposals"]] == [second, first]
    assert text_of(listed) == (
        f"2 proposals, newest first:\n- {second} closed, by ann, reviewed by kodiai: {title}\n"
        f"- {first} pending, by ann, reviewed by kodiai: {title}"
    )


def test_a_review_is_worked_through_finding_by_finding(ann: McpAgent, api: Api) -> None:
    """The open ones, most severe first; then the evidence of one. Without any it says what that may mean."""
    severe = a_finding(
        severity="CRITICAL",
        title="Any caller reads any file",
        problem="The path is not checked.",
        fix="Check it against the root.",
        quote="open(path)",
        replacement="open(checked(path))",
        caveat="The callers in web/ were not read.",
        explanation="`path` comes from the request and reaches open().",
        cause={"path": "src/web.py", "quote": "serve(request.path)"},
    )
    known = a_known(severe, comment_id="11")
    minor = a_known(a_finding(severity="MINOR", title="A name", start_line=3, end_line=5), comment_id=None)
    settled = a_known(a_finding(title="Another"), status="wont_fix", settled_by="ben")
    api.findings.entries = (HistoryEntry(int(NOW), HEAD, "open", "reported"),)

    api.findings.known = ()
    none = ann.call("open_findings", repository=REPOSITORY, pull_request=7)
    api.findings.known = (minor, settled, known)
    listed = ann.call("open_findings", repository="Octo/Widgets", pull_request=7)
    whole = ann.call("finding", repository=REPOSITORY, pull_request=7, finding_id=known.id)
    decided = ann.call("finding", repository=REPOSITORY, pull_request=7, finding_id=settled.id)

    lead = (
        f"{known.id}: Any caller reads any file\nCRITICAL correctness, blocks the pull request, src/app.py:12\n"
        "Problem: The path is not checked.\nFix: Check it against the root.\n"
        "Not checked: The callers in web/ were not read.\n"
        "Thread: https://github.com/octo/widgets/pull/7#discussion_r11"
    )
    assert [each["id"] for each in data(listed)["findings"]] == [known.id, minor.id]
    assert data(listed)["findings"][1]["comment_url"] is None
    assert text_of(listed) == (
        "2 open findings of Octo/Widgets#7, most severe first. Call finding with an id for its evidence.\n\n"
        f"{lead}\n\n{minor.id}: A name\nMINOR correctness, src/app.py:3-5\n"
        f"Problem: {minor.finding.explanation}"
    )
    assert text_of(whole) == (
        f"{lead}\nStatus: open\n\nMechanism: `path` comes from the request and reaches open().\n\n"
        "Code:\n    open(path)\n\nSuggested replacement of these lines:\n    open(checked(path))\n\n"
        "Caused by the change in src/web.py:\n    serve(request.path)\n\n"
        "History:\n- 2026-09-21 14:13:20 UTC at aaaaaaa: open, reported"
    )
    assert data(whole)["history"] == [{"at": "2026-09-21T14:13:20Z", "head": HEAD, "status": "open", "why": "reported"}]
    assert "Status: wont_fix by ben" in text_of(decided)
    assert text_of(none) == (
        "No open findings of octo/widgets#7 are known. Either there are none, or Kodiai has not reviewed it yet."
    )


LINE = "+" + "\x01" * 999 + "\n"
LONG = f"--- /dev/null\n+++ b/a\n@@ -0,0 +1,600 @@\n{LINE * 600}"
TOO_LONG = (
    "The answer is too long for one result. Read the diff with GET /proposals/{id}/diff, or narrow the list down."
)
NOT_CLAIMED = (
    "The proposal is pending. To be reviewed it has to be claimed. Call get_proposal to see what became of it."
)
OWN = (
    "Nobody reviews their own proposal: another person has to claim it."
    " Ask somebody else to claim it, or submit it with reviewed_by: kodiai."
)
WRONG = "The arguments are not as they should be:\n"
TWO = {**SUBMISSION, "base": HEAD}
NOWHERE = {"repository": REPOSITORY, "pull_request": 7, "finding_id": "F-1"}


@each_row(
    ("login", "tool", "arguments", "said"),
    [
        (ANN, "submit_proposal", {**TWO, "changes": [{"what": "a"}], "x": 1},
         f"{WRONG}- changes.0.why: Field required\n- x: Extra inputs are not permitted"),
        (ANN, "submit_proposal", TWO, f"{WRONG}- arguments: Give either pull_request or base."),
        (ANN, "finding", NOWHERE, "There is no finding F-1 on octo/widgets#7."),
        (ANN, "claim_proposal", {}, OWN),
        (BEN, "give_verdict", {"decision": "approve", "generation": 9}, NOT_CLAIMED),
        (READER, "get_proposal", {}, TOO_LONG),
    ],
)  # fmt: skip
def test_an_error_of_a_tool_is_a_result_that_an_agent_can_act_on(
    served: str, api: Api, login: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """Errors of the protocol are kept from their model by many clients. A refusal comes with the next step."""
    about = {} if arguments.get("repository") else {"proposal_id": api.submit(diff=LONG)}

    result = McpAgent(served, login).call(tool, **about, **arguments)

    assert (result.is_error, text_of(result)) == (True, said)


def test_every_refusal_of_the_protocol_has_a_next_step() -> None:
    """An agent that is only refused tries the same again."""
    texts: Any = importlib.import_module("mcp_texts")

    assert set(texts.WHAT_TO_DO) == set(get_args(RefusalName))


def test_a_busy_answer_says_when_to_try_again(ann: McpAgent, api: Api) -> None:
    """The same key prevents a second proposal."""
    api.queue.raises = Retry("SQS is busy", after_seconds=3)
    failed = ann.call("submit_proposal", **SUBMISSION, idempotency_key="task 7")
    api.queue.raises = None

    again = data(ann.call("submit_proposal", **SUBMISSION, idempotency_key="task 7"))

    assert failed.is_error
    assert text_of(failed) == "Something is busy, or has changed meanwhile. Try again in 3 seconds."
    assert list(api.store.proposals) == [again["id"]]
