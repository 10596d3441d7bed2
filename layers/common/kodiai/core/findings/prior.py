"""The findings of earlier reviews, found by what a reported one has in common with them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from kodiai.core.changes.line_ranges import LineRanges
from kodiai.core.changes.patch import without_spaces
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import (
    NEAR_LINES,
    PriorFinding,
    has_same_code,
    is_part,
    normalized_title,
    same_by_code,
    titles,
)
from kodiai.core.findings.known import DECIDED_BY_PEOPLE

_CHARACTERS = 6
_Numbered = tuple[int, PriorFinding]


class PriorFindings:
    """The findings of earlier reviews, found by the place, the code and the title of a reported one.

    Each answer is what comparing it with all of them, one after the other, would give.
    """

    def __init__(self, prior: Sequence[PriorFinding]) -> None:
        placed: dict[tuple[str, ...], list[tuple[int, int, _Numbered]]] = defaultdict(list)
        edited: dict[str, list[_Numbered]] = defaultdict(list)
        self._edited_titles: dict[tuple[str, str, str], _Numbered] = {}
        for each in enumerate(prior):
            place, finding = each[1].place, each[1].finding
            for title in titles(finding):
                if place is not None:
                    placed[finding.path, title].append((*place, each))
                else:
                    self._edited_titles.setdefault((finding.path, title, finding.category), each)
            if place is not None:
                placed[finding.path,].append((*place, each))
            else:
                edited[finding.path].append(each)
            likely = place or each[1].likely_place
            if likely is not None and each[1].known.status in DECIDED_BY_PEOPLE:
                placed["dismissed", finding.path, finding.category].append((*likely, each))
        self._edited = {path: _Quotes(found) for path, found in edited.items()}
        self._placed = {key: LineRanges(ranges) for key, ranges in placed.items()}
        # Many findings about the same code would be compared with the same ones.
        self._known: dict[tuple[str | int, ...], tuple[PriorFinding, ...]] = {}
        self._ids: dict[int, tuple[str, ...]] = {}

    def same(self, finding: Finding) -> PriorFinding | None:
        """The first one that it is by path, place and title."""
        title = normalized_title(finding.title)
        key = (finding.path, finding.start_line, finding.end_line, finding.quote, finding.category, title)
        if key not in self._known:
            start, end = finding.start_line - NEAR_LINES, finding.end_line + NEAR_LINES
            near = self._on(start, end, finding.path, title)
            placed = next((each for each in near if same_by_code(each[1], finding)), None)
            edited = self._edited_titles.get((finding.path, title, finding.category))
            self._known[key] = _in_order([each for each in (placed, edited) if each is not None])[:1]
        return next(iter(self._known[key]), None)

    def on_same_lines(self, finding: Finding) -> tuple[str, ...]:
        """The ids of those that are about the same code, whatever they say about it."""
        found = self._on_same_lines(finding)
        if id(found) not in self._ids:
            self._ids[id(found)] = tuple(one.id for one in found)
        return self._ids[id(found)]

    def _on_same_lines(self, finding: Finding) -> tuple[PriorFinding, ...]:
        key = (finding.path, finding.start_line, finding.end_line, finding.quote)
        if key not in self._known:
            placed = self._on(finding.start_line, finding.end_line, finding.path)
            edited = self._edited[finding.path].related(finding) if finding.path in self._edited else []
            self._known[key] = _in_order([*placed, *edited])
        return self._known[key]

    def with_same_code(self, finding: Finding) -> PriorFinding | None:
        """The first one of the same category that quotes the same code at the same place, an open one before others."""
        key = (finding.path, finding.start_line, finding.end_line, finding.quote, finding.category)
        if key not in self._known:
            alike = [one for one in self._on_same_lines(finding) if has_same_code(one, finding)]
            self._known[key] = tuple(sorted(alike, key=lambda one: one.known.status != "open")[:1])
        return next(iter(self._known[key]), None)

    def dismissed_beside(self, finding: Finding) -> tuple[str, ...]:
        """The ids of the dismissed ones of the same category that are near to its lines."""
        start, end = finding.start_line - NEAR_LINES, finding.end_line + NEAR_LINES
        found = self._on(start, end, "dismissed", finding.path, finding.category)
        return tuple(one.id for one in _in_order(found))

    def _on(self, start: int, end: int, *group: str) -> list[_Numbered]:
        return self._placed[group].on(start, end) if group in self._placed else []


def _in_order(found: list[_Numbered]) -> tuple[PriorFinding, ...]:
    return tuple(one for _, one in sorted(found, key=lambda each: each[0]))


class _Quotes:
    """Findings whose code is gone, found by a quote that holds theirs or is a part of it."""

    def __init__(self, found: Sequence[_Numbered]) -> None:
        self._found = found
        self._quotes = [without_spaces(one.finding.quote) for _, one in found]
        self._short = [at for at, quote in enumerate(self._quotes) if len(quote) < _CHARACTERS]
        self._having: dict[str, list[int]] = defaultdict(list)
        for at, quote in enumerate(self._quotes):
            for piece in _pieces(quote):
                self._having[piece].append(at)
        # What holds a quote has its rarest piece, which few others have.
        self._rarest: dict[str, list[int]] = defaultdict(list)
        for at, quote in enumerate(self._quotes):
            self._rarest[_rarest(_pieces(quote), self._having)].append(at)

    def related(self, finding: Finding) -> list[_Numbered]:
        """The findings of which one quote holds the other."""
        code = without_spaces(finding.quote)
        pieces = _pieces(code)
        longer = self._having.get(_rarest(pieces, self._having), ()) if pieces else range(len(self._quotes))
        shorter = (at for piece in pieces for at in self._rarest.get(piece, ()))
        return [self._found[at] for at in {*longer, *shorter, *self._short} if is_part(self._quotes[at], code)]


def _pieces(text: str) -> set[str]:
    """All pieces of a text with this number of characters."""
    return {text[at : at + _CHARACTERS] for at in range(len(text) - _CHARACTERS + 1)}


def _rarest(pieces: set[str], having: Mapping[str, Sequence[int]]) -> str:
    return min(pieces, key=lambda piece: len(having.get(piece, ())), default="")
