"""Any text in a file has an outline."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.code.names import bound_names
from kodiai.core.code.new_errors import has_new_error
from kodiai.core.code.outline import Outline, first_error, outline
from kodiai.core.code.statements import changed_code
from tests.tables import each_row

PATHS = "a.py a.js a.ts a.tsx a.go A.java a.rs a.rb a.c a.h A.cs a.php a.sh a.swift a.yml a.md a".split()
PIECES = (
    "( ) [ ] { } < > ; : , . = + - * / \\ | & % $ @ # ! ? ^ ~ ` ' \" // /* */ ''' <<A => -> :: ${ #{ <?php ?> def end "
    "class function fn func if else for import from use await async lambda template return x y 1 0x é 日 "
    "\0 \ufeff \ud800 \r \x0c \u2028"
).split(" ")
TEXTS = st.lists(st.sampled_from([*PIECES, "\n", "\n    ", "\t"]), max_size=60).map(" ".join)


def is_in_range(seen: Outline, count: int) -> bool:
    ranges = [*((one.start_line, one.end_line) for one in seen.definitions), *((line, line) for line in seen.imports)]
    return all(1 <= start <= end <= count for start, end in ranges)


def error_in(path: str, lines: list[str]) -> int | None:
    """The line of the first error, 0 if nothing can tell."""
    try:
        return first_error(path, lines)
    except ValueError:
        return 0


@settings(max_examples=120)
@given(path=st.sampled_from(PATHS), text=TEXTS, keep_ends=st.booleans())
def test_any_text_is_answered_and_lines_are_in_range(path: str, text: str, keep_ends: bool) -> None:
    """However the text was cut into lines."""
    lines = text.splitlines(keepends=True) if keep_ends else text.split("\n")

    seen = outline(path, lines)
    names = bound_names(path, lines, ["x"])
    error = error_in(path, lines)
    gone, made = changed_code(path, lines, [*lines[1:], "x"]) or ((), ())
    with suppress(ValueError):
        has_new_error(path, lines, [*lines[1:], "x"])

    assert is_in_range(seen, len(lines))
    assert all(1 <= line <= max(1, len(lines)) for line in (*gone, *made))
    assert all(one.name.strip() for one in seen.definitions)
    assert error is None or error in range(max(1, len(lines)) + 1)
    assert names is None or (seen.has_grammar and error is None)


@each_row("path", ["a.py", "a.ts", "a.go", "A.java", "a.rs", "a.rb", "a.swift"])
@each_row(
    "text",
    [
        *("(" * 100_000, "{\n" * 20_000, "(" * 900 + ")" * 900, "a + " * 20_000 + "a", "! " * 20_000),
        *("\n".join(" " * depth + "if a:" for depth in range(300)), "\x00\x01\x7f\xff" * 1_500),
    ],
)
def test_depth_and_junk_end_in_an_answer(path: str, text: str) -> None:
    """No stack runs out, and no time."""
    lines = text.split("\n")

    error = error_in(path, lines)
    gone, made = changed_code(path, lines, [*lines[1:], "x"]) or ((), ())

    assert is_in_range(outline(path, lines), len(lines))
    assert all(1 <= line <= len(lines) for line in (*gone, *made))
    assert error is None or error in range(len(lines) + 1)


@pytest.mark.parametrize(
    ("lines", "definitions", "has_grammar"),
    [
        (["def f(a):", "    return a", "", "", "x = f(1)"] * 4_000, 4_000, True),
        (["\\"] * 60_000, 0, False),
        (["def f(a):", f"    return {'a' * 380}"] * 5_000, 5_000, False),
    ],
    ids=["twenty thousand lines", "lines that would take minutes", "over two megabytes"],
)
def test_a_long_file_is_parsed_unless_nobody_wrote_it(lines: list[str], definitions: int, has_grammar: bool) -> None:
    """Its indentation says what it defines then; each line that goes on would be read again from the first one."""
    seen = outline("a.py", lines)

    assert (len(seen.definitions), seen.has_grammar) == (definitions, has_grammar)
    assert error_in("a.py", lines) == (None if has_grammar else 0)
