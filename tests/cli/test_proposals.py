"""Proposals on the command line, against the API's own function over HTTP with everything outside in memory."""

import importlib
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kodiai.core.errors import Retry
from kodiai.core.proposals.proposal import Agent
from local.server import Server
from tests.checkout import Checkout
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
        answer = await self.api.serve(request)
        if self.drop:
            self.drop -= 1
            length = {"content-length": str(len(answer.body) + 9)}
            return Response(answer.body, answer.status_code, {**answer.headers, **length})
        return answer

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


class Clone(Checkout):
    """A clone of octo/widgets with work in it: the branch "topic", pushed, with one commit on top of main."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.git("remote", "add", "origin", "git@github.com:octo/widgets.git")
        self.commit({**FILES, ".gitignore": "*.log\n"})
        self.main = self.git("rev-parse", "HEAD").strip()
        self.git("checkout", "--quiet", "-b", "topic")
        self.commit({"pushed.txt": "pushed\n"})
        self.pushed = self.git("rev-parse", "HEAD").strip()
        self.git("update-ref", "refs/remotes/origin/topic", self.pushed)
        for name, value in (("branch.topic.remote", "origin"), ("branch.topic.merge", "refs/heads/topic")):
            self.git("config", name, value)
        self.git("config", "diff.noprefix", "true")
        self.write({"src/orders.py": "def total(prices):\n    return round(sum(prices), 2)\n", "new.txt": "new\n"})
        self.write({"ignored.log": "ignored\n"})


@pytest.fixture
def clone(tmp_path: Path, deployment: Deployment) -> Clone:
    made = Clone(tmp_path / "widgets")
    deployment.api.code.commits |= dict.fromkeys((made.main, made.pushed), (None, FILES, ""))
    return made


@pytest.fixture
def proposing(tmp_path: Path) -> tuple[str | Path, ...]:
    """A command that proposes a diff of a file for pull request 7."""
    (tmp_path / "my.diff").write_text(DIFF)
    return ("propose", *INTENT, "--pull-request", "7", "--repo", "octo/widgets", "--diff", tmp_path / "my.diff")


def test_the_current_branch_is_proposed_with_what_is_not_committed_yet(deployment: Deployment, clone: Clone) -> None:
    """Against where it left the default branch, for that commit; nothing in the repository changes."""
    before = clone.git("status", "--porcelain")

    done = deployment.run("propose", *INTENT, "--agent-type", "claude-code", "--task", "2", cwd=clone.path)

    stored = deployment.api.store.proposals[deployment.only]
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        f"{stored.id} is pending: octo/widgets@{clone.main[:7]}, revision 1\n"
        "  Round the total\n\n  To cents.\n"
        "  - round it: 0.1 + 0.2 has 17 digits: too many\n"
        "  create new.txt (+1, -0)\n"
        "  create pushed.txt (+1, -0)\n"
        "  modify src/orders.py (+1, -1)\n"
        f"  proposed by ann (claude-code, task 2) at {AT}, reviewed by kodiai\n"
        f"Next: kodiai status {stored.id} --wait\n"
    )
    assert (stored.base, stored.number, stored.repository) == (clone.main, None, "octo/widgets")
    assert stored.proposer.agent == Agent(agent_type="claude-code", task="2")
    assert clone.git("status", "--porcelain") == before == " M src/orders.py\n?? new.txt\n"
    clone.git("stash", "--include-untracked", "--quiet")
    clone.git("checkout", "--quiet", "main")
    clone.write({"proposed.diff": deployment.diff(stored.id)})
    clone.git("apply", "proposed.diff")
    assert (clone.path / "new.txt").read_text() == "new\n"


def test_for_a_pull_request_only_what_is_not_pushed_is_proposed(deployment: Deployment, clone: Clone) -> None:
    """Committed or not. Binary files are proposed whole: a diff that says that they differ could not be applied."""
    clone.commit({"new.txt": bytes(range(256))})

    done = deployment.run("propose", *INTENT, "--pull-request", "7", cwd=clone.path)

    stored = deployment.api.store.proposals[deployment.only]
    assert done.status == 0, done.err
    assert (stored.number, stored.base) == (7, None)
    assert [file.path for file in stored.files] == ["new.txt", "src/orders.py"]
    assert DIFF.partition("@@")[2] in deployment.diff(stored.id)
    assert "GIT binary patch" in deployment.diff(stored.id)


def test_a_revision_is_made_against_what_the_proposal_is_for(deployment: Deployment, clone: Clone) -> None:
    """The work that is not pushed for a pull request, else that on top of its commit. Its words stay."""
    of_pull, of_commit = deployment.api.submit(), deployment.api.submit(pull_request=None, base=clone.main)

    revised = [deployment.run("propose", "--revise", name, cwd=clone.path) for name in (of_pull, of_commit)]

    stored = [deployment.api.store.proposals[name] for name in (of_pull, of_commit)]
    assert [(done.status, each.revision) for done, each in zip(revised, stored, strict=True)] == [(0, 2)] * 2
    assert [[file.path for file in each.files] for each in stored] == [
        ["new.txt", "src/orders.py"],
        ["new.txt", "pushed.txt", "src/orders.py"],
    ]
    assert {each.intent.description for each in stored} == {"Round the total of an order to cents"}


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_a_diff_is_proposed_as_it_is(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """The intent comes from a file, options replace parts of it; the answer can be JSON."""
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


def test_each_command_prints_the_status_and_the_next_step(deployment: Deployment, tmp_path: Path) -> None:
    """The way leads from a stale diff, each hunk with its expected and found lines, to a commit."""
    name = deployment.api.submit(diff=STALE)
    (tmp_path / "my.diff").write_text(DIFF)
    revise = ("propose", "--revise", name, *INTENT, "--diff", tmp_path / "my.diff")
    commands: list[tuple[str, tuple[str | Path, ...]]] = [
        (BEN, ("claim", name)),
        (ANN, revise),
        (BEN, ("claim", name, "--seconds", "600", "--agent-type", "codex")),
        (BEN, ("verdict", name, "request_changes", "--generation", "2", "--notes", "Not\nhere.")),
        (ANN, (*revise, "--description", "Round it")),
        (BEN, ("verdict", name, "approve", "--generation", "3")),
        (ANN, ("apply", name)),
    ]

    done = [deployment.run(*command, token=token) for token, command in commands]
    history = deployment.run("status", name).out.partition("  history:\n")[2]

    problem, sha = "The lines that this hunk expects are not in the file.", deployment.api.code.branches["feature"]
    expected: list[tuple[int, str, int, tuple[str, ...]]] = [
        (3, "rejected", 1, (f"  src/orders.py, hunk 1, line 1: {problem}",
                            "    expected:     return add(prices)\n    found:    def total(prices):\n",
                            f"        return sum(prices)\nNext: kodiai propose --revise {name}\n")),
        (0, "pending", 2, (f"Next: another person runs kodiai claim {name}\n",)),
        (0, "claimed", 2, ("  claimed by ben (codex), generation 2, until 2026-09-21 14:23 UTC\n  applies to aaaaaaa\n",
                           f"Next: kodiai status {name} --diff shows the diff; kodiai verdict {name} approve")),
        (0, "changes_requested", 2, (f"  request_changes by ben at {AT}\n    Not\n    here.\n",
                                     f"Next: kodiai propose --revise {name}\n")),
        (0, "claimed", 3, ("\n  Round it\n",)),
        (0, "approved", 3, (f"Next: kodiai apply {name}\n",)),
        (0, "applied", 3, (f"  commit {sha[:7]} on feature\n",)),
    ]  # fmt: skip
    for each, (exit_status, status, revision, parts) in zip(done, expected, strict=True):
        assert each.status == exit_status
        assert each.out.startswith(f"{name} is {status}: octo/widgets#7, revision {revision}\n")
        assert all(part in each.out for part in parts)
    assert history.endswith(
        f"    {AT} verdict by ben: request_changes: Not␊here.\n"
        f"    {AT} revise by ann: revision 3\n"
        f"    {AT} check by ben (codex): it applies to {HEAD}\n"
        f"    {AT} verdict by ben: approve\n    {AT} stage by ann: {sha}\n    {AT} apply by ann: {sha}\n"
    )
    assert deployment.run("status", name, "--diff", token=READER).out == DIFF


@each_row(("key", "dropped", "times"), [((), 1, 1), (("--key", "mine"), 0, 2)])
def test_an_answer_that_is_lost_is_asked_for_again(
    deployment: Deployment, proposing: tuple[str | Path, ...], key: tuple[str, ...], dropped: int, times: int
) -> None:
    """Nothing is done twice, neither by the command itself nor with the same key."""
    deployment.api = Api()

    deployment.drop = dropped
    proposed = [deployment.run(*proposing, *key) for _ in range(times)]
    deployment.drop = dropped
    claimed = [deployment.run("claim", deployment.only, *key, token=BEN) for _ in range(times)]

    assert {done.status for done in (*proposed, *claimed)} == {0}
    assert [event.action for event in deployment.api.store.events(deployment.only)] == ["submit", "claim", "check"]


def test_a_busy_api_is_asked_again(deployment: Deployment, proposing: tuple[str | Path, ...]) -> None:
    """The wait is the one that the API names; the last error is printed."""
    deployment.api.queue.raises = Retry("throttled", after_seconds=0.1)

    done = deployment.run(*proposing)

    assert (done.status, done.out) == (1, "")
    assert done.err == "kodiai: Something is busy, or has changed meanwhile. Try again in 1 seconds.\n"


def test_proposals_are_listed(deployment: Deployment, clone: Clone) -> None:
    """The list covers the repository that the remote names; also as JSON."""
    first, second = deployment.api.submit(), deployment.api.submit(pull_request=None, base=HEAD, description="B\nC")
    deployment.run("close", first, "--note", "no longer")

    listed = deployment.run("status", cwd=clone.path)
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
def test_wait_ends_with_the_verdict(
    deployment: Deployment, proposing: tuple[str | Path, ...], decision: str, status: int
) -> None:
    """The exit status says whether it was accepted."""

    def review() -> None:
        while not deployment.api.store.proposals:
            pass
        body: dict[str, Any] = {"decision": decision, "notes": "So.", "generation": 1}
        for path, sent in (("claim", {}), ("verdict", body)):
            deployment.api.ask("POST", f"/proposals/{deployment.only}/{path}", sent, token=BEN)

    reviewer = threading.Timer(0.5, review)
    reviewer.start()

    done = deployment.run(*proposing, "--reviewed-by", "anyone", "--wait")

    reviewer.join()
    assert done.status == status
    assert done.err == f"… waiting for a verdict on {deployment.only}\n"
    assert f"  {decision} by ben at {AT}\n    So.\n" in done.out


def test_wait_ends_in_time(deployment: Deployment) -> None:
    """The error has the status at that time."""
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
        ("claim nonsense", ANN,
         'The request is invalid: proposal_id: Give the id of a proposal: "P-" and 20 hexadecimal digits.'),
        ("claim {id}", ANN, "Nobody reviews their own proposal: another person has to claim it."),
        ("claim {id}", NOBODY, f"GitHub does not take the token: it is wrong, or it was revoked. {NO_TOKEN}"),
        ("claim {id} --seconds 3", BEN,
         "The request is invalid: #/seconds: Input should be greater than or equal to 60."),
    ],
)  # fmt: skip
def test_a_refusal_is_one_line(deployment: Deployment, arguments: str, token: str, text: str) -> None:
    """The line names every invalid member."""
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
def test_nothing_is_sent_without_an_address_or_a_token(tmp_path: Path, given: dict[str, str], text: str) -> None:
    """The token is never sent in the clear."""
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
def test_a_token_comes_from_the_environment_or_gh(
    deployment: Deployment, tmp_path: Path, given: dict[str, str]
) -> None:
    """The environment comes first, then GitHub's own command line."""
    name = deployment.api.submit()
    path = a_gh(tmp_path, f'test "$*" = "auth token" && echo {NOBODY if given else BEN}')

    done = run_command("claim", name, "--url", deployment.url, cwd=tmp_path, PATH=path, **given)

    assert (done.status, done.err) == (0, "")


def test_another_server_is_no_api() -> None:
    """The error names the option to check."""
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
def test_an_invalid_proposal_is_refused_with_its_reason(
    deployment: Deployment, tmp_path: Path, arguments: str, text: str
) -> None:
    """Nothing is sent."""
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
    """The exit status is 2, and nothing is read."""
    done = run_command(*arguments.split())

    command = arguments.split(maxsplit=1)[0]
    assert (done.status, done.err) == (2, f"kodiai {command}: {text} (see kodiai {command} --help)\n")


def test_the_words_of_others_cannot_act_in_the_terminal(deployment: Deployment) -> None:
    """Escape sequences are shown as characters."""
    name = deployment.api.submit(description="\x1b[2Jone\ntwo", changes=[{"what": "a\x1b[1m", "why": "b\nc"}])

    done = deployment.run("status", name)

    assert "\x1b" not in done.out
    assert "  ␛[2Jone\n  two\n  - a␛[1m: b␊c\n" in done.out
