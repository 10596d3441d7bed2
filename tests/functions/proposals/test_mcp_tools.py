"""The tools, called with the official client: what an agent reads, and what it does next."""

import importlib
import json
from collections.abc import Mapping
from typing import Any, get_args

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from kodiai.core.errors import Retry
from kodiai.core.events.job import Job
from kodiai.core.findings.known import HistoryEntry
from kodiai.core.proposals.protocol import RefusalName
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
from tests.mcp_agent import TOOLS, McpAgent, Mode, text_of, told
from tests.tables import each_row


@pytest.fixture
def ann(served: str) -> McpAgent:
    return McpAgent(served, ANN)


@pytest.fixture
def ben(served: str) -> McpAgent:
    return McpAgent(served, BEN)


def proposal_of(result: Any) -> str:
    """The id of the proposal that a result is about."""
    return told(result).partition(" ")[0]


@pytest.mark.parametrize(
    ("mode", "revision"), [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]
)
def test_old_and_new_clients_connect_and_call(served: str, mode: Mode, revision: str) -> None:
    """A client may begin with a handshake, without one, or probe for one."""
    agent = McpAgent(served, ANN, mode)

    version, name, instructions = agent.negotiated()
    submitted = proposal_of(agent.call("submit_proposal", **SUBMISSION))

    assert version == revision
    if mode != "2026-07-28":  # such a client asks for nothing before its first call
        assert name == "kodiai"
        assert instructions is not None
        assert instructions.startswith("Kodiai reviews pull requests and brokers proposals")
    assert " is pending, " in told(agent.call("get_proposal", proposal_id=submitted))


def test_each_tool_says_when_to_use_it_and_has_a_schema(ann: McpAgent) -> None:
    """An agent knows nothing else of us. The whole list is short: clients show all of it, in each conversation."""
    tools = {tool.name: tool for tool in ann.tools()}

    assert tuple(tools) == TOOLS
    for tool in tools.values():
        schema = tool.input_schema
        jsonschema.Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"], tool.output_schema) == ("object", False, None)
        assert set(schema["required"]) <= set(schema["properties"])
        assert "$ref" not in json.dumps(schema)
        assert tool.description is not None
        assert 50 < len(tool.description) < 260
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.values()]
    assert len(json.dumps(listed, separators=(",", ":")).encode()) <= 12_000
    hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations is not None}
    reads = {"list_open_findings", "get_finding", "get_proposal", "list_proposals"}
    assert {name for name, each in hints.items() if each.read_only_hint} == reads
    assert {name for name, each in hints.items() if each.destructive_hint} == {"close_proposal"}
    once = {name for name, each in hints.items() if each.idempotent_hint}
    assert once == set(tools) - reads - {"submit_proposal", "claim_proposal"}


TOOL_OF = {
    "submit": "submit_proposal",
    "revise": "submit_proposal",
    "claim": "claim_proposal",
    "release": "release_claim",
    "giveVerdict": "give_verdict",
    "apply": "apply_proposal",
    "close": "close_proposal",
    "get": "get_proposal",
    "getDiff": "get_proposal",
    "list": "list_proposals",
    "listOpenFindings": "list_open_findings",
}


def test_every_verb_of_http_is_a_tool(ann: McpAgent, api: Api) -> None:
    """An agent needs no second way in. Only one finding and the request for a review are tools alone."""
    described = api.ask("GET", "/openapi.json", token=None).json["paths"]

    assert {each["operationId"] for path in described.values() for each in path.values()} == set(TOOL_OF)
    tools = {tool.name for tool in ann.tools()}
    assert tools - set(TOOL_OF.values()) == {"get_finding", "request_review"}
    assert set(TOOL_OF.values()) <= tools


