"""The names on given lines of a file, by its grammar: no keywords, strings or comments."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kodiai.core.code.syntax import SyntaxTree, parse

_LEAF = re.compile(r".*identifier(_pattern)?|constant|name|word")
_TAG = re.compile(r"jsx_(opening|closing|self_closing)_element")
_KEYED = re.compile(r"property_identifier|field_identifier")
_CALL = re.compile(r"call|invocation|creation|new_expression|command_name")
_CALLED_FIELDS = ("function", "method", "name", "constructor", "type", "macro")
_LAST_FIELDS = ("name", "field", "property", "attribute")
_WRAPS = re.compile(r"generic|template_|qualified|scoped|field_expression|member_access")
_DEFINES = re.compile(r"(definition|declaration|declarator|elem|item|method|signature|spec)$")
_AROUND = 6
_ANNOTATIONS = frozenset({"named_type", "type"})
_NEAR = 3
_TYPE_FIELDS = ("type", "returns")
# The field of a literal, or the named argument, and the field of the node two around it that names what it fills.
_FILLS = {"keyed_element": "type", "field_initializer": "name", "keyword_argument": "function"}
_OWNER = re.compile(r"(?<!\w)(\w++)\s*+(?:\?\.|\.|->|::)\s*\Z")
# White space between a name and what it is reached through, in bytes.
_LONGEST_GAP = 80
_WORD = re.compile(r"[^\W\d]\w*")
_CALLED_TEXT = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*)\s?\(")


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name on a 1-based line.

    `is_member` is whether it is reached through something else, as after a dot, or names an argument; `owner` is the
    name that it is reached through, "" if a value or nothing stands there. `is_plain` is whether it is a name by
    itself, neither a member nor a type, a tag or a label.
    """

    name: str
    line: int
    is_called: bool
    is_member: bool
    is_plain: bool = True
    owner: str = ""


def identifiers(
    path: str, lines: Sequence[str], wanted: Iterable[int], *, only_called: bool = False
) -> tuple[Identifier, ...] | None:
    """The names on these lines in their order; None where there is no grammar.

    With `only_called` they are those that are called, and those of types, which the code fills or asks for, also where
    the literal or the call that these lines are in begins on another line.
    """
    syntax = parse(path, lines)
    if syntax is None:
        return None
    leaves = _leaves((syntax.root,), sorted(wanted), with_filled=only_called)
    found = ((nodes, _is_called(syntax, nodes[0], nodes[1:])) for nodes in leaves)
    return tuple(
        _identifier(syntax, nodes, is_called=called)
        for nodes, called in found
        if called or not only_called or _is_type(syntax, nodes[0], nodes[1:])
    )


def names_in(found: Iterable[Identifier] | None, lines: Sequence[str]) -> frozenset[str]:
    """The names in a piece of code; every word of it if there is no grammar, or if the grammar finds none.

    `found` are the identifiers on all its lines.
    """
    return frozenset(each.name for each in found or ()) or frozenset(_WORD.findall("\n".join(lines)))


def guessed_calls(lines: Sequence[str], wanted: Sequence[int]) -> tuple[Identifier, ...]:
    """The names before a bracket on these lines, which are called where there is no grammar."""
    return tuple(
        Identifier(match[1], number, is_called=True, is_member=False)
        for number in wanted
        for match in _CALLED_TEXT.finditer(lines[number - 1])
    )


def _leaves(start: tuple[Node, ...], wanted: Sequence[int], *, with_filled: bool) -> Iterator[tuple[Node, ...]]:
    """The leaves that are names and begin on wanted lines, each with what is around it, innermost first.

    With `with_filled` also the names of what wanted lines fill.

    Nodes without any of these lines are skipped. A node knows what is around it, but is slow to find it.
    """
    left = [start]
    while left:
        nodes = left.pop()
        node = nodes[0]
        at = bisect_left(wanted, node.start_point.row + 1)
        if at == len(wanted) or wanted[at] > node.end_point.row + 1:
            continue
        if with_filled and node.type in _FILLS and (filled := nodes[2].child_by_field_name(_FILLS[node.type])):
            line = filled.end_point.row + 1
            if wanted[bisect_left(wanted, line)] != line:
                yield from _leaves((filled, *nodes[2:]), [line], with_filled=False)
        if node.child_count:
            left += [(child, *nodes[:_AROUND]) for child in reversed(node.children)]
        elif node.is_named and _LEAF.fullmatch(node.type) and wanted[at] == node.start_point.row + 1:
            yield nodes


def _identifier(syntax: SyntaxTree, nodes: tuple[Node, ...], *, is_called: bool) -> Identifier:
    node, around = nodes[0], nodes[1:]
    is_tag = bool(around) and _TAG.fullmatch(around[0].type) is not None
    is_member = _is_member(syntax, node, around)
    return Identifier(
        syntax.text(node),
        node.start_point.row + 1,
        is_called=is_called,
        is_member=is_member,
        is_plain=node.type == "identifier" and not is_member and not is_tag,
        owner=_owner(syntax, node),
    )


def _is_called(syntax: SyntaxTree, node: Node, around: Sequence[Node]) -> bool:
    called = node
    for parent in around:
        if not _WRAPS.search(parent.type):
            break
        last = next(filter(None, map(parent.child_by_field_name, _LAST_FIELDS)), called)
        if last != called:
            return False
        called = parent
    else:
        return False
    if _DEFINES.search(parent.type):
        return False
    is_followed = syntax.source[node.end_byte : node.end_byte + 2].lstrip(b" ").startswith(b"(")
    if is_followed or not _CALL.search(parent.type):
        return is_followed
    return parent.type == "command_name" or called in map(parent.child_by_field_name, _CALLED_FIELDS)


def _is_type(syntax: SyntaxTree, node: Node, around: Sequence[Node]) -> bool:
    """Whether a name is that of a type, where it is not defined."""
    parent = around[0]
    is_defined = _DEFINES.search(parent.type) is not None and parent.child_by_field_name("name") == node
    if is_defined or syntax.source.startswith((b".", b"::"), node.end_byte):
        return False
    is_annotation = any(each.type in _ANNOTATIONS for each in around[:_NEAR])
    return node.type == "type_identifier" or is_annotation or node in map(parent.child_by_field_name, _TYPE_FIELDS)


def _owner(syntax: SyntaxTree, node: Node) -> str:
    """The name before the dot or colons that a name follows."""
    before = syntax.source[max(0, node.start_byte - _LONGEST_GAP) : node.start_byte].decode("utf-8", "replace")
    found = _OWNER.search(before)
    return found[1] if found else ""


def _is_member(syntax: SyntaxTree, node: Node, around: Sequence[Node]) -> bool:
    if _KEYED.fullmatch(node.type):
        return True
    if around and around[0].type == "keyword_argument" and around[0].child_by_field_name("name") == node:
        return True
    before = syntax.source[max(0, node.start_byte - _LONGEST_GAP) : node.start_byte].rstrip()
    return before.endswith((b".", b"->", b"::")) and not before.endswith(b"...")
