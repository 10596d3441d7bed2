"""The code of a repository with the rights of one token: who asks, what is there, and commits."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.diffs.apply_check import apply_diff, touched_paths
from kodiai.core.diffs.tree import FILE, FOLDER, LINK, PROGRAM, SUBMODULE, TreeEntry
from kodiai.core.errors import Refused, Retry
from kodiai.core.proposals.target import Caller, NoTarget, NotAuthenticated, ProposalTarget
from kodiai.edges.github_code import GitHubCode
from local.github import AppSetup, LocalGitHub
from local.github.failures import dropped_connection, refusal, server_error
from local.github.hosted_repository import APP_PERMISSIONS
from local.github.state import Role
from tests.edges.github_scene import PAUSE_SECONDS, PERMISSIONS, settings, token_settings
from tests.edges.raw_github import Said, code_that_sees, said, told
from tests.git_repository import GitRepository
from tests.tables import each_row

GIT = "/repos/{owner}/{repo}/git"
TREES, BLOB = f"GET {GIT}/trees/{{tree_sha}}", f"GET {GIT}/blobs/{{file_sha}}"
STORE_BLOB, MOVE = f"POST {GIT}/blobs", f"PATCH {GIT}/refs/{{ref}}"
FILES: Mapping[str, str | bytes] = {
    "a.py": "a = 1\n",
    "docs/b.md": "b\n",
    "docs/deep/c.md": "c\n",
    "run.sh": "#!/bin/sh\n",
    "link": "a.py",
    "lib": "1" * 40,
    "image.bin": b"\x89\0\xff",
    "empty": "",
    "é/new file.py": "e = 1\n",
}
MODES = {"run.sh": PROGRAM, "link": LINK, "lib": SUBMODULE}
REPOSITORY = {
    "databaseId": 1,
    "nameWithOwner": "acme/new",
    "viewerPermission": None,
    "owner": {"databaseId": 100},
}
READS_CODE = {"contents": "read", "metadata": "read", "pull_requests": "write"}
WRITES_CODE = READS_CODE | {"contents": "write"}
Connect = Callable[..., GitHubCode]


class Hosted:
    """A repository with every kind of file, and a pull request from the branch "feature"."""

    def __init__(self, path: Path) -> None:
        self.git = GitRepository(path)
        self.base = self.git.commit({"a.py": "a = 0\n", ".kodiai.yml": "floor: MINOR\n"}, branch="main")
        self.head = self.git.commit(FILES, self.base, modes=MODES, branch="feature")


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "widgets.git")


@pytest.fixture
def github(hosted: Hosted) -> Iterator[LocalGitHub]:
    with LocalGitHub(hosted.git.path) as running:
        running.open_pull_request("feature")
        yield running
        assert running.violations == []


@pytest.fixture
def code_of(github: LocalGitHub) -> Iterator[Connect]:
    """Opens the code with a person's token."""
    with ExitStack() as opened:

        def connect(login: str = "ann", role: Role = "write", grants: Mapping[str, str] | None = None) -> GitHubCode:
            access = token_settings(github.url, github.token_for(login, role, grants=grants))
            return opened.enter_context(GitHubCode(access, github.full_name, pause_seconds=PAUSE_SECONDS))

        yield connect


@pytest.fixture
def code(code_of: Connect) -> GitHubCode:
    """The code with the token of somebody who may write."""
    return code_of()


@pytest.fixture
def as_app(github: LocalGitHub) -> Iterator[GitHubCode]:
    """The code as the installation of the App."""
    with GitHubCode(settings(github), github.full_name, github.installation_id, pause_seconds=PAUSE_SECONDS) as code:
        yield code


def refusal_of(call: Callable[[], object], kind: type[Refused] = Refused) -> str:
    """Why something is refused."""
    with pytest.raises(kind) as refused:
        call()
    return str(refused.value)


