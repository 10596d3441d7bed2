"""Which names of a Python module stand only in annotations that are never evaluated."""

import ast
import warnings
from collections.abc import Iterator


def names_never_evaluated(text: str) -> frozenset[tuple[int, str]]:
    """Give (line, name) of the names that stand in annotations which stay text at run time.

    These are the quoted ones, and all of them under `from __future__ import annotations`.

    Empty for a text that this interpreter cannot parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    postponed = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(n.name == "annotations" for n in node.names)
        for node in tree.body
    )
    return frozenset(place for annotation in _annotations(tree) for place in _names(annotation, postponed=postponed))


def _annotations(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            yield node.returns


def _names(annotation: ast.expr, *, postponed: bool) -> Iterator[tuple[int, str]]:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and postponed:
            yield node.lineno, node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, name) for name in _quoted_names(node.value))


def _quoted_names(quoted: str) -> Iterator[str]:
    try:
        inner = ast.parse(quoted, mode="eval")
    except (SyntaxError, ValueError):
        return
    yield from (node.id for node in ast.walk(inner) if isinstance(node, ast.Name))
