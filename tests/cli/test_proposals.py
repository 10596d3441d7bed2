"""Proposals on the command line, against the API's own function over HTTP with everything outside in memory."""

import importlib
import io
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kodiai.core.errors import Retry
from kodiai.core.proposals.proposal import Agent
from local.server import Server
from tests.cli.running import Done, run_command
from tests.edges.deployed_aws import nobody_there
from tests.functions.proposals.scene import ANN, BEN, DIFF, FILES, NOBODY, READER, STALE, Api
from tests.tables import each_row

INTENT = ("--description", "Round the total\n\nTo cents.", "--change", "round it: 0.1 + 0.2 has 17 digits: too many")
AT = "2026-09-21 14:13 UTC"
HEAD = "a" * 40


class Deployment:
    """The API at an address. `drop` is how many answers get lost on their way."""

    def __init__(self) -> None:
        importlib.import_module("proposals")  # its log goes to where stdout is now, not to that of a command
        self.api = Api()
        self.drop = 0
        methods = ["GET", "POST", "PUT"]
        self.server = Server(Starlette(routes=[Route("/{path:path}", self._answer, methods=methods)]))
        self.url = self.server.url

    async def _answer(self, request: Request) -> Response:
        body = (await request.body()).decode() or None
        answer = await run_in_threadpool(
            self.api.pass_on,
            request.method,
            request.url.path,
            body,
            dict(request.headers),
            query=dict(request.query_params),
        )
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        if self.drop:
            self.drop -= 1
            return Response(answer.text[:-1], answer.status, {**headers, "content-length": str(len(answer.text) + 9)})
        return Response(answer.text.encode(), answer.status, headers)

    def run(self, *arguments: str | Path, token: str = ANN, cwd: Path | None = None) -> Done:
        return run_command(*arguments, cwd=cwd, KODIAI_URL=self.url, KODIAI_GITHUB_TOKEN=token)

    @property
    def only(self) -> str:
        """The id of the only proposal."""
        [proposal_id] = self.api.store.proposals
        return proposal_id

    def diff(self, proposal_id: str) -> str:
        """The diff as it is stored."""
        return self.api.store.content(self.api.store.proposals[proposal_id]).diff


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    made = Deployment()
    made.server.start()
    yield made
    made.server.stop()


