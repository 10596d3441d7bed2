"""Surroundings: the code around the changes, what they call, and where the names that they touch are used."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_data, is_prose, is_test
from kodiai.core.changes.show import one_line, show_lines, token_size
from kodiai.core.code.definition import Definition
from kodiai.core.code.identifiers import Identifier
from kodiai.core.repository.touched_code import NOTHING, TouchedCode
from kodiai.core.repository.usages import MOST_PLACES, Place, time_share
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens

# How many tokens of each kind are shown.
_TOKENS = {
    "blocks of imports": 3_000,
    "functions and classes around changes": 15_000,
    "functions and classes that are called": 4_000,
    "functions and classes that use what is changed": 3_000,
    "lists of uses": 5_000,
}
# A push's part of them: a number of tokens, or a share of its changes if that is more.
_TOKENS_OF_A_PUSH = {
    "blocks of imports": (300, 1 / 4),
    "functions and classes that are called": (600, 1 / 2),
    "functions and classes that use what is changed": (600, 1 / 4),
    "lists of uses": (300, 1 / 4),
}
_LONGEST_DEFINITION = 200
_LONGEST_CALLED = 40
_NEAR_LINES = 40
# Of a class around the changes of a push; a function is shown whole.
_NEAR_LINES_OF_A_PUSH = 15
# A name with more uses elsewhere is a word of the project: its uses say nothing about the change.
_MOST_USES = 40
# The users of a name that is used in so few places are shown whole: they often decide what a change breaks.
_MOST_USERS = 4
_SHOWN_USES = 8
_LONGEST_PLACE = 160
_MOST_CALLS = 80
_MOST_SECONDS = 60
_TOO_LONG = f"over {_MOST_SECONDS} seconds"

Ranges = Sequence[tuple[int, int]]


class _TokenRoom:
    """Takes texts of one kind while there is room, and counts the others in `left_out`."""

    def __init__(self, what: str, tokens: int, left_out: Counter[str]) -> None:
        self._reason = f"{what}, over {tokens:,} tokens"
        self._least = tokens // 100
        self._left = tokens
        self._left_out = left_out
        left_out[self._reason] = 0

    def takes(self, text: str) -> bool:
        """Take a text if there is room for it."""
        size = estimated_tokens(text)
        fits = size <= self._left
        self._left -= size if fits else 0
        self._left_out[self._reason] += not fits
        return fits

    @property
    def is_full(self) -> bool:
        """Whether hardly a line fits any more."""
        return self._left < self._least


class Surroundings:
    """The code around the changes of a run, whose batches are known from the start so that one search finds all names.

    Each step has its share of the time; what takes longer is left out, and counted.
    """

    def __init__(self, batches: Iterable[Sequence[ChangedFile]], view: RepositoryView) -> None:
        self._view = view
        self._usages = view.usages
        files = [file for batch in batches for file in batch if not file.is_only_moved]
        self._first = files[0].path if files else ""
        is_over = time_share(view.time_left, _MOST_SECONDS)
        self._touched = {file.path: view.touched_code(file) for file in files if not is_over()}
        touched = self._touched.values()
        self._usages.find({name for each in touched for name in (*each.names, *(call.name for call in each.called))})
        self._is_over = time_share(view.time_left, _MOST_SECONDS)

    def of(self, files: Sequence[ChangedFile], *, again: bool) -> tuple[str, Counter[str]]:
        """Show each file's imports, the changed functions and classes, the definitions that they call, and their uses.

        `again` is whether these are the changes of a push to what was reviewed before.
        The second is how many of each kind were left out, each with its reason.
        Changed tests are left out: their hunks say most of it, and the model can read the file. Of what was only moved,
        nothing is shown.
        """
        files = [file for file in files if not file.is_only_moved]
        seen = {file.path: {line for hunk in file.hunks for line in hunk.new_lines} for file in files}
        unread = sum(file.path not in self._touched for file in files)
        left_out = Counter({f"changed files with the code around them, {_TOO_LONG}": unread})
        rooms = _rooms_of_a_push(files) if again else _TOKENS
        imports, definitions, bodies, users, uses = (_TokenRoom(*each, left_out) for each in rooms.items())
        blocks: list[str] = []
        for file in files:
            lines = self._view.lines(file.path)
            is_whole = file.status == "added" and not again
            if lines is None or is_whole or is_test(file.path) or file.path not in self._touched:
                continue
            blocks += filter(imports.takes, self._imports(file, lines, seen[file.path]))
            blocks += self._definitions(file, lines, seen[file.path], definitions, again=again)
        if self._is_over():
            left_out[f"searches for what is called, {_TOO_LONG}"] = 1
        blocks += self._whole(self._bodies(files), seen, bodies)
        blocks += self._whole(self._users(files, seen), seen, users)
        blocks += filter(uses.takes, self._uses(files, seen))
        if files and files[0].path == self._first:
            left_out += self._usages.unsearched  # of the run, so it is counted once
        return "\n\n".join(blocks), +left_out

    def _of(self, file: ChangedFile) -> TouchedCode:
        return self._touched.get(file.path, NOTHING)

    def _names(self, files: Sequence[ChangedFile]) -> dict[str, None]:
        return dict.fromkeys(name for file in files for name in self._of(file).names)

    def _imports(self, file: ChangedFile, lines: list[str], seen: set[int]) -> Iterator[str]:
        if self._of(file) is not NOTHING:
            blocks = _runs(self._view.outline(file.path).imports, gap=2)
            yield from _shown(file.path, lines, _unseen(blocks, seen), "imports")

    def _definitions(
        self, file: ChangedFile, lines: list[str], seen: set[int], room: _TokenRoom, *, again: bool
    ) -> Iterator[str]:
        """Each definition in one piece with its changed lines, unless one hunk or an outer one shows it whole.

        Around a push no line is shown that a hunk shows: functions are long, and every reviewer reads them.
        """
        touched = self._of(file)
        shown: set[int] = {*seen} if again else set()
        hunks = [hunk.new_lines for hunk in file.hunks]
        for definition, changed in touched.definitions.items():
            ranges = [
                (start, end)
                for start, end in _unseen(_spans(definition, changed, again=again), shown)
                if not any(start in hunk and end in hunk for hunk in hunks)
            ]
            what = f"{definition.kind} {definition.name}"
            for text in filter(room.takes, _shown(file.path, lines, ranges, what, touched.added)):
                shown.update(_lines(ranges))
                yield text
        seen |= shown

    def _bodies(self, files: Sequence[ChangedFile]) -> Iterator[tuple[str, Definition, str]]:
        """The definitions that the changes call, with path and heading; calls by tests say little about the change."""
        calls = [(file.path, call) for file in files if not is_test(file.path) for call in self._of(file).called]
        for caller, call in sorted(calls, key=self._rank)[:_MOST_CALLS]:
            for path, definition in self._view.definitions(caller, call.name):
                yield path, definition, f"{definition.kind} {definition.name}, called at {_path(caller)}:{call.line}"

    def _rank(self, call: tuple[str, Identifier]) -> tuple[bool, int, str, int]:
        """Names of the same file before others, rare names before common ones."""
        path, name = call[0], call[1].name
        return not self._view.own_definitions(path, name), len(self._usages.find([name])[name]), path, call[1].line

    def _users(
        self, files: Sequence[ChangedFile], seen: Mapping[str, set[int]]
    ) -> Iterator[tuple[str, Definition, str]]:
        """The functions that use a changed name, if they are few, with path and heading."""
        for name in self._names(files) if self._usages.can_search else ():
            places = [place for place in self._usages.find([name])[name] if not self._is_known(name, place, seen)]
            code = [each for each in places if not (is_prose(each.path) or is_data(each.path) or is_test(each.path))]
            for place in code if len(code) <= _MOST_USERS else ():
                for definition in self._view.outline(place.path).enclosing(place.line, place.line)[:1]:
                    yield place.path, definition, f"{definition.kind} {definition.name}, which uses {name}"

    def _whole(
        self, wanted: Iterable[tuple[str, Definition, str]], seen: dict[str, set[int]], room: _TokenRoom
    ) -> Iterator[str]:
        """Each definition once and in one piece, the beginnings of long ones, unless it is shown already."""
        for path, definition, what in wanted:
            if room.is_full or self._is_over():
                return
            lines, shown = self._view.lines(path), seen.setdefault(path, set())
            start, end = definition.start_line, min(definition.end_line, definition.start_line + _LONGEST_CALLED - 1)
            if lines is not None and shown.isdisjoint((start, end)):
                for text in filter(room.takes, _shown(path, lines, [(start, end)], what)):
                    shown.update(range(start, end + 1))
                    yield text

    def _uses(self, files: Sequence[ChangedFile], seen: Mapping[str, set[int]]) -> Iterator[str]:
        """The uses of each name outside of the shown code and of its own definition, code before tests."""
        names = self._names(files)
        if names and not self._usages.can_search:
            yield "The repository is too large to be searched for uses."
            return
        for name, places in self._usages.find(names).items():
            others = [place for place in places if not self._is_known(name, place, seen)]
            if others and len(places) < MOST_PLACES and len(others) <= _MOST_USES:
                first = sorted(others, key=lambda place: is_test(place.path))[:_SHOWN_USES]
                more = [f"(and {len(others) - len(first)} more)"] if len(others) > len(first) else []
                yield "\n".join([f"## uses of {one_line(name)}", *map(_place, first), *more])

    def _is_known(self, name: str, place: Place, seen: Mapping[str, set[int]]) -> bool:
        if place.path not in seen:
            return is_prose(place.path)
        own = (each for each in self._view.outline(place.path).definitions if each.name == name)
        return place.line in seen[place.path] or any(each.covers(place.line, place.line) for each in own)


def _rooms_of_a_push(files: Sequence[ChangedFile]) -> dict[str, int]:
    changes = sum(map(token_size, files))
    wanted = {what: max(least, int(share * changes)) for what, (least, share) in _TOKENS_OF_A_PUSH.items()}
    return {what: min(most, wanted.get(what, most)) for what, most in _TOKENS.items()}


def _spans(definition: Definition, changed: Sequence[int], *, again: bool) -> Ranges:
    """The lines of a definition that are worth showing: all, or those near its changes.

    Of a class that a push changes, also those near its beginning.
    """
    start, end = definition.start_line, definition.end_line
    lines, near = changed, _NEAR_LINES
    if again and definition.kind not in ("function", "block"):
        lines, near = (start, *changed), _NEAR_LINES_OF_A_PUSH
    elif end - start < _LONGEST_DEFINITION:
        return [(start, end)]
    return _runs(_lines([(max(start, line - near), min(end, line + near)) for line in lines]), gap=2)


def _unseen(ranges: Ranges, seen: set[int]) -> Ranges:
    """The lines of these ranges that are not shown yet."""
    return _runs(line for line in _lines(ranges) if line not in seen)


def _runs(lines: Iterable[int], gap: int = 1) -> Ranges:
    """Lines as ranges with both ends included; lines at most `gap` apart are in one range."""
    found: list[tuple[int, int]] = []
    for line in sorted(lines):
        if found and line <= found[-1][1] + gap:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found


def _lines(ranges: Ranges) -> Iterator[int]:
    return (line for start, end in ranges for line in range(start, end + 1))


def _shown(
    path: str, lines: list[str], ranges: Ranges, what: str, added: frozenset[int] | None = None
) -> Iterator[str]:
    """One text that shows these lines, none if all of them are blank."""
    full = [each for each in ranges if any(line.strip() for line in lines[each[0] - 1 : each[1]])]
    if full:
        pieces = (show_lines(path, lines, start, min(end, len(lines)), added) for start, end in full)
        yield "\n".join([f"## {one_line(what)}", *pieces])


def _place(place: Place) -> str:
    return f"{_path(place.path)}:{place.line} | {one_line(place.text)[:_LONGEST_PLACE]}"


def _path(path: str) -> str:
    return path if path.isprintable() else repr(path)
