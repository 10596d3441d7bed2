"""The lines that may begin a definition."""

import re

from kodiai.core.code.definition import may_define
from tests.tables import each_row


@each_row(
    ("language", "line", "defines"),
    [
        ("python", "    async def name(self):", True),
        ("python", "class name(Base):", True),
        ("go", "func (r *Reader) name(x int) {", True),
        ("go", "type name struct {", True),
        ("rust", "pub(crate) fn name<T>(x: T) -> u8 {", True),
        ("javascript", "export default function* name() {", True),
        ("javascript", "const name = async (x) => {", True),
        ("javascript", "  name: function (x) {", True),
        ("javascript", "  async name(x) {", True),
        ("java", "    public static List<String> name(int a,", True),
        ("c", "static int *name(int a)", True),
        ("cpp", "int A::name(int a) {", True),
        ("ruby", "  def self.name(a)", True),
        ("rust", "    mod name {", True),
        (None, "fun name(a: Int): Int {", True),
        ("python", "    x = name(1)", False),
        ("python", "name(1)", False),
        ("python", "from a import name", False),
        ("go", "    name(x)", False),
        ("javascript", "    return name(x)", False),
        ("javascript", "    await name(x, {", False),
        ("java", "    throw new name(a)", False),
        ("c", "    int x = name(a);", False),
        ("c", "int name(int a);", False),
        (None, "call(name)", False),
    ],
)
def test_a_line_that_may_begin_a_definition_is_known_from_one_that_uses_the_name(
    language: str | None, line: str, defines: bool
) -> None:
    """By a keyword in front of the name, or by the way the language writes functions."""
    found = re.search(r"\bname\b", line)

    assert found is not None
    assert may_define(language, line, *found.span()) is defines
