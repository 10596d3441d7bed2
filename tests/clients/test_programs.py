"""The real programs work through a review with our texts alone: what their model is shown, and what comes of it."""

import base64
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.models import Call, serving
from tests.clients.programs import PROGRAMS, Connection, Program
from tests.mcp_agent import McpAgent, made_again, text_of
from tests.specs.conftest import EVERYTHING, Opened, Stage, a_stage
from tests.specs.scripts import CHANGE, DISCOUNTED, STALE, a_finding, a_report, says

pytestmark = pytest.mark.client

_MOST_BYTES = 8_000
_SKILL = ("Works through Kodiai's review of a pull request.", "Go through all open findings")
_WRAPPED_BYTES = 200  # a program may put a line before our text and one after it


def _chosen() -> list[str]:
    """All programs, or in turn one with each commit."""
    if os.environ.get("CLIENTS") != "in turn":
        return list(PROGRAMS)
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True)
    return [list(PROGRAMS)[int(counted.stdout) % len(PROGRAMS)]]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with a_stage(tmp_path_factory.mktemp("clients"), events=EVERYTHING) as stage:
        yield stage


@pytest.fixture(params=_chosen())
def program(request: pytest.FixtureRequest) -> Program:
    return PROGRAMS[request.param]


@pytest.fixture
def opened(stage: Stage) -> Opened:
    """A pull request that adds the discount, with one finding."""
    stage.model.answers = says(a_report(a_finding(fix="Subtract it.")))
    return stage.open({"src/orders.py": DISCOUNTED})


def found_in(text: str, pattern: str) -> str:
    [found] = set(re.findall(pattern, text, re.MULTILINE))
    return str(found)


class Agent:
    """A model that does what our texts tell it to, while a colleague reviews its proposal."""

    def __init__(self, target: Mapping[str, Any], colleague: McpAgent) -> None:
        self._target, self._colleague = target, colleague
        self.proposal = ""

    def next(self, results: Sequence[str]) -> Call | None:
        """The next call, by the last text."""
        steps = (self._list, self._look, self._propose, self._read, self._revise, self._apply)
        return steps[len(results)](results[-1] if results else "") if len(results) < len(steps) else None

    def _list(self, _: str) -> Call:
        return "list_open_findings", self._target

    def _look(self, text: str) -> Call:
        return "get_finding", {**self._target, "finding_id": found_in(text, r"^(F-\w+): ")}

    def _propose(self, _: str) -> Call:
        agent = {"agent_type": "scripted", "role": "implementer"}
        return "submit_proposal", {**self._target, **CHANGE, "diff": STALE, "reviewed_by": "anyone", "agent": agent}

    def _read(self, text: str) -> Call:
        self.proposal = found_in(text, r"P-[0-9a-f]{20}")
        self._colleague.call("claim_proposal", proposal_id=self.proposal)
        return "get_proposal", {"proposal_id": self.proposal}

    def _revise(self, text: str) -> Call:
        return "submit_proposal", {"proposal_id": self.proposal, **CHANGE, "diff": made_again(STALE, text)}

    def _apply(self, _: str) -> Call:
        claimed = text_of(self._colleague.call("claim_proposal", proposal_id=self.proposal))
        generation = int(found_in(claimed, r"claim generation (\d+)"))
        verdict = {"decision": "approve", "generation": generation}
        self._colleague.call("give_verdict", proposal_id=self.proposal, **verdict)
        return "apply_proposal", {"proposal_id": self.proposal}


@pytest.mark.slow  # it installs a program, and starts it
def test_a_program_works_through_a_review_with_our_texts_alone(
    program: Program, stage: Stage, opened: Opened, tmp_path: Path
) -> None:
    """It reads the findings, proposes a fix, revises it after a stale diff, and applies it when somebody approves.

    Its model is shown our texts whole, and the skill of the repository by the command in docs/agents.md.
    """
    mcp = f"{stage.machine.system.api_url}/mcp"
    tokens = {login: stage.github.token_for(login) for login in ("ann", "ben")}
    target = {"repository": stage.github.full_name, "pull_request": opened.number}
    first = text_of(McpAgent(mcp, tokens["ann"]).call("list_open_findings", **target))
    agent = Agent(target, McpAgent(mcp, tokens["ben"]))

    with serving(agent.next) as model:
        done = program.run(tmp_path, Connection(model.url, mcp, tokens["ann"]))

    assert done.returncode == 0, done.stderr
    assert len(model.shown) == 6, (model.shown, done.stdout, done.stderr)
    # Gemini CLI shows the text of a skill once its model asks for it.
    expected = _SKILL[:1] if program.command == "gemini" else _SKILL
    assert all(any(text in request for request in model.requests) for text in expected)
    assert first in model.shown[0]
    assert max(len(each.encode()) for each in model.shown) <= _MOST_BYTES + _WRAPPED_BYTES
    assert "How it happens: A discount of 5 makes an order of 100 cost 105." in model.shown[1]
    assert "Proposed by ann (scripted, role implementer)" in model.shown[3]
    assert f"{agent.proposal} for {target['repository']}#{opened.number} is applied, " in model.shown[5]
    fixed = base64.b64decode(opened.get("/contents/src/orders.py", ref=opened.head)["content"]).decode()
    assert fixed == DISCOUNTED.replace("+ discount", "- discount")


@pytest.mark.slow  # it installs a program, and starts it
def test_a_program_with_a_wrong_token_is_not_connected(
    program: Program, stage: Stage, opened: Opened, tmp_path: Path
) -> None:
    """Its model is offered no tool of ours, which would all fail."""
    mcp = f"{stage.machine.system.api_url}/mcp"
    target = {"repository": stage.github.full_name, "pull_request": opened.number}

    with serving(lambda results: None if results else ("list_open_findings", target)) as model:
        program.run(tmp_path, Connection(model.url, mcp, "ghp_wrong"))

    assert (model.tools, model.shown) == ([], [])
