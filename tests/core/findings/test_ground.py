"""Whether a finding is about code that is really there, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.ground import NotGrounded, ground
from tests.builders import a_finding

CODE = """\
def total(values):
    result = 0

    for value in values:
        result += value  # add it up

    return result


def mean(values):
    result = total(values) / len(values)
    return result
""".split("\n")[:-1]


def grounded(quote: str, start: int, end: int, lines: list[str] | None = None, **given: object) -> Finding:
    finding = a_finding(quote=quote, start_line=start, end_line=end, **given)
    return ground(finding, lambda path: (CODE if lines is None else lines) if path == "src/app.py" else None)


@pytest.mark.parametrize(
    ("quote", "start", "end"),
    [
        ("        result += value  # add it up", 5, 5),
        ("result += value", 5, 5),
        ("result+=value", 5, 5),
        ("\tresult  +=\tvalue\r\n", 5, 5),
        ("for value in values:\n        result += value  # add it up", 4, 5),
        ("for value in values:\n\n\n  result += value", 4, 5),
        ("    result = 0\n    for value in values:", 2, 4),
        ("in values:\n result += value # add", 4, 5),
        ("for value in values:\n        result +=", 4, 5),
        ("def total(values):\n    result = 0\n    for value", 1, 4),
        ("result += value", 1, 12),
    ],
)
def test_a_quote_at_the_lines_that_are_named_stays_there(quote: str, start: int, end: int) -> None:
    """White space and blank lines do not count, a piece of a line suffices, more lines may be meant."""
    finding = grounded(quote, start, end, replacement="x")

    assert (finding.start_line, finding.end_line, finding.replacement) == (start, end, "x")


@pytest.mark.parametrize(
    ("quote", "named", "found"),
    [
        ("result += value", (4, 4), (5, 5)),
        ("result += value", (1, 3), (5, 5)),
        ("return result", (1, 1), (7, 7)),
        ("return result", (9, 9), (7, 7)),
        ("return result", (10, 10), (12, 12)),
        ("return result", (400, 400), (12, 12)),
        ("return result", (12, 40), (12, 12)),
        ("result = 0\nfor value in values:", (2, 2), (2, 4)),
    ],
)
def test_a_quote_that_stands_elsewhere_moves_the_finding_to_the_nearest_place(
    quote: str, named: tuple[int, int], found: tuple[int, int]
) -> None:
    """Lines beyond the end of the file are no place."""
    finding = grounded(quote, *named)

    assert (finding.start_line, finding.end_line) == found


def test_a_replacement_goes_with_as_many_lines_as_it_was_made_for() -> None:
    """Moved as a whole it still fits; where the number of lines changes nobody knows what it replaces."""
    moved = grounded("return result", 9, 9, replacement="return 1")
    stretched = grounded("result = 0\nfor value in values:", 2, 2, replacement="return 1")

    assert moved.replacement == "return 1"
    assert stretched.replacement is None


@pytest.mark.parametrize(
    "quote",
    [
        "result -= value",
        "Result += value",
        "for value in values:\n    return result",
        "return result\nresult = 0",
        "value in values:\n  # add it up",
        "for value\n        result += value  # add it up\n    return result",
        "result += value\n" * 13,
    ],
)
def test_code_that_is_not_there_grounds_nothing(quote: str) -> None:
    """Other code, another order, lines left out between."""
    with pytest.raises(NotGrounded, match=r"^the quoted code is not in the file$"):
        grounded(quote, 5, 5)


@pytest.mark.parametrize("quote", ["", " \n\t\r\n "])
def test_a_finding_without_a_quote_is_not_grounded(quote: str) -> None:
    """Blank lines are found anywhere and prove nothing."""
    with pytest.raises(NotGrounded, match=r"^it quotes no code$"):
        grounded(quote, 5, 5)


def test_a_file_that_is_not_there_grounds_nothing() -> None:
    """A path that the model made up, or a file that is no text."""
    with pytest.raises(NotGrounded, match=r"^no such file at the head$"):
        grounded("return result", 7, 7, path="src/other.py")


def test_an_empty_file_grounds_nothing() -> None:
    """It has no lines at all."""
    with pytest.raises(NotGrounded, match=r"^the quoted code is not in the file$"):
        grounded("x", 1, 1, lines=[])


_LINE = st.sampled_from(["a", "b", "a b", " ", "", "\tb", "a\r"])


@given(lines=st.lists(_LINE, max_size=9), quote=st.lists(_LINE, max_size=4), named=st.integers(1, 12))
def test_where_a_finding_lands_its_quote_stands(lines: list[str], quote: list[str], named: int) -> None:
    """The lines of a grounded finding exist and hold the quote; a quote of whole lines is always found."""

    def squeezed(text: str) -> str:
        return "".join(text.split())

    text = "\n".join(quote)
    whole = [squeezed(line) for line in quote if squeezed(line)]
    solid = [squeezed(line) for line in lines if squeezed(line)]
    stands = bool(whole) and any(solid[at : at + len(whole)] == whole for at in range(len(solid)))

    try:
        finding = grounded(text, named, named, lines)
    except NotGrounded:
        assert not stands
        return

    assert 1 <= finding.start_line <= finding.end_line <= len(lines)
    found = squeezed("".join(lines[finding.start_line - 1 : finding.end_line]))
    assert all(line in found for line in whole)
