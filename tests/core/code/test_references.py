"""The paths that files name by where they stand."""

from kodiai.core.code.references import references
from tests.tables import each_row


@each_row(
    ("path", "text", "found"),
    [
        ("a.py", "from .b.c import x", [(1, ".b.c", "b/c")]),
        ("a.py", "import os\nfrom . import x, y as z", [(2, ".x", "x"), (2, ".y", "y")]),
        ("a.py", "from ... import (\n    x,\n)\nfrom ..a import *", [(1, "...x", "../../x"), (4, "..a", "../a")]),
        ("a.py", "from b import c\ntext = 'from .x import y'  # from .z import y", []),
        ("a.py", 'a = Path(__file__).parent / "b" / "c"\nb = Path(__file__) / "d"', [(1, "b", "b")]),
        ("a.py", 'open(pathlib.Path(__file__).resolve().parent.parent / "b.sql")', [(1, "b.sql", "../b.sql")]),
        ("a.py", 'os.path.join(os.path.dirname(os.path.abspath(__file__)), "b")', [(1, "b", "b")]),
        ("a.py", 'os.path.join(os.path.dirname(b), "c")\nPath(b).parent / "c"\nPath(__file__).parent / f"{c}"', []),
        ("a.js", "join(__dirname, '../b')\nread(`${__dirname}/c`)", [(1, "../b", "../b"), (2, "/c", "c")]),
        ("a.mjs", "new URL('./b', import.meta.url)\nnew URL('./b', c.d)", [(1, "./b", "./b")]),
        ("a.js", "join(root, '../b')\nread(`${__dirname}/${c}`)\nread(`${root}/c`)", []),
        ("a.rb", "File.join(__dir__, 'b')\nFile.expand_path('../c', __dir__)", [(1, "b", "b"), (2, "../c", "../c")]),
        ("a.js", "import a from './a'\nexport * from '../b'", [(1, "./a", "./a"), (2, "../b", "../b")]),
        ("a.js", "require('./a')\nawait import('./b.js')", [(1, "./a", "./a"), (2, "./b.js", "./b.js")]),
        ("a.jsx", "import logo from './a.svg?raw'", [(1, "./a.svg?raw", "./a.svg")]),
        ("a.js", "require('fs')\nread('./a')\nimport(`./${a}`)\nimport b from 'b'\n// require('./c')", []),
        ("a.ts", "import a = require('./a')\nimport type { B } from './b'", [(1, "./a", "./a"), (2, "./b", "./b")]),
        ("a.tsx", "export { A } from './a'", [(1, "./a", "./a")]),
        ("a.c", '#include "b/c.h"\n#include <stdio.h>', [(1, "b/c.h", "b/c.h")]),
        ("a.hpp", '#include "../c.h"', [(1, "../c.h", "../c.h")]),
        ("a.rs", 'mod a;\n#[path = "other.rs"]\nmod b;\nmod c { mod d; }', [(1, "a", "a")]),
        ("a.rs", 'const A: &str = include_str!("a.sql");\nprint!("b");', [(1, "a.sql", "a.sql")]),
        ("a.rb", "require_relative 'a/b'\nrequire 'c'\nrequire_relative \"d#{e}\"", [(1, "a/b", "a/b")]),
        ("a.php", "<?php require __DIR__ . '/a.php';", [(1, "/a.php", "a.php")]),
        ("a.php", "<?php\nrequire_once(__DIR__ . \"/../b.php\");\n$c = C . '/d';", [(2, "/../b.php", "../b.php")]),
        ("a.sh", "source ./a.sh\n. ../b\nsource c\nls ./d", [(1, "./a.sh", "./a.sh"), (2, "../b", "../b")]),
        ("a.sh", '. "$(dirname "$0")/a"\n"${BASH_SOURCE%/*}/b" -x', [(1, "/a", "a"), (2, "/b", "b")]),
        ("a.sh", 'source "$(dirname "${BASH_SOURCE[0]}")/a"\ncat "$(dirname "$1")/b" "$(pwd)/c"', [(1, "/a", "a")]),
        (
            "a.md",
            "# A\n\nText\n[b](../b.md#c) and\n![d](d%20e.png)",
            [(4, "../b.md#c", "../b.md"), (5, "d%20e.png", "d e.png")],
        ),
        ("a.md", "[a](https://a.example) [b](#b) [c](/c.md) `[d](d.md)`\n\n    [e](e.md)", []),
        ("a.md", "| a |\n| - |\n| [b] |\n\n[b]: ./b.md", [(3, "./b.md", "./b.md")]),
        ("a.go", 'import "./a"', []),
        ("a.yml", "a: ./b", []),
    ],
)
def test_references_are_the_literal_paths_from_the_folder_of_their_file(
    path: str, text: str, found: list[tuple[int, str, str]]
) -> None:
    """Each has its line, how it is written, and its path; what a program computes has none."""
    assert [
        (each.line, each.text, each.path) for each in references(path, text.split("\n")) if not each.is_module
    ] == found


@each_row(
    ("path", "text", "module", "names"),
    [
        ("a.py", "import os.path as p", "os/path", "os path p"),
        ("a.py", "from b.c import (\n    d,\n    e as f,\n)", "b/c", "b c d e f"),
        ("a.go", 'package a\nimport (\n\tf "fmt"\n)', "fmt", "f fmt"),
        ("A.java", "import static a.b.C.d;", "a/b/C/d", "a b C d"),
        ("a.rs", "use crate::a::{b, C as D};", "crate/a", "crate a b C D"),
        ("a.rs", "pub use super::a::*;", "super/a/*", "super a *"),
        ("a.rs", "use a::b as c;", "a/b", "a b c"),
    ],
)
def test_modules_are_named_with_what_is_imported_of_them(path: str, text: str, module: str, names: str) -> None:
    """A relative import has these names too."""
    [found] = references(path, text.split("\n"))

    assert (found.is_module, found.path) == (True, module)
    assert found.names >= {*names.split()}
    assert references("a.ts", ["import {", "  b as c", "} from './d'"])[0].names >= {"b", "c"}
