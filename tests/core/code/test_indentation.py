"""Outlines of files in languages without a grammar."""

from kodiai.core.code.outline import outline
from tests.tables import each_row

SWIFT = """\
import Foundation

class Cart: Base {
    func total(of rows: [Row]) -> Int {
        if rows.isEmpty {
            return 0
        }
        return 1
    }

    var count: Int {
        rows.count
    }
}
"""
KOTLIN = """\
import a.B
import a.C

class Cart(
    val rows: List<Row>,
) {
    // fun no() {
    fun total(): Int {
        return 1
    }
}"""
LUA = """\
local json = require("json")
local function add(a)
	return a
end
M.sum = function(b)
	while b do
		b()
	end
end"""


@each_row(
    ("path", "text", "definitions", "imports"),
    [
        ("a.swift", SWIFT, ["class Cart 3-14", "function total 4-9", "block var count: Int 11-13"], ((1, 1),)),
        ("a.kt", KOTLIN, ["class Cart 4-11", "function total 8-10"], ((1, 2),)),
        (
            "a.dart",
            "import 'a';\nclass Cart\n{\n  int total(int rate)\n  {\n    return 1;\n  }\n}",
            ["class Cart 2-8", "function total 4-7"],
            ((1, 1),),
        ),
        ("a.lua", LUA, ["function add 2-4", "function M.sum 5-9"], ((1, 1),)),
        (
            "a.ex",
            "defmodule Cart do\n  alias Shop.Row\n  def total(rows) do\n    1\n  end\nend",
            ["module Cart 1-6", "function total 3-5"],
            (),
        ),
        ("a.yml", "# all:\njobs:\n  test:\n    - one\n  lint: 1\n", ["block jobs 2-5", "block test 3-4"], ()),
        ("a.tf", 'resource "a" "b" {\n  c = 1\n}\n', ['block resource "a" "b" 1-3'], ()),
        ("a.css", "@import 'x';\n.a > b {\n  c: d;\n}", ["block .a > b 2-4"], ((1, 1),)),
        ("a.md", "import a\nclass B:\n    def c():\n        d\n", [], ()),
        ("a.unknown", "word word\nword\n   word\n\n", [], ()),
    ],
)
def test_blocks_are_known_by_indentation_and_imports_by_their_first_word(
    path: str, text: str, definitions: list[str], imports: tuple[tuple[int, int], ...]
) -> None:
    """A block has a heading and what is deeper below it; conditions, loops, comments and prose head none."""
    seen = outline(path, text.split("\n"))

    assert [f"{one.kind} {one.name} {one.start_line}-{one.end_line}" for one in seen.definitions] == definitions
    assert seen.imports == {line for start, end in imports for line in range(start, end + 1)}
    assert not seen.has_grammar
