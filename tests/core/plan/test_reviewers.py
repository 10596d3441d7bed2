"""The reviewers of a batch of changes."""

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.tier import TRIVIAL_LINES, Tier
from kodiai.core.plan.reviewers import reviewers
from tests.builders import a_file
from tests.tables import each_row

ALL = ("correctness", "security", "performance", "tests-and-documentation")


MANY, TESTS = TRIVIAL_LINES + 1, a_file("tests/test_a.py", additions=1_000)
LINE, LOGIN = (a_file(path, additions=1, deletions=1) for path in ("src/a.py", "src/auth/login.py"))


def many(*paths: str) -> list[ChangedFile]:
    return [a_file(path, additions=MANY) for path in paths]


@each_row(
    ("tier", "files", "who"),
    [
        ("trivial", many("src/a.py", "tests/test_a.py"), ("generalist",)),
        ("lite", many("src/a.py"), ("generalist", "correctness")),
        ("full", many("src/a.py"), ALL),
        ("full", many("README.md", "tests/test_a.py", "src/a.go"), ALL),
        ("full", many("tests/test_a.py", "README.md"), ("correctness", "tests-and-documentation")),
        ("full", many("README.md", "data.json"), ("generalist", "tests-and-documentation")),
        ("full", many(".github/workflows/ci.yml"), ALL),
        ("full", [], ("generalist",)),
        # A line of code next to a thousand of tests is read for security if it is sensitive, else with its tests.
        ("full", [TESTS, LINE], ("correctness", "tests-and-documentation")),
        ("full", [TESTS, LOGIN], ("correctness", "security")),
    ],
)
def test_the_reviewers_follow_from_the_tier_and_from_what_a_batch_holds(
    tier: Tier, files: list[ChangedFile], who: tuple[str, ...]
) -> None:
    """Nobody is asked about what is not there, and somebody is always asked."""
    assert reviewers(tier, files) == who
