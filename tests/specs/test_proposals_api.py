"""Proposals from outside: agents and people over MCP and HTTP, on the whole system with a GitHub behind it."""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest

from local.model import ModelRequest, json_reply
from tests.cli.running import run_command
from tests.mcp_agent import McpAgent, made_again, told
from tests.specs.conftest import BASE_FILES, Opened, Stage
from tests.specs.scripts import CHANGE, DISCOUNTED, STALE, a_finding, a_report, says

FRESH = STALE.replace("total(prices)", "total(prices, discount=0)")


@dataclass(frozen=True)
class Scene:
    """A pull request that adds the discount, and people with tokens of their own."""

    stage: Stage
    opened: Opened
    tokens: Mapping[str, str]

    @property
    def target(self) -> dict[str, Any]:
        return {"repository": self.stage.github.full_name, "pull_request": self.opened.number}

    @property
    def submission(self) -> dict[str, Any]:
        return {**CHANGE, **self.target, "diff": STALE, "reviewed_by": "anyone"}

    def agent(self, login: str) -> McpAgent:
        return McpAgent(f"{self.stage.machine.system.api_url}/mcp", self.tokens[login])

    def ask(self, login: str, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens[login]}", **more.pop("headers", {})}
        url = self.stage.machine.system.api_url + path
        return self.stage.http.request(method, url, json=body, headers=headers, timeout=60, **more)

    def on_github(self, path: str, **params: str) -> Any:
        """An answer of GitHub, asked by ann."""
        headers = {"Authorization": f"Bearer {self.tokens['ann']}"}
        url = f"{self.stage.github.url}/repos/{self.stage.github.full_name}{path}"
        return self.stage.http.get(url, params=params, headers=headers).raise_for_status().json()

    def file(self, ref: str) -> str:
        """src/orders.py at a branch or commit."""
        return base64.b64decode(self.on_github("/contents/src/orders.py", ref=ref)["content"]).decode()


@pytest.fixture
def scene(stage: Stage) -> Scene:
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open({**BASE_FILES, "src/orders.py": DISCOUNTED})
    return Scene(stage, opened, {login: stage.github.token_for(login) for login in ("ann", "ben")})


def found_in(text: str, pattern: str) -> str:
    """The only match of a pattern in a text."""
    [found] = re.findall(pattern, text, re.DOTALL | re.MULTILINE)
    return str(found)


def test_an_agent_acts_on_errors_and_verdicts_until_its_change_is_a_commit(scene: Scene) -> None:
    """It proposes from an old state of the file. What comes back is enough to get everything right, step by step."""
    ann, ben, head = scene.agent("ann"), scene.agent("ben"), scene.opened.head

    finding = found_in(told(ann.call("list_open_findings", **scene.target)), r"^F-\w+")
    evidence = told(ann.call("get_finding", **scene.target, finding_id=finding))
    agent = {"agent_type": "claude-code"}
    proposal = found_in(told(ann.call("submit_proposal", **scene.submission, agent=agent)), r"^P-\w+")
    rejected = told(ben.call("claim_proposal", proposal_id=proposal))
    diff = made_again(STALE, rejected)
    told(ann.call("submit_proposal", proposal_id=proposal, **CHANGE, diff=diff))
    generation = int(found_in(told(ben.call("claim_proposal", proposal_id=proposal)), r"claim generation (\d+)"))
    told(ben.call("give_verdict", proposal_id=proposal, decision="approve", generation=generation))
    applied = told(ann.call("apply_proposal", proposal_id=proposal))

    assert "return sum(prices) + discount" in evidence
    assert diff == FRESH
    assert " is applied, " in applied
    sha, branch = found_in(applied, "commit [0-9a-f]{40}").split()[1], found_in(applied, r"branch (\S+)\.")
    pull = scene.on_github(f"/pulls/{scene.opened.number}")
    assert (pull["head"]["sha"], pull["head"]["ref"]) == (sha, branch)
    assert scene.file(branch) == DISCOUNTED.replace("+ discount", "- discount")
    made = scene.on_github(f"/git/commits/{sha}")
    assert [each["sha"] for each in made["parents"]] == [head]
    assert made["message"] == (
        "Take the discount off\n\n"
        "- total() subtracts the discount: A discount of 5 makes an order of 100 cost 105\n\n"
        f"Proposal: {proposal}\nProposed-by: ann (claude-code)\nApproved-by: ben\nApplied-by: ann"
    )