class Checkout:
    """A clone of octo/widgets with work in it: the branch "topic", pushed, with one commit on top of main."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", "git@github.com:octo/widgets.git")
        (folder / "src").mkdir()
        (folder / "src/orders.py").write_bytes(FILES["src/orders.py"].content)
        (folder / ".gitignore").write_text("*.log\n")
        self.main = self.commit("The start")
        self.git("checkout", "--quiet", "-b", "topic")
        (folder / "pushed.txt").write_text("pushed\n")
        self.pushed = self.commit("Pushed")
        self.git("update-ref", "refs/remotes/origin/topic", self.pushed)
        self.git("config", "branch.topic.remote", "origin")
        self.git("config", "branch.topic.merge", "refs/heads/topic")
        self.git("config", "diff.noprefix", "true")
        (folder / "src/orders.py").write_bytes(b"def total(prices):\n    return round(sum(prices), 2)\n")
        (folder / "new.txt").write_text("new\n")
        (folder / "ignored.log").write_text("ignored\n")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "widgets")


def test_the_current_branch_is_proposed_with_what_is_not_committed_yet(
    deployment: Deployment, checkout: Checkout
) -> None:
    """Against where it left the default branch, for that commit; nothing in the repository changes."""
    before = checkout.git("status", "--porcelain")

    done = deployment.run("propose", *INTENT, "--agent-type", "claude-code", "--task", "2", cwd=checkout.folder)

    stored = deployment.api.store.proposals[deployment.only]
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        f"{stored.id} is pending: octo/widgets@{checkout.main[:7]}, revision 1\n"
        "  Round the total\n\n  To cents.\n"
        "  - round it: 0.1 + 0.2 has 17 digits: too many\n"
        "  create new.txt (+1, -0)\n"
        "  create pushed.txt (+1, -0)\n"
        "  modify src/orders.py (+1, -1)\n"
        f"  proposed by ann (claude-code) at {AT}, reviewed by kodiai\n"
        f"Next: kodiai status {stored.id} --wait\n"
    )
    assert (stored.base, stored.number, stored.repository) == (checkout.main, None, "octo/widgets")
    assert stored.proposer.agent == Agent(agent_type="claude-code", task="2")
    checkout.git("stash", "--include-untracked", "--quiet")
    checkout.git("checkout", "--quiet", "main")
    (checkout.folder / "proposed.diff").write_text(deployment.diff(stored.id))
    checkout.git("apply", "proposed.diff")
    assert (checkout.folder / "new.txt").read_text() == "new\n"
    assert before == "M src/orders.py\n?? new.txt"


def test_for_a_pull_request_only_what_is_not_pushed_is_proposed(deployment: Deployment, checkout: Checkout) -> None:
    """Committed or not: what is pushed is there already."""
    checkout.commit("Not pushed")

    done = deployment.run("propose", *INTENT, "--pull-request", "7", cwd=checkout.folder)

    stored = deployment.api.store.proposals[deployment.only]
    assert done.status == 0, done.err
    assert (stored.number, stored.base) == (7, None)
    assert [file.path for file in stored.files] == ["new.txt", "src/orders.py"]
    assert DIFF.partition("@@")[2] in deployment.diff(stored.id)


def test_a_revision_is_made_against_what_the_proposal_is_for(deployment: Deployment, checkout: Checkout) -> None:
    """What is not pushed for a pull request, else the work on top of its commit. Its words stay."""
    of_pull, of_commit = deployment.api.submit(), deployment.api.submit(pull_request=None, base=checkout.main)

    revised = [deployment.run("propose", "--revise", name, cwd=checkout.folder) for name in (of_pull, of_commit)]

    stored = [deployment.api.store.proposals[name] for name in (of_pull, of_commit)]
    assert [done.status for done in revised] == [0, 0]
    assert [[file.path for file in each.files] for each in stored] == [
        ["new.txt", "src/orders.py"],
        ["new.txt", "pushed.txt", "src/orders.py"],
    ]
    assert {each.intent.description for each in stored} == {"Round the total of an order to cents"}
    assert [each.revision for each in stored] == [2, 2]


def test_binary_files_are_proposed_whole(deployment: Deployment, checkout: Checkout) -> None:
    """A diff that only says that they differ could not be applied."""
    (checkout.folder / "new.txt").write_bytes(bytes(range(256)))

    deployment.run("propose", *INTENT, "--base", checkout.pushed, cwd=checkout.folder)

    assert "GIT binary patch" in deployment.diff(deployment.only)


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_a_diff_is_proposed_as_it_is(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """With its intent from a file, of which options replace parts; the answer as JSON for programs."""
    (tmp_path / "my.diff").write_text(DIFF)
    changes = [{"what": "round it", "why": "cents"}]
    (tmp_path / "intent.json").write_text(json.dumps({"description": "Another", "changes": changes}))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(DIFF.encode())))
    given = ("--repo", "octo/widgets", "--base", HEAD, "--reviewed-by", "anyone", "--json")
    intent = ("--intent", tmp_path / "intent.json", "--description", "Round it")

    done = deployment.run("propose", *given, *intent, "--diff", "-" if source == "stdin" else tmp_path / "my.diff")

    answer = json.loads(done.out)
    assert (done.status, answer["id"], answer["description"]) == (0, deployment.only, "Round it")
    assert (answer["changes"], answer["base"], answer["reviewed_by"]) == (changes, HEAD, "anyone")
    assert deployment.diff(answer["id"]) == DIFF


def test_a_proposal_is_claimed_reviewed_and_applied(deployment: Deployment, tmp_path: Path) -> None:
    """Each command says what is so now, and what comes next."""
    name = deployment.api.submit()
    (tmp_path / "my.diff").write_text(DIFF.replace(", 2", ", 3"))

    claimed = deployment.run("claim", name, "--seconds", "600", "--agent-type", "codex", token=BEN)
    sent_back = deployment.run(
        "verdict", name, "request_changes", "--generation", "1", "--notes", "Not\nhere.", token=BEN
    )
    revised = deployment.run("propose", "--revise", name, *INTENT, "--diff", tmp_path / "my.diff")
    approved = deployment.run("verdict", name, "approve", "--generation", "2", token=BEN)
    applied = deployment.run("apply", name)
    shown = deployment.run("status", name)
    diff = deployment.run("status", name, "--diff", token=READER)

    assert [done.status for done in (claimed, sent_back, revised, approved, applied, shown, diff)] == [0] * 7
    head = f"{name} is {{}}: octo/widgets#7, revision {{}}\n".format
    assert claimed.out == (
        head("claimed", 1) + "  Round the total of an order to cents\n"
        "  - total() rounds its result: 0.1 + 0.2 is shown with 17 digits\n"
        "  modify src/orders.py (+1, -1)\n"
        f"  proposed by ann at {AT}, reviewed by anyone\n"
        "  claimed by ben (codex), generation 1, until 2026-09-21 14:23 UTC\n"
        "  applies to aaaaaaa\n"
        f"Next: kodiai status {name} --diff shows the diff; kodiai verdict {name} approve --generation 1\n"
    )
    assert sent_back.out.startswith(head("changes_requested", 1))
    assert f"  request_changes by ben at {AT}\n    Not\n    here.\n" in sent_back.out
    assert sent_back.out.endswith(f"Next: kodiai propose --revise {name}\n")
    assert revised.out.startswith(head("claimed", 2))
    assert approved.out.endswith(f"Next: kodiai apply {name}\n")
    assert applied.out.startswith(head("applied", 2))
    assert applied.out.endswith("  commit ccccccc on feature\n")
    assert shown.out.endswith(
        "  history:\n"
        f"    {AT} submit by ann\n"
        f"    {AT} claim by ben (codex): generation 1\n"
        f"    {AT} check by ben (codex): it applies to {HEAD}\n"
        f"    {AT} verdict by ben: request_changes: Not␊here.\n"
        f"    {AT} revise by ann: revision 2\n"
        f"    {AT} check by ben (codex): it applies to {HEAD}\n"
        f"    {AT} verdict by ben: approve\n"
        f"    {AT} stage by ann: {'c' * 40}\n"
        f"    {AT} apply by ann: {'c' * 40}\n"
    )
    assert diff.out == DIFF.replace(", 2", ", 3")


def test_a_rejected_proposal_says_what_each_hunk_expected_and_found(deployment: Deployment) -> None:
    """The exit status tells programs."""
    name = deployment.api.submit(diff=STALE)

    done = deployment.run("claim", name, token=BEN)

    problem = deployment.api.store.proposals[name].problems[0]
    assert done.status == 3
    assert done.out.endswith(
        f"  src/orders.py, hunk 1, line 1: {problem.message}\n"
        "    expected: def total(prices):\n"
        "    expected:     return add(prices)\n"
        "    found:    def total(prices):\n"
        "    found:        return sum(prices)\n"
        f"Next: kodiai propose --revise {name}\n"
    )


@each_row(("key", "dropped", "times"), [((), 1, 1), (("--key", "mine"), 0, 2)])
def test_an_answer_that_is_lost_is_asked_for_again(
    deployment: Deployment, tmp_path: Path, key: tuple[str, ...], dropped: int, times: int
) -> None:
    """Nothing is done twice, neither by the command itself nor with the same key."""
    deployment.api = Api()
    (tmp_path / "my.diff").write_text(DIFF)
    given = ("--pull-request", "7", "--repo", "octo/widgets", "--diff", str(tmp_path / "my.diff"), *key)

    deployment.drop = dropped
    proposed = [deployment.run("propose", *INTENT, *given) for _ in range(times)]
    deployment.drop = dropped
    claimed = [deployment.run("claim", deployment.only, *key, token=BEN) for _ in range(times)]

    assert {done.status for done in (*proposed, *claimed)} == {0}
    assert [event.action for event in deployment.api.store.events(deployment.only)] == ["submit", "claim", "check"]


def test_what_is_busy_is_asked_again(deployment: Deployment, tmp_path: Path) -> None:
    """After the seconds that it says; in the end its sentence is shown."""
    (tmp_path / "my.diff").write_text(DIFF)
    given = ("--pull-request", "7", "--repo", "octo/widgets", "--diff", tmp_path / "my.diff")
    deployment.api.queue.raises = Retry("throttled", after_seconds=0.1)

    done = deployment.run("propose", *INTENT, *given)

    assert (done.status, done.out) == (1, "")
    assert done.err == "kodiai: Something is busy, or has changed meanwhile. Try again in 1 seconds.\n"


def test_proposals_are_listed(deployment: Deployment, checkout: Checkout) -> None:
    """Of the repository that the remote names; as JSON too."""
    first, second = deployment.api.submit(), deployment.api.submit(pull_request=None, base=HEAD, description="B\nC")
    deployment.run("close", first, "--note", "no longer")

    listed = deployment.run("status", cwd=checkout.folder)
    pending = deployment.run("status", "--repo", "octo/widgets", "--status", "pending", "--json")
    none = deployment.run("status", "--repo", "octo/widgets", "--pull-request", "8")

    rows = [line.split("  ") for line in listed.out.splitlines()]
    assert rows[0] == ["octo/widgets: 2 proposals"]
    assert [[cell.strip() for cell in row if cell] for row in rows[2:]] == [
        ["proposal", "status", "for", "files", "proposed by", "updated", "description"],
        [second, "pending", "@aaaaaaa", "1", "ann", AT, "B"],
        [first, "closed", "#7", "1", "ann", AT, "Round the total of an order to cents"],
    ]
    assert [each["id"] for each in json.loads(pending.out)["proposals"]] == [second]
    assert none.out == "octo/widgets: 0 proposals\n"


@pytest.mark.parametrize(("decision", "status"), [("approve", 0), ("request_changes", 3)])
def test_wait_ends_with_the_verdict(deployment: Deployment, tmp_path: Path, decision: str, status: int) -> None:
    """The exit status says whether it was accepted."""
    (tmp_path / "my.diff").write_text(DIFF)
    given = ("--pull-request", "7", "--repo", "octo/widgets", "--diff", tmp_path / "my.diff", "--reviewed-by", "anyone")

    def review() -> None:
        while not deployment.api.store.proposals:
            pass
        body: dict[str, Any] = {"decision": decision, "notes": "So.", "generation": 1}
        for path, sent in (("claim", {}), ("verdict", body)):
            deployment.api.ask("POST", f"/proposals/{deployment.only}/{path}", sent, token=BEN)

    reviewer = threading.Timer(0.5, review)
    reviewer.start()

    done = deployment.run("propose", *INTENT, *given, "--wait")

    reviewer.join()
    assert done.status == status
    assert done.err == f"… waiting for a verdict on {deployment.only}\n"
    assert f"  {decision} by ben at {AT}\n    So.\n" in done.out


def test_wait_ends_in_time(deployment: Deployment) -> None:
    """With what is so then."""
    name = deployment.api.submit()

    done = deployment.run("status", name, "--wait", "--timeout", "1")

    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"… waiting for a verdict on {name}\n"
        f"kodiai: There is no verdict on {name} after 1 seconds: it is pending."
        f" kodiai status {name} --wait waits again.\n"
    )


NO_TOKEN = "Set KODIAI_GITHUB_TOKEN to a GitHub token, or sign in with `gh auth login`."


@each_row(
    ("arguments", "token", "text"),
    [
        ("claim nonsense", ANN, "The request is invalid: proposal_id: String should match pattern '^P-[0-9a-f]{20}$'."),
        ("claim {id}", ANN, "Nobody reviews their own proposal: another person has to claim it."),
        ("claim {id}", NOBODY, f"GitHub does not take the token: it is wrong, or it was revoked. {NO_TOKEN}"),
        ("claim {id} --seconds 3", BEN,
         "The request is invalid: #/seconds: Input should be greater than or equal to 60."),
    ],
)  # fmt: skip
def test_what_is_refused_is_said_in_one_line(deployment: Deployment, arguments: str, token: str, text: str) -> None:
    """With every member that is not as it should be."""
    name = deployment.api.submit()

    done = deployment.run(*arguments.format(id=name).split(), token=token)

    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert text in done.err
    assert token not in done.err


@each_row(
    ("given", "text"),
    [
        ({"KODIAI_URL": ""},
         "Give the address of the deployment's API with --url or KODIAI_URL: the stack's output ApiUrl."),
        ({"KODIAI_URL": "nonsense"},
         "KODIAI_URL is not a URL: it is 'nonsense', and should be like https://abc.example.com."),
        ({"KODIAI_URL": "http://example.com"},
         "http://example.com is not https: the token would be sent in the clear."),
        ({"KODIAI_GITHUB_TOKEN": ""},
         "There is no GitHub token: set KODIAI_GITHUB_TOKEN to a GitHub token, or sign in with `gh auth login`."),
        ({"KODIAI_GITHUB_TOKEN": "", "GITHUB_TOKEN": "a b"},
         "GITHUB_TOKEN has invalid characters, such as spaces or line ends: set it again."),
    ],
)  # fmt: skip
def test_without_an_address_or_a_token_nothing_is_sent(tmp_path: Path, given: dict[str, str], text: str) -> None:
    """Neither is the token sent where others can read it."""
    path = a_gh(tmp_path, "exit 1")
    environment = {"KODIAI_URL": nobody_there(), "KODIAI_GITHUB_TOKEN": ANN, "PATH": path, **given}

    done = run_command("claim", "P-00000000000000000000", cwd=tmp_path, **environment)

    assert (done.status, done.err) == (1, f"kodiai: {text}\n")


def a_gh(folder: Path, does: str) -> str:
    """A PATH on which `gh` does this."""
    program = folder / "bin" / "gh"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


@each_row(
    "given",
    [
        {"KODIAI_GITHUB_TOKEN": BEN, "GITHUB_TOKEN": NOBODY},
        {"GITHUB_TOKEN": BEN, "GH_TOKEN": NOBODY},
        {"GH_TOKEN": BEN},
        {},
    ],
)
def test_a_token_is_found_where_people_have_it(deployment: Deployment, tmp_path: Path, given: dict[str, str]) -> None:
    """In the environment, and else where GitHub's own command line keeps it."""
    name = deployment.api.submit()
    path = a_gh(tmp_path, f'test "$*" = "auth token" && echo {NOBODY if given else BEN}')

    done = run_command("claim", name, "--url", deployment.url, cwd=tmp_path, PATH=path, **given)

    assert (done.status, done.err) == (0, "")