def test_each_answer_has_the_status_and_the_next_step(ann: McpAgent, ben: McpAgent, api: Api) -> None:
    """The way leads from a stale diff, each hunk with its expected and found lines, to a commit."""
    proposal = proposal_of(ann.call("submit_proposal", **{**SUBMISSION, "diff": STALE, "reviewed_by": "anyone"}))
    codex, notes = {"agent_type": "codex"}, "Round down.\nInvoices do."
    calls: list[tuple[McpAgent, str, Mapping[str, Any]]] = [
        (ben, "claim_proposal", {}),
        (ann, "submit_proposal", REVISION),
        (ben, "claim_proposal", {"seconds": 600, "agent": codex}),
        (ben, "give_verdict", {"decision": "request_changes", "notes": notes, "generation": 2, "agent": codex}),
        (ann, "submit_proposal", {**REVISION, "description": "Round down"}),
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
            " the files as they are now, and call submit_proposal with this proposal_id and all of it:\n"
            "- src/orders.py, hunk 1, line 1: The lines that this hunk expects are not in the file."
            " Read the file at the head again, and make the diff again.\n"
            "  expected:\n    |def total(prices):\n    |    return add(prices)\n"
            "  found:\n    |def total(prices):\n    |    return sum(prices)"
        ),
        "pending, revision 2.\nSomebody else with write access has to claim it with claim_proposal.",
        claimed.format(2, 2, 2),
        (
            "changes_requested, revision 2.\nben (codex) said request_changes:\n    Round down.\n    Invoices do.\n"
            "The proposer calls submit_proposal with this proposal_id and the whole new diff;"
            " the same reviewer then goes on."
        ),
        claimed.format(3, 3, 3),
        "approved, revision 3.\nben said approve.\nCall apply_proposal to make the commit.",
        (f"applied, revision 3.\nIt is commit {api.code.branches['feature']} on the branch feature. Fetch the branch."),
    ]


def test_a_proposal_that_is_submitted_again_with_its_id_is_revised_in_place(ann: McpAgent, api: Api) -> None:
    """No second one is made, and the content is the new one."""
    proposal = proposal_of(ann.call("submit_proposal", **SUBMISSION))

    revision = {**REVISION, "description": "Round down", "proposal_id": proposal}
    revised = proposal_of(ann.call("submit_proposal", **revision))

    assert (revised, list(api.store.proposals)) == (proposal, [proposal])
    assert api.store.content(api.store.proposals[proposal]).intent.description == "Round down"


def test_a_reviewer_reads_a_proposal_with_its_diff_and_the_whole_identity_of_its_proposer(
    ann: McpAgent, served: str
) -> None:
    """All five members of what the proposer's program says of itself."""
    agent = {"agent_type": "claude-code", "role": "implementer", "phase": "build", "plan": "totals", "task": "7"}
    proposal = proposal_of(ann.call("submit_proposal", **SUBMISSION, agent=agent))

    result = McpAgent(served, READER).call("get_proposal", proposal_id=proposal)

    named = "ann (claude-code, role implementer, phase build, plan totals, task 7)"
    assert told(result) == (
        f"{proposal} for octo/widgets#7 is pending, revision 1.\n"
        "Kodiai reviews it. Call get_proposal in a minute or two to see the verdict.\n\n"
        f"Proposed by {named}:\n    Round the total of an order to cents\n\n"
        "Changes:\n- total() rounds its result\n  Why: 0.1 + 0.2 is shown with 17 digits\n\n"
        "Files:\n- modify src/orders.py (+1 -1)\n\n"
        f"History:\n- 2026-09-21 14:13:20 UTC, {named}: submit → pending\n\n"
        f"Diff:\n{DIFF}"
    )


def test_proposals_are_listed_on_a_line_each(ann: McpAgent) -> None:
    """A reviewer looks for what is pending."""
    targets: tuple[dict[str, Any], ...] = ({"pull_request": 7}, {"pull_request": None, "base": HEAD})
    first, second = (proposal_of(ann.call("submit_proposal", **{**SUBMISSION, **each})) for each in targets)
    ann.call("close_proposal", proposal_id=second, note="Not needed")

    listed = ann.call("list_proposals", repository=REPOSITORY)

    title = SUBMISSION["description"]
    assert told(listed) == (
        f"2 proposals, newest first:\n- {second} closed, by ann, reviewed by kodiai: {title}\n"
        f"- {first} pending, by ann, reviewed by kodiai: {title}"
    )


