"""A disk that is too small for a repository's archive: the error names it, and nothing is tried again for nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.github import LocalGitHub
from tests.git_repository import GitRepository
from tests.layers import LAYER

TARBALL = "GET /repos/{owner}/{repo}/tarball/{ref}"
# No file of the process may be larger than 64 KiB: a write beyond fails as on a full disk, with another number.
_READ = """
import json, resource, sys
from kodiai.core.errors import KodiaiError
from kodiai.core.config.settings import GitHubSettings
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.github_connection import Access
from kodiai.edges.github_permissions import REVIEW

settings, login, repository, installation, head = json.load(sys.stdin)
access = Access(GitHubSettings.model_validate(settings), installation, REVIEW)
with GitHubPullRequest(access, login, repository, 1) as edge:
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, resource.RLIM_INFINITY))
    try:
        edge.tree(head, 100_000_000).searchable
    except KodiaiError as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize("content", [os.urandom(200_000), b"0" * 200_000], ids=["download", "unpacking"])
def test_a_full_disk_is_named_and_not_tried_again(tmp_path: Path, content: bytes) -> None:
    """While the archive is downloaded, and while one that is small is unpacked."""
    repository = GitRepository(tmp_path / "widgets.git")
    head = repository.commit({"a.bin": content}, branch="main")
    with LocalGitHub(repository.path) as github:
        values = {"github/api-url": github.url, "github/timeout-seconds": 20, "github/publish": "post"}
        values |= {"github/app-id": github.app_id, "github/private-key": github.private_key.strip()}
        given = json.dumps([values, github.bot_login, github.full_name, github.installation_id, head])

        run = subprocess.run(
            [sys.executable, "-c", _READ],
            input=given,
            env={**os.environ, "PYTHONPATH": str(LAYER.parent)},
            capture_output=True,
            text=True,
            check=True,
        )

        assert run.stdout == (
            "Broken the repository's archive does not fit into the function's storage (File too large): "
            "raise EphemeralStorage, or lower limits/archive-bytes\n"
        )
        assert run.stderr == ""
        assert [seen.route for seen in github.requests].count(TARBALL) == 1
