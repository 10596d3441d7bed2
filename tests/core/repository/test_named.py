"""The definitions and uses of a name, in the languages that tell where a file takes it from."""

from kodiai.core.repository.named import definitions_of, words_of
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, FilesTree
from tests.tables import each_row

PYTHON = "def total(x):\n    return x\n"
SCRIPT = "export function total(x) { return x }\n"
TEXTS = {
    ".c": "int total(int x) { return x; }\n",
    ".go": "package p\n\nfunc total(x int) int { return x }\n",
    ".java": "class Sums { int total(int x) { return x; } }\n",
    ".js": SCRIPT,
    ".kt": "fun total(x: Int) {\n}\n",
    ".py": PYTHON,
    ".rb": "def total(x)\nend\n",
    ".rs": "fn total(x: i32) {}\n",
    ".ts": SCRIPT,
}


@each_row(
    ("user", "text", "others", "first"),
    [
        ("a/user.py", "from b.sums import total\n", "a/sums.py b/sums.py", "b/sums.py"),
        ("b/user.py", "from .sums import total\n", "a/sums.py b/a.py b/sums.py", "b/sums.py"),
        ("a/b/user.py", "from ..sums import total\n", "a/b/sums.py a/sums.py", "a/sums.py"),
        ("a/user.py", "from lib.sums import total\n", "a/sums.py lib/sums/__init__.py", "lib/sums/__init__.py"),
        ("b/user.py", "import os\n", "a/c.py b/c.py", "b/c.py"),
        ("a/user.py", "import os\n", "a/test_c.py a/x.py", "a/x.py"),
        ("z/user.py", f"from a.c import x\n{PYTHON}", "a/c.py", "z/user.py"),
        ("a/user.py", "from sums import total\n", "a/b.py src/sums.py", "src/sums.py"),
        ("w/user.ts", 'import { total } from "../x/sums";\n', "w/sums.ts x/sums.ts", "x/sums.ts"),
        ("w/user.tsx", 'import { total } from "./b";\n', "w/a.js w/b/index.js", "w/b/index.js"),
        ("w/User.vue", "<script>\n", "w/b.js", "w/b.js"),
        ("z/user.go", 'package z\nimport "x/a"\n', "a/sums.go z/sums.go", "z/sums.go"),
        ("y/user.go", 'package y\nimport "shop/lib/b"\n', "lib/a/s.go lib/b/s.go", "lib/b/s.go"),
        ("src/z/User.java", "import x.b.Sums;\n", "src/x/a/Sums.java src/x/b/Sums.java", "src/x/b/Sums.java"),
        ("user.c", '#include "b.h"\n', "a.c b.c", "b.c"),
        ("user.rb", 'require_relative "lib/b"\n', "lib/a.rb lib/b.rb", "lib/b.rb"),
    ],
)
def test_the_nearest_definition_is_first(user: str, text: str, others: str, first: str) -> None:
    """What a file imports, by path or by module, comes before what is near; a test is last, other languages are out."""
    related = others.split()
    files = {path: TEXTS[path[path.rindex(".") :]] for path in ("a/a.rs", "total.kt", *related)}
    view = RepositoryView(FilesTree({user: text, **files}), PARSER)

    found = [path for path, _ in definitions_of(view, "total", user).definitions]

    assert found[:1] == [first]
    assert {*found} - {user} == {*related}


def test_a_search_ends_with_its_time() -> None:
    """Files that are not searched are known, so nobody takes them for files without a match."""
    left = [100.0, 100.0, 70.0]
    view = RepositoryView(FilesTree({"a.py": "total\n", "b.py": "total\n"}), PARSER, time_left=lambda: left.pop(0))

    found = words_of(view, "total", None).words

    assert (found.lines, found.searched, found.unsearched) == ({"a.py": [1]}, 1, {"the time was over": ["b.py"]})
