"""Which names a file binds, so that a claim that one of them is undefined can be held against it."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kodiai.core.code.grammar import grammar_of
from kodiai.core.code.language import language_of
from kodiai.core.code.syntax import Syntax, parse

_ORDER = ("scope", "own", "bind")
_BLOCK = re.compile(r"block|body|declaration_list|^(case|catch|do|for|if|loop|match|switch|try|using|while|with)_")


@dataclass(frozen=True, slots=True)
class BoundName:
    """A name that a file binds on a 1-based line; `start` and `end` are the lines where it certainly has a meaning.

    `is_local` is whether these are a part of a function.
    """

    name: str
    line: int
    start: int
    end: int
    is_local: bool


def bound_names(path: str, lines: Sequence[str]) -> frozenset[str] | None:
    """Every name that a file defines, imports, assigns, declares or takes as a parameter.

    Members that are only reached through an object or a type (a method in Python, a field in Go) are none of them.
    A name that is not among them may still come from another file of the package.
    None where it cannot be told: no grammar, a file that does not parse, an import of all that a module has.
    """
    syntax = _whole(path, lines)
    if syntax is None:
        return None
    captured = _captured(syntax)
    if captured.get("open"):
        return None
    bound = {_name_of(syntax, node) for kind in ("own", "bind") for node in captured.get(kind, ())}
    paths = (syntax.said(node).strip('"`') for node in captured.get("path", ()))
    return frozenset(bound).union(*map(syntax.grammar.import_names, paths))


def where_bound(path: str, lines: Sequence[str], name: str) -> tuple[BoundName, ...]:
    """Each place where a file binds a name; nothing where that cannot be told, see `bound_names`.

    What is local is told for the innermost block around it only: whether it reaches farther, languages differ in.
    """
    syntax = _whole(path, lines)
    if syntax is None:
        return ()
    found = []
    for node, home in _with_homes(_captured(syntax)):
        if _name_of(syntax, node) == name:
            around = _block(node, home or syntax.root)
            first, last = syntax.first_line(around), syntax.last_line(around)
            found.append(BoundName(name, syntax.first_line(node), first, last, is_local=home is not None))
    return tuple(found)


def bound_on(path: str, lines: Sequence[str], rows: Container[int]) -> tuple[tuple[str, int], ...]:
    """The names that a file binds on some lines, each with its line; nothing where that cannot be told."""
    syntax = _whole(path, lines)
    if syntax is None:
        return ()
    found = [(_name_of(syntax, node), syntax.first_line(node)) for node, _ in _with_homes(_captured(syntax))]
    return tuple(each for each in found if each[1] in rows)


def _whole(path: str, lines: Sequence[str]) -> Syntax | None:
    syntax = parse(path, lines)
    return None if syntax is None or syntax.first_error() is not None else syntax


def _name_of(syntax: Syntax, node: Node) -> str:
    return syntax.said(node).strip("`:")


def _captured(syntax: Syntax) -> dict[str, list[Node]]:
    """What the question for names captures, without what one of its patterns takes back."""
    captured = syntax.captures("names")
    unbound = {node.id for node in captured.pop("unbound", ())}
    return {kind: [node for node in nodes if node.id not in unbound] for kind, nodes in captured.items()}


def builtin(path: str, name: str) -> bool:
    """Whether the language of a file gives a name without an import, whatever it runs on."""
    language = language_of(path)
    return language is not None and name in grammar_of(language).builtins


def _with_homes(captured: Mapping[str, Sequence[Node]]) -> Iterator[tuple[Node, Node | None]]:
    """Each node that binds a name, with the innermost function that the name is local to, None for the file.

    All are gone through in the order of their first bytes; a function's own name belongs to what is around it.
    """
    nodes = [(node.start_byte, kind, node) for kind in _ORDER for node in captured.get(kind, ())]
    around: list[Node] = []
    for begin, kind, node in sorted(nodes, key=lambda each: (each[0], _ORDER.index(each[1]))):
        while around and around[-1].end_byte <= begin:
            around.pop()
        if kind == "scope":
            around.append(node)
        else:
            homes = around[:-1] if kind == "own" else around
            yield node, homes[-1] if homes else None


def _block(node: Node, home: Node) -> Node:
    """The innermost block around a node, its function at most."""
    while node != home and node.parent is not None and not _BLOCK.search(node.type):
        node = node.parent
    return node
