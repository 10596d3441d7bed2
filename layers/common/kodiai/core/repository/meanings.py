"""Meanings: what binds or defines the names on a line of code, as far as a program can tell exactly."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kodiai.core.code.definition import Definition
from kodiai.core.code.heading import may_define
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.language import language_of
from kodiai.core.code.names import bound_names, bound_on, builtin, where_bound
from kodiai.core.repository.called import Called
from kodiai.core.repository.sources import Sources
from kodiai.core.repository.usages import Usages

_WORD = re.compile(r"\w+")
_MOST_LINES = 3
# In these a file names everything that it takes from other files.
_NAMES_ALL = frozenset({"javascript", "python", "tsx", "typescript"})
# In these a name stands in this file or in another one of the repository, or it has no meaning.
_SELF_CONTAINED = _NAMES_ALL | {"go"}


@dataclass(frozen=True)
class Note:
    """A sentence about a name; `is_telling` is whether it speaks against the code rather than for it."""

    text: str
    is_telling: bool = False


class Meanings:
    """Looks names up in their file and in the repository."""

    def __init__(self, sources: Sources, usages: Usages, called: Called) -> None:
        self._sources = sources
        self._usages = usages
        self._called = called

    def note(self, path: str, name: Identifier) -> Note | None:
        """What a name means at its place, None where that is plain or cannot be told."""
        if name.is_member:
            places = self._defined(path, name) if name.is_called else ""
            return Note(f"A `{name.name}` is defined at {places}.") if places else None
        return self._plain_note(path, name)

    def unused_imports(self, path: str, start: int, end: int) -> Iterator[str]:
        """The names that imports on these lines bring, and that stand nowhere else in the file."""
        lines = self._sources.lines(path) or []
        runs = self._sources.outline(path).imports
        rows = {row for first, last in runs for row in range(first, last + 1)}
        if rows.isdisjoint(range(start, end + 1)):
            return
        elsewhere = {word for row, line in enumerate(lines, 1) if row not in rows for word in _WORD.findall(line)}
        for name, row in bound_on(path, lines, rows.intersection(range(start, end + 1))):
            if name not in elsewhere and "__future__" not in lines[row - 1]:
                yield f"Nothing else in {path} uses `{name}`, imported at line {row}."

    def _plain_note(self, path: str, name: Identifier) -> Note | None:
        lines, word = self._sources.lines(path) or [], f"`{name.name}`"
        if any(first <= name.line <= last for first, last in self._sources.outline(path).imports):
            return None
        bound, defined = bound_names(path, lines), self._defined(path, name)
        if bound is None or builtin(path, name.name):
            return Note(f"A {word} is defined at {defined}.") if defined else None
        places = where_bound(path, lines, name.name)
        if any(each.line == name.line for each in places):
            return None
        reaching = [each for each in places if each.start <= name.line <= each.end]
        also = f" and defined at {defined}" if defined else ""
        if reaching:
            nearest = max(reaching, key=lambda each: (each.is_local, each.start, each.line))
            return Note(f"{word} is bound at {path}:{nearest.line}{also}.") if defined else None
        if places:
            others = ", ".join(str(line) for line in sorted({each.line for each in places})[:_MOST_LINES])
            where = f"{path}, line {others}, in another block or function than line {name.line}"
            return Note(f"{word} is bound in {where}{also}.", is_telling=True)
        return None if name.name in bound else self._unbound_note(path, name, defined)

    def _unbound_note(self, path: str, name: Identifier, defined: str) -> Note | None:
        """A name that its file does not bind; another file may give it, but for languages in which none can."""
        word, language = f"`{name.name}`", language_of(path)
        if defined:
            alone = f"; {path} binds no {word}" if language in _NAMES_ALL else ""
            return Note(f"A {word} is defined at {defined}{alone}.", is_telling=bool(alone))
        if language not in _SELF_CONTAINED or not name.is_plain or not self._usages.is_whole:
            return None
        if any(place.path != path for place in self._usages.find([name.name])[name.name]):
            return None
        return Note(f"{word} is bound nowhere in {path}, and no other file names it.", is_telling=True)

    def _defined(self, path: str, name: Identifier) -> str:
        """Where in the repository a name is defined, "" where nowhere, at too many places, or it cannot be told."""
        found = self._called.definitions(path, name)
        return " and ".join(f"{where}:{self._name_line(where, one)}" for where, one in found)

    def _name_line(self, path: str, definition: Definition) -> int:
        """The line on which a definition says its name: decorators and comments come before."""
        name = re.compile(rf"(?<!\w){re.escape(definition.name)}(?!\w)")
        lines = (self._sources.lines(path) or [])[: definition.end_line]
        for row, line in enumerate(lines[definition.start_line - 1 :], definition.start_line):
            if (at := name.search(line)) and may_define(language_of(path), line, *at.span()):
                return row
        return definition.start_line
