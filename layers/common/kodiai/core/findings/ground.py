"""Grounding: is a finding about code that is really there."""

from collections.abc import Callable

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
    lines = read_lines(finding.path)
    if lines is None:
        raise NotGrounded("no such file at the head")
    quote = [squeezed for line in finding.quote.split("\n") if (squeezed := _squeeze(line))]
    if not quote:
        raise NotGrounded("it quotes no code")
    places = _places(quote, [_squeeze(line) for line in lines])
    if not places:
        raise NotGrounded("the quoted code is not in the file")
    inside = [place for place in places if place[0] >= finding.start_line and place[1] <= finding.end_line]
    if inside and finding.end_line <= len(lines):
        return finding
    start, end = min(places, key=lambda place: abs(place[0] - finding.start_line))
    moved: dict[str, int | None] = {"start_line": start, "end_line": end}
    if (finding.end_line - finding.start_line) != (end - start):
        moved |= {"replacement": None}
    return finding.model_copy(update=moved)


def _squeeze(line: str) -> str:
    return "".join(line.split())


def _places(quote: list[str], lines: list[str]) -> list[tuple[int, int]]:
    """Find where the quoted lines stand, blank lines between them aside, as 1-based first and last line."""
    solid = [(number, text) for number, text in enumerate(lines, 1) if text]
    places = []
    for at in range(len(solid) - len(quote) + 1):
        window = solid[at : at + len(quote)]
        if all(_stands(part, text, len(quote)) for part, (_, text) in zip(quote, window, strict=True)):
            places.append((window[0][0], window[-1][0]))
    return places


def _stands(part: str, text: str, height: int) -> bool:
    """A quote of one line may be a piece of it; of several, each line is whole but for the first and last."""
    return part in text if height == 1 else part == text or (part in text and len(part) >= len(text) // 2)
