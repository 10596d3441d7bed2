"""Every error is one line that says what is wrong and what to do, and an exit status: 1 failed, 2 wrong use.

None of them starts the system. What a process alone can show is shown by a process of its own.
"""

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from local.aws import LocalAws
from tests.cli.running import KODIAI, Done, environment, run_command, run_process
from tests.cli.test_current_work import NO_REPOSITORY
from tests.edges.deployed_aws import nobody_there
from tests.git_repository import GitRepository
from tests.programs import started

OFFLINE = "or unset ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL for offline checks only"
NOBODY = "[Errno 111] Connection refused"
NO_FILE = "No such file or directory"
SETTINGS = "docs/configuration.md lists the settings"
NAMES = (
    "review, rules, serve, up, config, setup, doctor, dead-letters, memory, forget, show, preview, stats, propose, "
    "claim, release, verdict, status, apply, close"
)
ACTIONS = ("config check", *(f"dead-letters {action}" for action in ("list", "show", "redrive")), "memory forget")
ON_GITHUB = "on GitHub the .kodiai.yml of the base branch is used"
OF_ITS_OWN = "--title and --description are for a local repository: a pull request on GitHub has its own"
UNKNOWN = " review: --set: a deployment has no setting"
CLOSE = ("limits/answer-seconds", "limits/quiet-seconds", "limits/publish-seconds")
MISSING = "No such file or directory"
MALFORMED = " review: --set: Parameters are malformed: /kodiai/prod"
NO_SETTING = "is not NAME=VALUE, such as limits/answer-seconds=800"
A_URL = "a URL, such as http://127.0.0.1:4566"


class Refusing(BaseHTTPRequestHandler):
    """Stands for GitHub and the model: /NNN answers with that status, whatever is asked below it."""

    def do_GET(self) -> None:
        _, status, rest = self.path.split("/", 2)
        is_me = (status, rest) == ("404", "user")
        body = json.dumps({"login": "ann"} if is_me else []).encode()
        self.send_response(200 if is_me else int(status))
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep silent."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with repositories and files in it, where the command is run."""
    folder = tmp_path_factory.mktemp("place")
    plain = GitRepository(folder / "plain")
    first = plain.commit({"a.py": "a = 1\n"}, branch="main")
    plain.commit({"a.py": "a = 2\n"}, first, branch="feature")
    plain.git("symbolic-ref", "HEAD", "refs/heads/feature")
    still = GitRepository(folder / "still")
    still.commit({}, still.commit({"a.py": "a = 1\n"}), branch="main")
    GitRepository(folder / "unborn")
    (folder / "folder").mkdir()
    (folder / "file").write_text("")
    (folder / "latin").write_bytes("f\u00fcr".encode("latin-1"))
    (folder / "good.yml").write_text("review:\n  drafts: true\n")
    (folder / "broken.yml").write_text("review: [\n")
    (folder / "wrong.yml").write_text("review:\n  skipPaths: 3\n")
    (folder / "key.pem").write_text("-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\n")
    return folder


