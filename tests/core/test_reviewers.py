"""Who reads a batch of changes."""

import pytest

from kodiai.core.changes.scope import Tier
from kodiai.core.reviewers import reviewers
from tests.builders import a_file

ALL = ("correctness", "security", "performance", "tests-and-documentation")


@pytest.mark.parametrize(
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
    assert reviewers(tier, [a_file(path) for path in paths]) == who