def shown(github: LocalGitHub, *arguments: str) -> str:
    """The answer of git in GitHub's own repository."""
    return github.repository.copy.git(*arguments).decode()


@pytest.mark.parametrize(("role", "permission"), PERMISSIONS.items())
def test_a_caller_may_do_what_their_role_permits(
    code_of: Connect, github: LocalGitHub, role: Role, permission: Any
) -> None:
    """GitHub's five roles are three here. What somebody may not even see has no id."""
    caller = code_of("ann", role).caller(writes=True)

    ids = (github.repository.id, github.repository.ref.owner_id) if permission != "none" else (0, 0)
    assert caller == Caller("ann", permission, "acme/widgets", *ids)


def test_a_token_that_may_not_write_makes_nobody_a_writer(code_of: Connect, github: LocalGitHub) -> None:
    """GitHub names the role of the person, whatever the token may do; so the token is tried."""
    reading = code_of("ann", "admin", READS_CODE).caller(writes=True)
    writing = code_of("ann", "admin", WRITES_CODE).caller(writes=True)

    assert (reading.permission, writing.permission) == ("read", "admin")
    assert [seen.route for seen in github.requests] == ["POST /graphql", STORE_BLOB] * 2


@each_row("status", [403, 404])
def test_a_classic_token_without_scopes_makes_nobody_a_writer(
    github: LocalGitHub, code: GitHubCode, status: int
) -> None:
    """GitHub says 404 to it, and 403 where the repository is archived."""
    github.fail_next(STORE_BLOB, refusal(status, {"message": "Not Found"}))

    assert code.caller(writes=True).permission == "read"


def test_a_token_for_reading_is_not_tried(github: LocalGitHub, code_of: Connect) -> None:
    """It would count against what GitHub lets a person create in an hour. Then nobody is a writer."""
    permissions = [code_of("ann", role).caller(writes=False).permission for role in ("admin", "write", "read", "none")]

    assert permissions == ["read", "read", "read", "none"]
    assert [seen.route for seen in github.requests] == ["POST /graphql"] * 4


def test_the_trial_changes_nothing_that_anybody_sees(github: LocalGitHub, code: GitHubCode) -> None:
    """No branch moves, and nothing is sent to anybody."""
    refs = shown(github, "for-each-ref")

    code.caller(writes=True)

    assert shown(github, "for-each-ref") == refs
    assert [each.action for each in github.deliveries] == ["opened"]


def test_a_failure_says_nothing_about_a_caller(github: LocalGitHub, code: GitHubCode) -> None:
    """One that passes is tried again, the trial too; any other ends the request."""
    github.fail_next("POST /graphql", server_error())
    github.fail_next(STORE_BLOB, server_error())
    assert code.caller(writes=True).permission == "write"

    github.fail_next(STORE_BLOB, server_error(), times=3)
    with pytest.raises(Retry):
        code.caller(writes=True)


def test_a_token_of_an_app_is_nobodys(as_app: GitHubCode) -> None:
    """An App is no person, whatever it may do; nothing is tried with its token."""
    text = refusal_of(lambda: as_app.caller(writes=True), NotAuthenticated)

    assert text == "This token belongs to the App `kodiai[bot]`: use a token of a person."
    assert STORE_BLOB not in as_app.calls()


def test_a_wrong_token_is_nobodys(github: LocalGitHub) -> None:
    """Wherever it is used first."""
    with GitHubCode(token_settings(github.url, "ghp_wrong"), github.full_name, pause_seconds=PAUSE_SECONDS) as code:
        uses: tuple[Callable[[], object], ...] = (
            lambda: code.caller(writes=True),
            lambda: code.target(1, None),
            lambda: code.advance("feature", "1" * 40),
        )
        texts = {refusal_of(use, NotAuthenticated) for use in uses}

    assert texts == {"GitHub does not take this token: it is wrong, expired or revoked."}


