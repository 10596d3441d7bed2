"""The readers of a batch of changes."""

from kodiai.core.plan.reviewers import reviewers
from tests.builders import a_file
from tests.tables import each_row


@each_row(
    ("paths", "lines", "again", "who"),
    [
        (["src/a.py", "tests/test_a.py"], 100, False, ("generalist",)),
        (["src/a.py", "README.md"], 101, False, ("behavior", "promises")),
        # Whatever an outsider may reach has a reader of its own, in this batch and not in others.
        (["src/auth/login.py"], 1, False, ("generalist", "security")),
        (["src/a.py", ".github/workflows/ci.yml"], 101, False, ("behavior", "promises", "security")),
        # A small push is read by one; a large one as a first review is.
        (["src/auth/login.py"], 100, True, ("generalist",)),
        (["src/auth/login.py"], 101, True, ("behavior", "promises", "security")),
        # Without files there are only earlier findings to answer about.
        ([], 1_000, True, ("generalist",)),
    ],
)
def test_the_readers_follow_from_the_lines_and_the_paths_of_a_batch(
    paths: list[str], lines: int, again: bool, who: tuple[str, ...]
) -> None:
    """Nobody is asked about what is not there, and somebody is always asked."""
    assert reviewers(list(map(a_file, paths)), lines, again=again) == who
