"""Which file is meant by a path that a model wrote."""

from kodiai.core.findings.source import Source
from tests.builders import a_file, reading
from tests.tables import each_row


def find(written: str, paths: list[str]) -> str | None:
    return Source(reading({}), (), paths).find(written)


@each_row(
    "written",
    (
        'src/a.py|./src/a.py|/src/a.py|.//src/a.py|a/src/a.py|b/src/a.py|src\\a.py|`src/a.py`|"src/a.py"'
        "|'src/a.py',|**src/a.py**|src/a.py:4|src/a.py:4-6|src/a.py:4–6|src/a.py:4:10|src/a.py:L4-L6"
        "|src/a.py#L4|src/a.py#L4-L6|src/a.py#L4C2-L6C8|src/a.py#4|src/a.py (line 4)|src/a.py (lines 4-6)"
        "|src/a.py (L4)|src/a.py (4)|src/a.py, line 4|src/a.py line 4|src/a.py L4|`src/a.py`:4|`src/a.py:4`"
        "|`b/src/a.py` (line 4),| src/a.py "
    ).split("|"),
)
def test_decorations_of_a_path_are_removed(written: str) -> None:
    """Git's prefixes, line numbers and quotes go."""
    assert find(written, ["src/a.py"]) == "src/a.py"


PATHS = ["a/x.py", "x.py", "lib/y.py", "src/lib/y.py", "src/one/main.go", "odd:4", "b/only.py", "deep/a/z.py"]


@each_row(
    "path",
    [".github/a.yml", "..a", "app/[id]/page.tsx", "app/(group)/page.tsx", "v1.2/a-4.py", "aa/x.py", "a/", "line 4.md"],
)
def test_a_path_that_has_nothing_around_it_stays(path: str) -> None:
    """Names may hold brackets, digits and spaces."""
    assert find(f"`{path}`", [path]) == path


@each_row(
    ("written", "path"),
    [
        *((path, path) for path in ("x.py", "a/x.py", "odd:4", "lib/y.py")),
        *((path, "src/one/main.go") for path in ("main.go", "one/main.go:12", "a/one/main.go")),
        *(("b/x.py", "x.py"), ("`a/x.py:3`", "a/x.py"), ("only.py", "b/only.py"), ("a/z.py", "deep/a/z.py")),
        *((path, None) for path in ("y.py", "e/main.go", "Main.go", "", "/")),
    ],
)
def test_the_path_that_is_meant(written: str, path: str | None) -> None:
    """One that is there as it is written wins; the end of several is none."""
    assert find(written, PATHS) == path


TREE = ["a/x.py", "cmd/x/main.go", "lib/x/main.go", "new/sums.py", "sums.py"]
RENAMED = a_file("new/sums.py", status="renamed", previous_path="old/totals.py")
SOURCE = Source(reading({}), (a_file("cmd/x/main.go"), RENAMED), TREE)


@each_row(
    ("written", "path"),
    [
        ("old/totals.py", "new/sums.py"),
        ("`totals.py:12`", "new/sums.py"),
        ("a/sums.py", "sums.py"),
        ("x/main.go", "cmd/x/main.go"),
        ("als.py", None),
    ],
)
def test_the_pull_request_tells_which_file_is_meant(written: str, path: str | None) -> None:
    """A renamed file has its old path too; of two with the same end the changed one is meant, as it was reviewed."""
    assert SOURCE.find(written) == path