def test_a_long_diff_is_read_by_file_and_by_lines(ann: McpAgent, api: Api) -> None:
    """Each answer says which lines it has and where to go on; together they are the file's diff."""
    added = "".join(f"+line {number}\n" for number in range(1, 2_001))
    other = f"--- /dev/null\n+++ b/docs/long.md\n@@ -0,0 +1,2000 @@\n{added}"
    proposal = api.submit(diff=f"{DIFF}{other}")

    whole = told(ann.call("get_proposal", proposal_id=proposal))
    short = told(ann.call("get_proposal", proposal_id=proposal, path="src/orders.py"))
    read, at = list[str](), 1
    while at:
        heading, _, lines = told(
            ann.call("get_proposal", proposal_id=proposal, path="docs/long.md", from_line=at)
        ).partition("\n")
        read += lines.split("\n")
        at = int(heading.rpartition("from_line ")[2].rstrip(".")) if "from_line" in heading else 0

    assert whole.endswith("The diff has 2,009 lines: read it with get_proposal, path and from_line, file by file.")
    assert short.startswith("The diff of src/orders.py, lines 1 to 6 of 6.\n--- src/orders.py\n+++ src/orders.py\n@@ ")
    assert read == ["--- /dev/null", "+++ docs/long.md", "@@ -0,0 +1,2000 @@", *added.split("\n")[:-1]]
    past = told(ann.call("get_proposal", proposal_id=proposal, path="docs/long.md", from_line=9_000))
    assert past == "The diff of docs/long.md has 2,003 lines."
    none = told(ann.call("get_proposal", proposal_id=proposal, path="src/none.py"))
    assert none.startswith("The proposal does not change src/none.py.")


def test_whatever_is_stored_an_answer_has_at_most_8_kilobytes(ann: McpAgent, ben: McpAgent, api: Api) -> None:
    """Long notes, names, lists and code are cut; a list has pages."""
    long, deep = "long words " * 900, "deep/" * 190
    change = {"what": long[:2_000], "why": long[:2_000]}
    agent = dict.fromkeys(("agent_type", "role", "phase", "plan", "task"), "x" * 200)
    paths = "".join(f"--- a/{deep}{at}\n+++ b/{deep}{at}\n@@ -1 +1 @@\n-{'a' * 500}\n+b\n" for at in range(60))
    many = {"description": long, "changes": [change] * 50, "agent": agent, "diff": paths, "reviewed_by": "anyone"}
    proposal = api.submit(**many)
    notes = {"decision": "comment", "notes": long, "agent": agent}
    for number in range(1, 60):
        api.submit(description=f"Number {number}")
    finding = a_finding(quote=long, replacement=long, explanation=long, problem=long, fix=long, path=deep, caveat=long)
    api.findings.known = [a_known(finding.model_copy(update={"title": f"{at} {long}"})) for at in range(40)]
    api.findings.entries = [HistoryEntry(int(NOW), HEAD, "open", long)] * 40

    rejected = told(ben.call("claim_proposal", proposal_id=proposal))
    small = api.submit(agent=agent)
    ben.call("claim_proposal", proposal_id=small)
    told(ben.call("give_verdict", proposal_id=small, generation=1, **notes))
    whole = [told(ann.call("get_proposal", proposal_id=each)) for each in (proposal, small)]
    pages = [told(ann.call("list_proposals", repository=REPOSITORY, page=page)) for page in (1, 2)]
    target = {"repository": REPOSITORY, "pull_request": 7}
    findings = [told(ann.call("list_open_findings", **target, page=at)) for at in range(1, 12)]
    told(ann.call("get_finding", **target, finding_id=api.findings.known[0].id))

    assert "more problems" in rejected
    assert all("Proposed by ann (" in each for each in whole)
    assert pages[0].count("\n- P-") == 61
    assert pages[1] == "61 proposals, newest first: there is no page 2, the last one is 1."
    assert "\n40 open findings, most severe first, page 1 of " in findings[0]
    assert sum(each.count("\nThread: ") for each in findings) == 40


