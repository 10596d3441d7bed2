"""Whether a replacement can be offered for one click."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.suggestion import suggestion
from tests.builders import a_finding

LINES = ["def f():", "    x = 1", "", "    return x", "    # end\r"]


def offered(replacement: str | None, start: int, end: int, quote: str | None = None) -> str | None:
    quote = "\n".join(LINES[start - 1 : end]) if quote is None else quote
    return suggestion(a_finding(start_line=start, end_line=end, quote=quote, replacement=replacement), LINES)


@pytest.mark.parametrize(
    ("replacement", "start", "end", "text"),
    [
        ("    x = 2", 2, 2, "    x = 2\n"),
        ("    x = 2\n", 2, 2, "    x = 2\n"),
        ("    x = 2\r\n    y = 3\r\n", 2, 2, "    x = 2\n    y = 3\n"),
        ("    return 1", 2, 4, "    return 1\n"),
        ("    x = 2\n\n", 2, 2, "    x = 2\n\n"),
        ("", 2, 2, ""),
        ("def g():\n    y = 2", 1, 2, "def g():\n    y = 2\n"),
        ("    # over", 5, 5, "    # over\n"),
    ],
)
def test_a_replacement_of_exactly_the_quoted_lines_is_offered(
    replacement: str, start: int, end: int, text: str
) -> None:
    """Every line ends with a newline; no text at all takes the lines away."""
    assert offered(replacement, start, end) == text


def test_white_space_in_the_quote_does_not_matter() -> None:
    """The model may quote without indentation and blank lines."""
    assert offered("    return 1", 2, 4, quote="x = 1\nreturn x") == "    return 1\n"


@pytest.mark.parametrize(
    ("case", "replacement", "start", "end", "quote"),
    [
        ("there is none", None, 2, 2, None),
        ("nothing changes", "    x = 1", 2, 2, None),
        ("nothing but the line end changes", "    # end", 5, 5, None),
        ("nothing but the line end changes", "    # end\r\n", 5, 5, None),
        ("indentation is lost", "x = 2", 2, 2, None),
        ("indentation is another", "\tx = 2", 2, 2, None),
        ("it begins with a blank line", "\n    x = 2", 2, 2, None),
        ("only a part of the line was quoted", "    x = 2", 2, 2, "x ="),
        ("one of the lines was not quoted", "    return 1", 2, 4, "    return x"),
        ("the lines end beyond the file", "    x = 2", 5, 6, None),
        ("the file is not there", "    x = 2", 9, 9, ""),
    ],
)
def test_what_does_not_fit_is_not_offered(
    case: str, replacement: str | None, start: int, end: int, quote: str | None
) -> None:
    """One click must never break the file, nor take away code that nobody looked at."""
    assert offered(replacement, start, end, quote) is None, case


_LINE = st.sampled_from(["", "a", "  a", "\ta = 1", "b\r"])


@given(lines=st.lists(_LINE, min_size=1, max_size=4), replacement=st.lists(_LINE, max_size=4).map("\n".join))
def test_what_is_offered_changes_the_lines_and_nothing_else(lines: list[str], replacement: str) -> None:
    """It is the replacement's lines, each ended, and never what stands there already."""
    finding = a_finding(start_line=1, end_line=len(lines), quote="\n".join(lines), replacement=replacement)

    text = suggestion(finding, lines)

    if text is not None:
        assert text == "" or text.endswith("\n")
        assert text.split("\n")[:-1] != [line.removesuffix("\r") for line in lines]
        assert text.removesuffix("\n") == replacement.replace("\r\n", "\n").removesuffix("\n")
