"""What no proposal may do."""

import pytest

from kodiai.core.diffs.apply_check import apply_diff
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import FILE, LINK, SUBMODULE, TreeEntry
from kodiai.core.proposals.policy import forbidden_paths, new_links, new_secrets
from tests.tables import each_row

_TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"


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


@pytest.mark.parametrize("path", ["/etc/passwd", "//a.py"])
def test_a_file_cannot_be_renamed_from_or_to_an_absolute_path(path: str) -> None:
    """The names of a rename stand as they are in the diff, without “a/” and “b/”."""
    diff = f"diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to {path}\n"

    forbidden = forbidden_paths(diff, ())

    assert [problem.message for problem in forbidden] == ["The path may not be written: it is absolute."]


@pytest.mark.parametrize(
    "path",
    [".github/workflows/ci.yml", ".GitHub/Workflows/ci.yml", ".github/workflows", ".github/workflows/deep/a.yml"],
)
def test_no_proposal_changes_workflows(path: str) -> None:
    """Workflows of GitHub Actions run with secrets: nobody proposes a change of them, whatever the capitals."""
    forbidden = forbidden_paths(_created(path), ())

    assert forbidden == (Problem(message="A proposal may not change workflows of GitHub Actions.", path=path),)


def test_the_settings_forbid_more_paths() -> None:
    """The patterns of the settings hold for every file of a diff, and others pass."""
    diff = _created("infra/main.tf") + _created("lib/a.py") + _created("lib/deploy.key")

    forbidden = forbidden_paths(diff, ("infra/", "*.key"))

    message = "`proposals.denyPaths` in the settings does not allow proposals to change this path."
    assert forbidden == (
        Problem(message=message, path="infra/main.tf"),
        Problem(message=message, path="lib/deploy.key"),
    )


@pytest.mark.parametrize("word", ["rename", "copy"])
@pytest.mark.parametrize("names", [("infra/a.tf", "a.tf"), ("a.tf", "infra/a.tf")])
def test_both_names_of_a_moved_file_count(word: str, names: tuple[str, str]) -> None:
    """Nothing leaves a forbidden folder, and nothing comes into it."""
    diff = (
        f"diff --git a/{names[0]} b/{names[1]}\nsimilarity index 100%\n{word} from {names[0]}\n{word} to {names[1]}\n"
    )

    forbidden = forbidden_paths(diff, ("infra/",))

    assert [problem.path for problem in forbidden] == ["infra/a.tf"]


def test_a_forbidden_file_may_not_be_deleted() -> None:
    """A deletion is a change."""
    diff = (
        "diff --git a/.github/workflows/ci.yml b/.github/workflows/ci.yml\ndeleted file mode 100644\n"
        "--- a/.github/workflows/ci.yml\n+++ /dev/null\n@@ -1 +0,0 @@\n-on: push\n"
    )

    forbidden = forbidden_paths(diff, ())

    assert [problem.path for problem in forbidden] == [".github/workflows/ci.yml"]


@each_row("path", [".gitignore", ".github/dependabot.yml", "git/a.py", "a..b", "lib/.gitattributes", "x.git/a"])
def test_paths_that_only_look_alike_are_allowed(path: str) -> None:
    """A name that has `.git` or dots in it is a name like others."""
    assert forbidden_paths(_created(path), ()) == ()


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


def test_what_cannot_be_read_is_no_way_around_the_policy() -> None:
    """A diff in which no path can be read does not apply."""
    diff = "diff --git a/x b/y\n@@ -1 +1 @@\n-a\n+b\n"

    assert forbidden_paths(diff, ()) == ()
    assert apply_diff(diff, {}).problems != ()


def _created(path: str) -> str:
    return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n"
