"""Facts: what the program itself can find out about the code that a finding quotes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.code.cache import Cache
from kodiai.core.code.grammar import grammar_of
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.language import language_of
from kodiai.core.code.names import BoundNames, is_builtin
from kodiai.core.findings.finding import Finding
from kodiai.core.repository.view import RepositoryView

_MOST_NOTES = 6
_MOST_NAMED = 3
_WORD = re.compile(r"\w+")
# In these languages a file names everything that it takes from other files.
_NAMES_ALL = frozenset({"javascript", "python", "tsx", "typescript"})

# A path, and the first and the last line of a finding's code in it.
PathLines = tuple[str, int, int]


@dataclass(frozen=True)
class _Parsed:
    """The parse of a file: the names that it binds, and a note on whether it parses, "" if nothing can tell."""

    bound: BoundNames | None
    note: str


class Facts:
    """Short sentences on the code that a finding is about; each of them is certain."""

    def __init__(self, view: RepositoryView, files: Iterable[ChangedFile]) -> None:
        self._view = view
        self._touched = ChangedLines(files)
        self._identifiers: dict[PathLines, Sequence[Identifier]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._parsed = Cache(self._parse, lambda parsed: 150 * len(parsed.bound.rows) if parsed.bound else 0)

    def prepare(self, findings: Iterable[tuple[Finding, PathLines]]) -> None:
        """Parse each file of these findings once, before their notes."""
        for path, some in groupby(sorted(findings, key=lambda each: each[1]), key=lambda each: each[1][0]):
            quoted = frozenset(name.name for each in some for name in self._quoted(*each))
            self._names[path] = quoted
            self._parsed((path, quoted))

    def notes(self, finding: Finding, located: PathLines) -> tuple[str, ...]:
        """At most six notes about the code at a place of the head: its file, its names, what is changed."""
        path = located[0]
        lines = self._view.lines(path)
        if lines is None:
            return ()
        names = {each.name: each for each in reversed(self._quoted(finding, located))}
        known = self._names.get(path, frozenset())
        parsed = self._parsed((path, known if known.issuperset(names) else frozenset(names)))
        bound = parsed.bound
        about = [note for each in reversed(names.values()) if (note := self._name_note(path, each, bound))]
        notes = [
            *filter(None, [parsed.note]),
            *self._changed(finding, located),
            *(self._unused_imports(located, lines, bound) if bound else ()),
            *about,
        ]
        return tuple(dict.fromkeys(notes))[:_MOST_NOTES]

    def _parse(self, about: tuple[str, frozenset[str]]) -> _Parsed:
        path, names = about
        parser, lines = self._view.parser, self._view.lines(path) or []
        bound = parser.bound_names(path, lines, names)
        try:
            error = parser.first_error(path, lines)
        except ValueError:
            return _Parsed(bound, "")
        if error is None:
            return _Parsed(bound, f"{path} parses.")
        # A grammar does not know what macros stand for, nor which lines are left out.
        is_certain = not grammar_of(language_of(path) or "").is_preprocessed
        return _Parsed(bound, f"{path} has a syntax error at line {error}." if is_certain else "")

    def _changed(self, finding: Finding, located: PathLines) -> Iterator[str]:
        path, start, end = located
        lines = f"Line {start} of {path} is" if start == end else f"Lines {start}-{end} of {path} are"
        touches = self._touched.touches(path, start, end)
        yield f"{lines} {'' if touches else 'not '}changed by this pull request."
        for each in self._touched.broken(path, start, end):
            yield f"The reference at line {each.line} names nothing any more: {each.shown}."
        cause = finding.cause
        for moved in dict.fromkeys([path, *([cause.path] if cause else [])]):
            if (file := self._touched.file(moved)) is not None and file.previous_path:
                yield f"{file.path} was moved from {file.previous_path}."
        changed = cause is not None and self._touched.has(cause.path, cause.quote)
        if cause is not None and (cause.quote.strip() or not changed):
            yield f"The code of its cause in {cause.path} is {'' if changed else 'not '}changed by it."

    def _quoted(self, finding: Finding, located: PathLines) -> list[Identifier]:
        """The names that the quote has on these lines."""
        path, start, end = located
        lines = self._view.lines(path) or []
        words = set(_WORD.findall(finding.quote))
        if located not in self._identifiers:
            wanted = range(start, min(end, len(lines)) + 1)
            self._identifiers[located] = self._view.parser.identifiers(path, lines, wanted) or ()
        return [each for each in self._identifiers[located] if each.name in words]

    def _unused_imports(self, located: PathLines, lines: Sequence[str], bound: BoundNames) -> Iterator[str]:
        """The names that these lines import, and that are nowhere else in the file."""
        path, start, end = located
        rows = self._view.outline(path).imports
        if rows.isdisjoint(range(start, end + 1)):
            return
        elsewhere = {word for row, line in enumerate(lines, 1) if row not in rows for word in _WORD.findall(line)}
        for name, row in bound.on(rows.intersection(range(start, end + 1))):
            if name not in elsewhere and "__future__" not in lines[row - 1]:
                yield f"Nothing else in {path} uses `{name}`, imported at line {row}."

    def _name_note(self, path: str, name: Identifier, bound: BoundNames | None) -> str | None:
        """The place where a name is bound if it does not reach this one, None if it may."""
        if bound is None or not bound.is_complete or name.is_member or is_builtin(path, name.name):
            return None
        seen, places = self._view.outline(path), bound.bindings(name.name)
        # A class alone reaches its methods, whose names their own lines have.
        is_defined = any(one.name == name.name and one.covers(name.line, name.line) for one in seen.definitions)
        is_reached = any(each.start <= name.line <= each.end or each.line == name.line for each in places)
        if name.line in seen.imports or is_defined or is_reached:
            return None
        if places:
            lines = ", ".join(str(line) for line in sorted({each.line for each in places})[:_MOST_NAMED])
            where = f"at line {lines} of {path}"
            return f"`{name.name}` is bound {where}, in another block or function than line {name.line}."
        is_unbound = name.name not in bound.names and language_of(path) in _NAMES_ALL and name.is_plain
        return f"`{name.name}` is bound nowhere in {path}." if is_unbound else None
