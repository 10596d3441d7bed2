"""The files by their paths."""

from kodiai.core.findings.source import Source
from tests.builders import a_file, reading
from tests.tables import each_row

TREE = ["a/x.py", "new/sums.py", "sums.py"]
RENAMED = a_file("new/sums.py", status="renamed", previous_path="old/totals.py")
SOURCE = Source(reading({}), (a_file("gone.py", status="removed"), RENAMED), TREE)


@each_row(
    ("written", "path"),
    [
        *((path, path) for path in (*TREE, "gone.py")),
        ("old/totals.py", "new/sums.py"),
        *((path, None) for path in ("x.py", "./sums.py", "b/sums.py", "sums.py:4", "")),
    ],
)
def test_a_file_is_known_by_its_path_and_by_the_one_it_had(written: str, path: str | None) -> None:
    """Any other path is refused, and given again by the one who wrote it."""
    assert SOURCE.find(written) == path
