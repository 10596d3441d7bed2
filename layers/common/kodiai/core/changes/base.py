"""Base: which files the base branch treats as generated or vendored, told from the head and from what was changed.

`.gitattributes`: https://github.com/github-linguist/linguist/blob/main/docs/overrides.md
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kodiai.core.changes import kinds
from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.globs import matches

ATTRIBUTES = ".gitattributes"
_FOREIGN = frozenset({"linguist-generated", "linguist-vendored"})


@dataclass(frozen=True)
class BaseBranch:
    """Where the base branch has generated or vendored files, and its patterns for them, the last one first.

    A pattern comes with whether it says so or takes it back.
    """

    places: frozenset[str] = frozenset()
    patterns: Sequence[tuple[str, bool]] = ()

    @classmethod
    def of(cls, head: Iterable[str], attributes: str, files: Iterable[ChangedFile]) -> "BaseBranch":
        """Take back from the head's paths what the pull request did to them; `attributes` is the base's file."""
        files = tuple(files)
        new = {file.path for file in files if file.status in ("added", "copied", "renamed")}
        old = {file.path for file in files if file.status == "removed"}
        old |= {file.previous_path for file in files if file.status == "renamed" and file.previous_path}
        paths = {*head} - new | old
        places = frozenset(place for path in paths for place in kinds.foreign_places(path))
        return cls(places, tuple(_patterns(attributes))[::-1])

    def is_generated_or_vendored(self, path: str) -> bool:
        """Whether its `.gitattributes` says so, or else it has files of the same kind at the same place."""
        for pattern, says_so in self.patterns:
            if matches(path, pattern):
                return says_so
        return not self.places.isdisjoint(kinds.foreign_places(path))


def _patterns(attributes: str) -> Iterator[tuple[str, bool]]:
    for row in attributes.splitlines():
        pattern, *said = row.split()[:50] or ["#"]
        if pattern.startswith(("#", "[attr]", '"')):
            continue
        for each in said:
            name, sign, value = each.lstrip("-!").partition("=")
            if name in _FOREIGN:
                yield pattern, not each.startswith(("-", "!")) and sign + value in ("", "=true")
