"""A GitHub that says whatever it is told to, byte by byte."""

import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kodiai.edges.github import GitHubPullRequest
from local.loopback import LoopbackServer, QuietHandler
from tests.edges.github_scene import PAUSE_SECONDS, token_settings

_STALLED_SECONDS = 0.3


@dataclass(frozen=True)
class Said:
    """Bytes on a socket, after which the connection ends, or stays open and silent."""

    raw: bytes
    stalls: bool = False


def said(
    status: int = 200, body: bytes = b"[]", headers: Mapping[str, str] = {}, *, missing: int = 0, stalls: bool = False
) -> Said:
    """A response; so many bytes of its body are `missing`."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join(
        [f"HTTP/1.1 {status} Said", "connection: close", f"content-length: {len(body) + missing}", *lines]
    )
    return Said(head.encode() + b"\r\n\r\n" + body, stalls)


def told(body: Any) -> Said:
    """An answer in JSON."""
    return said(body=json.dumps(body).encode())


def standing(**pull: Any) -> Said:
    """How a pull request stands that nobody has spoken on; `pull` says what is different."""
    plain = {
        "title": "Two",
        "body": "",
        "state": "OPEN",
        "isDraft": False,
        "headRefOid": "1" * 40,
        "baseRefOid": "2" * 40,
        "url": "https://github.com/acme/widgets/pull/1",
        "baseRefName": "main",
        "author": {"__typename": "User", "login": "octocat"},
        "labels": {"nodes": []},
        "baseRef": {"target": {"file": None}},
        "reviewThreads": {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []},
        "reviews": {"nodes": []},
    }
    return told({"data": {"repository": {"id": "R_1", "pullRequest": plain | pull}}})


class Raw(LoopbackServer):
    """Answers whatever it is asked with the next thing to say; `asked` are the methods, `paths` the places."""

    def __init__(self, *answers: Said) -> None:
        self.answers = deque(answers)
        self.asked: list[str] = []
        self.paths: list[str] = []
        self.stopping = threading.Event()
        super().__init__(RawDoor)

    def serve_forever(self, poll_interval: float = 0.005) -> None:
        """Look often whether to end: there is one of these for each case."""
        super().serve_forever(min(poll_interval, 0.005))

    def drain(self) -> None:
        self.stopping.set()


class RawDoor(QuietHandler):
    server: Raw

    def do_GET(self) -> None:  # noqa: N802 - a name that http.server looks for
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.asked.append(self.command)
        self.server.paths.append(self.path)
        answer = self.server.answers.popleft()
        self.wfile.write(answer.raw)
        if answer.stalls:
            self.server.stopping.wait(30)
        self.close_connection = True

    do_POST = do_PATCH = do_GET  # noqa: N815 - the same


@contextmanager
def github_that_says(*answers: Said, below: str = "") -> Iterator[tuple[GitHubPullRequest, Raw]]:
    """An edge, and the GitHub that answers it so, one answer a request; `below` is the path of its API."""
    server = Raw(*answers)
    server.start()
    longest = _STALLED_SECONDS if any(answer.stalls for answer in answers) else 20
    settings = token_settings(f"{server.url}{below}", "t", longest)
    try:
        with GitHubPullRequest(settings, "ann", "acme/widgets", 1, None, pause_seconds=PAUSE_SECONDS) as edge:
            yield edge, server
    finally:
        server.stop()
