"""New syntax errors of a changed file: a grammar may refuse good code, so what it refused before does not count."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from tree_sitter import Node

from kodiai.core.changes.line_matcher import common
from kodiai.core.code.grammar import grammar_of
from kodiai.core.code.language import language_of
from kodiai.core.code.syntax import SyntaxTree, parse

_DIRECTIVE = re.compile(
    r"\s*#\s*(?:(?P<begin>if(?:n?def)?)|(?P<other>elif(?:n?def)?)|(?P<last>else)|(?P<end>endif)"
    r"|(?P<macro>define\s+\w+(?:\([^)]*\))?))(?!\w)"
)
_MOST_READINGS = 4
_BRACKETS = (b"()", b"[]", b"{}")

# Kinds of an error and of the node that has it, and places: where the error begins and ends, where the node begins.
_Place = tuple[str | int, ...]


@dataclass(frozen=True)
class _Errors:
    """The errors of a tree: those apart from what changed, and those around it with the kinds of their tokens.

    None is one that begins or ends in what changed, or next to it.
    """

    apart: set[_Place]
    around: set[_Place | None]


def has_new_error(path: str, lines: Sequence[str], then: Sequence[str]) -> bool:
    """Whether a file has a syntax error that it did not have `then`; all that differs counts as one change.

    An error in the changed code or next to it is new, and so is one around it of which the kinds of tokens changed, and
    any that a compiler finds. All others have to stay as they are: a bracket too many may hide what is wrong elsewhere.
    Where there is a preprocessor, this holds for lines that are compiled together, and for changed directives by
    themselves. Raises ValueError if nothing can tell.
    """
    language = language_of(path)
    if language is None or not grammar_of(language).is_preprocessed:
        return _is_worse(path, lines, then)
    start = common(then, lines)
    end = common(then[start:][::-1], lines[start:][::-1])
    old, new = (_Preprocessed(each, range(start, len(each) - end)) for each in (then, lines))
    if new.unmatched > old.unmatched or new.open_behind() != old.open_behind():
        return True
    count = min(max(old.count, new.count), _MOST_READINGS)
    readings = [(new.reading(number), old.reading(number)) for number in range(count)]
    pairs = [*readings, (new.directives(), old.directives())]
    is_worse = any(now != before and _is_worse(path, now, before) for now, before in pairs)
    return is_worse or new.has_more_than(reading for reading, _ in readings)


@dataclass(frozen=True)
class _Directive:
    """A directive, its rows, and how far it is the same in all macros or conditionals."""

    kind: str
    rows: range
    head: int


class _Preprocessed:
    """A file of which some rows changed, as a compiler reads it: of each conditional it takes one branch.

    Of a conditional that has changed rows or is next to them each branch near them is in one reading; of any other the
    first branch is in all of them. `unmatched` counts the directives without their counterpart.
    """

    def __init__(self, lines: Sequence[str], changed: range) -> None:
        self._lines = lines
        self._changed = changed
        self._directives = list(_directives(lines))
        self._empty = {row for each in self._directives if each.kind != "macro" for row in each.rows}
        self.unmatched = 0
        self._branches = [(rows, self._near(rows)) for rows in self._conditionals()]
        self.count = max((len(near) for _, near in self._branches), default=1)

    def reading(self, number: int) -> list[str]:
        """The lines that are compiled together; all others are empty."""
        out = [0] * (len(self._lines) + 1)
        for rows, near in self._branches:
            first, last = near[min(number, len(near) - 1)]
            for begin, end in ((rows[0], first), (last, rows[-1])):
                out[begin] += 1
                out[end] -= 1
        depths = enumerate(accumulate(out[:-1]))
        return ["" if depth or row in self._empty else self._lines[row] for row, depth in depths]

    def open_behind(self) -> list[tuple[int, bool]]:
        """The conditionals around what is behind the changed rows, each with whether that is in its last branch."""
        around: list[tuple[int, bool]] = []
        for each in self._directives:
            if each.rows.start >= self._changed.stop:
                break
            if each.kind == "begin":
                around.append((min(each.rows.start, self._changed.start), False))
            elif around and each.kind == "end":
                around.pop()
            elif around and each.kind == "last":
                around[-1] = (around[-1][0], True)
        return around

    def has_more_than(self, readings: Iterator[Sequence[str]]) -> bool:
        """Whether a changed line is in none of the readings."""
        left = {row for row in self._changed if row not in self._empty and self._lines[row].strip()}
        return bool(left.difference(*({row for row in left if reading[row]} for reading in readings)))

    def directives(self) -> list[str]:
        """The changed directives alone: the code that a macro stands for, and conditionals without code."""
        found: list[str] = []
        for each in self._directives:
            if each.rows.start >= self._changed.stop or each.rows.stop <= self._changed.start:
                continue
            text = [self._lines[row] for row in each.rows]
            if each.kind == "macro":
                text[0] = text[0][each.head :]
                text = [line.rstrip().removesuffix("\\").replace("##", "__").replace("#", "") for line in text]
                found += [*text, ";"]
            else:
                found += [*(["#if 0"] if each.kind != "begin" else []), *text]
                found += ["#endif"] if each.kind != "end" else []
        return found

    def _near(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """The branches with changed rows or next to them, or else the first one."""
        branches = list(pairwise(rows))
        first, last = self._changed.start, self._changed.stop
        return [each for each in branches if each[0] <= last and first <= each[1]] or branches[:1]

    def _conditionals(self) -> Iterator[list[int]]:
        """The rows where the branches of each conditional begin, and where the last one ends.

        Without an `else` the last branch is an empty one.
        """
        around: list[list[_Directive]] = []
        for each in self._directives:
            if each.kind == "begin":
                around.append([each])
            elif each.kind != "macro" and (not around or (each.kind != "end" and around[-1][-1].kind == "last")):
                self.unmatched += 1
            elif each.kind != "macro":
                around[-1].append(each)
            if each.kind == "end" and around and around[-1][-1] is each:
                closed = around.pop()
                rows = [one.rows.start for one in closed]
                yield rows if closed[-2].kind == "last" else [*rows, rows[-1] + 1]
        self.unmatched += len(around)


def _directives(lines: Sequence[str]) -> Iterator[_Directive]:
    end = 0
    for row, line in enumerate(lines):
        found = _DIRECTIVE.match(line) if row >= end else None
        if found is not None:
            end = row + 1
            while end < len(lines) and lines[end - 1].rstrip().endswith("\\"):
                end += 1
            yield _Directive(str(found.lastgroup), range(row, end), found.end())


def _is_worse(path: str, lines: Sequence[str], then: Sequence[str]) -> bool:
    new, old = parse(path, lines), parse(path, then)
    if old is None:
        raise ValueError("no grammar reads it")
    if new is None:
        return True
    start = common(old.source, new.source)
    end = common(old.source[start:][::-1], new.source[start:][::-1])
    was, now = (range(start, len(each.source) - end) for each in (old, new))
    known, found = _errors(old, was), _errors(new, now)
    if not (found.apart <= known.apart and found.around <= known.around - {None}):
        return True
    is_left = bool(found.apart or found.around)
    was_lines = range(old.source.rfind(b"\n", 0, was.start) + 1, max(was.stop, old.source.find(b"\n", was.stop)))
    if (is_left or grammar_of(new.language).is_preprocessed) and not _errors(old, was_lines).apart <= found.apart:
        return True
    if is_left and (_is_in_text(new, now) or _open(old, was) != _open(new, now)):
        return True
    # A compiler tells its first error only, so that what is behind it is unknown.
    return new.refused is not None


def _errors(syntax: SyntaxTree, changed: range) -> _Errors:
    found = _Errors(set(), set())
    for node in syntax.errors:
        holder = node.parent if node.parent != syntax.root else None
        bytes_at = [node.start_byte, node.end_byte, *([holder.start_byte] if holder else [])]
        places = [_place(at, changed, syntax) for at in bytes_at]
        place: _Place = (node.type, holder.type if holder else "", *places)
        if changed.start in places:
            found.around.add(None)
        elif (places[0] < 0) == (places[1] < 0):
            found.apart.add(place)
        else:
            found.around.add((*place, *_tokens(node)))
    return found


def _tokens(node: Node) -> Iterator[str]:
    """The kinds of the tokens of a node."""
    left = [node]
    while left:
        each = left.pop()
        left += reversed(each.children)
        if not each.children:
            yield each.type


def _place(at: int, changed: range, syntax: SyntaxTree) -> int:
    """A byte by its distance from the file's start, or behind the change from its end, else the start of the change."""
    return min(at, changed.start) if at <= changed.stop else at - len(syntax.source) - 1


def _is_in_text(syntax: SyntaxTree, changed: range) -> bool:
    """Whether a change is in a text of several lines: where a grammar has lost its way, code may look like one."""
    node = syntax.root.descendant_for_byte_range(changed.start, changed.stop)
    if node is None or node.child_count or node.type.endswith(("comment", "preproc_arg")):
        return False
    return node.start_point.row != node.end_point.row


def _open(syntax: SyntaxTree, changed: range) -> list[int]:
    """The number of brackets of each kind that the changed text leaves open."""
    text = syntax.source[changed.start : changed.stop]
    return [text.count(pair[:1]) - text.count(pair[1:]) for pair in _BRACKETS]
