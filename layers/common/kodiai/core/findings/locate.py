"""Locate: finds code that a model quotes, whatever it puts around it."""

from kodiai.core.findings.places import Located
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
