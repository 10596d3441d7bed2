"""The tokens of an installation: for one repository, with the permissions that the work needs, as far as granted."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kodiai.core.diffs.tree import TreeEntry
from kodiai.core.errors import Refused
from kodiai.core.review.review import PublishActions, ThreadAction
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.github_code import GitHubCode
from kodiai.edges.github_permissions import ANSWER, DRY_RUN, LOOK, REVIEW, TokenPermissions, granted_part
from local.github import AppSetup, LocalGitHub
from local.github.hosted_repository import APP_PERMISSIONS
from tests.edges.github_scene import (
    DONE,
    FINDING,
    PAUSE_SECONDS,
    READING,
    TOKEN,
    Pushed,
    a_review,
    app_access,
    settings,
    thread_id,
)

INSTALLATION = "GET /repos/{owner}/{repo}/installation"


@contextmanager
def granting(pushed: Pushed, **permissions: str) -> Iterator[LocalGitHub]:
    """A GitHub where the App has these permissions, and a pull request."""
    with LocalGitHub(pushed.path, app=AppSetup({"metadata": "read", **permissions})) as github:
        github.open_pull_request(pushed.head, pushed.base)
        yield github


@contextmanager
def connected(
    github: LocalGitHub, access: TokenPermissions = REVIEW, name: str | None = None
) -> Iterator[GitHubPullRequest]:
    with GitHubPullRequest(app_access(github, access), github.bot_login, name or github.full_name, 1) as edge:
        yield edge


def held(github: LocalGitHub) -> list[dict[str, str]]:
    """The permissions of each token so far."""
    return [dict(token.permissions or {}) for token in github.tokens]


def test_a_token_may_do_what_its_flow_needs(pushed: Pushed) -> None:
    """The App may do more here. A look may read until a review begins; a dry run may write nothing."""
    with granting(pushed, **APP_PERMISSIONS) as github:
        for access in (REVIEW, ANSWER, LOOK, DRY_RUN):
            with connected(github, access) as edge:
                edge.snapshot()
                if access is LOOK:
                    edge.start_check(pushed.head, "1", READING)

        assert held(github) == [
            dict(each) for each in (REVIEW.reads, ANSWER.reads, LOOK.reads, REVIEW.writes, DRY_RUN.reads)
        ]
        with connected(github, DRY_RUN) as edge, pytest.raises(Refused, match="not accessible by integration"):
            edge.post_review(pushed.head, a_review())


def test_a_token_is_for_one_repository(pushed: Pushed) -> None:
    """For a repository without the App there is none, whatever else the installation has."""
    with granting(pushed, **APP_PERMISSIONS) as github:
        with connected(github, name="acme/other") as edge, pytest.raises(Refused, match="no longer installed here"):
            edge.snapshot()
        github.remove_repository()
        with connected(github) as edge, pytest.raises(Refused, match="no longer installed here"):
            edge.snapshot()

        assert held(github) == []


def test_only_resolving_takes_a_token_that_may_push(pushed: Pushed) -> None:
    """The requests after it have the usual token again."""
    with granting(pushed, **APP_PERMISSIONS) as github, connected(github) as edge:
        root = github.comment_on_line(1, "a.py", 2, "Hm.", login=github.bot_login)
        edge.snapshot()
        act = ThreadAction(thread_id(root), FINDING, resolve=True, otherwise="Fixed.")

        assert edge.update_threads(PublishActions(None, DONE, thread_actions=(act,))).resolved == (FINDING,)
        edge.post_review(pushed.head, a_review())
        edge.head()

        usual, resolving = github.tokens
        assert ("contents:write",) in resolving.needed
        assert dict(usual.permissions or {}) == dict(REVIEW.writes)
        assert edge.calls()[TOKEN] == 2


def test_a_permission_that_was_not_granted_is_left_out_of_the_token(pushed: Pushed) -> None:
    """Without checks, issues and write access to contents the review is posted, and threads get a reply."""
    granted = {"metadata": "read", "contents": "read", "pull_requests": "write"}
    with granting(pushed, **granted) as github, connected(github) as edge:
        root = github.comment_on_line(1, "a.py", 2, "Hm.", login=github.bot_login)
        edge.snapshot()
        assert edge.start_check(pushed.head, "1", READING) is None
        edge.post_review(pushed.head, a_review())
        act = ThreadAction(thread_id(root), FINDING, resolve=True, otherwise="Fixed.")

        assert edge.update_threads(PublishActions(None, DONE, thread_actions=(act,))).resolved == ()

        assert [each.body for each in github.state.comments.values() if each.in_reply_to == root] == ["Fixed."]
        assert held(github) == [granted]
        assert (edge.calls()[TOKEN], edge.calls()[INSTALLATION]) == (3, 2)


def test_a_commit_has_a_token_of_its_own(pushed: Pushed) -> None:
    """It may write contents and nothing else; what is read before it is read with another."""
    with granting(pushed, **APP_PERMISSIONS) as github:
        code = GitHubCode(settings(github), github.full_name, github.installation_id, pause_seconds=PAUSE_SECONDS)
        with code:
            code.target(1, None)
            code.commit(pushed.head, {"a.py": TreeEntry("100644", b"a = 3\n")}, "Change")

        assert held(github) == [
            {"contents": "read", "metadata": "read", "pull_requests": "read"},
            {"contents": "write", "metadata": "read"},
        ]


def test_the_granted_part_is_never_more_than_either_side() -> None:
    """An installation may have more, less, or nothing of a permission."""
    needs = {"checks": "write", "contents": "read", "issues": "read", "pull_requests": "write"}
    granted = {"checks": "read", "contents": "write", "pull_requests": "write", "actions": "write"}

    assert granted_part(needs, granted) == {"checks": "read", "contents": "read", "pull_requests": "write"}
