"""A push's changed files as people see them: which lines a comment is about, and what stands around them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup

from cli.report.result import Comment, DiffFile
from kodiai.core.changes.hunk import Hunk, Line
from kodiai.core.changes.patch import UnreadablePatch, parse_patch

_WORTH_FOLDING = 4


@dataclass(frozen=True)
class Diff:
    """The changed files of one push, by path."""

    files: Sequence[DiffFile] = ()

    @cached_property
    def _by_path(self) -> dict[str, DiffFile]:
        return {file.path: file for file in self.files}

    def file(self, path: str) -> DiffFile | None:
        """Find a changed file."""
        return self._by_path.get(path)

    def hunks(self, path: str) -> tuple[Hunk, ...]:
        """Give a file's hunks, none where there is no patch or it cannot be read."""
        return self._hunks.get(path, ())

    @cached_property
    def _hunks(self) -> dict[str, tuple[Hunk, ...]]:
        return {file.path: _read(file.patch) for file in self.files}

    def commented(self, comment: Comment) -> list[Line]:
        """Give the lines that a comment is about, none where the diff does not have them."""
        rows = (row for hunk in self.hunks(comment.path) for row in hunk.lines)
        return [row for row in rows if number_on(row, comment.side) in comment.lines]


def _read(patch: str | None) -> tuple[Hunk, ...]:
    try:
        return parse_patch(patch) if patch else ()
    except UnreadablePatch:
        return ()


def number_on(row: Line, side: str) -> int | None:
    """The row's 1-based line number on a comment's side, None where the row is on the other side only."""
    return row.old if side == "LEFT" else row.new


@dataclass
class Row:
    """A line of a hunk, as HTML too, and the comments that stand below it."""

    line: Line
    html: Markup
    comments: list[Comment] = field(default_factory=list)
    commented: bool = False


@dataclass(frozen=True)
class Stretch:
    """Rows of a hunk that are shown together; `folded` ones are far from any comment."""

    rows: tuple[Row, ...]
    folded: bool


def place(hunk: Hunk, html: Iterable[Markup], comments: Iterable[Comment]) -> tuple[list[Row], list[Comment]]:
    """Put the comments under their lines; return the hunk's rows and the comments that are not in it."""
    rows = [Row(line, shown) for line, shown in zip(hunk.lines, html, strict=True)]
    elsewhere = []
    for comment in comments:
        about = [row for row in rows if number_on(row.line, comment.side) in comment.lines]
        if not about or number_on(about[-1].line, comment.side) != comment.line:
            elsewhere.append(comment)
            continue
        about[-1].comments.append(comment)
        for row in about:
            row.commented = True
    return rows, elsewhere


def stretches(rows: Sequence[Row], around: int = 6) -> Iterator[Stretch]:
    """Cut a hunk into what is near a comment and what is not; fewer than four rows are not worth folding."""
    near = [any(row.commented for row in rows[max(at - around, 0) : at + around + 1]) for at in range(len(rows))]
    start = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or near[end] != near[start]:
            folded = not near[start] and end - start >= _WORTH_FOLDING
            yield Stretch(tuple(rows[start:end]), folded)
            start = end
