"""The patterns of `.kodiai.yml`, compared with git itself."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.changes.globs import branch_pattern_problem, matches, matches_whole, pattern_problem
from tests.tables import each_row

PATHS = """
    a a/a a/b b/a a/b/a a/b/b/a b/a/b ab a/ab/b ab/b .a a/.b b b/b/b
""".split()


@each_row(
    ("pattern", "meant", "not_meant"),
    [
        ("*.md", ["README.md", "docs/a/b.md", ".md"], ["README.mdx", "md"]),
        ("README.md", ["README.md", "docs/README.md"], ["readme.md", "README.md.txt"]),
        ("/README.md", ["README.md"], ["docs/README.md"]),
        ("docs", ["docs", "docs/a.md", "lib/docs/a/b.md"], ["docs.md", "mydocs/a"]),
        ("/docs/", ["docs/a.md"], ["lib/docs/a.md"]),
        ("lib/*", ["lib/a", "lib/a/b"], ["lib", "x/lib/a"]),
        ("lib/*.py", ["lib/a.py"], ["lib/x/a.py"]),
        ("lib/**", ["lib/a", "lib/x/y/a"], ["lib", "x/lib/a"]),
        ("**/lib", ["lib/a", "x/y/lib", "lib"], ["libs"]),
        ("?.py", ["a.py", "x/b.py"], ["ab.py", ".py"]),
        ("test_*.py", ["test_a.py", "x/test_.py"], ["test_a/b.py"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx"], ["app/i/page.tsx"]),
        ("grüße/*.txt", ["grüße/ä.txt"], ["gruesse/a.txt"]),
        ("with space/x", ["with space/x"], ["with"]),
        # Only wildcards and slashes have a meaning, though a gitignore file reads more, and names may be odd.
        ("secrets*/key", ["secrets\n/key"], []),
        ("**/secrets/*", ["a\nb/secrets/key"], []),
        ("a/**/key", ["a/b\nc/key"], []),
        ("?", ["\n"], []),
        *((name, [name], []) for name in ("#notes", "a[1]", "[z-a]")),
    ],
)
def test_a_pattern_matches_these_files_and_no_others(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    """The grammar of the documentation, by example."""
    assert pattern_problem(pattern) is None
    assert [path for path in meant if not matches(path, pattern)] == []
    assert [path for path in not_meant if matches(path, pattern)] == []


@each_row("name", ["a\\b", "!a"])
def test_a_sign_that_a_gitignore_file_reads_otherwise_is_itself(name: str) -> None:
    """Else it would make a restricting pattern weaker."""
    assert matches(name, name)


@each_row(
    ("pattern", "meant", "not_meant"),
    [
        ("main", ["main"], ["Main", "main/x", "x/main", "mainline"]),
        ("*", ["main", "v2"], ["release/1.0"]),
        ("release/*", ["release/1.0"], ["release", "release/1.0/fix", "x/release/1.0"]),
        ("release/**", ["release/1.0", "release/1.0/fix"], ["release", "releases/1.0"]),
        ("**/hotfix", ["hotfix", "a/hotfix", "a/b/hotfix"], ["hotfix/a"]),
        ("**", ["main", "a/b/c"], []),
        ("v?.x", ["v1.x"], ["v10.x", "v/.x"]),
    ],
)
def test_a_pattern_matches_these_branches_and_no_others(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    """A pattern matches the whole name: no branch is inside another one, as a file is in a folder."""
    assert branch_pattern_problem(pattern) is None
    assert [each for each in meant if not matches_whole(each, pattern)] == []
    assert [each for each in not_meant if matches_whole(each, pattern)] == []


EMPTY_PART = "it has an empty part, “.” or “..”, which no path has"
SPACES = "spaces at its ends and invisible characters would never match"
STARS = "it has “**” over 3 times, or “*” that often in one part"


@each_row(
    ("pattern", "problem"),
    [
        ("!keep.md", "exceptions with “!” are not supported"),
        ("docs\\a.md", "folders are separated by “/”, and “\\” has no meaning"),
        (" docs", SPACES),
        ("do\u200bcs", SPACES),
        ("", EMPTY_PART),
        ("a//b", EMPTY_PART),
        ("./a", EMPTY_PART),
        ("../secrets", EMPTY_PART),
        ("test_**.py", "“**” stands alone between slashes"),
        ("***", "“**” stands alone between slashes"),
        ("a" * 501, "it is over 500 characters"),
        ("a*b*c*d*e", STARS),
        ("**/a/**/b/**/c/**", STARS),
    ],
)
def test_a_misleading_text_is_not_a_valid_pattern(pattern: str, problem: str) -> None:
    """It would restrict nothing, and nobody would notice; no branch begins or ends with a slash either."""
    assert pattern_problem(pattern) == branch_pattern_problem(pattern) == problem


@pytest.mark.parametrize("pattern", ["/main", "release/"])
def test_a_pattern_of_branches_has_no_slash_at_its_ends(pattern: str) -> None:
    """It would restrict more than it seems to."""
    assert branch_pattern_problem(pattern) == "no branch begins or ends with “/”"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a*a*b", "a" * 255),
        ("**/a/**/a/**/b", "a/" * 255 + "c"),
        ("**/*a*a*b/**/*a*a*b/**", "/".join(["a" * 63] * 4) + "/c"),
    ],
)
def test_a_hostile_path_takes_less_than_a_second(pattern: str, path: str) -> None:
    """Paths come from anybody who opens a pull request, and wildcards try every way to share one among them."""
    started = time.process_time()

    assert pattern_problem(pattern) is None
    assert not matches(path, pattern)
    assert time.process_time() - started < 1


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


@settings(max_examples=150)
@given(pattern=st.text(alphabet="ab*?/.", min_size=1, max_size=9).filter(lambda text: pattern_problem(text) is None))
def test_git_matches_the_same_files(repository: Path, pattern: str) -> None:
    """`git check-ignore` is asked about every pattern that we take; it exits 1 where it means no file."""
    (repository / ".git" / "info" / "exclude").write_text(f"{pattern}\n")
    asked = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "--stdin"],
        input="\n".join(PATHS),
        capture_output=True,
        text=True,
        check=False,
    )

    assert asked.returncode in (0, 1)
    assert [path for path in PATHS if matches(path, pattern)] == asked.stdout.splitlines()
