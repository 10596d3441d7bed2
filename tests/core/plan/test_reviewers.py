"""Who reads a batch of changes."""

import pytest

from kodiai.core.changes.tier import TRIVIAL_LINES, Tier
from kodiai.core.plan.reviewers import reviewers
from tests.builders import a_file
from tests.tables import each_row

ALL = ("correctness", "security", "performance", "tests-and-documentation")


@each_row(
    ("tier", "paths", "who"),
    [
        ("trivial", ["src/a.py", "tests/test_a.py"], ("generalist",)),
        ("lite", ["src/a.py"], ("generalist", "correctness")),
        ("full", ["src/a.py"], ALL),
        ("full", ["README.md", "tests/test_a.py", "src/a.go"], ALL),
        ("full", ["tests/test_a.py", "README.md"], ("correctness", "tests-and-documentation")),
        ("full", ["README.md", "data.json"], ("generalist", "tests-and-documentation")),
        ("full", [".github/workflows/ci.yml"], ALL),
        ("full", [], ("generalist",)),
    ],
)
def test_the_reviewers_follow_from_the_tier_and_from_what_a_batch_holds(
    tier: Tier, paths: list[str], who: tuple[str, ...]
) -> None:
    """Nobody is asked about what is not there, and somebody is always asked."""
    assert reviewers(tier, [a_file(path, additions=TRIVIAL_LINES + 1) for path in paths]) == who


@pytest.mark.parametrize(
    ("path", "who"),
    [("src/a.py", ("correctness", "tests-and-documentation")), ("src/auth/login.py", ("correctness", "security"))],
)
def test_a_line_of_code_is_read_for_security_if_it_is_sensitive_else_with_its_tests(
    path: str, who: tuple[str, ...]
) -> None:
    """A version that is raised next to a thousand lines of tests holds nothing for security and performance."""
    tests = a_file("tests/test_a.py", additions=1_000)

    assert reviewers("full", [tests, a_file(path, additions=1, deletions=1)]) == who
