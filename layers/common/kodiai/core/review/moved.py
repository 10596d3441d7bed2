"""Moved: code of findings that left its file and stands in another one."""

from collections.abc import Iterator

from kodiai.core.changes.patch import without_spaces
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import stands
from kodiai.core.findings.source import ReadLines
from kodiai.core.review.input import ReviewInput

# Of a shorter quote it means nothing that it stands somewhere else too.
_SHORTEST_QUOTE = 8


def moved_code(review_input: ReviewInput, read_lines: ReadLines) -> dict[str, str]:
    """Lead each finding whose code is no longer in its file, by its id, to the changed file that has it as new code."""
    if review_input.difference is None:
        return {}
    return {known.id: path for known in review_input.known for path in _new_places(review_input, known, read_lines)}


def _new_places(review_input: ReviewInput, known: KnownFinding, read_lines: ReadLines) -> Iterator[str]:
    """The file in which its code stands on lines that the last run did not see; none where it stands as it did."""
    quote, path = known.finding.quote, review_input.path_now(known.finding.path)
    if len(without_spaces(quote)) < _SHORTEST_QUOTE or stands(quote, path, read_lines):
        return
    for file in review_input.files:
        seen = review_input.previous_hunks(file.path)
        added = [line.text for hunk in file.hunks if hunk.key not in seen for line in hunk.lines if line.marker == "+"]
        if file.path != path and stands(quote, file.path, {file.path: added}.get):
            yield file.path
            return
