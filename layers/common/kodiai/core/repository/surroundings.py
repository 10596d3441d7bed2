"""Surroundings: the code around the changes, and the definitions of what they call and of the types that they fill."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_test
from kodiai.core.changes.show import one_line, show_lines, token_size
from kodiai.core.code.definition import Definition
from kodiai.core.repository.imports import ImportedCode
from kodiai.core.repository.touched_code import NOTHING, TouchedCode
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens

# How many tokens of each kind are shown: a share of the changes, at least the first number and at most the last one.
_TOKENS = {
    "blocks of imports": (500, 1 / 4, 3_000),
    "functions and classes around changes": (2_000, 1, 15_000),
    "functions and classes that are used": (1_000, 1 / 2, 4_000),
    "lines of moved files with paths": (600, 1 / 4, 3_000),
}
_LONGEST_DEFINITION = 200
_LONGEST_USED = 40
_NEAR_LINES = 20
_NEAR_LINES_OF_A_CLASS = 10
_MOST_USED = 80
# Of one batch; each is parsed.
_MOST_FILES = 100
_TOO_MANY = f"changed files with the code around them, over {_MOST_FILES}"

Ranges = Sequence[tuple[int, int]]


class _TokenRoom:
    """Takes texts of one kind while there is room, and counts the others in `left_out`."""

    def __init__(self, what: str, tokens: int, left_out: Counter[str]) -> None:
        self._reason = f"{what}, over {tokens:,} tokens"
        self._least = tokens // 100
        self._left = tokens
        self._left_out = left_out

    def fits(self, text: str) -> bool:
        """Whether there is room for a text."""
        return estimated_tokens(text) <= self._left

    def takes(self, text: str) -> bool:
        """Take a text if there is room for it."""
        fits = self.fits(text)
        self._left -= estimated_tokens(text) if fits else 0
        self._left_out[self._reason] += not fits
        return fits

    @property
    def is_full(self) -> bool:
        """Whether hardly a line fits any more."""
        return self._left < self._least


class Surroundings:
    """The code around the changes of a run."""

    def __init__(self, view: RepositoryView) -> None:
        self._view = view
        self._imported = ImportedCode(view)

    def of(self, files: Sequence[ChangedFile]) -> tuple[str, Counter[str]]:
        """Show each file's imports, the changed functions and classes, and the definitions that they use.

        No line is shown twice, nor one that a hunk shows. The second is how many of each kind were left out, each with
        its reason. Changed tests are left out: their hunks say most of it, and the model can read the file. Of what was
        moved, the lines with paths and imports are shown.
        """
        left_out: Counter[str] = Counter()
        changes = sum(map(token_size, files))
        sizes = {what: min(most, max(least, int(share * changes))) for what, (least, share, most) in _TOKENS.items()}
        imports, definitions, bodies, paths = (_TokenRoom(*each, left_out) for each in sizes.items())
        seen: dict[str, set[int]] = {}
        for file in files:
            seen.setdefault(file.path, set()).update(*(hunk.new_lines for hunk in file.hunks))
        blocks: list[str] = []
        touched: list[tuple[ChangedFile, TouchedCode]] = []
        left_out[_TOO_MANY] = max(0, len(files) - _MOST_FILES)
        for file in files[:_MOST_FILES]:
            blocks += self._of_moved(file, seen[file.path], paths)
            code = NOTHING if file.is_only_moved or is_test(file.path) else self._view.touched_code(file)
            if code is not NOTHING:
                touched.append((file, code))
                blocks += self._imports(file.path, seen[file.path], imports)
                blocks += self._definitions(file.path, code, seen[file.path], definitions)
        blocks += self._used(touched, seen, bodies)
        return "\n\n".join(blocks), +left_out

    def _of_moved(self, file: ChangedFile, seen: set[int], room: _TokenRoom) -> Iterator[str]:
        """The lines of a moved file that name what it imports, or paths from its own folder."""
        if file.status != "renamed" or room.is_full:
            return
        lines = self._view.lines(file.path) or []
        named = {each.line for each in self._view.parser.references(file.path, lines)}
        yield from self._new(file.path, _runs(named), seen, "paths and imports of a moved file", room)

    def _imports(self, path: str, seen: set[int], room: _TokenRoom) -> Iterator[str]:
        return self._new(path, _runs(self._view.outline(path).imports, gap=2), seen, "imports", room)

    def _definitions(self, path: str, touched: TouchedCode, seen: set[int], room: _TokenRoom) -> Iterator[str]:
        """The rest of each definition with changed lines, or as far as there is room the lines near to these."""
        for definition, changed in touched.definitions.items():
            what, start, end = f"{definition.kind} {definition.name}", definition.start_line, definition.end_line
            is_short = definition.kind in ("function", "block") and end - start < _LONGEST_DEFINITION
            whole = [(start, end)] if is_short else _spans(definition, (start, *changed))
            near = [[each] for each in _runs(_lines(_spans(definition, changed)))]
            for part in [whole] if room.fits(self._text(path, whole, seen, what)) else near:
                yield from self._new(path, part, seen, what, room)

    def _used(
        self, touched: Iterable[tuple[ChangedFile, TouchedCode]], seen: dict[str, set[int]], room: _TokenRoom
    ) -> Iterator[str]:
        """The definitions that the changes use, the beginnings of long ones."""
        names = [(file.path, name) for file, code in touched for name in code.called][:_MOST_USED]
        self._imported.begin_batch(names)
        for user, name in names:
            if room.is_full:
                return
            if (found := self._imported.definition(user, name)) is not None:
                path, one = found
                what = f"{one.kind} {one.name}, used at {_path(user)}:{name.line}"
                end = min(one.end_line, one.start_line + _LONGEST_USED - 1)
                yield from self._new(path, [(one.start_line, end)], seen.setdefault(path, set()), what, room)

    def _new(self, path: str, ranges: Ranges, seen: set[int], what: str, room: _TokenRoom) -> Iterator[str]:
        """One text with those of these lines that are not shown yet, if there is room for it."""
        text = self._text(path, ranges, seen, what)
        if text and room.takes(text):
            seen.update(_lines(ranges))
            yield text

    def _text(self, path: str, ranges: Ranges, seen: set[int], what: str) -> str:
        """A text with those of these lines that are not shown yet, "" if nothing is left of them."""
        lines = self._view.lines(path) or []
        new = _runs(line for line in _lines(ranges) if line not in seen)
        full = [each for each in new if any(map(str.strip, lines[each[0] - 1 : each[1]]))]
        return "\n".join([f"## {one_line(what)}", *(show_lines(path, lines, *each) for each in full)]) if full else ""


def _spans(definition: Definition, lines: Sequence[int]) -> Ranges:
    """The lines of a definition near some of them."""
    start, end = definition.start_line, definition.end_line
    near = _NEAR_LINES if definition.kind in ("function", "block") else _NEAR_LINES_OF_A_CLASS
    return [(max(start, line - near), min(end, line + near)) for line in lines]


def _runs(lines: Iterable[int], gap: int = 1) -> Ranges:
    """Lines as ranges with both ends included; lines at most `gap` apart are in one range."""
    found: list[tuple[int, int]] = []
    for line in sorted(lines):
        if found and line <= found[-1][1] + gap:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found


def _lines(ranges: Ranges) -> set[int]:
    return set(chain.from_iterable(range(start, end + 1) for start, end in ranges))


def _path(path: str) -> str:
    return path if path.isprintable() else repr(path)
