"""A GitHub that gives any answer of a test, byte by byte."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.github_code import GitHubCode
from tests.edges.github_scene import PAUSE_SECONDS, token_access, token_settings
from tests.raw_server import RawAnswer as Said
from tests.raw_server import RawServer, serving
from tests.raw_server import raw_answer as said

__all__ = ["Said", "a_snapshot", "github_that_says", "said", "told"]
_STALLED_SECONDS = 0.3


def told(body: Any) -> Said:
    """An answer in JSON."""
    return said(body=json.dumps(body).encode())


def a_snapshot(**pull: Any) -> Said:
    """The state of a pull request without comments; `pull` says what is different."""
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
    repository = {
        "id": "R_1",
        "databaseId": 1,
        "isPrivate": False,
        "defaultBranchRef": {"name": "main", "target": None},
    }
    return told({"data": {"repository": {**repository, "pullRequest": plain | pull}}})


@contextmanager
def github_that_says(*answers: Said, below: str = "") -> Iterator[tuple[GitHubPullRequest, RawServer]]:
    """An edge, and the GitHub that answers it so, one answer a request; `below` is the path of its API."""
    longest = _STALLED_SECONDS if any(answer.stalls for answer in answers) else 20
    with (
        serving(*answers) as (url, server),
        GitHubPullRequest(token_access(f"{url}{below}", "t", longest), "ann", "acme/widgets", 1) as edge,
    ):
        yield edge, server


@contextmanager
def code_that_sees(*answers: Said) -> Iterator[GitHubCode]:
    """The code of a repository of a GitHub that gives these answers."""
    with (
        serving(*answers) as (url, _),
        GitHubCode(token_settings(url, "t"), "acme/widgets", pause_seconds=PAUSE_SECONDS) as code,
    ):
        yield code