def queried(viewer: Any, repository: Any, *errors: Any) -> Said:
    """An answer to the query for the caller."""
    return told({"data": {"viewer": viewer, "repository": repository}, **({"errors": errors} if errors else {})})


NOT_FOUND = {"type": "NOT_FOUND", "message": "Could not resolve to a Repository."}
FORBIDDEN = {"type": "FORBIDDEN", "message": "Resource protected by organization SAML enforcement."}
ANN = {"login": "ann"}


@each_row(
    ("answer", "outcome"),
    [
        (queried(ANN, None, NOT_FOUND), "none"),
        (queried(ANN, REPOSITORY), "none"),
        (queried(ANN, None, FORBIDDEN), Refused),
        (queried(None, None), Retry),
        (told({"data": None}), Retry),
    ],
)
def test_a_caller_without_a_role_has_no_access(answer: Said, outcome: Any) -> None:
    """A role that GitHub does not name is none; an error is no answer."""
    with code_that_sees(answer) as code:
        if outcome == "none":
            assert code.caller(writes=True).permission == "none"
        else:
            with pytest.raises(outcome):
                code.caller(writes=True)


def test_a_proposal_goes_to_the_head_of_its_pull_request_or_onto_its_commit(code: GitHubCode, hosted: Hosted) -> None:
    """Its settings are those of the base branch, or of the default branch."""
    of_pull, of_commit = code.target(1, None), code.target(None, hosted.head)

    assert of_pull == ProposalTarget(head=hosted.head, base_ref="main", branch="feature", closed=None)
    assert of_commit == ProposalTarget(head=hosted.head, base_ref="main", branch=None, closed=None)
    assert code.settings_file("main") == b"floor: MINOR\n"


def test_a_target_that_does_not_exist_is_named(code: GitHubCode) -> None:
    """A pull request by its number, a commit by its id."""
    assert [refusal_of(partial(code.target, *each), NoTarget) for each in ((9, None), (None, "1" * 40))] == [
        "There is no pull request #9 in acme/widgets.",
        f"There is no commit {'1' * 40} in acme/widgets.",
    ]


IN_FORK = "The branch is in a fork, and I can push only to this repository: apply the diff by hand."


def test_nothing_can_be_applied_to_a_pull_request_that_is_over_or_from_a_fork(
    github: LocalGitHub, code: GitHubCode, hosted: Hosted
) -> None:
    """Closed or merged; reopened it can. A fork's branch is in another repository, also one of the same owner."""
    fork = github.open_pull_request(hosted.git.commit({"a.py": "a = 9\n"}, hosted.base), "main", from_fork=True)
    reasons = [code.target(fork, None).closed]
    for change in (github.close, github.reopen, lambda number: github.close(number, merged=True)):
        change(1)
        reasons.append(code.target(1, None).closed)

    assert reasons == [
        IN_FORK,
        "The pull request is closed: nothing can be applied to it.",
        None,
        "The pull request is merged: nothing can be applied to it.",
    ]


def test_a_branch_whose_repository_is_gone_is_a_forks() -> None:
    """GitHub names no repository for it then. The default branch is named if it is not the base."""
    pull = {
        "state": "open",
        "head": {"sha": "1" * 40, "ref": "feature", "repo": None},
        "base": {"ref": "main", "repo": {"id": 1, "default_branch": "trunk"}},
    }
    with code_that_sees(told(pull)) as code:
        target = code.target(1, None)

    assert (target.closed, target.default_branch) == (IN_FORK, "trunk")


EVERYTHING = {
    "a.py": TreeEntry(FILE, b"a = 1\n"),
    "docs": TreeEntry(FOLDER),
    "docs/deep/c.md": TreeEntry(FILE, b"c\n"),
    "run.sh": TreeEntry(PROGRAM, b"#!/bin/sh\n"),
    "link": TreeEntry(LINK, b"a.py"),
    "lib": TreeEntry(SUBMODULE),
    "image.bin": TreeEntry(FILE, b"\x89\0\xff"),
    "empty": TreeEntry(FILE, b""),
    "é/new file.py": TreeEntry(FILE, b"e = 1\n"),
}
NOWHERE = ("nowhere.py", "docs/nowhere.md", "nowhere/deep/x.py", "../a.py", "/a.py", "a.py/", "", "docs/")


