"""Locate: finds code that a model quotes, whatever it puts around it."""

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.places import Located
from kodiai.core.findings.quote import with_lost_characters
from kodiai.core.findings.source import ReadLines, Source


def locate(quote: str, path: str, near: int | None, source: Source) -> Located | None:
    """Find quoted code in a file, else in lines that the diff removes from it; of several places the nearest one.

    White space, typography, diff markers, line numbers, fences, and omitted comments and lines do not count; the
    literal text comes first. A quote of fewer than two letters or digits locates nothing.
    """
    found = source.find(path)
    if found is None:
        return None
    places = source.read_lines.places(quote, found)
    places = places if places.found else source.places_in_diff(quote, found)
    return places.likeliest(near, source.changed(found))


def code_exists(quote: str, path: str, read_lines: ReadLines) -> bool:
    """Whether quoted code is in a file at the head."""
    return bool(read_lines.places(quote, path).found)


def placed(finding: Finding, source: Source) -> tuple[Finding, bool]:
    """The finding at the lines of its quote, with the code as it is there, and whether the quote was found."""
    path = source.find(finding.path) or finding.path
    # Lines run forwards, from 1.
    start, end = sorted((max(finding.start_line, 1), max(finding.end_line, 1)))
    place = {"path": path, "start_line": start, "end_line": end}
    finding = finding.model_copy(update={**place, "reported_title": finding.title})
    if "\ufffd" in finding.quote:
        lines = source.read_lines(path) or ()
        quote, replacement = with_lost_characters(finding.quote, finding.replacement, lines)
        finding = finding.model_copy(update={"quote": quote, "replacement": replacement})
    found = locate(finding.quote, path, finding.start_line, source)
    if found is None:
        return finding, False
    known: dict[str, object] = {"quote": found.quote} if found.complete else {}
    inside = finding.start_line <= found.start_line and found.end_line <= finding.end_line
    in_file = finding.end_line <= len(source.read_lines(path) or ())
    is_moved = found.removed or not inside or not in_file
    if is_moved:
        known |= {"start_line": found.start_line, "end_line": found.end_line, "path": found.path}
    if is_moved or finding.replaces is None:
        # A replacement was made for the stated lines: it fits no others, nor lines of which a part was left out.
        first, last = finding.replaced_lines
        is_for_it = found.complete and last - first == found.end_line - found.start_line
        known |= {"replaces": None, **({} if is_for_it else {"replacement": None})}
    return finding.model_copy(update=known), True