def test_a_claim_is_given_back_or_made_again_by_who_has_it(ann: McpAgent, ben: McpAgent, api: Api) -> None:
    """Somebody who lost the generation claims once more, and gets it; nobody else can give the claim back."""
    proposal = api.submit()
    first = told(ben.call("claim_proposal", proposal_id=proposal))

    late = ben.call("give_verdict", proposal_id=proposal, decision="approve", generation=9)
    again = told(ben.call("claim_proposal", proposal_id=proposal, seconds=3_600))
    foreign = ann.call("release_claim", proposal_id=proposal)
    given_back = told(ben.call("release_claim", proposal_id=proposal, note="No time"))

    assert "generation 1" in first
    assert "There is no claim of generation 9. Call get_proposal: " in text_of(late)
    assert "claim generation 2, until 2026-09-21 15:13:20 UTC" in again
    assert (foreign.is_error, "Only the one who has claimed" in text_of(foreign)) == (True, True)
    assert given_back.startswith(f"{proposal} for octo/widgets#7 is pending, revision 1.")
    assert "ben: release → pending, No time" in told(ann.call("get_proposal", proposal_id=proposal))


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
    none = ann.call("list_open_findings", repository=REPOSITORY, pull_request=7)
    api.findings.known = (minor, settled, known)
    listed = ann.call("list_open_findings", repository="Octo/Widgets", pull_request=7)
    whole = ann.call("get_finding", repository=REPOSITORY, pull_request=7, finding_id=known.id)
    decided = ann.call("get_finding", repository=REPOSITORY, pull_request=7, finding_id=settled.id)

    lead = (
        f"{known.id}: Any caller reads any file\nCRITICAL correctness, blocks the pull request, src/app.py:12\n"
        "Problem: The path is not checked.\n"
        "Fix: Check it against the root. get_finding shows the new code.\n"
        "Not checked: The callers in web/ were not read.\n"
        "Thread: https://github.com/octo/widgets/pull/7#discussion_r11"
    )
    assert told(listed) == (
        "octo/widgets#7 was reviewed at aaaaaaa, 2026-09-21 14:13:20 UTC: Address before merging.\nThat is the head.\n"
        "2 open findings, most severe first:\n\n"
        f"{lead}\n\n{minor.id}: A name\nMINOR correctness, src/app.py:3-5\n"
        f"Problem: {minor.finding.explanation}\nThread: none"
    )
    assert text_of(whole) == (
        f"{lead}\nStatus: open\n\nHow it happens: `path` comes from the request and reaches open().\n\n"
        "Code:\n    open(path)\n\nSuggested replacement of lines 12 to 12:\n    open(checked(path))\n\n"
        "Caused by the change in src/web.py:\n    serve(request.path)\n\n"
        "History:\n- 2026-09-21 14:13:20 UTC at aaaaaaa: open, reported"
    )
    assert "Status: wont_fix by ben" in text_of(decided)
    assert told(none).endswith("\nThat is the head.\nNothing is open.")


REVIEWED = "octo/widgets#7 was reviewed at 0123456, 2026-09-21 14:13:20 UTC"
STATES = {
    "not yet": (
        ReviewState(),
        "Kodiai has not reviewed octo/widgets#7 yet.\nThe head is aaaaaaa, and no review of it has",
    ),
    "an older head": (
        ReviewState("0123456789", NOW, "not-fully-reviewed", ("a.lock", "b.bin")),
        f"{REVIEWED}: Not fully reviewed.\nNot read: a.lock, b.bin.\nThe head is aaaaaaa, and no review of it has",
    ),
    "again": (
        ReviewState("0123456789", NOW, "ready", resolved=5),
        f"{REVIEWED}: Ready to merge; 5 findings resolved.\nThe head is aaaaaaa, and no review of it has",
    ),
    "under way": (
        ReviewState("0123456789", NOW, None, running=HEAD, since=NOW + 60),
        f"{REVIEWED}.\nA review of aaaaaaa has been running since 2026-09-21 14:14:20 UTC: most take one to",
    ),
}