def test_entries_are_what_is_at_exactly_these_paths(code: GitHubCode, hosted: Hosted) -> None:
    """Files with their bytes, folders, links, submodules; one listing, and one request for each file."""
    found = code.entries(hosted.head, [*EVERYTHING, *NOWHERE])

    assert found == EVERYTHING | {"a.py": EVERYTHING["a.py"]}
    assert code.calls() == {TREES: 1, BLOB: 7}


def test_a_part_of_a_path_that_is_no_folder_is_an_entry_too(code: GitHubCode, hosted: Hosted) -> None:
    """A file, a link or a submodule is in the way of a new file below it; a folder is not."""
    found = code.entries(hosted.head, ["a.py/b/c.py", "link/x.py", "lib/x.py", "docs/x.md"])

    assert found == {name: EVERYTHING[name] for name in ("a.py", "link", "lib")}


def test_entries_are_found_where_github_cuts_the_listing(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """Then the folders of the paths are listed, each once: the top, docs, docs/deep and é."""
    github.repository.most_entries = 9

    found = code.entries(hosted.head, [*EVERYTHING, *NOWHERE, "a.py/b.py"])

    assert found == EVERYTHING
    assert code.calls() == {TREES: 1 + 4, BLOB: 7}


def test_a_folder_that_github_cuts_cannot_be_read(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """A file that is not listed must not be taken for missing."""
    github.repository.most_entries = 3

    text = refusal_of(lambda: code.entries(hosted.head, ["a.py"]))

    assert text == "The folder `/` has more files than GitHub lists."


def test_a_large_file_is_read_whole(code: GitHubCode, hosted: Hosted) -> None:
    """Also above one megabyte, where the contents API stops."""
    large = b"0123456789abcdef" * 100_000
    head = hosted.git.commit({"large.txt": large}, hosted.head, branch="feature")

    assert code.entries(head, ["large.txt"]) == {"large.txt": TreeEntry(FILE, large)}


CHANGES: dict[str, TreeEntry | None] = {
    "a.py": TreeEntry(FILE, b"a = 2\r\nb = 3"),
    "docs/b.md": None,
    "docs/deep/d/e.md": TreeEntry(FILE, "é\n".encode()),
    "run.sh": TreeEntry(FILE, b"#!/bin/sh\n"),
    "image.bin": TreeEntry(FILE, b"\xff\0\xfe"),
    "other link": TreeEntry(LINK, b"docs/deep"),
    "program": TreeEntry(PROGRAM, b""),
}


@pytest.mark.parametrize("who", ["person", "app"])
def test_a_commit_changes_what_it_says_and_nothing_else(
    github: LocalGitHub, code: GitHubCode, as_app: GitHubCode, hosted: Hosted, who: str
) -> None:
    """Its author is whom the token belongs to. No branch has it yet."""
    edge, author = (code, "ann") if who == "person" else (as_app, "kodiai[bot]")

    sha = edge.commit(hosted.head, CHANGES, "Change things\n\nBecause.\n")

    assert edge.entries(sha, CHANGES) == {path: entry for path, entry in CHANGES.items() if entry is not None}
    changed = shown(github, "-c", "core.quotePath=false", "diff", "--name-only", hosted.head, sha).splitlines()
    assert changed == sorted(CHANGES)
    assert (
        shown(github, "log", "-1", "--format=%P %an %B", sha) == f"{hosted.head} {author} Change things\n\nBecause.\n\n"
    )
    assert shown(github, "branch", "--contains", sha) == ""


AFTER: dict[str, dict[str, str | bytes | None]] = {
    "every kind of change": {
        "a.py": "a = 2\r\nb = 3",
        "docs/b.md": None,
        "docs/deep/renamed.md": "c\n",
        "docs/deep/c.md": None,
        "run.sh": "#!/bin/sh\nexit\n",
        "image.bin": b"\x89\0\xfe\xff",
        "empty": None,
        "other/empty": "",
        "other/link": "../a.py",
        "é/new file.py": "e = 2\n",
    },
    "a folder where a file was": {"a.py": None, "a.py/b.py": "b = 1\n", "a.py/c/d.py": "d = 1\n"},
    "a folder that is gone": {"docs/b.md": None, "docs/deep/c.md": None},
}


@pytest.mark.parametrize("case", AFTER)
def test_a_diff_becomes_exactly_the_commit_that_it_was_made_of(
    github: LocalGitHub, code: GitHubCode, hosted: Hosted, case: str
) -> None:
    """From the text of the diff through the files on GitHub to a commit there: git shows the same diff."""
    show = ("diff-tree", "-p", "-M", "--binary", "--full-index", "--no-commit-id")
    after = hosted.git.commit(AFTER[case], hosted.head, modes={"other/link": LINK, "run.sh": FILE})
    diff = hosted.git.git(*show, hosted.head, after).decode()

    applied = apply_diff(diff, code.entries(hosted.head, touched_paths(diff)))
    sha = code.commit(hosted.head, applied.changes, "Change things\n")

    assert applied.problems == ()
    assert shown(github, "rev-parse", f"{sha}^{{tree}}") == hosted.git.git("rev-parse", f"{after}^{{tree}}").decode()
    assert github.repository.copy.git(*show, hosted.head, sha).decode() == diff


def test_a_branch_moves_forward_to_a_commit_which_is_a_push(
    github: LocalGitHub, code: GitHubCode, hosted: Hosted
) -> None:
    """The head of the pull request moves, and the webhook names who pushed."""
    sha = code.commit(hosted.head, CHANGES, "Change things\n")
    before = code.contains("feature", sha)

    moved = code.advance("feature", sha)

    assert (before, moved, code.contains("feature", sha)) == (False, True, True)
    assert code.target(1, None).head == sha
    push = github.deliveries[-1].payload
    assert (push["action"], push["before"], push["after"]) == ("synchronize", hosted.head, sha)
    assert (push["sender"]["login"], push["pull_request"]["head"]["sha"]) == ("ann", sha)


def test_a_branch_that_has_moved_elsewhere_stays_there(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """Nothing that somebody pushed meanwhile is lost."""
    sha = code.commit(hosted.head, CHANGES, "Change things\n")
    pushed = github.push(1, hosted.git.commit({"b.py": "b = 1\n"}, hosted.head))

    assert not code.advance("feature", sha)
    assert code.target(1, None).head == pushed
    assert not code.contains("feature", sha)


def test_a_commit_below_the_tip_is_in_the_branch(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """Somebody may have pushed after it. A branch or a commit that does not exist has nothing."""
    sha = code.commit(hosted.head, CHANGES, "Change things\n")
    code.advance("feature", sha)
    github.push(1, hosted.git.commit({"b.py": "b = 1\n"}, hosted.head))
    dropped = code.contains("feature", sha)
    later = code.commit(sha, {"b.py": TreeEntry(FILE, b"b = 2\n")}, "Later\n")
    github.push(1, later)

    assert (dropped, code.contains("feature", sha)) == (False, True)
    assert not code.contains("main", sha)
    assert not code.contains("nowhere", sha)
    assert not code.contains("feature", "1" * 40)


def test_a_branch_of_a_proposal_begins_at_its_commit(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """Then it moves like any other. Other branches are not begun."""
    first = code.commit(hosted.base, {"b.py": TreeEntry(FILE, b"b = 1\n")}, "First\n")
    second = code.commit(first, {"b.py": TreeEntry(FILE, b"b = 2\n")}, "Second\n")
    aside = code.commit(hosted.base, {"b.py": TreeEntry(FILE, b"b = 3\n")}, "Aside\n")

    moves = [code.advance("kodiai/P-1", sha) for sha in (first, first, second, aside)]

    assert moves == [True, True, True, False]
    assert shown(github, "rev-parse", "refs/heads/kodiai/P-1") == f"{second}\n"
    text = refusal_of(lambda: code.advance("gone", first))
    assert text == "GitHub does not let me move the branch `gone`: Reference does not exist"


def test_a_protected_branch_stays_and_github_says_why(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """In its own words, which name the rule."""
    sha = code.commit(hosted.head, CHANGES, "Change things\n")
    rule = "Repository rule violations found\n\nChanges must be made through a pull request."
    github.fail_next(MOVE, refusal(422, {"message": rule}))

    text = refusal_of(lambda: code.advance("feature", sha))

    assert text == f"GitHub does not let me move the branch `feature`: {rule}"
    assert code.target(1, None).head == hosted.head


def test_a_branch_that_somebody_else_began_meanwhile_is_not_begun(
    github: LocalGitHub, code: GitHubCode, hosted: Hosted
) -> None:
    """Between two requests."""
    sha = code.commit(hosted.base, CHANGES | {"docs/b.md": TreeEntry(FILE, b"")}, "Change things\n")
    github.fail_next(MOVE, refusal(422, {"message": "Reference does not exist"}))
    github.fail_next(f"POST {GIT}/refs", refusal(422, {"message": "Reference already exists"}))

    assert not code.advance("kodiai/P-1", sha)


def test_a_token_that_may_not_write_is_told_what_it_needs(code_of: Connect, hosted: Hosted) -> None:
    """A person's role, or a fine-grained token; an installation has to accept the permission of the App."""
    for code in (code_of("rita", "read"), code_of("ann", "write", READS_CODE)):
        for write in (partial(code.commit, hosted.head, CHANGES, "x\n"), partial(code.advance, "feature", hosted.head)):
            assert refusal_of(write) == (
                "I may not push to acme/widgets: the token needs write access to the code"
                " (`repo`, or the permission Contents: Read and write)."
            )
    with LocalGitHub(hosted.git.path, app=AppSetup(APP_PERMISSIONS | {"contents": "read"})) as github:
        github.open_pull_request("feature")
        with GitHubCode(settings(github), github.full_name, github.installation_id) as code:
            assert refusal_of(partial(code.advance, "feature", hosted.head)) == (
                "I may not push to acme/widgets: the App needs the permission Contents: Read and write,"
                " and an owner has to accept it."
            )


def test_a_change_that_github_does_not_take_is_refused_in_its_words(code: GitHubCode, hosted: Hosted) -> None:
    """Such as a path that git forbids."""
    text = refusal_of(lambda: code.commit(hosted.head, {"docs/../../x": TreeEntry(FILE, b"x\n")}, "x\n"))

    assert text == "GitHub does not take the change: tree.path contains a malformed path component"


def test_a_write_is_sent_once(github: LocalGitHub, code: GitHubCode, hosted: Hosted) -> None:
    """It may have had its effect: then the branch has the commit, which the next attempt sees."""
    sha = code.commit(hosted.head, CHANGES, "Change things\n")
    github.fail_next(MOVE, dropped_connection())

    with pytest.raises(Retry):
        code.advance("feature", sha)

    assert code.calls()[MOVE] == 1
    assert code.contains("feature", sha)


def test_a_blob_that_github_lists_and_does_not_have_is_no_empty_file() -> None:
    """An empty file would pass for the real one."""
    listing = {"truncated": False, "tree": [{"path": "a.py", "mode": FILE, "type": "blob", "sha": "1" * 40}]}

    with code_that_sees(told(listing), said(404, b"{}")) as code, pytest.raises(Retry):
        code.entries("2" * 40, ["a.py"])
