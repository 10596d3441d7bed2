"""Which lines may begin a definition."""

import re

import pytest

from kodiai.core.code.definition import may_define


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("python", "    async def name(self):"),
        ("python", "class name(Base):"),
        ("go", "func (r *Reader) name(x int) {"),
        ("go", "type name struct {"),
        ("rust", "pub(crate) fn name<T>(x: T) -> u8 {"),
        ("javascript", "export default function* name() {"),
        ("javascript", "const name = async (x) => {"),
        ("javascript", "  name: function (x) {"),
        ("javascript", "  async name(x) {"),
        ("java", "    public static List<String> name(int a,"),
        ("c", "static int *name(int a)"),
        ("cpp", "int A::name(int a) {"),
        ("ruby", "  def self.name(a)"),
        (None, "fun name(a: Int): Int {"),
    ],
)
def test_a_line_that_begins_a_definition_is_found(language: str | None, line: str) -> None:
    """With a keyword in front of the name, or the way the language writes functions."""
    assert may_define(language, line, *_at(line))


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("python", "    x = name(1)"),
        ("python", "name(1)"),
        ("python", "from a import name"),
        ("go", "    name(x)"),
        ("javascript", "    return name(x)"),
        ("javascript", "    await name(x, {"),
        ("java", "    throw new name(a)"),
        ("c", "    int x = name(a);"),
        ("c", "int name(int a);"),
        (None, "call(name)"),
    ],
)
def test_a_line_that_uses_a_name_is_none(language: str | None, line: str) -> None:
    """Else a name that is called in many places would seem to be defined in many."""
    assert not may_define(language, line, *_at(line))


def _at(line: str) -> tuple[int, int]:
    found = re.search(r"\bname\b", line)
    assert found is not None
    return found.span()
