"""Comments: the parts of a file that its compiler does not read."""

from collections.abc import Iterator, Sequence

from kodiai.core.code.syntax import SyntaxTree, parse


def without_comments(path: str, lines: Sequence[str], *, docstrings: bool = False) -> list[str]:
    """Give a file's lines with each character of a comment as a space, so that lines and columns stay.

    The language's grammar knows the comments. With `docstrings`, the docstrings of Python become spaces too.
    A file without a grammar stays as it is.
    """
    bare = list(lines)
    syntax = parse(path, lines)
    if syntax is None:
        return bare
    for row, start, end in _spans(syntax, docstrings=docstrings):
        shift = bare[row].startswith("\ufeff") if row == 0 else 0  # the tree begins after such a mark
        bare[row] = bare[row][: start + shift] + " " * (end - start) + bare[row][end + shift :]
    return bare


def _spans(syntax: SyntaxTree, *, docstrings: bool) -> Iterator[tuple[int, int, int]]:
    """Where comments are: row from 0, first column and the column after the last, in characters."""
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
