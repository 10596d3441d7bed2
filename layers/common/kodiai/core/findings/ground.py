"""Grounding: is a finding about code that is really there."""

from collections.abc import Callable

from kodiai.core.changes.hunk import squeezed
from kodiai.core.findings.finding import Finding

ReadLines = Callable[[str], list[str] | None]
"""Gives a file's lines at the head (without their ends), None where there is no such text file."""


class NotGrounded(ValueError):
    """The finding's evidence is not in the code; the text is the reason."""


def ground(finding: Finding, read_lines: ReadLines) -> Finding:
    """Return the finding at the lines where its quote stands.

    White space does not count. A quote that stands elsewhere in the file moves the finding there, to the nearest place.
    Raises NotGrounded.
    """
    found = places(finding.quote, finding.path, read_lines)
    length = len(read_lines(finding.path) or ())
    inside = [place for place in found if place[0] >= finding.start_line and place[1] <= finding.end_line]
    if inside and finding.end_line <= length:
        return finding
    start, end = min(found, key=lambda place: abs(place[0] - finding.start_line))
    moved: dict[str, int | None] = {"start_line": start, "end_line": end}
    if (finding.end_line - finding.start_line) != (end - start):
        moved |= {"replacement": None}
    return finding.model_copy(update=moved)


def places(quote: str, path: str, read_lines: ReadLines) -> list[tuple[int, int]]:
    """Find where a quote stands in a file, as 1-based first and last line; there is at least one place.

    White space does not count. Raises NotGrounded.
    """
    lines = read_lines(path)
    if lines is None:
        raise NotGrounded("no such file at the head")
    quoted = [text for line in quote.split("\n") if (text := squeezed(line))]
    if not quoted:
        raise NotGrounded("it quotes no code")
    found = _places(quoted, [squeezed(line) for line in lines])
    if not found:
        raise NotGrounded("the quoted code is not in the file")
    return found


def stands(quote: str, path: str, read_lines: ReadLines) -> bool:
    """Whether a quote stands in a file."""
    try:
        places(quote, path, read_lines)
    except NotGrounded:
        return False
    return True


def _places(quote: list[str], lines: list[str]) -> list[tuple[int, int]]:
    """Find where the quoted lines stand, blank lines between them aside, as 1-based first and last line."""
    solid = [(number, text) for number, text in enumerate(lines, 1) if text]
    places = []
    for at in range(len(solid) - len(quote) + 1):
        window = solid[at : at + len(quote)]
        if _stands(quote, [text for _, text in window]):
            places.append((window[0][0], window[-1][0]))
    return places


def _stands(quote: list[str], texts: list[str]) -> bool:
    """A quote of one line may be any piece of it; of several, each is whole but for the first and the last.

    The first may be the line's end and the last its beginning, or either most of its line: a comment may be left out.
    """
    if len(quote) == 1:
        return quote[0] in texts[0]
    first = texts[0].endswith(quote[0]) or _is_most_of(quote[0], texts[0])
    last = texts[-1].startswith(quote[-1]) or _is_most_of(quote[-1], texts[-1])
    return first and last and texts[1:-1] == quote[1:-1]


def _is_most_of(part: str, text: str) -> bool:
    return part in text and 2 * len(part) >= len(text)
