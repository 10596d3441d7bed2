"""The tools, called with the official client: what an agent reads, and what it does next."""

import importlib
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
from tests.mcp_agent import McpAgent, Mode, text_of
from tests.tables import each_row

REVISION = {name: SUBMISSION[name] for name in ("description", "changes", "diff")}


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
    """Those that begin with a handshake, those that do not, and those that find out."""
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
    reads = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
    assert reads == {"open_findings", "finding", "get_proposal", "list_proposals"}


def test_a_stale_diff_comes_back_with_what_to_do(ann: McpAgent, ben: McpAgent) -> None:
    """The agent reads for each hunk what was expected and found, revises, and the reviewer goes on."""
    proposal = data(ann.call("submit_proposal", **{**SUBMISSION, "diff": STALE, "reviewed_by": "anyone"}))["id"]

    rejected = ben.call("claim_proposal", proposal_id=proposal)
    revised = ann.call("revise_proposal", proposal_id=proposal, **REVISION)

    assert data(rejected)["status"] == "rejected"
    assert text_of(rejected) == (
        f"{proposal} for octo/widgets#7 is rejected, revision 1.\n"
        "It was rejected, since the diff does not apply or may not. Make the diff again from the files as they are now,"
        " and call revise_proposal with all of it:\n"
        "- src/orders.py, hunk 1, line 1: The lines that this hunk expects are not in the file."
        " Read the file at the head again, and make the diff again.\n"
        "  expected:\n    |def total(prices):\n    |    return add(prices)\n"
        "  found:\n    |def total(prices):\n    |    return sum(prices)"
    )
    assert text_of(revised) == (
        f"{proposal} for octo/widgets#7 is pending, revision 2.\n"
        "Somebody else with write access has to claim it with claim_proposal."
    )


def test_from_a_claim_to_a_commit(ann: McpAgent, ben: McpAgent, api: Api) -> None:
    """Each answer says where the proposal stands and who does what next."""
    proposal = data(ann.call("submit_proposal", **{**SUBMISSION, "reviewed_by": "anyone"}))["id"]
    agent = {"agent_type": "codex"}

    claimed = ben.call("claim_proposal", proposal_id=proposal, seconds=600, agent=agent)
    verdict = {"decision": "request_changes", "notes": "Round down.\nInvoices do.", "generation": 1}
    sent_back = ben.call("give_verdict", proposal_id=proposal, agent=agent, **verdict)
    revised = ann.call("revise_proposal", proposal_id=proposal, **{**REVISION, "description": "Round down"})
    approved = ben.call("give_verdict", proposal_id=proposal, decision="approve", generation=2)
    applied = ann.call("apply_proposal", proposal_id=proposal)

    lead = f"{proposal} for octo/widgets#7 is"
    assert [text_of(each) for each in (claimed, sent_back, revised, approved, applied)] == [
        (
            f"{lead} claimed, revision 1.\nben (codex) reviews it: claim generation 1, until 2026-09-21 14:23:20 UTC."
            f" The diff applies to {HEAD}. The reviewer reads it with get_proposal and decides with give_verdict,"
            " generation 1."
        ),
        (
            f"{lead} changes_requested, revision 1.\nben (codex) said request_changes:\n"
            "    Round down.\n    Invoices do.\n"
            "The proposer calls revise_proposal with the whole new diff; the same reviewer then goes on."
        ),
        (
            f"{lead} claimed, revision 2.\nben (codex) reviews it: claim generation 2, until 2026-09-21 14:23:20 UTC."
            f" The diff applies to {HEAD}. The reviewer reads it with get_proposal and decides with give_verdict,"
            " generation 2."
        ),
        f"{lead} approved, revision 2.\nben said approve.\nCall apply_proposal to make the commit.",
        f"{lead} applied, revision 2.\nIt is commit {COMMIT} on the branch feature. Fetch the branch.",
    ]
    assert len(api.committed) == 1


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
    first = data(ann.call("submit_proposal", **SUBMISSION))["id"]
    second = data(ann.call("submit_proposal", **{**SUBMISSION, "pull_request": None, "base": HEAD}))["id"]
    ann.call("close_proposal", proposal_id=second, note="Not needed")

    everything = ann.call("list_proposals", repository=REPOSITORY)
    applied = ann.call("list_proposals", repository=REPOSITORY, status="applied")

    title = SUBMISSION["description"]
    assert [each["id"] for each in data(everything)["proposals"]] == [second, first]
    assert text_of(everything) == (
        f"2 proposals, newest first:\n- {second} closed, by ann, reviewed by kodiai: {title}\n"
        f"- {first} pending, by ann, reviewed by kodiai: {title}"
    )
    assert text_of(applied) == "There are no such proposals."


