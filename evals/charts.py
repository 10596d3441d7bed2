"""Charts as SVG to embed in a page; colors and fonts are the page's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evals.bootstrap import Estimate

_SIDE, _LEFT, _TOP = 360, 44, 12
_STEPS = 48
_LEVELS = (0.2, 0.4, 0.6, 0.8)
_BAR, _STEP, _BETWEEN, _LABEL, _WIDTH, _WORDS = 9, 14, 6, 220, 300, 130


@dataclass(frozen=True)
class Point:
    """A point of the scatter; `kind` is "run", "other" or "part", which sets its color."""

    label: str
    precision: Estimate
    recall: Estimate
    kind: str


@dataclass(frozen=True)
class Bar:
    """A bar: its share of the whole width, from 0 to 1, its text, and optionally an interval."""

    kind: str
    share: float
    words: str
    low: float | None = None
    high: float | None = None


def scatter(points: Sequence[Point]) -> Markup:
    """Precision over recall, each with its interval, above lines of the same F1."""
    drawn = [_curve(level) for level in _LEVELS] + [_axes()] + [_point(point) for point in points]
    return _svg(_LEFT + _SIDE + 24, _TOP + _SIDE + 44, "Precision over recall", drawn)


def bars(rows: Sequence[tuple[str, Sequence[Bar]]], words: str) -> Markup:
    """Rows of bars, one below the other, with a label before each row."""
    drawn, y = list[Markup](), _TOP
    for label, row in rows:
        height = _STEP * len(row)
        drawn.append(_text(_LABEL - 8, y + height / 2 + 3, label, "end"))
        drawn += [_bar(bar, y + at * _STEP) for at, bar in enumerate(row)]
        y += height + _BETWEEN
    return _svg(_LABEL + _WIDTH + _WORDS, y + 8, words, drawn)


def _bar(bar: Bar, y: float) -> Markup:
    width = max(bar.share, 0.0) * _WIDTH
    parts = [
        _element('<rect class="track" x="{}" y="{}" width="{}" height="{}"/>', _LABEL, y, _WIDTH, _BAR),
        _element('<rect class="bar {}" x="{}" y="{}" width="{}" height="{}"/>', bar.kind, _LABEL, y, width, _BAR),
    ]
    if bar.low is not None and bar.high is not None:
        places = (_LABEL + bar.low * _WIDTH, y + _BAR / 2, _LABEL + bar.high * _WIDTH, y + _BAR / 2)
        parts.append(_element('<line class="spread" x1="{}" y1="{}" x2="{}" y2="{}"/>', *places))
    parts.append(_text(_LABEL + _WIDTH + 6, y + _BAR, bar.words, "start", "small"))
    return Markup().join(parts)


def _axes() -> Markup:
    parts = []
    for step in range(0, 101, 25):
        share = step / 100
        parts += [
            _line(share, 0, share, 1, "grid"),
            _line(0, share, 1, share, "grid"),
            _text(_x(share), _y(0) + 16, f"{step}", "middle", "small"),
            _text(_LEFT - 6, _y(share) + 4, f"{step}", "end", "small"),
        ]
    across = _text(_x(0.5), _y(0) + 34, "Recall, %", "middle")
    up = _element('<text class="label" transform="translate(12 {}) rotate(-90)">Precision, %</text>', _y(0.5) + 30)
    return Markup().join([*parts, across, up])


def _curve(level: float) -> Markup:
    """The line on which F1 is that high."""
    recalls = [level / (2 - level) + (1 - level / (2 - level)) * step / _STEPS for step in range(_STEPS + 1)]
    places = [(recall, level * recall / (2 * recall - level)) for recall in recalls]
    path = " ".join(f"{_x(recall):.1f},{_y(precision):.1f}" for recall, precision in places)
    name = _text(_x(1) + 4, _y(places[-1][1]) + 4, f"F1 {level:.1f}", "end", "faint")
    return _element('<polyline class="level" points="{}"/>', path) + name


def _point(point: Point) -> Markup:
    precision, recall = point.precision.value, point.recall.value
    if precision is None or recall is None:
        return Markup()
    parts = []
    if point.kind != "part" and None not in (point.precision.low, point.recall.low):
        parts += [
            _line(recall, point.precision.low or 0, recall, point.precision.high or 0, f"cross {point.kind}"),
            _line(point.recall.low or 0, precision, point.recall.high or 0, precision, f"cross {point.kind}"),
        ]
    tooltip = f"{point.label}: precision {precision:.0%}, recall {recall:.0%}"
    circle = '<circle class="dot {}" cx="{}" cy="{}" r="{}"><title>{}</title></circle>'
    parts.append(_element(circle, point.kind, _x(recall), _y(precision), 4 if point.kind == "part" else 6, tooltip))
    if point.kind == "part":  # there are many of them, close together
        return Markup().join(parts)
    anchor, aside = ("end", -9) if recall > 0.75 else ("start", 9)  # noqa: PLR2004 - near the right edge
    parts.append(_text(_x(recall) + aside, _y(precision) - 6, point.label, anchor, "small"))
    return Markup().join(parts)


def _x(share: float) -> float:
    return round(_LEFT + share * _SIDE, 1)


def _y(share: float) -> float:
    return round(_TOP + (1 - share) * _SIDE, 1)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return _element('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>', kind, _x(x1), _y(y1), _x(x2), _y(y2))


def _text(x: float, y: float, words: str, anchor: str, kind: str = "label") -> Markup:
    return _element('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>', kind, x, y, anchor, words)


def _element(form: str, *values: object) -> Markup:
    """Fill a form, each value escaped, each number short."""
    return Markup(form).format(*(f"{one:.1f}" if isinstance(one, float) else one for one in values))  # noqa: S704 - ours


def _svg(width: float, height: float, words: str, parts: Iterable[Markup]) -> Markup:
    form = '<svg viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">{}</svg>'
    return _element(form, width, height, width, words, Markup().join(parts))
