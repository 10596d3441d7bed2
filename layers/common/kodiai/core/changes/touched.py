"""What the pull request touches, line by line, over all its pushes."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.hunk import Hunk, squeezed


class Touched:
    """The changed lines of a pull request's files."""

    def __init__(self, files: Iterable[ChangedFile]) -> None:
        self._files = tuple(files)

    def touches(self, path: str, start: int, end: int) -> bool:
        """Whether any of these new-side lines was added, or stands right beside lines that were removed."""
        return not self._lines.get(path, frozenset()).isdisjoint(range(start, end + 1))

    def has(self, path: str, quote: str) -> bool:
        """Whether a line of the quote is one that the change adds to the file or removes from it."""
        changed = self._texts.get(path, frozenset())
        return any(squeezed(line) in changed for line in quote.split("\n") if squeezed(line))

    @cached_property
    def _lines(self) -> Mapping[str, frozenset[int]]:
        return {file.path: frozenset(line for hunk in file.hunks for line in _touched(hunk)) for file in self._files}

    @cached_property
    def _texts(self) -> Mapping[str, frozenset[str]]:
        texts = {file.path: _changed_texts(file) for file in self._files}
        before = {file.previous_path: texts[file.path] for file in self._files if file.previous_path}
        return {**before, **texts}


def _touched(hunk: Hunk) -> Iterable[int]:
    last = 0
    removed = False
    for line in hunk.lines:
        if line.marker == "-":
            removed = True
            if last:
                yield last
        elif line.new is not None:
            if line.marker == "+" or removed:
                yield line.new
            removed = False
            last = line.new


def _changed_texts(file: ChangedFile) -> frozenset[str]:
    lines = (line for hunk in file.hunks for line in hunk.lines if line.marker != " ")
    return frozenset(squeezed(line.text) for line in lines)
