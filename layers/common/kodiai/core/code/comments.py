"""Comments: the parts of a file that its compiler does not read."""

from collections.abc import Iterable, Iterator, Sequence

from kodiai.core.code.syntax import SyntaxTree, parse

LineSpan = tuple[int, int, int]
"""A part of a line: its row from 0, its first column and the column after its last, in characters."""


def comment_spans(path: str, lines: Sequence[str], *, docstrings: bool) -> tuple[LineSpan, ...]:
    """The comments of a file by its grammar, none without one; with `docstrings` also those of Python."""
    syntax = parse(path, lines)
    return () if syntax is None else tuple(_spans(syntax, docstrings=docstrings))


def blanked(lines: Sequence[str], spans: Iterable[LineSpan]) -> list[str]:
    """Lines with each character of these spans as a space, so that lines and columns stay."""
    bare = list(lines)
    for row, start, end in spans:
        shift = bare[row].startswith("\ufeff") if row == 0 else 0  # the tree begins after such a mark
        bare[row] = bare[row][: start + shift] + " " * (end - start) + bare[row][end + shift :]
    return bare


def _spans(syntax: SyntaxTree, *, docstrings: bool) -> Iterator[LineSpan]:
    rows = syntax.source.split(b"\n")[: syntax.line_count]
    nodes = syntax.captures("comments").get("comment", [])
    if docstrings and syntax.language == "python":
        texts = syntax.captures("docstrings").get("docstring", ())
        nodes += [text for text in texts if all(each.type != "interpolation" for each in text.children)]
    for node in nodes:
        first, last = node.start_point, node.end_point
        for row in range(first.row, min(last.row + 1, len(rows))):
            start = first.column if row == first.row else 0
            end = last.column if row == last.row else len(rows[row])
            yield row, len(rows[row][:start].decode()), len(rows[row][:end].decode())
