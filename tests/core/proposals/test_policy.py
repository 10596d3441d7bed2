"""The policy of proposals: paths, links, and secrets that none may bring."""

import pytest

from kodiai.core.diffs.apply_check import apply_diff
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import FILE, LINK, SUBMODULE, TreeEntry
from kodiai.core.proposals.policy import forbidden_paths, new_links, new_secrets
from tests.tables import each_row

_TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"


def _created(path: str) -> str:
    return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n"


def _moved(old: str, new: str, word: str = "rename") -> str:
    return f"diff --git a/a.py b/b.py\nsimilarity index 100%\n{word} from {old}\n{word} to {new}\n"


@each_row(
    ("path", "why"),
    [
        ("../out.py", "it has “.” or “..”"),
        ("lib/../../out.py", "it has “.” or “..”"),
        ("./a.py", "it has “.” or “..”"),
        ("C:/windows.ini", "it is absolute"),
        (".git/config", "it is in git's own folder"),
        ("lib/.GIT/hooks/pre-commit", "it is in git's own folder"),
        (".git./config", "it is in git's own folder"),
        (".git . /config", "it is in git's own folder"),
        (".git::$INDEX_ALLOCATION/config", "it is in git's own folder"),
        ("git~1/config", "it is in git's own folder"),
        ("GIT~1 /config", "it is in git's own folder"),
        ("lib\\.git\\config", "it is in git's own folder"),
        (".g\u200cit/config", "it is in git's own folder"),
        ("\ufeff.git/config", "it is in git's own folder"),
    ],
)
def test_no_proposal_writes_outside_of_the_repository_or_into_git_s_own_folder(path: str, why: str) -> None:
    """Such a path is refused on every file system, and by the apply check too."""
    diff = _created(path)

    forbidden = forbidden_paths(diff, ())

    problem = Problem(message=f"The path may not be written: {why}.", path=path)
    assert forbidden == (problem,)
    assert apply_diff(diff, {}).problems == (problem,)


DELETED = (
    "diff --git a/.github/workflows/ci.yml b/.github/workflows/ci.yml\ndeleted file mode 100644\n"
    "--- a/.github/workflows/ci.yml\n+++ /dev/null\n@@ -1 +0,0 @@\n-on: push\n"
)
ABSOLUTE = "The path may not be written: it is absolute."
WORKFLOW = "A proposal may not change workflows of GitHub Actions."
DENIED = "`proposals.denyPaths` in the settings does not allow proposals to change this path."


@each_row(
    ("diff", "problems"),
    [
        (_moved("a.py", "/etc/passwd"), {"/etc/passwd": ABSOLUTE}),
        (_moved("a.py", "//a.py"), {"/a.py": ABSOLUTE}),
        (_created(".github/workflows/ci.yml"), {".github/workflows/ci.yml": WORKFLOW}),
        (_created(".GitHub/Workflows/ci.yml"), {".GitHub/Workflows/ci.yml": WORKFLOW}),
        (_created(".github/workflows"), {".github/workflows": WORKFLOW}),
        (_created(".github/workflows/deep/a.yml"), {".github/workflows/deep/a.yml": WORKFLOW}),
        (DELETED, {".github/workflows/ci.yml": WORKFLOW}),
        (
            _created("infra/main.tf") + _created("lib/a.py") + _created("lib/deploy.key"),
            {"infra/main.tf": DENIED, "lib/deploy.key": DENIED},
        ),
        (_moved("infra/a.tf", "a.tf"), {"infra/a.tf": DENIED}),
        (_moved("a.tf", "infra/a.tf"), {"infra/a.tf": DENIED}),
        (_moved("infra/a.tf", "a.tf", "copy"), {"infra/a.tf": DENIED}),
        (_moved("a.tf", "infra/a.tf", "copy"), {"infra/a.tf": DENIED}),
        # These only look alike.
        *(
            (_created(path), {})
            for path in (".gitignore", ".github/dependabot.yml", "git/a.py", "a..b", "lib/.gitattributes", "x.git/a")
        ),
    ],
)
def test_a_diff_is_refused_by_the_paths_that_it_writes(diff: str, problems: dict[str, str]) -> None:
    """Workflows run with secrets; the settings forbid more. Both names of a moved file count, and a deletion too."""
    forbidden = forbidden_paths(diff, ("infra/", "*.key"))

    assert forbidden == tuple(Problem(message=message, path=path) for path, message in problems.items())


@pytest.mark.parametrize("mode", [LINK, SUBMODULE])
def test_links_and_submodules_may_be_removed_and_nothing_else(mode: str) -> None:
    """A link could lead out of the repository, and a submodule to other code."""
    changes = {"removed": None, "made": TreeEntry(mode, b"../.."), "file": TreeEntry(FILE, b"x\n")}

    problems = new_links(changes)

    message = "A proposal may neither make nor change symbolic links and submodules."
    assert problems == (Problem(message=message, path="made"),)


def test_a_change_of_a_link_is_refused_though_its_diff_names_no_mode() -> None:
    """A diff of another program does not say that it changes a link."""
    diff = (
        "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-lib\n\\ No newline at end of file\n+..\n\\ No newline at end of file\n"
    )

    applied = apply_diff(diff, {"link": TreeEntry(LINK, b"lib")})

    assert applied.problems == ()
    assert [problem.path for problem in new_links(applied.changes)] == ["link"]


def test_a_new_secret_is_refused_with_its_line_and_never_shown() -> None:
    """A problem is stored and posted: it says where the secret is, and of which kind."""
    before = {"a.py": TreeEntry(FILE, b"one\n")}
    changes = {"a.py": TreeEntry(FILE, f"one\ntwo\ntoken = '{_TOKEN}'\n".encode())}

    problems = new_secrets(before, changes)

    message = "The change brings a GitHub token into line 3 of the file: take it out, and revoke it."
    assert problems == (Problem(message=message, path="a.py", line=3),)


def test_a_secret_that_was_there_before_is_no_reason() -> None:
    """A change next to an old secret passes, also where a file with it is renamed; a second secret does not pass."""
    old = f"token = '{_TOKEN}'\n"
    before = {"a.py": TreeEntry(FILE, old.encode())}
    moved = {"a.py": None, "b.py": TreeEntry(FILE, b"# moved\n" + old.encode())}
    other = {"a.py": TreeEntry(FILE, f"{old}{old.replace('aB3', 'zZ8')}".encode())}

    assert new_secrets(before, moved) == ()
    assert [problem.line for problem in new_secrets(before, other)] == [2]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00 " + _TOKEN.encode(), _TOKEN.encode("utf-16")])
def test_a_secret_is_found_in_bytes_that_are_no_text(content: bytes) -> None:
    """Another encoding hides no secret."""
    problems = new_secrets({}, {"a.bin": TreeEntry(FILE, content)})

    assert [problem.path for problem in problems] == ["a.bin"]


def test_an_unreadable_diff_is_no_way_around_the_policy() -> None:
    """A diff in which no path can be read does not apply."""
    diff = "diff --git a/x b/y\n@@ -1 +1 @@\n-a\n+b\n"

    assert forbidden_paths(diff, ()) == ()
    assert apply_diff(diff, {}).problems != ()
