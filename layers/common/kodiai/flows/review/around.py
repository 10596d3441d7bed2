"""Around: the code that the changes stand in, and where the names that they touch are used."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.hunk import Hunk
from kodiai.core.changes.kinds import is_data, is_prose, is_test
from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.code.outline import Definition, Outline, outline
from kodiai.core.tokens import estimated_tokens
from kodiai.flows.review.sources import Sources
from kodiai.flows.review.usages import Place, Usages

_IMPORTS_TOKENS = 3_000
_DEFINITIONS_TOKENS = 15_000
_USAGES_TOKENS = 5_000
_LONGEST_DEFINITION = 200
_NEAR_LINES = 40
_MOST_PLACES = 8
_LONGEST_PLACE = 160
_SHORTEST_NAME = 3


@dataclass(frozen=True)
class Around:
    """What is shown beside the changes, and how many of each kind were left out of it, each with its reason."""

    text: str
    left_out: Counter[str]


class _Budget:
    """Takes texts as long as there is room, and counts those that there was none for."""

    def __init__(self, what: str, tokens: int) -> None:
        self._what = what
        self._tokens = tokens
        self._left = tokens
        self._refused = 0

    def take(self, texts: Iterable[str]) -> list[str]:
        taken = []
        for text in texts:
            size = estimated_tokens(text)
            if size > self._left:
                self._refused += 1
            else:
                self._left -= size
                taken.append(text)
        return taken

    @property
    def left_out(self) -> Counter[str]:
        return Counter({f"{self._what}, over {self._tokens:,} tokens": self._refused} if self._refused else {})


def around(files: Sequence[ChangedFile], sources: Sources, usages: Usages) -> Around:
    """Show each file's imports, the rest of the functions and classes that are changed, and where they are used."""
    imports = _Budget("blocks of imports", _IMPORTS_TOKENS)
    definitions = _Budget("functions and classes around changes", _DEFINITIONS_TOKENS)
    parts: list[str] = []
    names: dict[str, None] = {}
    for file in files:
        lines = sources.lines(file.path)
        if lines is None or file.status == "added" or is_prose(file.path) or is_data(file.path):
            continue
        seen = sources.outline(file.path)
        shown = [hunk.new_lines for hunk in file.hunks]
        parts += imports.take(_shown(file.path, lines, _unseen(_joined(seen.imports), shown), "imports"))
        for definition, place in _changed(seen, file.hunks):
            ranges = _unseen([_span(definition, place)], shown)
            parts += definitions.take(_shown(file.path, lines, ranges, f"{definition.kind} {definition.name}"))
    for file in files:
        lines = sources.lines(file.path)
        if lines is not None and not (is_prose(file.path) or is_data(file.path) or is_test(file.path)):
            names |= dict.fromkeys(_names(file, sources.outline(file.path)))
    used = _Budget("lists of uses", _USAGES_TOKENS)
    found = used.take(_uses(list(names), files, sources, usages)) if names else []
    if names and not usages.can_search:
        found = ["The repository is too large to be searched for uses."]
    blocks = [*parts, *found]
    return Around("\n\n".join(blocks), imports.left_out + definitions.left_out + used.left_out)


def _changed(seen: Outline, hunks: Sequence[Hunk]) -> Iterator[tuple[Definition, range]]:
    """The innermost definition around each change, once, with the lines that are changed there."""
    told: set[tuple[int, int]] = set()
    for hunk in hunks:
        for place in _places(hunk):
            for definition in seen.enclosing(place.start, place.stop - 1)[:1]:
                if (definition.start_line, definition.end_line) not in told:
                    told.add((definition.start_line, definition.end_line))
                    yield definition, place


def _places(hunk: Hunk) -> Iterator[range]:
    """The runs of changed lines on the new side; where lines were only removed, the line before them."""
    start = last = None
    for line in hunk.lines:
        if line.marker == " ":
            if start is not None:
                yield range(start, (last or start) + 1)
            start, last = None, line.new
        elif line.marker == "+":
            start, last = start or line.new, line.new
        else:
            start = start or last or hunk.new_start or 1
    if start is not None:
        yield range(start, max(last or start, start) + 1)


def _span(definition: Definition, place: range) -> tuple[int, int]:
    """The lines of a definition that are worth showing: all, or those near the change."""
    if definition.end_line - definition.start_line < _LONGEST_DEFINITION:
        return definition.start_line, definition.end_line
    return (
        max(definition.start_line, place.start - _NEAR_LINES),
        min(definition.end_line, place.stop - 1 + _NEAR_LINES),
    )


def _unseen(ranges: Iterable[tuple[int, int]], shown: Sequence[range]) -> list[tuple[int, int]]:
    """What of these lines stands in no hunk that is shown, as first and last lines."""
    unseen: list[tuple[int, int]] = []
    for start, end in ranges:
        for line in range(start, end + 1):
            if any(line in each for each in shown):
                continue
            if unseen and unseen[-1][1] == line - 1:
                unseen[-1] = (unseen[-1][0], line)
            else:
                unseen.append((line, line))
    return unseen


def _joined(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1] + 2:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _shown(path: str, lines: list[str], ranges: Sequence[tuple[int, int]], what: str) -> list[str]:
    """One text that shows these lines, none where all of them are blank."""
    full = [each for each in ranges if any(line.strip() for line in lines[each[0] - 1 : each[1]])]
    if not full:
        return []
    return ["\n".join([f"## {one_line(what)}", *(show_lines(path, lines, start, end) for start, end in full)])]


def _names(file: ChangedFile, seen: Outline) -> Iterator[str]:
    """The names of what the change defines, changes or takes away."""
    yield from (definition.name for definition, _ in _changed(seen, file.hunks))
    yield from _gone(file, seen)


def _gone(file: ChangedFile, seen: Outline) -> Iterator[str]:
    """The names that were defined on lines that are gone, and are defined in the file no more."""
    here = {definition.name for definition in seen.definitions}
    for hunk in file.hunks:
        before = [line.text for line in hunk.lines if line.marker != "+"]
        removed = {line.text.strip() for line in hunk.lines if line.marker == "-"}
        for definition in outline(file.path, before).definitions:
            if definition.name not in here and before[definition.start_line - 1].strip() in removed:
                yield definition.name


def _uses(names: Sequence[str], files: Sequence[ChangedFile], sources: Sources, usages: Usages) -> Iterator[str]:
    """Where each name is used outside what the change shows and outside its own definition, code before tests."""
    changed = {file.path: file for file in files}

    def is_known(name: str, place: Place) -> bool:
        file = changed.get(place.path)
        if file is None:
            return is_prose(place.path)
        own = (each for each in sources.outline(place.path).definitions if each.name == name)
        return any(place.line in hunk.new_lines for hunk in file.hunks) or any(
            each.start_line <= place.line <= each.end_line for each in own
        )

    wanted = [name for name in names if len(name) >= _SHORTEST_NAME and not name.startswith("__")]
    for name, places in usages.find(wanted).items():
        others = [place for place in places if not is_known(name, place)]
        if others:
            first = sorted(others, key=lambda place: is_test(place.path))[:_MOST_PLACES]
            more = [f"(and {len(others) - len(first)} more)"] if len(others) > len(first) else []
            yield "\n".join([f"## uses of {one_line(name)}", *map(_place, first), *more])


def _place(place: Place) -> str:
    path = place.path if place.path.isprintable() else repr(place.path)
    return f"{path}:{place.line} | {one_line(place.text)[:_LONGEST_PLACE]}"
