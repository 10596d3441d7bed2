"""Called: the definitions of what a change calls, as far as a name leads to one or two."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from kodiai.core.changes.kinds import is_test
from kodiai.core.code.definition import Definition
from kodiai.core.code.identifiers import Identifier
from kodiai.core.repository.usages import MOST_PLACES
from kodiai.core.repository.view import RepositoryView

_MOST_DEFINITIONS = 2
_MOST_HEADINGS = 4
_MOST_CALLS = 80

Defined = tuple[str, Definition]


class Called:
    """Finds the definitions of names: in the same file first, then wherever the repository has few of that name.

    A name that the whole repository calls is left out: the model knows it, or looks it up.
    """

    def __init__(self, view: RepositoryView) -> None:
        self._view = view
        self._usages = view.usages

    def by(self, called: Mapping[str, Sequence[Identifier]]) -> Iterator[tuple[str, Identifier, Defined]]:
        """Each definition with the file and the call that leads to it.

        Calls by code come before those by tests, names of the same file before others, rare names before common ones.
        """
        calls = [(path, call) for path, of in called.items() for call in of]
        ranked = sorted(calls, key=lambda each: self._rank(*each))
        for path, call in ranked[:_MOST_CALLS]:
            for defined in self.definitions(path, call.name):
                yield path, call, defined

    def definitions(self, path: str, name: str) -> list[Defined]:
        """The one or two definitions that a name in a file can mean; none where there are more."""
        found = self._own(path, name)
        if not found and self._uses(name) < MOST_PLACES:
            found = self._elsewhere(path, name)
        return found if len(found) <= _MOST_DEFINITIONS else []

    def _rank(self, path: str, call: Identifier) -> tuple[bool, bool, int, str, int]:
        return is_test(path), not self._own(path, call.name), self._uses(call.name), path, call.line

    def _uses(self, name: str) -> int:
        return len(self._usages.find([name])[name])

    def _own(self, path: str, name: str) -> list[Defined]:
        return [(path, one) for one in self._view.outline(path).definitions if one.name == name]

    def _elsewhere(self, path: str, name: str) -> list[Defined]:
        """The definitions in other files; of many those in files that this one imports, by their names."""
        headings = self._usages.headings(name)
        headings = [each for each in headings if not is_test(each.path)] or headings
        if len(headings) > _MOST_DEFINITIONS:
            imported = self._imported(path)
            headings = [each for each in headings if _module(each.path) in imported] or headings
        if len(headings) > _MOST_HEADINGS:
            return []
        found = ((each, own) for each in headings for own in self._own(each.path, name))
        return list(dict.fromkeys(own for each, own in found if own[1].covers(each.line, each.line)))

    def _imported(self, path: str) -> frozenset[str]:
        """The words on the lines that import."""
        lines = self._view.lines(path) or []
        text = "\n".join(line for start, end in self._view.outline(path).imports for line in lines[start - 1 : end])
        return frozenset("".join(each if each.isalnum() or each in "_-" else " " for each in text).split())


def _module(path: str) -> str:
    """The name that a file is imported by, as a rule: its own, or its folder's."""
    file = PurePosixPath(path)
    return file.parent.name if file.stem in ("__init__", "index", "mod") else file.name.partition(".")[0]
