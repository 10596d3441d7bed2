"""The names that a file binds, and those that its language gives."""

import re
from collections.abc import Container, Sequence
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
    _syntax: SyntaxTree
    _nodes: Sequence[tuple[str, Node, Node | None]]
    """Each name's node with the innermost function that the name is local to, None for the file."""

    def bindings(self, name: str) -> list[Binding]:
        """The places where the file binds a name.

        A local one counts for the innermost block around it: languages differ in whether it reaches farther.
        """
        syntax = self._syntax
        found = []
        for node, home in (each[1:] for each in self._nodes if each[0] == name):
            block = _block(node, home or syntax.root)
            lines = syntax.first_line(node), syntax.first_line(block), syntax.last_line(block)
            found.append(Binding(*lines, is_local=home is not None))
        return found

    def on(self, lines: Container[int]) -> list[tuple[str, int]]:
        """The names that the file binds on some lines, each with its line."""
        found = ((name, self._syntax.first_line(node)) for name, node, _ in self._nodes)
        return [each for each in found if each[1] in lines]


def bound_names(path: str, lines: Sequence[str]) -> BoundNames | None:
    """The names that a file binds, None if its grammar does not find names or the file does not parse."""
    syntax = parse(path, lines)
    if syntax is None or not grammar_of(syntax.language).names or syntax.first_error() is not None:
        return None
    captured = syntax.captures("names")
    unbound, own = ({node.id for node in captured.get(kind, ())} for kind in ("unbound", "own"))
    bound = {node.id: node for kind in ("own", "bind") for node in captured.get(kind, ()) if node.id not in unbound}
    nodes = []
    for node, around in inside(bound.values(), captured.get("scope", ())):
        homes = around[:-1] if node.id in own else around
        nodes.append((syntax.text(node).strip("`:"), node, homes[-1] if homes else None))
    packages = {_package_name(syntax.text(node).strip('"`')) for node in captured.get("path", ())}
    is_complete = unbound.issuperset(node.id for node in captured.get("open", ()))
    return BoundNames(frozenset(packages).union(name for name, *_ in nodes), is_complete, syntax, nodes)


def is_builtin(path: str, name: str) -> bool:
    """Whether the language of a file gives a name without an import, on every platform."""
    language = language_of(path)
    return language is not None and name in _builtins(language)


@cache
def _builtins(language: str) -> frozenset[str]:
    return frozenset(grammar_of(language).builtins.split())


def _package_name(path: str) -> str:
    """What a package of Go is called by custom; only its source is certain."""
    last = _VERSION.sub("", path).rpartition("/")[2]
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go")


def _block(node: Node, home: Node) -> Node:
    """The innermost block around a node, its function at most."""
    while node != home and node.parent is not None and not _BLOCK.search(node.type):
        node = node.parent
    return node
