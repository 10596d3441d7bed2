"""Helpers by which tests use a whole system and look at it."""

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from local.lambdas import LocalSystem


def send(system: LocalSystem, job: Mapping[str, Any]) -> tuple[int, str]:
    """Send a job of group "g", unless it names another, to the HTTP API."""
    return post(system.webhook_url, job)


def post(url: str, job: Mapping[str, Any]) -> tuple[int, str]:
    """Send a job to an address; return status and body."""
    body = json.dumps({"group": "g", **job}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request) as response:
        return response.status, response.read().decode()


def until(happened: Callable[[], bool]) -> None:
    """Wait for what must come."""
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.02)


def logged(system: LocalSystem, fact: str, group: str = "g") -> list[Any]:
    """Return the values that the functions wrote under one name about the jobs of a group, in order."""
    return [line[fact] for line in system.log_lines if fact in line and line.get("group") == group]


def problems(system: LocalSystem) -> list[str]:
    """Return the lines that are no JSON."""
    return [line["text"] for line in system.log_lines if "text" in line]


def descendants_of(process_id: int) -> set[int]:
    """The processes that a process has started, and theirs."""
    listed = subprocess.run(["ps", "-eo", "ppid=,pid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for parent, pid in (row.split() for row in listed.splitlines())}
    found = {pid for pid, parent in parents.items() if parent == process_id}
    return found.union(*map(descendants_of, found))


def alive(process_id: int) -> bool:
    """Tell whether a process runs; one that has ended but was not waited for is listed as a zombie (Z)."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process_id)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in {"", "Z"}
