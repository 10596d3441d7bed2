"""`kodiai serve` as a person runs it: a process of its own, its pages over HTTP, stopped and started again.

One test, because each start of the whole system takes seconds.
"""

import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from cli.serve import open_github
from tests.cli.running import KODIAI, environment, run_command
from tests.git_repository import GitRepository
from tests.mcp_agent import McpAgent

_LONGEST_SECONDS = 60
BAD = "def add(item, items=[]):\n    return items\n"
WORSE = 'def is_paid(status):\n    return status is "paid"\n'


@contextmanager
def served(*arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running command and the address that it prints; it is stopped as by Ctrl-C."""
    command = [KODIAI, "serve", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.match(r"Pull request: (\S+) \((.*)\)", first)
        try:
            assert found, first
            yield process, found[1]
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()


def lines_for_agents(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The token and the address that are printed for coding agents."""
    assert process.stdout is not None
    printed = process.stdout
    token = next(line for line in printed if "export KODIAI_TOKEN=" in line).strip().partition("=")[2]
    return token, next(line for line in printed if "Codex:" in line).split()[6]


def page(address: str, shows: Callable[[str], object]) -> str:
    """The page, once it shows that."""
    end = time.monotonic() + _LONGEST_SECONDS
    while not shows(text := httpx.get(address).raise_for_status().text):
        assert time.monotonic() < end, text
        time.sleep(0.2)
    return text


@pytest.mark.proof  # the whole system starts twice
def test_a_pull_request_is_served_and_continues_after_a_kill(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "widgets")
    base = repository.commit({"orders.py": "def total(prices):\n    return sum(prices)\n"}, branch="main")
    head = repository.commit({"basket.py": BAD}, base, message="Add a basket", branch="feature")
    how = ("--repo", repository.path, "--head", "feature", "--base", "main", "--data", tmp_path / "data")

    with served(*how) as (process, address):
        token, mcp = lines_for_agents(process)
        assert McpAgent(mcp, token).tools()
        page(f"{address}/checks", lambda text: "in progress" in text)
        refused = run_command("serve", *how)
        process.kill()
    assert (refused.status, "is in use by another process" in refused.err) == (1, True)
    assert oct((tmp_path / "data").stat().st_mode)[-3:] == "700"

    # A commit of the meantime is found at the next start, and the address is the same.
    second = repository.commit({"status.py": WORSE}, head, branch="feature")
    with served(*how) as (process, again):
        shown = page(again, lambda text: "status.py" in text and second[:7] in text)
        reviews = shown.count('id="pullrequestreview-')
        activity = page(f"{again}/activity", lambda text: text.count("View review") == reviews)
    assert process.returncode == 0
    assert again == address
    assert "Add a basket" in shown
    assert reviews >= 1
    assert "status.py" in activity
    assert [shown.count(f'<bdi class="path">{path}</bdi>') for path in ("basket.py", "status.py")] == [1, 1]


def test_the_address_stays_as_long_as_the_port_is_free(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "widgets")
    repository.commit({"a.py": ""}, branch="main")
    data = tmp_path / "data"
    data.mkdir()

    def port(asked: int = 0) -> int:
        with open_github(repository.path, "secret", data, asked) as github:
            return int(github.url.rpartition(":")[2])

    first = port()
    again = port()
    with socket.create_server(("127.0.0.1", first)):
        other = port()
        with pytest.raises(OSError, match="in use"):
            port(first)
    (data / "port").write_text("")

    assert again == first
    assert other not in (0, first)
    assert port()
