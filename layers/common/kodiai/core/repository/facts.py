"""Facts: what the program itself can find out about the code that a finding quotes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from kodiai.core.changes.changed_file import ChangedLines
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


class Facts:
    """Short sentences on the code that findings are about; each of them is certain. `change` is what is changed."""

    def __init__(self, view: RepositoryView, change: ChangedLines) -> None:
        self._view = view
        self._change = change

    def notes(self, findings: Sequence[Finding]) -> list[tuple[str, ...]]:
        """At most six notes on each finding's code at the head, its file, its names, its change; a file is parsed once.

        A finding in what is no text file has none.
        """
        found: dict[int, tuple[str, ...]] = {}
        by_path = sorted(range(len(findings)), key=lambda at: findings[at].path)
        for path, places in groupby(by_path, key=lambda at: findings[at].path):
            here = {at: findings[at] for at in places}
            lines = self._view.lines(path)
            found |= dict.fromkeys(here, ()) if lines is None else self._notes(path, lines, here)
        return [found[at] for at in range(len(findings))]

    def _notes(self, path: str, lines: Sequence[str], findings: Mapping[int, Finding]) -> dict[int, tuple[str, ...]]:
        """The notes on findings in a file, by what they are numbered with."""
        quoted = {at: self._quoted(each, lines) for at, each in findings.items()}
        bound = self._view.parser.bound_names(path, lines, {name for names in quoted.values() for name in names})
        parses = self._parses(path, lines)
        found = {}
        for at, finding in findings.items():
            imports = self._unused_imports(finding, lines, bound) if bound else ()
            named = (self._name_note(path, each, bound) for each in reversed(quoted[at].values()))
            notes = filter(None, (parses, *self._changed(finding), *imports, *named))
            found[at] = tuple(dict.fromkeys(notes))[:_MOST_NOTES]
        return found

    def _parses(self, path: str, lines: Sequence[str]) -> str:
        """A note on whether a file parses, "" if nothing can tell."""
        try:
            error = self._view.parser.first_error(path, lines)
        except ValueError:
            return ""
        if error is None:
            return f"{path} parses."
        # A grammar does not know what macros stand for, nor which lines are left out.
        is_certain = not grammar_of(language_of(path) or "").is_preprocessed
        return f"{path} has a syntax error at line {error}." if is_certain else ""

    def _changed(self, finding: Finding) -> Iterator[str]:
        path, start, end = finding.path, finding.start_line, finding.end_line
        lines = f"Line {start} of {path} is" if start == end else f"Lines {start}-{end} of {path} are"
        touches = self._change.touches(path, start, end)
        yield f"{lines} {'' if touches else 'not '}changed by this pull request."
        for each in self._change.broken(path, start, end):
            yield f"The reference at line {each.line} names nothing any more: {each.shown}."
        cause = finding.cause
        for moved in dict.fromkeys([path, *([cause.path] if cause else [])]):
            if (file := self._change.file(moved)) is not None and file.previous_path:
                yield f"{file.path} was moved from {file.previous_path}."
        changed = cause is not None and self._change.has(cause.path, cause.quote)
        if cause is not None and (cause.quote.strip() or not changed):
            yield f"The code of its cause in {cause.path} is {'' if changed else 'not '}changed by it."

    def _quoted(self, finding: Finding, lines: Sequence[str]) -> dict[str, Identifier]:
        """The names that the quote has on the finding's lines, each at its first place."""
        words = set(_WORD.findall(finding.quote))
        wanted = range(finding.start_line, min(finding.end_line, len(lines)) + 1)
        found = self._view.parser.identifiers(finding.path, lines, wanted) or ()
        return {each.name: each for each in reversed(found) if each.name in words}

    def _unused_imports(self, finding: Finding, lines: Sequence[str], bound: BoundNames) -> Iterator[str]:
        """The names that its lines import, and that are nowhere else in the file."""
        path, rows = finding.path, self._view.outline(finding.path).imports
        own = rows.intersection(range(finding.start_line, finding.end_line + 1))
        if not own:
            return
        elsewhere = {word for row, line in enumerate(lines, 1) if row not in rows for word in _WORD.findall(line)}
        for name, row in bound.on(own):
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
