"""Facts: what the program itself can find out about what a finding claims."""

from collections.abc import Sequence
from functools import cached_property

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.code.names import bound_names, builtin
from kodiai.flows.review.sources import Sources
from kodiai.flows.review.usages import Usages


class RepositoryFacts:
    """Facts about the repository at the head, the changes, and what the reviewers looked up.

    `files` are those of the pull request, `looked_up` what the tools were asked and showed, and what was shown first.
    """

    def __init__(
        self, sources: Sources, usages: Usages, files: Sequence[ChangedFile], looked_up: Sequence[str]
    ) -> None:
        self._sources = sources
        self._usages = usages
        self._files = files
        self._looked_up = looked_up

    def lines(self, path: str) -> Sequence[str] | None:
        """The file at the head."""
        return self._sources.lines(path)

    def parses(self, path: str) -> bool | None:
        """Whether the file has the syntax of its language, None where that cannot be told."""
        if self._sources.lines(path) is None:
            return None
        seen = self._sources.outline(path)
        return seen.first_error is None if seen.has_grammar else None

    def binds(self, path: str, name: str, at: tuple[int, int]) -> bool | None:
        """Whether a name has a meaning on these lines, by the file or the language, None where that is unknown.

        A name that only some other function binds has none here; one of another file of the package is not seen.
        """
        lines = self._sources.lines(path)
        if lines is None:
            return None
        bound = bound_names(path, lines, at)
        return builtin(path, name) or None if bound is None else name in bound or builtin(path, name)

    def is_named(self, text: str) -> bool | None:
        """Whether a text stands in the repository, the changes or what was looked up, None where that is unknown."""
        if any(text in told for told in (*self._looked_up, *self._patches)):
            return True
        return bool(self._usages.find([text])[text]) if self._usages.can_search else None

    def uses(self, name: str) -> int | None:
        """On how many lines a name stands outside its own definitions, None where that cannot be told."""
        if not self._usages.can_search:
            return None
        places = self._usages.find([name])[name]
        return sum(not self._defines(place.path, place.line, name) for place in places)

    def was_looked_up(self, name: str) -> bool:
        """Whether somebody searched for a name, or was shown it, beyond the changes themselves."""
        return any(name in told for told in self._looked_up)

    @cached_property
    def _patches(self) -> tuple[str, ...]:
        return tuple(file.patch for file in self._files if file.patch)

    def _defines(self, path: str, line: int, name: str) -> bool:
        definitions = self._sources.outline(path).definitions
        return any(each.name == name and each.start_line <= line <= each.end_line for each in definitions)
