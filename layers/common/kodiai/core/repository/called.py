"""Called: the definitions of what a change calls, as far as a name leads to one or two."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from kodiai.core.changes.kinds import is_test
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.outline import Definition
from kodiai.core.repository.sources import Sources
from kodiai.core.repository.usages import MOST_PLACES, Place, Usages

_MOST_DEFINITIONS = 2
_MOST_HEADINGS = 4
_MOST_CALLS = 80

Defined = tuple[str, Definition]


class Called:
    """Finds the definitions of names: in the same file first, then wherever the repository has few of that name.

    What the whole repository calls is known to its people, and looked up where it is not: it is left out.
    """

    def __init__(self, sources: Sources, usages: Usages) -> None:
        self._sources = sources
        self._usages = usages

    def by(self, called: Mapping[str, Sequence[Identifier]]) -> Iterator[tuple[str, Identifier, Defined]]:
        """Each definition with the file and the call that leads to it.

        Calls by code come before those by tests, names of the same file before others, rare names before common ones.
        """
        calls = [(path, call) for path, of in called.items() for call in of]
        ranked = sorted(calls, key=lambda each: self._rank(*each))
        for path, call in ranked[:_MOST_CALLS]:
            for defined in self.definitions(path, call):
                yield path, call, defined

    def definitions(self, path: str, call: Identifier) -> list[Defined]:
        """The one or two definitions that a name in a file can mean; none where there are more."""
        found = self._own(path, call.name)
        if not found and self._places(call.name) < MOST_PLACES:
            found = self._elsewhere(path, call.name)
        return found if len(found) <= _MOST_DEFINITIONS else []

    def _rank(self, path: str, call: Identifier) -> tuple[bool, bool, int, str, int]:
        return is_test(path), not self._own(path, call.name), self._places(call.name), path, call.line

    def _places(self, name: str) -> int:
        return len(self._usages.find([name])[name])

    def _own(self, path: str, name: str) -> list[Defined]:
        return [(path, one) for one in self._sources.outline(path).definitions if one.name == name]

    def _elsewhere(self, path: str, name: str) -> list[Defined]:
        """The definitions in other files; of many those in files that this one imports, by their names."""
        headings = self._usages.headings(name)
        headings = [each for each in headings if not is_test(each.path)] or headings
        if len(headings) > _MOST_DEFINITIONS:
            imported = self._imported(path)
            headings = [each for each in headings if _module(each.path) in imported] or headings
        if len(headings) > _MOST_HEADINGS:
            return []
        return list(dict.fromkeys(one for each in headings for one in self._at(each, name)))

    def _at(self, heading: Place, name: str) -> Iterator[Defined]:
        for path, one in self._own(heading.path, name):
            if one.start_line <= heading.line <= one.end_line:
                yield path, one

    def _imported(self, path: str) -> frozenset[str]:
        """The words on the lines that import."""
        lines = self._sources.lines(path) or []
        text = "\n".join(line for start, end in self._sources.outline(path).imports for line in lines[start - 1 : end])
        return frozenset("".join(each if each.isalnum() or each in "_-" else " " for each in text).split())


def _module(path: str) -> str:
    """The name that a file is imported by, as a rule: its own, or its folder's."""
    file = PurePosixPath(path)
    return file.parent.name if file.stem in ("__init__", "index", "mod") else file.name.partition(".")[0]