def test_what_is_no_api_is_said() -> None:
    """With what to check."""
    api = Server(Starlette())
    api.start()
    nobody = nobody_there()

    other = run_command("status", "P-1", "--url", api.url, GITHUB_TOKEN=ANN)
    unreachable = run_command("status", "P-1", "--url", nobody, GITHUB_TOKEN=ANN)

    api.stop()
    assert other.err == f"kodiai: {api.url} answered 404 to GET /proposals/P-1: check --url.\n"
    assert unreachable.err == (
        f"kodiai: The API at {nobody} cannot be reached ([Errno 111] Connection refused): check --url.\n"
    )
    assert (other.status, unreachable.status) == (1, 1)


@each_row(
    ("arguments", "text"),
    [
        ("", "Say what the change does with --description, or in a file with --intent."),
        ("--description A", 'Give each change with its reason with --change "WHAT: WHY", or in a file with --intent.'),
        ("--description A --change a:b",
         "'a:b' is not \"WHAT: WHY\", such as \"close the file: it stays open after an error\"."),
        ("--intent latin.diff", "latin.diff is not JSON"),
        ("--intent list.json", 'list.json is not an object with "description" and "changes" and nothing else.'),
        ("--intent none.json", "none.json: No such file or directory"),
        ("--intent good.json --diff none.diff --pull-request 7", "none.diff: No such file or directory"),
        ("--intent good.json --diff latin.diff --pull-request 7",
         "The diff is not UTF-8: other encodings cannot be proposed."),
        ("--intent good.json --diff good.diff --base nonsense",
         "There is no commit nonsense here: give its full id, or run this in its repository."),
        ("--intent good.json --diff good.diff --pull-request 7",
         "The remote origin names no repository on GitHub: give one with --repo OWNER/NAME."),
        ("--intent good.json --pull-request 7 --repo a/b",
         "The current branch has no upstream: name what the diff is against with --base."),
        ("--intent good.json --repo a/b", "is not in a git repository"),
    ],
)  # fmt: skip
def test_what_cannot_be_proposed_is_said(deployment: Deployment, tmp_path: Path, arguments: str, text: str) -> None:
    """Before anything is sent."""
    (tmp_path / "latin.diff").write_bytes(b"{\xe9")
    (tmp_path / "good.diff").write_text(DIFF)
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "good.json").write_text('{"description": "A", "changes": [{"what": "a", "why": "b"}]}')

    done = deployment.run("propose", *arguments.split(), cwd=tmp_path)

    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert text in done.err
    assert deployment.api.store.proposals == {}


