"""Moved: code of findings that left its file and stands in another one."""

from collections.abc import Iterator
from dataclasses import replace

from kodiai.core.changes.hunk import squeezed
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import ReadLines, stands
from kodiai.core.review.input import ReviewInput

# Of a shorter quote it means nothing that it stands somewhere else too.
_SHORTEST_QUOTE = 8


def with_moved_code(gathered: ReviewInput, read_lines: ReadLines) -> ReviewInput:
    """Lead each finding whose code is no longer in its file to the changed file in which that code is new."""
    if gathered.difference is None:
        return gathered
    moved = {known.id: path for known in gathered.known for path in _new_places(gathered, known, read_lines)}
    return replace(gathered, moved_code=moved)


def _new_places(gathered: ReviewInput, known: KnownFinding, read_lines: ReadLines) -> Iterator[str]:
    """The file in which its code stands on lines that the last run did not see; none where it stands as it did."""
    quote, path = known.finding.quote, gathered.path_now(known.finding.path)
    if len(squeezed(quote)) < _SHORTEST_QUOTE or stands(quote, path, read_lines):
        return
    for file in gathered.files:
        seen = gathered.previous_hunks(file.path)
        added = [line.text for hunk in file.hunks if hunk.key not in seen for line in hunk.lines if line.marker == "+"]
        if file.path != path and stands(quote, file.path, {file.path: added}.get):
            yield file.path
            return