WRONG = [
    ("", f": name a command: {NAMES}"),
    ("config", " config: name a command: check"),
    ("dead-letters", " dead-letters: name a command: list, show, redrive"),
    ("revew", ": argument COMMAND: invalid choice: 'revew': did you mean review?"),
    ("xyzzy", f": argument COMMAND: invalid choice: 'xyzzy' (choose from {NAMES})"),
    ("status --status close", " status: argument --status: invalid choice: 'close': did you mean closed?"),
    ("review --htlm=r.html", " review: unrecognized arguments: --htlm=r.html: did you mean --html?"),
    ("review --nope", " review: unrecognized arguments: --nope"),
    ("review --\x1b[31mred", " review: unrecognized arguments: --␛[31mred"),
    ("review --" + "x" * 600, " review: unrecognized arguments: --" + "x" * 474 + "…"),
    ("review --repo", " review: argument --repo: expected one argument"),
    ("review --repo=", " review: argument --repo: a path is missing"),
    ("review --repo nowhere", " review: argument --repo: nowhere does not exist: name the folder of a git repository"),
    ("review --repo file", " review: argument --repo: file is a file: name the folder of a git repository"),
    ("review --repo plain --sample", " review: argument --sample: not allowed with argument --repo"),
    ("review --sample --base main", " review: --base is for the current branch; with --repo use --push HEAD,BASE"),
    ("review --dry-run", " review: --dry-run requires --pr: nothing else is posted"),
    ("review --pr a/b#1 --config good.yml", f" review: --config is for a local repository: {ON_GITHUB}"),
    ("review --pr a/b", " review: argument --pr: 'a/b' is not OWNER/REPO#N, such as acme/shop#12"),
    ("review --sample --reply 1:x", " review: --push, --as, --reply and --react require --repo"),
    ("review --pr a/b#1 --react 1:+1", " review: --push, --as, --reply and --react require --repo"),
    (
        "review --repo plain --as ann --reply 1:x --push HEAD",
        " review: --reply: nothing has been pushed yet; --push comes first",
    ),
    (
        "review --repo plain --push HEAD --reply x",
        " review: argument --reply: 'x' is not N:TEXT, where N is a comment's number, or 0",
    ),
    ("review --html folder", " review: argument --html: folder is a folder: name a file in it"),
    (
        "review --json nowhere/r.json",
        " review: argument --json: the folder nowhere does not exist: create it first, or name another file",
    ),
    (
        "review --html /proc/r.html",
        f" review: argument --html: /proc/r.html cannot be written ({NO_FILE}): name another file",
    ),
    ("review --html r --json ./r", " review: --json and --html name the same file"),
    (
        "review --config nowhere.yml",
        f" review: argument --config: nowhere.yml cannot be read ({NO_FILE}): name a file such as .kodiai.yml",
    ),
    ("review --config broken.yml", f" review: argument --config: broken.yml: it is not YAML (line 2); {SETTINGS}"),
    (
        "review --config wrong.yml",
        f" review: argument --config: wrong.yml: `review.skipPaths` must be a list, not `3`; {SETTINGS}",
    ),
    ("review --pr a/b#1 --title x", f" review: {OF_ITS_OWN}"),
    ("review --pr a/b#1 --description good.yml", f" review: {OF_ITS_OWN}"),
    (
        "review --description nowhere",
        f" review: argument --description: nowhere cannot be read ({NO_FILE}): name a file such as description.md",
    ),
    (
        "review --description .",
        " review: argument --description: . cannot be read (Is a directory): name a file such as description.md",
    ),
    ("review --description latin", " review: argument --description: latin is not UTF-8 (byte 2): convert it first"),
    ("review --set limits/answer-seconds", f" review: argument --set: 'limits/answer-seconds' {NO_SETTING}"),
    ("review --set limits/answer-seconds=", f" review: argument --set: 'limits/answer-seconds=' {NO_SETTING}"),
    (
        "review --set limits/answer-second=9",
        f"{UNKNOWN} limits/answer-second: did you mean {' or '.join(CLOSE)}?",
    ),
    ("review --set x=9", f"{UNKNOWN} x: docs/configuration.md lists them"),
    (
        "review --set limits/tool-turns=9 --set limits/answer-seconds=841",
        f"{MALFORMED}/limits/answer-seconds (Input should be less than or equal to 840).",
    ),
    ("review --set models/reviewer=gpt", f"{MALFORMED}/models/prices (there is no price for gpt)."),
    ("review --patience soon", " review: argument --patience: 'soon' is not a duration, such as 90s or 10m"),
    ("serve", " serve: one of the arguments --repo --sample is required"),
    ("serve --sample --port x", " serve: argument --port: 'x' is not a port: give a number from 1 to 65535"),
    ("serve --repo plain --data file", " serve: argument --data: file is a file: name a folder"),
    ("serve --sample --data new", " serve: --data requires --repo: the sample is created again each time"),
    ("up --port 65536", " up: argument --port: '65536' is not a port: give a number from 1 to 65535"),
    (
        "config check",
        f" config check: argument FILE: .kodiai.yml cannot be read ({MISSING}): name a file such as .kodiai.yml",
    ),
    (
        "config check .",
        " config check: argument FILE: . cannot be read (Is a directory): name a file such as .kodiai.yml",
    ),
    (
        "setup --stage Prod",
        " setup: argument --stage: 'Prod' is not a stage: up to 20 small letters, digits and hyphens, a letter first",
    ),
    ("setup --set A", " setup: argument --set: 'A' is not NAME=VALUE, such as ReviewConcurrency=5"),
    ("dead-letters list --endpoint-url here", f" dead-letters list: argument --endpoint-url: 'here' is not {A_URL}"),
    (
        "dead-letters list --endpoint-url http://a:b",
        f" dead-letters list: argument --endpoint-url: 'http://a:b' is not {A_URL}",
    ),
    (
        "dead-letters list --queue review",
        " dead-letters list: argument --queue: invalid choice: 'review': did you mean reviews?",
    ),
    ("dead-letters show", " dead-letters show: the following arguments are required: ID"),
    ("dead-letters redrive", " dead-letters redrive: give either the IDs of dead letters or --all"),
    ("dead-letters redrive --all 9f1c", " dead-letters redrive: give either the IDs of dead letters or --all"),
    ("memory", " memory: the following arguments are required: --repo"),
    ("memory forget R-1", " memory forget: the following arguments are required: --repo"),
    ("memory forget --repo a/b", " memory forget: the following arguments are required: ID"),
    ("memory --repo shop", " memory: argument --repo: 'shop' is not OWNER/NAME, such as acme/shop"),
    ("forget", " forget: the following arguments are required: --repo"),
    (
        "forget --repo a/b --pull-request 0",
        " forget: argument --pull-request: '0' is not the number of a pull request, such as 12",
    ),
    ("stats --days 0", " stats: argument --days: '0' is not a number of days from 1 to 3650"),
    ("stats --days many", " stats: argument --days: 'many' is not a number of days from 1 to 3650"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_use_is_refused_in_one_line_before_anything_is_done(place: Path, arguments: str, message: str) -> None:
    """The line ends with where to read more, the exit status is 2, and no file is left behind."""
    before = sorted(place.iterdir())

    done = run_command(*arguments.split(), cwd=place)

    command = message.partition(":")[0]
    assert done == Done(2, "", f"kodiai{message} (see kodiai{command} --help)\n")
    assert sorted(place.iterdir()) == before


NO_COMMIT = "'nope' does not name a commit in {place}/plain: `git log --all` shows them"
CLAUDE, SECRET = {"ANTHROPIC_API_KEY": "k"}, {"KODIAI_WEBHOOK_SECRET": "s"}
TOKEN, APP = {"GITHUB_TOKEN": "t"}, {**SECRET, "GITHUB_APP_ID": "1"}
FAILURES: list[tuple[str, dict[str, str], str]] = [
    ("review --repo folder", {}, f"{{place}}/folder is not a git repository ({NO_REPOSITORY})"),
    ("review --repo unborn", {}, "'HEAD' does not name a commit in {place}/unborn: `git log --all` shows them"),
    ("review --repo plain --push HEAD,main --push nope", {}, NO_COMMIT),
    ("serve --repo plain --memory --head nope", {}, NO_COMMIT),
    ("review --repo still", {}, "nothing to review: 'HEAD' changes no file of 'main'"),
    ("review --repo plain --push HEAD,HEAD", {}, "nothing to review: 'HEAD' is part of 'HEAD'"),
    ("review --sample", {"PATH": "/nowhere"}, "git is not found on the PATH: install it, then try again."),
    (
        "review --sample",
        {**CLAUDE, "ANTHROPIC_BASE_URL": "{server}/401"},
        f"The model at {{server}}/401 refuses ANTHROPIC_API_KEY (401): set a valid key, {OFFLINE}.",
    ),
    (
        "serve --sample",
        {**CLAUDE, "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"},
        f"The model at http://127.0.0.1:1 cannot be reached ({NOBODY}): check the network, {OFFLINE}.",
    ),
    (
        "review --sample",
        {"ANTHROPIC_BASE_URL": "nonsense"},
        "ANTHROPIC_BASE_URL is not a URL: it is 'nonsense', and should be like https://api.anthropic.com.",
    ),
    (
        "review --sample",
        {"ANTHROPIC_API_KEY": "a key"},
        "ANTHROPIC_API_KEY has invalid characters, such as spaces or line ends: set it again.",
    ),
    (
        "review --pr a/b#1",
        {},
        "GITHUB_TOKEN is not set: set it to a token that can read and write the pull request.",
    ),
    (
        "review --pr a/b#1",
        {**TOKEN, "GITHUB_API_URL": "{server}/401"},
        "GitHub at {server}/401 refuses GITHUB_TOKEN (401): set valid credentials.",
    ),
    (
        "review --pr a/b#1",
        {**TOKEN, "GITHUB_API_URL": "{server}/404"},
        "This token has no access to a/b#1 on GitHub: check the name and the token.",
    ),
    (
        "review --pr a/b#1",
        {**TOKEN, "GITHUB_API_URL": "{server}/503"},
        "GitHub at {server}/503 answered 503: check GITHUB_API_URL, or try again later.",
    ),
    (
        "review --pr a/b#1",
        {**TOKEN, "GITHUB_API_URL": "http://127.0.0.1:1"},
        f"GitHub at http://127.0.0.1:1 cannot be reached ({NOBODY}): check the network, GITHUB_API_URL.",
    ),
    (
        "up",
        {**SECRET, **TOKEN, "GITHUB_API_URL": "{server}/200"},
        "The server at {server}/200 is not GitHub's API: check GITHUB_API_URL.",
    ),
    ("up", {}, "KODIAI_WEBHOOK_SECRET is not set: GitHub signs the webhooks with it."),
    ("up", SECRET, "Set GITHUB_TOKEN, or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY (the key, or its file)."),
    (
        "up",
        {**APP, "GITHUB_APP_PRIVATE_KEY": "key.pem"},
        "GITHUB_APP_PRIVATE_KEY is not a PEM private key: download it from GitHub again.",
    ),
    (
        "up",
        {**APP, "GITHUB_APP_PRIVATE_KEY": "nowhere"},
        f"GITHUB_APP_PRIVATE_KEY is not a key or a readable file ({NO_FILE}).",
    ),
]


@pytest.mark.parametrize(("arguments", "env", "message"), FAILURES)
def test_a_start_that_fails_is_reported_in_one_line(
    place: Path, server: str, arguments: str, env: Mapping[str, str], message: str
) -> None:
    """The exit status is 1, nothing is on stdout, and no trace is printed."""
    given = {name: value.format(server=server) for name, value in env.items()}

    done = run_command(*arguments.split(), cwd=place, **given)

    steps = ["… starting"] if arguments.partition(" ")[0] in {"review", "serve"} and "PATH" not in env else []
    assert (done.status, done.out) == (1, "")
    assert done.err.splitlines() == [*steps, f"kodiai: {message.format(place=place, server=server)}"]


NO_REGION = "AWS cannot be used: You must specify a region: set AWS_REGION or AWS_PROFILE."
NO_PROFILE = "AWS cannot be used: The config profile (x) could not be found: set AWS_REGION or AWS_PROFILE."
NO_QUEUE = "The queue kodiai-{}-reviews-dead.fifo cannot be found in {}: "
NO_TABLE = "The table cannot be used: "


@pytest.mark.parametrize(
    ("arguments", "env", "message"),
    [
        ("dead-letters list", {}, NO_REGION),
        ("memory --repo a/b", {}, NO_REGION),
        ("stats", {"AWS_PROFILE": "x"}, NO_PROFILE),
        (
            "dead-letters list",
            {"AWS_REGION": "eu-west-1"},
            f"{NO_QUEUE.format('prod', 'eu-west-1')}Unable to locate credentials",
        ),
        (
            "memory --repo a/b",
            {"AWS_REGION": "eu-west-1"},
            f"{NO_TABLE}Unable to locate credentials (table kodiai-prod-ledger in eu-west-1)",
        ),
        (
            "dead-letters list --endpoint-url NOBODY",
            {},
            f'{NO_QUEUE.format("dev", "us-east-1")}Could not connect to the endpoint URL: "NOBODY/"',
        ),
        (
            "forget --repo a/b --yes --endpoint-url NOBODY",
            {},
            f"{NO_TABLE}EndpointConnectionError. (table kodiai-dev-ledger at NOBODY)",
        ),
        (
            "dead-letters list --stage x --endpoint-url LOCAL",
            {},
            f"{NO_QUEUE.format('x', 'us-east-1')}SQS says …",
        ),
        (
            "stats --stage x --endpoint-url LOCAL",
            {},
            f"{NO_TABLE}DynamoDB says ResourceNotFoundException: … (table kodiai-x-ledger at LOCAL)",
        ),
    ],
)
def test_an_aws_that_cannot_be_used_is_reported_in_one_line(
    aws: LocalAws, arguments: str, env: dict[str, Any], message: str
) -> None:
    """Region, credentials and profile are found as the AWS CLI finds them; the place that was asked is named."""
    nobody = nobody_there()
    given = arguments.replace("NOBODY", nobody).replace("LOCAL", aws.access_url)

    done = run_command(*given.split(), **env)

    start, _, end = message.replace("NOBODY", nobody).replace("LOCAL", aws.address).partition("…")
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith(f"kodiai: {start}")
    assert done.err.endswith(f"{end}\n")


def test_a_process_that_fails_prints_one_line_and_no_trace() -> None:
    """Its stdout is empty, and its exit status is 1."""
    done = run_process("dead-letters", "list")

    why = "You must specify a region: set AWS_REGION or AWS_PROFILE."
    assert done == Done(1, "", f"kodiai: AWS cannot be used: {why}\n")


def test_a_port_that_is_in_use_is_reported_with_its_number(place: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = run_command("serve", "--repo", "plain", "--memory", "--port", str(port), cwd=place)

    line = f"kodiai: port {port} is in use: stop the program that uses it, or choose another port with --port."
    assert (done.status, done.err.splitlines()[-1]) == (1, line)


def test_ctrl_c_is_one_line(place: Path) -> None:
    """The whole process group gets the signal, as in a terminal; the exit status is a shell's."""
    command = [KODIAI, "review", "--repo", "plain"]
    with started(command, cwd=place, stderr=subprocess.PIPE, env=environment(), start_new_session=True) as running:
        assert running.stderr is not None
        first = running.stderr.readline()

        os.killpg(running.pid, signal.SIGINT)

        rest = running.stderr.read()
    assert (first, rest, running.returncode) == ("… starting\n", "kodiai: interrupted\n", 130)


def test_an_output_that_is_closed_ends_the_command_silently() -> None:
    """Nothing is printed on stderr, such as behind `head`."""
    reader, writer = os.pipe()
    os.close(reader)

    env = environment(PYTHONUNBUFFERED="")  # what is printed is then written at the end
    done = subprocess.run([KODIAI, "--help"], stdout=writer, stderr=subprocess.PIPE, env=env, check=False)

    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_the_version_is_that_of_the_package() -> None:
    """pyproject.toml has it, and nothing else."""
    assert run_command("--version") == Done(0, f"kodiai {version('kodiai')}\n", "")


@pytest.mark.parametrize("command", ["", *NAMES.split(", "), *ACTIONS])
def test_every_help_has_an_example_that_can_be_read(command: str) -> None:
    """It fits on one screen, and its example is one of this command."""
    done = run_command(*command.split(), "--help")

    lines = done.out.splitlines()
    assert done.status == 0
    assert lines[-2] == "example:"
    assert lines[-1].startswith(f"  kodiai {command}".rstrip())
    assert len(lines) <= 40
