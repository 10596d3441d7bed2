"""The outline of a file: its definitions and its imports; and its first syntax error."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from kodiai.core.changes.kinds import is_prose
from kodiai.core.code.definition import Definition
from kodiai.core.code.indentation import blocks, import_lines
from kodiai.core.code.syntax import SyntaxTree, parse

_LONGEST_NAME = 100


@dataclass(frozen=True)
class Outline:
    """The definitions and imports of one file; all lines are 1-based, and ranges include both ends.

    `definitions` are in the order of their first lines, outer ones first; `imports` the lines that import.
    `has_grammar` is False if all was guessed from indentation and keywords.
    """

    definitions: tuple[Definition, ...]
    imports: frozenset[int]
    has_grammar: bool

    def enclosing(self, start: int, end: int) -> tuple[Definition, ...]:
        """The definitions that have all of these lines, innermost first."""
        return tuple(reversed([one for one in self.definitions if one.covers(start, end)]))


def outline(path: str, lines: Sequence[str]) -> Outline:
    """Outline a file by its grammar, else by its indentation; nothing is ever raised."""
    syntax = parse(path, lines)
    if syntax is None:
        return guessed_outline(path, lines)
    named: dict[int, Definition] = {}
    leads: dict[int, int] = {}
    importing: set[int] = set()
    for match in syntax.matches("outline"):
        if "name" in match and syntax.text(match["name"][0]).strip():
            _add(named, match, syntax)
        for node in match.get("import", ()):
            importing.update(range(syntax.first_line(node), syntax.last_line(node) + 1))
        alone = [node for node in match.get("lead", ()) if _is_alone(node, syntax)]
        leads |= {syntax.last_line(node): syntax.first_line(node) for node in alone}
    return Outline(_in_order(_led(named, leads)), frozenset(importing), has_grammar=True)


def first_error(path: str, lines: Sequence[str]) -> int | None:
    """The 1-based line of the first syntax error, None if the file parses.

    A grammar may accept more than a compiler, which also knows types and names, and may not know the newest syntax.
    Raises ValueError if nothing can tell.
    """
    syntax = parse(path, lines)
    if syntax is None:
        raise ValueError("no grammar reads it")
    return syntax.first_error


def guessed_outline(path: str, lines: Sequence[str]) -> Outline:
    """Outline a file by its indentation; prose has no outline."""
    code = () if is_prose(path) else lines
    return Outline(_in_order(blocks(code)), frozenset(import_lines(code)), has_grammar=False)


def _in_order(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    return tuple(sorted(definitions, key=lambda one: (one.start_line, -one.end_line)))


def _add(named: dict[int, Definition], match: Mapping[str, Sequence[Node]], syntax: SyntaxTree) -> None:
    """Add a definition, or widen it: what wraps it (decorators, an export, a template) is matched as well."""
    kind, name = next(kind for kind in match if kind != "name"), match["name"][0]
    (node,) = match[kind]
    text = syntax.text(name)
    text = " ".join((text.strip("\"'`:") or text).split())[:_LONGEST_NAME]
    found = Definition(text, kind, syntax.first_line(node), syntax.last_line(node))
    known = named.get(name.start_byte, found)
    named[name.start_byte] = Definition(
        found.name,
        found.kind if known.kind == "type" else known.kind,  # a struct is a type too, but `struct` says more
        min(found.start_line, known.start_line),
        max(found.end_line, known.end_line),
    )


def _is_alone(node: Node, syntax: SyntaxTree) -> bool:
    """Whether nothing else is on its lines."""
    before = syntax.source[node.start_byte - node.start_point.column : node.start_byte]
    after = syntax.source[node.end_byte : syntax.source.find(b"\n", max(node.end_byte - 1, 0))]
    return not before.strip() and not after.strip()


def _led(named: Mapping[int, Definition], leads: Mapping[int, int]) -> Iterator[Definition]:
    """The definitions with their leads; of two that begin on one line the first takes them."""
    taken: set[int] = set()
    for _, one in sorted(named.items()):
        start = one.start_line
        while start - 1 in leads and one.start_line not in taken:
            start = leads[start - 1]
        taken.add(one.start_line)
        yield replace(one, start_line=start)