@each_row(("state", "begin"), STATES.values(), ids=STATES.keys())
def test_the_state_of_the_review_comes_first(ann: McpAgent, api: Api, state: ReviewState, begin: str) -> None:
    """The text tells a reviewed head with nothing open from one not yet reviewed, and says what to wait for."""
    api.findings.state = state

    text = told(ann.call("list_open_findings", repository=REPOSITORY, pull_request=7))

    assert text.startswith(begin)
    assert ("Nothing is open." in text) == (state.head is not None)


def test_findings_of_an_older_head_are_only_named(ann: McpAgent, api: Api) -> None:
    """They may be fixed by now, and the agent has read them."""
    api.findings.state = ReviewState("0123456789", NOW, None, running=HEAD, since=NOW)
    api.findings.known = [a_known(a_finding(title="The discount is added", start_line=3, end_line=5))]

    text = told(ann.call("list_open_findings", repository=REPOSITORY, pull_request=7))

    assert text.endswith(
        "\n1 finding of the head before, open until then:\n"
        f"- {api.findings.known[0].id}: The discount is added (src/app.py:3-5)"
    )


def test_a_review_is_requested_with_the_rights_of_who_asks(ann: McpAgent, served: str, api: Api) -> None:
    """Like the comment: people who may only read count as outsiders. Its installation is looked up later."""
    target = {"repository": REPOSITORY, "pull_request": 7}
    nothing = told(ann.call("request_review", **target))
    api.findings.state = ReviewState("0123456789", NOW, "ready")

    text = told(ann.call("request_review", **target))
    told(ann.call("request_review", **target))
    McpAgent(served, READER).call("request_review", **target)
    unknown = McpAgent(served, STRANGER).call("request_review", **target)

    assert nothing.startswith("There is nothing to review.\nocto/widgets#7 was reviewed at aaaaaaa, ")
    jobs = [job for queue, job in api.queue.sent if queue == "reviews" and isinstance(job, Job)]
    assert text.startswith("Requested. Call list_open_findings in a minute or two.\nocto/widgets#7 was reviewed at")
    assert [(job.sender, job.outsider, job.trigger, job.installation) for job in jobs] == [
        ("ann", None, "rerequested", None),
        ("ann", None, "rerequested", None),
        ("rita", "rita", "rerequested", None),
    ]
    assert (unknown.is_error, len({job.delivery for job in jobs})) == (True, 1)


NOT_CLAIMED = (
    "The proposal is pending. To be reviewed it has to be claimed. Call get_proposal to see what became of it."
)
OWN = (
    "Nobody reviews their own proposal: another person has to claim it."
    " Ask somebody else to claim it, or submit it with reviewed_by: kodiai."
)
TARGETS = "Give either pull_request or base, with repository; or proposal_id alone, to revise it."
WRONG = "The arguments are not as they should be:\n"
TWO = {**SUBMISSION, "base": HEAD}
NOWHERE = {"repository": REPOSITORY, "pull_request": 7, "finding_id": "F-1"}


@each_row(
    ("login", "tool", "arguments", "said"),
    [
        (ANN, "submit_proposal", {**TWO, "changes": [{"what": "a"}], "x": 1},
         f"{WRONG}- changes.0.why: It is missing.\n- x: There is no such member."),
        (ANN, "submit_proposal", TWO, f"{WRONG}- arguments: {TARGETS}"),
        (ANN, "get_finding", NOWHERE, "There is no finding F-1 on octo/widgets#7."),
        (ANN, "claim_proposal", {}, OWN),
        (BEN, "give_verdict", {"decision": "approve", "generation": 9}, NOT_CLAIMED),
    ],
)  # fmt: skip
def test_an_error_of_a_tool_is_a_result_that_an_agent_can_act_on(
    served: str, api: Api, login: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """Errors of the protocol are kept from their model by many clients. A refusal comes with the next step."""
    about = {} if arguments.get("repository") else {"proposal_id": api.submit()}

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

    again = proposal_of(ann.call("submit_proposal", **SUBMISSION, idempotency_key="task 7"))

    assert failed.is_error
    assert text_of(failed) == "Something is busy, or has changed meanwhile. Try again in 3 seconds."
    assert list(api.store.proposals) == [again]