@each_row(
    ("arguments", "text"),
    [
        ("propose --diff - --intent -", "--diff and --intent cannot both be read from stdin"),
        ("propose --diff a.diff", "--diff requires --pull-request or --base: what it was made against"),
        ("propose --revise P-1 --key a", "--repo, --key and --reviewed-by cannot be revised"),
        ("status --wait", "--diff and --wait require the ID of a proposal"),
        ("status P-1 --status pending", "--repo, --pull-request and --status are for the list, without an ID"),
        ("verdict P-1 comment --generation 1", "comment requires --notes"),
        ("verdict P-1 approve", "the following arguments are required: --generation"),
        ("claim", "the following arguments are required: ID"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: str, text: str) -> None:
    """With status 2, before anything is read."""
    done = run_command(*arguments.split())

    command = arguments.split(maxsplit=1)[0]
    assert (done.status, done.err) == (2, f"kodiai {command}: {text} (see kodiai {command} --help)\n")


def test_what_others_wrote_cannot_act_in_the_terminal(deployment: Deployment) -> None:
    """Escape sequences are shown as characters."""
    name = deployment.api.submit(description="\x1b[2Jone\ntwo", changes=[{"what": "a\x1b[1m", "why": "b\nc"}])

    done = deployment.run("status", name)

    assert "\x1b" not in done.out
    assert "  ␛[2Jone\n  two\n  - a␛[1m: b␊c\n" in done.out
