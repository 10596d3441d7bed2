"""The names that a file binds, and those that its language gives."""

import re
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass
from functools import cache

from tree_sitter import Node

from kodiai.core.code.grammar import grammar_of, inside
from kodiai.core.code.language import language_of
from kodiai.core.code.syntax import SyntaxTree, parse

_BLOCK = re.compile(r"block|body|declaration_list|^(case|catch|do|for|if|loop|match|switch|try|using|while|with)_")
_VERSION = re.compile(r"(/v\d+|\.v\d+)$")


@dataclass(frozen=True, slots=True)
class Binding:
    """A 1-based line that binds a name; `start` and `end` are the lines where the name certainly has a meaning.

    `is_local` is whether these are a part of a function.
    """

    line: int
    start: int
    end: int
    is_local: bool


@dataclass(frozen=True)
class BoundNames:
    """Every name that a file defines, imports, assigns, declares or takes as a parameter.

    Members that are only reached through an object or a type (a method in Python, a field in Go) are not among them.
    Another name may still come from another file of the package, or, unless `is_complete`, from an import that does
    not list its names.
    """

    names: frozenset[str]
    is_complete: bool
    rows: tuple[tuple[str, int], ...]
    """Every name that is bound with its line, in the order of the file; packages of Go are not among them."""
    places: tuple[tuple[str, Binding], ...]
    """Where the names that were asked for are bound."""

    def bindings(self, name: str) -> list[Binding]:
        """The places where the file binds a name that was asked for.

        A local one counts for the innermost block around it: languages differ in whether it reaches farther.
        """
        return [place for each, place in self.places if each == name]

    def on(self, lines: Container[int]) -> list[tuple[str, int]]:
        """The names that the file binds on some lines, each with its line."""
        return [each for each in self.rows if each[1] in lines]


def bound_names(path: str, lines: Sequence[str], wanted: Collection[str]) -> BoundNames | None:
    """The names that a file binds, and where it binds those that are wanted.

    None if its grammar does not find names or the file does not parse.
    """
    syntax = parse(path, lines)
    try:
        if syntax is None or not grammar_of(syntax.language).names or syntax.first_error is not None:
            return None
    except ValueError:
        return None
    captured = syntax.captures("names")
    unbound, own = ({node.id for node in captured.get(kind, ())} for kind in ("unbound", "own"))
    bound = {node.id: node for kind in ("own", "bind") for node in captured.get(kind, ()) if node.id not in unbound}
    rows, places = [], []
    for node, around in inside(bound.values(), captured.get("scope", ())):
        homes = around[:-1] if node.id in own else around
        name = syntax.text(node).strip("`:")
        rows.append((name, syntax.first_line(node)))
        if name in wanted:
            places.append((name, _binding(syntax, node, homes[-1] if homes else None)))
    packages = {_package_name(syntax.text(node).strip('"`')) for node in captured.get("path", ())}
    is_complete = unbound.issuperset(node.id for node in captured.get("open", ()))
    names = frozenset(packages).union(name for name, _ in rows)
    return BoundNames(names, is_complete, tuple(rows), tuple(places))


def is_builtin(path: str, name: str) -> bool:
    """Whether the language of a file gives a name without an import, on every platform."""
    language = language_of(path)
    return language is not None and name in _builtins(language)


@cache
def _builtins(language: str) -> frozenset[str]:
    return frozenset(grammar_of(language).builtins.split())


def _package_name(path: str) -> str:
    """The name of a package of Go by custom; only its source is certain."""
    last = _VERSION.sub("", path).rpartition("/")[2]
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go")


def _binding(syntax: SyntaxTree, node: Node, home: Node | None) -> Binding:
    """A place that binds a name; `home` is the innermost function that the name is local to, None for the file."""
    block = _block(node, home or syntax.root)
    lines = syntax.first_line(node), syntax.first_line(block), syntax.last_line(block)
    return Binding(*lines, is_local=home is not None)


def _block(node: Node, home: Node) -> Node:
    """The innermost block around a node, its function at most."""
    while node != home and node.parent is not None and not _BLOCK.search(node.type):
        node = node.parent
    return node
