"""Meanings: what binds or defines the names on a line of code, as far as a program can tell exactly."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kodiai.core.code.definition import Definition
from kodiai.core.code.heading import may_define
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.language import language_of
from kodiai.core.code.names import BoundName, bound_names, builtin, where_bound
from kodiai.core.code.python_names import Meaning, PythonNames, python_names
from kodiai.core.code.python_scopes import Binding, Scope
from kodiai.flows.review.called import Called
from kodiai.flows.review.sources import Sources
from kodiai.flows.review.usages import Usages

_WORD = re.compile(r"\w+")
# In these a file says by itself what its names mean, or another file of the repository names them too.
_SELF_CONTAINED = frozenset({"go", "javascript", "tsx", "typescript"})


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
        self._python: dict[str, PythonNames | None] = {}
        self._bound: dict[str, tuple[BoundName, ...]] = {}

    def note(self, path: str, name: Identifier) -> Note | None:
        """What a name means at its place, None where that is plain or cannot be told."""
        if name.is_member:
            places = self._defined(path, name) if name.is_called else ""
            return Note(f"`{name.name}` is defined at {places}.") if places and " and " not in places else None
        if language_of(path) == "python":
            return self._python_note(path, name)
        return self._other_note(path, name)

    def unused_imports(self, path: str, start: int, end: int) -> Iterator[str]:
        """The names that imports on these lines bring, and that stand nowhere else in the file."""
        lines = self._sources.lines(path) or []
        runs = self._sources.outline(path).imports
        rows = {row for first, last in runs for row in range(first, last + 1)}
        if rows.isdisjoint(range(start, end + 1)):
            return
        elsewhere = {word for row, line in enumerate(lines, 1) if row not in rows for word in _WORD.findall(line)}
        for each in self._where_bound(path):
            is_future = "__future__" in lines[each.line - 1]
            if start <= each.line <= end and each.line in rows and each.name not in elsewhere and not is_future:
                yield f"Nothing else in {path} uses `{each.name}`, imported at line {each.line}."

    def _python_note(self, path: str, name: Identifier) -> Note | None:
        if path not in self._python:
            self._python[path] = python_names(self._sources.lines(path) or [])
        names = self._python[path]
        meaning = names.meaning(name.line, name.column) if names is not None else None
        if meaning is None:
            return None
        if meaning.scope is not None:
            return _bound_note(path, meaning, meaning.scope, self._defined(path, name))
        return None if builtin(path, name.name) else self._unbound_note(path, name, meaning.hidden)

    def _unbound_note(self, path: str, name: Identifier, hidden: Sequence[tuple[Scope, Binding]]) -> Note | None:
        if hidden:
            places = ", ".join(dict.fromkeys(f"`{scope.name}` (line {one.line})" for scope, one in hidden[:3]))
            return Note(
                f"`{name.name}` is not bound in the scope of {path}:{name.line}, only in {places}.", is_telling=True
            )
        places = self._defined(path, name)
        if places:
            return Note(f"`{name.name}` is bound nowhere in {path}; it is defined at {places}.", is_telling=True)
        if self._usages.is_whole and not self._headings(name):
            return Note(f"`{name.name}` is bound nowhere in {path}, and no other file defines it.", is_telling=True)
        return Note(f"`{name.name}` is bound nowhere in {path}.", is_telling=True)

    def _other_note(self, path: str, name: Identifier) -> Note | None:
        lines = self._sources.lines(path) or []
        bound = bound_names(path, lines, (name.line, name.line))
        if bound is None or builtin(path, name.name):
            return None
        defined = self._defined(path, name)
        if name.name in bound:
            return self._visible_note(path, name, defined)
        if defined:
            return Note(f"`{name.name}` is defined at {defined}.")
        places = self._usages.find([name.name])[name.name]
        if language_of(path) not in _SELF_CONTAINED or not name.is_plain or not self._usages.is_whole:
            return None
        if any(place.path != path for place in places):
            return None
        return Note(f"`{name.name}` is bound nowhere in {path}, and no other file names it.", is_telling=True)

    def _visible_note(self, path: str, name: Identifier, defined: str) -> Note | None:
        """Which binding a name has where blocks count: only one that certainly reaches its line is told."""
        bound = [each for each in self._where_bound(path) if each.name == name.name]
        reaching = [each for each in bound if each.start <= name.line <= each.end]
        if not reaching or any(each.line > name.line for each in reaching if each.is_local):
            return None
        nearest = max(reaching, key=lambda each: (each.is_local, each.start, each.line))
        if nearest.line == name.line:
            return None
        if nearest.is_local:
            return Note(f"`{name.name}` is bound in this function at line {nearest.line}.")
        rows = self._sources.outline(path).imports
        if any(first <= nearest.line <= last for first, last in rows):
            also = f" and defined at {defined}" if defined else ""
            return Note(f"`{name.name}` is imported at {path}:{nearest.line}{also}.")
        return Note(f"`{name.name}` is bound at {path}:{nearest.line}.")

    def _where_bound(self, path: str) -> tuple[BoundName, ...]:
        if path not in self._bound:
            self._bound[path] = where_bound(path, self._sources.lines(path) or [])
        return self._bound[path]

    def _headings(self, name: Identifier) -> bool:
        self._usages.find([name.name])
        return bool(self._usages.headings(name.name))

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


def _bound_note(path: str, meaning: Meaning, scope: Scope, defined: str) -> Note | None:
    """What a name means that some scope binds, with the conditions under which it does."""
    name, first = f"`{meaning.use.name}`", meaning.bindings[0]
    where = _where(path, meaning, scope)
    if meaning.is_late:
        late = f"{name} is bound in {where} only after line {meaning.use.line}, at line {first.line}."
        return Note(late, is_telling=True)
    if meaning.only_in:
        branches = ", ".join(f"{said} (line {line})" for said, line in meaning.only_in[:3])
        return Note(f"{name} is bound in {where} only in {branches}.", is_telling=True)
    if first.line == meaning.use.line and scope.kind == "comprehension":
        return None
    again = sorted({each.line for each in meaning.bindings} - {first.line})
    rest = f", and again at line {again[0]}" if again else ""
    if first.how == "parameter":
        return Note(f"{name} is a parameter of {where}{rest.replace('again', 'bound again')}.")
    if first.how == "imported":
        also = f" and defined at {defined}" if defined and not again else ""
        return Note(f"{name} is imported at {path}:{first.line}{also}{rest.replace('again', 'bound again')}.")
    if first.how == "defined":
        return Note(f"{name} is defined at {path}:{first.line}{rest}.")
    return Note(f"{name} is bound in {where} at line {first.line}{rest}.")


def _where(path: str, meaning: Meaning, scope: Scope) -> str:
    if scope.kind == "module":
        return path
    if scope.kind == "function":
        return "this function" if meaning.is_own else f"the function `{scope.name}` around it"
    return scope.name
