"""Facts: what the program itself can find out about the code that a finding quotes."""

import re
from collections.abc import Iterable, Iterator, Sequence

from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.changes.kinds import is_prose, is_test
from kodiai.core.code.identifiers import Identifier, identifiers
from kodiai.core.code.outline import Definition
from kodiai.core.findings.finding import Finding
from kodiai.core.repository.called import Called
from kodiai.core.repository.meanings import Meanings
from kodiai.core.repository.usages import MOST_PLACES, Place
from kodiai.core.repository.view import RepositoryView

_MOST_NOTES = 6
_MOST_NAMED = 3
_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")

# A path, and the first and the last line of a finding's code in it.
Located = tuple[str, int, int]


class Facts:
    """Says in short sentences what is known of the code that a finding is about, and nothing that is not certain."""

    def __init__(self, view: RepositoryView, files: Iterable[ChangedFile]) -> None:
        sources, usages = view.sources, view.usages
        self._sources = sources
        self._usages = usages
        self._touched = ChangedLines(files)
        self._meanings = Meanings(sources, usages, Called(sources, usages))

    def expect(self, findings: Iterable[tuple[Finding, Located]]) -> None:
        """Search for the names of all these findings at once, so that the notes about each need no search."""
        names: set[str] = set()
        for finding, located in findings:
            names |= {each.name for each in self._quoted(finding, located)}
            names |= {each.name for each in self._enclosing(located)}
        self._usages.find(names)

    def notes(self, finding: Finding, located: Located) -> tuple[str, ...]:
        """At most six notes about the code at a place of the head: its file, its names, its uses, what is changed."""
        path, start, end = located
        if self._sources.lines(path) is None:
            return ()
        always = [*self._parses(path), *self._changed(finding, located)]
        names = {each.name: each for each in reversed(self._quoted(finding, located))}
        told = [self._meanings.note(path, each) for each in reversed(names.values())]
        telling = [*self._meanings.unused_imports(path, start, end)]
        telling += [each.text for each in told if each is not None and each.is_telling]
        plain = [each.text for each in told if each is not None and not each.is_telling]
        uses = [text for definition in self._enclosing(located) for text in self._uses(path, definition)]
        return tuple(dict.fromkeys([*always, *telling, *uses, *plain]))[:_MOST_NOTES]

    def _parses(self, path: str) -> Iterator[str]:
        seen = self._sources.outline(path)
        if seen.has_grammar:
            said = "parses" if seen.first_error is None else f"has a syntax error at line {seen.first_error}"
            yield f"{path} {said}."

    def _changed(self, finding: Finding, located: Located) -> Iterator[str]:
        path, start, end = located
        lines = f"Line {start} of {path} is" if start == end else f"Lines {start}-{end} of {path} are"
        touches = self._touched.touches(path, start, end)
        yield f"{lines} {'' if touches else 'not '}changed by this pull request."
        if finding.cause is not None:
            changed = self._touched.has(finding.cause.path, finding.cause.quote)
            yield f"The code of its cause in {finding.cause.path} is {'' if changed else 'not '}changed by it."

    def _quoted(self, finding: Finding, located: Located) -> list[Identifier]:
        """The names that the quote has on these lines."""
        path, start, end = located
        lines = self._sources.lines(path)
        if lines is None:
            return []
        words = set(_WORD.findall(finding.quote))
        found = identifiers(path, lines, range(start, min(end, len(lines)) + 1)) or ()
        return [each for each in found if each.name in words]

    def _enclosing(self, located: Located) -> list[Definition]:
        """The innermost definition around these lines, as far as it has a name that can be looked for."""
        path, start, end = located
        seen = self._sources.outline(path)
        inner = seen.enclosing(start, end)[:1] if seen.has_grammar else ()
        return [each for each in inner if each.kind != "test" and len(each.name) >= _SHORTEST_NAME]

    def _uses(self, path: str, definition: Definition) -> Iterator[str]:
        """Where else the name of a definition stands, in strings and comments too: it may be called through them."""
        name = definition.name
        places = self._usages.find([name])[name]
        others = [each for each in places if not (each.path == path and definition.covers(each.line, each.line))]
        others = [each for each in others if not is_prose(each.path)]
        if len(places) >= MOST_PLACES:
            yield f"`{name}` is a common name: it stands on at least {MOST_PLACES} lines of the repository."
        elif others:
            yield f"`{name}` is named at {_listed(sorted(others, key=lambda each: is_test(each.path)))}."
        elif self._usages.is_whole and not (name.startswith("__") and name.endswith("__")):
            yield f"Nothing else in the repository uses `{name}` by name."


def _listed(places: Sequence[Place]) -> str:
    """The first places, and how many more there are."""
    shown = ", ".join(f"{each.path}:{each.line}" for each in places[:_MOST_NAMED])
    more = len(places) - _MOST_NAMED
    return f"{shown} and {more} more {'place' if more == 1 else 'places'}" if more > 0 else shown
