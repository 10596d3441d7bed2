"""Comments: which part of a file its compiler does not read."""

from collections.abc import Iterator, Sequence
from functools import cache

from tree_sitter import Query, QueryCursor

from kodiai.core.code.grammar import compiled
from kodiai.core.code.syntax import Syntax, parse


def without_comments(path: str, lines: Sequence[str]) -> list[str]:
    """Give a file's lines with each character of a comment as a space, so that lines and columns stay.

    Comments are what the language's grammar says; a docstring is code. A file without a grammar stays as it is.
    """
    return _without(path, lines, docstrings=False)


def without_prose(path: str, lines: Sequence[str]) -> list[str]:
    """Give a file's lines as `without_comments` does, with the docstrings of Python as spaces too."""
    return _without(path, lines, docstrings=True)


def _without(path: str, lines: Sequence[str], *, docstrings: bool) -> list[str]:
    bare = list(lines)
    syntax = parse(path, lines)
    if syntax is None:
        return bare
    for row, start, end in _spans(syntax, docstrings=docstrings):
        shift = bare[row].startswith("\ufeff") if row == 0 else 0  # the tree begins after such a mark
        bare[row] = bare[row][: start + shift] + " " * (end - start) + bare[row][end + shift :]
    return bare


def _spans(syntax: Syntax, *, docstrings: bool) -> Iterator[tuple[int, int, int]]:
    """Where comments stand: row from 0, first column and the column after the last, in characters."""
    rows = syntax.source.split(b"\n")[: syntax.line_count]
    nodes = QueryCursor(_comments(syntax.language)).captures(syntax.root).get("comment", [])
    if docstrings and syntax.language == "python":
        texts = QueryCursor(_docstrings()).captures(syntax.root).get("docstring", ())
        nodes = [*nodes, *(text for text in texts if all(each.type != "interpolation" for each in text.children))]
    for node in nodes:
        first, last = node.start_point, node.end_point
        for row in range(first.row, min(last.row + 1, len(rows))):
            start = first.column if row == first.row else 0
            end = last.column if row == last.row else len(rows[row])
            yield row, len(rows[row][:start].decode()), len(rows[row][:end].decode())


@cache
def _comments(language: str) -> Query:
    """The question for all comments: grammars call them `comment`, `line_comment`, `html_comment` and the like."""
    grammar = compiled(language)
    kinds = {
        grammar.node_kind_for_id(number) or ""
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number) and grammar.node_kind_is_visible(number)
    }
    named = " ".join(f"({kind})" for kind in sorted(kinds) if "comment" in kind)
    return Query(grammar, f"[{named}] @comment")


@cache
def _docstrings() -> Query:
    """The question for all texts of Python that are statements of their own: nothing uses them."""
    return Query(compiled("python"), "(expression_statement . (string) @docstring .)")