def test_an_agent_knows_which_head_was_reviewed_and_has_the_next_one_reviewed(scene: Scene) -> None:
    """The answer tells a push that nobody has reviewed from one with nothing open; a request has it reviewed."""
    config = "review:\n  triggers:\n    onSynchronize: false\n"
    opened = scene.stage.open({**BASE_FILES, "src/orders.py": DISCOUNTED}, config=config)
    scene = replace(scene, opened=opened)
    ann, target = scene.agent("ann"), scene.target
    first = told(ann.call("list_open_findings", **target))
    opened.push(scene.stage.commit({"src/notes.py": "x = 1\n"}, opened.head))

    between = told(ann.call("list_open_findings", **target))
    asked = told(ann.call("request_review", **target))
    scene.stage.settle()
    then = told(ann.call("list_open_findings", **target))

    assert "That is the head.\n1 open finding, most severe first:\n" in first
    assert f"The head is {opened.head[:7]}, and no review of it has begun" in between
    assert asked.startswith("Requested.")
    assert f" was reviewed at {opened.head[:7]}, " in then
    assert ": Address before merging.\nThat is the head.\n1 open finding" in then
    listed = scene.ask("ann", "GET", "/findings", params=target).json()
    assert (listed["state"]["reviewed_head"], listed["state"]["verdict"]) == (opened.head, "address-before-merging")
    assert [each["title"] for each in listed["findings"]] == [a_finding()["title"]]


def test_the_same_over_plain_http_without_a_pull_request(scene: Scene) -> None:
    """A change on top of a commit begins a branch of its own; somebody who may only read it claims nothing.

    Tokens are neither stored nor logged: no item of the table, no line of any function has one.
    """
    scene = replace(scene, tokens={**scene.tokens, "rita": scene.stage.github.token_for("rita", "read")})
    target = {"repository": scene.stage.github.full_name, "base": scene.opened.head}
    key = {"Idempotency-Key": f"spec {scene.opened.number}"}

    body = {**CHANGE, **target, "diff": FRESH, "reviewed_by": "anyone"}
    submitted, again = (scene.ask("ann", "POST", "/proposals", body, headers=key) for _ in range(2))
    address, name = submitted.headers["location"], submitted.json()["id"]
    refused, _ = (scene.ask(login, "POST", f"{address}/claim") for login in ("rita", "ben"))
    scene.ask("ben", "POST", f"{address}/verdict", {"decision": "approve", "generation": 1}).raise_for_status()
    url = scene.stage.machine.system.api_url
    applied = run_command("apply", name, KODIAI_URL=url, KODIAI_GITHUB_TOKEN=scene.tokens["ann"])
    diff = scene.ask("rita", "GET", f"{address}/diff")
    listed = scene.ask("ann", "GET", "/proposals", params={"repository": target["repository"], "status": "applied"})

    assert (submitted.status_code, again.json(), refused.status_code) == (201, submitted.json(), 403)
    assert (applied.status, applied.err) == (0, "")
    assert scene.file(f"kodiai/{name}") == DISCOUNTED.replace("+ discount", "- discount")
    assert (diff.headers["content-type"], diff.text) == ("text/x-diff; charset=utf-8", FRESH)
    assert name in [each["id"] for each in listed.json()["proposals"]]
    machine = scene.stage.machine
    kept = repr(scene.stage.table.scan()["Items"]) + json.dumps([*machine.system.log_lines], default=str)
    assert name in kept
    assert [login for login, token in scene.tokens.items() if token in kept] == []


def test_kodiai_reviews_what_it_is_asked_to_and_says_so_only_to_who_asks(scene: Scene) -> None:
    """For a pull request or for a commit; it reviews a revision too. Nothing is said on the pull request."""
    answers = says(a_report())
    rulings = [{"decision": "request_changes", "notes": "Keep it above zero."}, {"decision": "approve"}]
    script = (json_reply({"checks": ["src/orders.py:2"], "notes": "", **each}) for each in rulings)
    scene.stage.model.answers = answers.when(lambda asked: ModelRequest(asked).kind == "proposal", *script, always=True)
    body = {**scene.submission, "diff": FRESH, "reviewed_by": "kodiai"}

    address = scene.ask("ann", "POST", "/proposals", body).headers["location"]
    scene.stage.settle()
    sent_back = scene.ask("ann", "GET", address).json()
    scene.ask("ann", "PUT", address, {**CHANGE, "diff": FRESH.replace("- discount", "- max(discount, 0)", 1)})
    scene.stage.settle()
    other = {key: value for key, value in body.items() if key != "pull_request"}
    on_commit = scene.ask("ann", "POST", "/proposals", {**other, "base": scene.opened.head}).headers["location"]
    scene.stage.settle()

    verdict = sent_back["verdict"]
    assert (sent_back["status"], verdict["notes"]) == ("changes_requested", "Keep it above zero.")
    assert (verdict["by"]["login"], sent_back["claim"]["generation"]) == (scene.stage.github.bot_login, 1)
    states = [scene.ask("ann", "GET", each).json() for each in (address, on_commit)]
    assert [each["status"] for each in states] == ["approved", "approved"]
    assert states[0]["verdict"]["generation"] == 2
    assert scene.on_github(f"/issues/{scene.opened.number}/comments") == []
