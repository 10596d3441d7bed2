"""The log of the API: one line for each request, and never a token."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.functions.proposals.scene import ANN, BEN, DIFF, NOBODY, READER, STRANGER

ROOT = Path(__file__).parents[3]
P = "P-" + "0" * 20

START = f"""
import sys
sys.path[:0] = {[str(ROOT), str(ROOT / "layers" / "common"), str(ROOT / "functions" / "proposals")]!r}
from kodiai.core.errors import Broken, Retry
from tests.functions.proposals.scene import *

api = Api()
proposal = api.submit()
"""

ERRANDS = """
api.ask("POST", f"/proposals/{proposal}/claim")
api.ask("GET", "/proposals/P-" + "0" * 20 + "/diff", token=None)
api.ask("GET", "/somewhere/else")
api.ask("GET", "/openapi.json", token=None)
call = {"name": "get_proposal", "arguments": {"proposal_id": proposal}}
api.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, token=READER)
"""

BUG = """
api.queue.raises = Broken("SQS says AccessDenied.")
api.ask("POST", "/proposals", SUBMISSION)
"""

# Each route and each kind of refusal, tools that succeed and fail, and bugs.
DAY = """
for token in (ANN, BEN, READER, STRANGER, NOBODY, "ghp_" + ANN * 500):
    for method, path, body in (
        ("GET", "", None), ("GET", "/diff", None), ("POST", "/claim", {}), ("PUT", "", REVISION),
        ("POST", "/verdict", {"decision": "approve", "generation": 1}), ("POST", "/apply", None),
        ("POST", "/close", None), ("POST", "/nowhere", None), ("PUT", "", "{"), ("PUT", "", {}),
    ):
        api.ask(method, f"/proposals/{proposal}{path}", body, token=token)
    api.ask("GET", "/proposals", token=token, query={"repository": token})
    api.ask("POST", f"/{token}", token=token)
    for name, arguments in (("get_proposal", {"proposal_id": proposal}), ("nothing", {}), ("get_finding", {"x": 1})):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        api.ask("POST", "/mcp", call, token=token)
for error in (Broken("no"), Retry("later"), ZeroDivisionError("what")):
    api.queue.raises = error
    api.ask("POST", "/proposals", SUBMISSION)
    call = {"name": "submit_proposal", "arguments": SUBMISSION}
    api.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
"""


def logged(errands: str, level: str = "INFO") -> str:
    """The output of a process of its own for these errands, after a submission."""
    kept = {name: text for name, text in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    variables = {**kept, "AWS_DEFAULT_REGION": "eu-west-1", "AWS_LAMBDA_LOG_LEVEL": level}
    program = [sys.executable, "-c", START + errands]
    done = subprocess.run(program, env=variables, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def lines(out: str) -> list[dict[str, Any]]:
    """The log's lines, without what changes from run to run."""
    kept = [json.loads(line) for line in out.splitlines()]
    changing = ("timestamp", "location", "seconds", "service", "function_request_id", "message")
    return [{name: value for name, value in line.items() if name not in changing} for line in kept]


def test_each_request_is_one_line() -> None:
    """The line has client, request, end and cost at GitHub; a bug has its trace, as the answer is neutral."""
    first, *others, bug = lines(logged(ERRANDS + BUG))

    proposal = first["proposal"]
    submitted = {"level": "INFO", "status": 201, "method": "POST", "route": "/proposals", "login": "ann"}
    assert first == {**submitted, "proposal": proposal, "github_calls": 3}
    assert others == [
        {
            "level": "WARNING",
            "status": 409,
            "method": "POST",
            "route": "/proposals/{id}/claim",
            "login": "ann",
            "proposal": proposal,
            "github_calls": 3,
            "cause": "ProposalRefused: Nobody reviews their own proposal: another person has to claim it.",
        },
        {
            "level": "WARNING",
            "status": 401,
            "method": "GET",
            "route": "/proposals/{id}/diff",
            "proposal": P,
            "github_calls": 0,
        },
        {"level": "WARNING", "status": 404, "method": "GET", "route": "other", "github_calls": 3},
        {"level": "INFO", "status": 200, "method": "GET", "route": "/openapi.json", "github_calls": 0},
        {
            "level": "INFO",
            "status": 200,
            "method": "POST",
            "route": "/mcp",
            "login": "rita",
            "proposal": proposal,
            "tool": "get_proposal",
            "github_calls": 3,
        },
    ]
    assert (bug["level"], bug["status"], bug["login"]) == ("ERROR", 500, "ann")
    assert bug["cause"] == "Broken: SQS says AccessDenied."
    assert "in send" in bug["exception"]


def test_a_day_of_requests_logs_no_token_and_no_diff() -> None:
    """Every request of every caller with every end; at DEBUG, where nothing is left out."""
    out = logged(DAY, "DEBUG")

    outcomes = [json.loads(line)["status"] for line in out.splitlines()]
    assert len(outcomes) == 1 + 6 * 15 + 6
    assert {200, 201, 400, 401, 403, 404, 409, 422, 500, 503} <= set(outcomes)
    for private in (ANN, BEN, READER, STRANGER, NOBODY, DIFF.splitlines()[-1], "Bearer"):
        assert private not in out
