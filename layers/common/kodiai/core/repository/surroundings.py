"""Around: the code that the changes stand in, what they call, and where the names that they touch are used."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_data, is_prose, is_test
from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.code.outline import Definition
from kodiai.core.repository.called import Called
from kodiai.core.repository.time_share import TimeShare
from kodiai.core.repository.token_room import TokenRoom
from kodiai.core.repository.touched_code import NOTHING, TouchedCode, touched_code
from kodiai.core.repository.usages import MOST_PLACES, Place
from kodiai.core.repository.view import RepositoryView

_IMPORTS_TOKENS = 3_000
_DEFINITIONS_TOKENS = 15_000
_CALLED_TOKENS = 4_000
_USERS_TOKENS = 3_000
_USAGES_TOKENS = 5_000
_LONGEST_DEFINITION = 200
_LONGEST_CALLED = 40
_NEAR_LINES = 40
# A name that stands on more lines elsewhere is a word of the project: its uses say nothing about the change.
_MOST_USES = 40
# Of a name that is used in so few places the users are shown whole: they often decide what a change breaks.
_MOST_USERS = 4
_SHOWN_USES = 8
_LONGEST_PLACE = 160
_MOST_SECONDS = 60
_TOO_LONG = f"over {_MOST_SECONDS} seconds"


@dataclass(frozen=True)
class Around:
    """What is shown with the changes, and how many of each kind were left out of it, each with its reason."""

    text: str
    left_out: Counter[str]


class Surroundings:
    """The code around the changes of a run, whose batches are known from the start so that one search finds all names.

    Each step has its share of the time; what takes longer is left out, and that is said.
    """

    def __init__(
        self,
        batches: Iterable[Sequence[ChangedFile]],
        view: RepositoryView,
    ) -> None:
        sources, usages, time_left = view.sources, view.usages, view.time_left
        self._sources = sources
        self._usages = usages
        self._called = Called(sources, usages)
        files = [file for batch in batches for file in batch]
        self._first = files[0].path if files else ""
        share = TimeShare(time_left, _MOST_SECONDS)
        self._touched = {file.path: touched_code(file, sources) for file in files if not share.is_used_up()}
        usages.find({name for each in self._touched.values() for name in _wanted(each)})
        self._share = TimeShare(time_left, _MOST_SECONDS)

    def of(self, files: Sequence[ChangedFile]) -> Around:
        """Show each file's imports, the functions and classes that are changed, what they call, and their uses.

        Around a changed test there is little that its hunk does not say, and the file can be read.
        """
        seen = {file.path: {line for hunk in file.hunks for line in hunk.new_lines} for file in files}
        left_out = Counter({f"changed files with the code around them, {_TOO_LONG}": self._unread(files)})
        imports = TokenRoom("blocks of imports", _IMPORTS_TOKENS)
        definitions = TokenRoom("functions and classes around changes", _DEFINITIONS_TOKENS)
        bodies = TokenRoom("functions and classes that are called", _CALLED_TOKENS)
        users = TokenRoom("functions and classes that use what is changed", _USERS_TOKENS)
        uses = TokenRoom("lists of uses", _USAGES_TOKENS)
        blocks: list[str] = []
        for file in files:
            lines = self._sources.lines(file.path)
            if lines is None or file.status == "added" or is_test(file.path) or file.path not in self._touched:
                continue
            blocks += filter(imports.takes, self._imports(file, lines, seen[file.path]))
            blocks += self._definitions(file, lines, seen[file.path], definitions)
        if self._share.is_used_up():
            left_out[f"searches for what is called, {_TOO_LONG}"] = 1
        blocks += self._bodies(files, seen, bodies)
        blocks += self._users(files, seen, users)
        blocks += filter(uses.takes, self._uses(files, seen))
        for room in (imports, definitions, bodies, users, uses):
            left_out += room.left_out
        if files and files[0].path == self._first:
            left_out += self._usages.unsearched  # of the run, so it is counted once
        return Around("\n\n".join(blocks), +left_out)

    def _of(self, file: ChangedFile) -> TouchedCode:
        return self._touched.get(file.path, NOTHING)

    def _unread(self, files: Sequence[ChangedFile]) -> int:
        return sum(file.path not in self._touched for file in files)

    def _imports(self, file: ChangedFile, lines: list[str], seen: set[int]) -> Iterator[str]:
        if self._of(file) is not NOTHING:
            ranges = _unseen(_joined(self._sources.outline(file.path).imports), seen)
            yield from _shown(file.path, lines, ranges, "imports")

    def _definitions(self, file: ChangedFile, lines: list[str], seen: set[int], room: TokenRoom) -> Iterator[str]:
        """Each definition in one piece with its changed lines, but what one hunk or an outer one shows whole."""
        touched = self._of(file)
        told: set[int] = set()
        hunks = [hunk.new_lines for hunk in file.hunks]
        for definition, changed in touched.definitions.items():
            ranges = [
                (start, end)
                for start, end in _unseen(_spans(definition, changed), told)
                if not any(start in hunk and end in hunk for hunk in hunks)
            ]
            what = f"{definition.kind} {definition.name}"
            for text in filter(room.takes, _shown(file.path, lines, ranges, what, touched.added)):
                told |= {line for start, end in ranges for line in range(start, end + 1)}
                yield text
        seen |= told

    def _bodies(self, files: Sequence[ChangedFile], seen: dict[str, set[int]], room: TokenRoom) -> Iterator[str]:
        """What the changes call, the beginnings of what is long, each once and not what is shown already.

        What tests call says little about the change.
        """
        calls = {file.path: self._of(file).called for file in files if not is_test(file.path)}
        for caller, call, (path, definition) in self._called.by(calls):
            if room.is_full or self._share.is_used_up():
                return
            shown = seen.setdefault(path, set())
            what = f"{definition.kind} {definition.name}, called at {_path(caller)}:{call.line}"
            yield from self._whole(path, definition, what, shown, room)

    def _users(self, files: Sequence[ChangedFile], seen: dict[str, set[int]], room: TokenRoom) -> Iterator[str]:
        """The functions that use what is changed, where they are few, each once and not what is shown already."""
        for name in dict.fromkeys(name for file in files for name in self._of(file).names):
            found = self._usages.find([name])[name] if self._usages.can_search else []
            places = [place for place in found if not self._is_known(name, place, seen)]
            code = [
                place for place in places if not (is_prose(place.path) or is_data(place.path) or is_test(place.path))
            ]
            if room.is_full or self._share.is_used_up() or len(code) > _MOST_USERS:
                continue
            for place in code:
                for definition in self._sources.outline(place.path).enclosing(place.line, place.line)[:1]:
                    what = f"{definition.kind} {definition.name}, which uses {name}"
                    yield from self._whole(place.path, definition, what, seen.setdefault(place.path, set()), room)

    def _whole(self, path: str, definition: Definition, what: str, shown: set[int], room: TokenRoom) -> Iterator[str]:
        """A definition in one piece, the beginning of a long one, unless it is shown already."""
        lines = self._sources.lines(path)
        end = min(definition.end_line, definition.start_line + _LONGEST_CALLED - 1)
        if lines is None or not shown.isdisjoint((definition.start_line, end)):
            return
        for text in filter(room.takes, _shown(path, lines, [(definition.start_line, end)], what)):
            shown |= set(range(definition.start_line, end + 1))
            yield text

    def _uses(self, files: Sequence[ChangedFile], seen: dict[str, set[int]]) -> Iterator[str]:
        """Where each name is used outside what is shown and outside its own definition, code before tests."""
        names = dict.fromkeys(name for file in files for name in self._of(file).names)
        if names and not self._usages.can_search:
            yield "The repository is too large to be searched for uses."
            return
        for name, places in self._usages.find(names).items():
            others = [place for place in places if not self._is_known(name, place, seen)]
            if others and len(places) < MOST_PLACES and len(others) <= _MOST_USES:
                first = sorted(others, key=lambda place: is_test(place.path))[:_SHOWN_USES]
                more = [f"(and {len(others) - len(first)} more)"] if len(others) > len(first) else []
                yield "\n".join([f"## uses of {one_line(name)}", *map(_place, first), *more])

    def _is_known(self, name: str, place: Place, seen: dict[str, set[int]]) -> bool:
        if place.path not in seen:
            return is_prose(place.path)
        own = (each for each in self._sources.outline(place.path).definitions if each.name == name)
        return place.line in seen[place.path] or any(each.covers(place.line, place.line) for each in own)


def _wanted(touched: TouchedCode) -> Iterator[str]:
    yield from touched.names
    yield from (call.name for call in touched.called)


def _spans(definition: Definition, changed: Sequence[int]) -> list[tuple[int, int]]:
    """The lines of a definition that are worth showing: all, or those near its changes."""
    start, end = definition.start_line, definition.end_line
    if end - start < _LONGEST_DEFINITION:
        return [(start, end)]
    return _joined([(max(start, line - _NEAR_LINES), min(end, line + _NEAR_LINES)) for line in sorted(changed)])


def _unseen(ranges: Iterable[tuple[int, int]], seen: set[int]) -> list[tuple[int, int]]:
    """What of these lines is not shown yet, as first and last lines."""
    unseen: list[tuple[int, int]] = []
    for start, end in ranges:
        for line in range(start, end + 1):
            if line in seen:
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


def _shown(
    path: str, lines: list[str], ranges: Sequence[tuple[int, int]], what: str, added: frozenset[int] | None = None
) -> Iterator[str]:
    """One text that shows these lines, none where all of them are blank."""
    full = [each for each in ranges if any(line.strip() for line in lines[each[0] - 1 : each[1]])]
    if full:
        pieces = (show_lines(path, lines, start, min(end, len(lines)), added) for start, end in full)
        yield "\n".join([f"## {one_line(what)}", *pieces])


def _place(place: Place) -> str:
    return f"{_path(place.path)}:{place.line} | {one_line(place.text)[:_LONGEST_PLACE]}"


def _path(path: str) -> str:
    return path if path.isprintable() else repr(path)