def test_a_review_is_worked_through_finding_by_finding(ann: McpAgent, api: Api) -> None:
    """Only what is open, most severe first; then the evidence of one, with what a reviewer did not check."""
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
    api.findings.known = (minor, settled, known)
    api.findings.entries = (HistoryEntry(int(NOW), HEAD, "open", "reported"),)

    listed = ann.call("open_findings", repository="Octo/Widgets", pull_request=7)
    whole = ann.call("finding", repository=REPOSITORY, pull_request=7, finding_id=known.id)
    decided = ann.call("finding", repository=REPOSITORY, pull_request=7, finding_id=settled.id)

    lead = (
        f"{known.id}: Any caller reads any file\nCRITICAL correctness, blocks the pull request, src/app.py:12\n"
        "Problem: The path is not checked.\nFix: Check it against the root.\n"
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
        "Not checked: The callers in web/ were not read.\n\n"
        "History:\n- 2026-09-21 14:13:20 UTC at aaaaaaa: open, reported"
    )
    assert data(whole)["history"] == [{"at": "2026-09-21T14:13:20Z", "head": HEAD, "status": "open", "why": "reported"}]
    assert "Status: wont_fix by ben" in text_of(decided)


def test_without_findings_the_answer_says_what_that_may_mean(ann: McpAgent) -> None:
    """No review yet is not the same as nothing found."""
    result = ann.call("open_findings", repository=REPOSITORY, pull_request=7)

    assert data(result) == {"findings": []}
    assert text_of(result) == (
        "No open findings of octo/widgets#7 are known. Either there are none, or Kodiai has not reviewed it yet."
    )


@each_row(
    ("tool", "arguments", "said"),
    [
        (
            "submit_proposal",
            {**SUBMISSION, "base": HEAD, "changes": [{"what": "a"}], "x": 1},
            (
                "The arguments are not as they should be:\n"
                "- changes.0.why: Field required\n- x: Extra inputs are not permitted"
            ),
        ),
        (
            "submit_proposal",
            {**SUBMISSION, "base": HEAD},
            "The arguments are not as they should be:\n- arguments: Give either pull_request or base.",
        ),
        (
            "finding",
            {"repository": REPOSITORY, "pull_request": 7, "finding_id": "F-1"},
            "There is no finding F-1 on octo/widgets#7.",
        ),
    ],
)
def test_an_error_of_a_tool_is_a_result_that_an_agent_can_act_on(
    ann: McpAgent, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """Not an error of the protocol, which many clients keep from their model."""
    result = ann.call(tool, **arguments)

    assert (result.is_error, text_of(result)) == (True, said)


def test_what_the_protocol_refuses_comes_with_what_to_do(ann: McpAgent, ben: McpAgent) -> None:
    """The sentence of the refusal, then the next step."""
    proposal = data(ann.call("submit_proposal", **{**SUBMISSION, "reviewed_by": "anyone"}))["id"]

    own = ann.call("claim_proposal", proposal_id=proposal)
    lost = ben.call("give_verdict", proposal_id=proposal, decision="approve", generation=9)

    assert (own.is_error, lost.is_error) == (True, True)
    assert text_of(own) == (
        "Nobody reviews their own proposal: another person has to claim it."
        " Ask somebody else to claim it, or submit it with reviewed_by: kodiai."
    )
    assert text_of(lost).endswith(" Call get_proposal to see what became of it.")


def test_every_refusal_of_the_protocol_has_a_next_step() -> None:
    """An agent that is only refused tries the same again."""
    texts: Any = importlib.import_module("mcp_texts")

    assert set(texts.WHAT_TO_DO) == set(get_args(RefusalName))


def test_what_is_busy_says_when_to_try_again(ann: McpAgent, api: Api) -> None:
    """With the same key the agent does not propose it twice."""
    api.queue.raises = Retry("SQS is busy", after_seconds=3)
    failed = ann.call("submit_proposal", **SUBMISSION, idempotency_key="task 7")
    api.queue.raises = None

    again = data(ann.call("submit_proposal", **SUBMISSION, idempotency_key="task 7"))

    assert failed.is_error
    assert text_of(failed) == "Something is busy, or has changed meanwhile. Try again in 3 seconds."
    assert list(api.store.proposals) == [again["id"]]
    assert len(api.queue.sent) == 1


def test_a_result_that_is_too_long_says_where_else_to_look(ann: McpAgent) -> None:
    """A function's answer has a limit."""
    line = "+" + "\x01" * 999 + "\n"
    diff = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,600 @@\n" + line * 600
    proposal = data(ann.call("submit_proposal", **{**SUBMISSION, "diff": diff}))["id"]

    result = ann.call("get_proposal", proposal_id=proposal)

    assert result.is_error
    assert text_of(result) == (
        "The answer is too long for one result. Read the diff with GET /proposals/{id}/diff, or narrow the list down."
    )
