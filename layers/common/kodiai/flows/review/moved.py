"""Moved: files that left under one name and came back under another, too much changed for git to tell."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kodiai.core.findings.ground import ReadLines, stands
from kodiai.core.findings.known import KnownFinding
from kodiai.flows.review.gather import Gathered

_SHORTEST_QUOTE = 8


def with_moved_files(gathered: Gathered, read_lines: ReadLines) -> Gathered:
    """Lead from each file that is gone to the new one in which the code of its findings stands."""
    if gathered.difference is None or gathered.previous_snapshot is None:
        return gathered
    seen = {file.path for file in gathered.previous_snapshot.files}
    new = [file.path for file in gathered.files if file.path not in seen and file.status != "removed"]
    found = dict(_found(gathered.known, gathered, new, read_lines))
    return replace(gathered, difference=replace(gathered.difference, renamed={**gathered.difference.renamed, **found}))


def _found(
    known: Iterable[KnownFinding], gathered: Gathered, new: Iterable[str], read_lines: ReadLines
) -> Iterator[tuple[str, str]]:
    for each in known:
        path, quote = each.finding.path, each.finding.quote
        if sum(not character.isspace() for character in quote) < _SHORTEST_QUOTE:
            continue
        if read_lines(gathered.path_now(path)) is None:
            yield from ((path, candidate) for candidate in new if stands(quote, candidate, read_lines))
