"""The parts of the context of an answer, each under a budget in characters."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from markdown_it import MarkdownIt

from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.github.comment import Comment
from kodiai.core.text.character_budget import LONGEST_LISTED, clipped, most, newest, row, shares
from kodiai.core.text.rewritten import fenced

_LEAST_FACTS = 500  # characters that a finding needs before its history may take any
_WHOLE = 3  # the last comments, shown whole; of older ones only the first words are
_LONGEST_FIRST = 200
_READ = 4_000  # characters of a comment in which its first words are looked for
_LEAST_COMMENT = 100  # characters below which a comment is better left out than cut

_MARKDOWN = MarkdownIt("commonmark").disable("inline")


def hunk_shown(hunk: str, room: int) -> str:
    """The end of a diff hunk: that is where the commented line is."""
    lines = [one_line(text) for text in hunk.rstrip("\n").split("\n")]

    def show(rows: Sequence[str], count: int) -> str:
        left_out = ["…"] if count < len(rows) else []
        return fenced("\n".join([*left_out, *rows[-count:]]), "diff")

    return most(show, lines, room) if hunk.strip() else ""


def file_shown(path: str, lines: Sequence[str] | None, place: tuple[int, int] | None, room: int) -> str:
    """The lines of a file (None where it is gone) that are nearest to a place in it, 1-based, both ends included."""
    if not lines:
        text = "It is gone." if lines is None else "It is empty."
        return text if len(text) <= room else ""
    if place is None:
        return ""
    name = clipped(path, LONGEST_LISTED)
    first = min(max(place[0], 1), len(lines))
    last = min(max(place[1], first), len(lines))

    def show(rows: Sequence[str], count: int) -> str:
        return fenced(show_lines(name, list(rows), *_window(first, last, count, len(rows))))

    return most(show, lines, room)


def _window(first: int, last: int, count: int, total: int) -> tuple[int, int]:
    """The first and the last of `count` lines around those from `first` to `last`, as many above as below."""
    around = count - (last - first + 1)
    if around <= 0:
        return first, first + count - 1
    above = min(first - 1, max((around + 1) // 2, around - (total - last)))
    return first - above, last + around - above


def finding_shown(known: KnownFinding, now: str, past: Sequence[HistoryEntry], room: int) -> str:
    """A finding's facts, and of its history the newest entries that fit: they may have a quarter of the room."""
    finding = known.finding
    facts = {
        "severity": finding.severity,
        "category": finding.category,
        **({"kind": finding.kind} if finding.kind == "preference" else {}),
        "status": known.status,
        "lines": finding.lines,
        "now": now,
    }
    texts = {
        "path": finding.path,
        "title": finding.title,
        "explanation": finding.explanation,
        "quote": finding.quote,
        **({"not_checked": finding.caveat} if finding.caveat else {}),
    }
    history = [_past(entry) for entry in past]
    kept = newest(history, min(room // 4, room - _LEAST_FACTS))
    shown = row(facts, texts, room - sum(len(entry) + 1 for entry in kept))
    return "\n".join([shown, *newest(history, room - len(shown))]) if shown else ""


def findings_shown(known: Iterable[KnownFinding], room: int) -> str:
    """The open findings, as many as fit, and how many others there are."""
    known = tuple(known)
    open_ones = sorted((each.finding for each in known if each.status == "open"), key=rank)
    others = Counter(each.status for each in known if each.status != "open")
    closed = [f"No longer open: {', '.join(f'{count} {status}' for status, count in sorted(others.items()))}."]
    rows = [_open_finding(finding) for finding in open_ones]

    def show(count: int) -> str:
        left_out = len(rows) - count
        more = [f"Not shown: {left_out}{' more' if count else ''}."] if left_out else []
        return "\n".join([*(rows[:count] if rows else ["None."]), *more, *(closed if others else [])])

    return next((text for text in map(show, range(len(rows), -1, -1)) if len(text) <= room), "")


def _past(entry: HistoryEntry) -> str:
    when = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M")
    return row({"then": when, "head": entry.head[:7], "status": entry.status}, {"why": entry.why}, LONGEST_LISTED)


def _open_finding(finding: Finding) -> str:
    texts = {"path": finding.path, "title": finding.title}
    return row({"severity": finding.severity, "lines": finding.lines}, texts, LONGEST_LISTED)


def comments_shown(comments: Sequence[Comment], room: int) -> str:
    """The comments (oldest first), one JSON object a line, and how many there was no room for.

    The last ones are whole, or cut where even they do not fit; of older ones the first words of the newest are shown.
    """
    rows = _rows(comments, room)
    if len(rows) < len(comments):
        rows = _rows(comments, room - len(_not_shown(len(comments))) - 1)
        rows = [_not_shown(len(comments) - len(rows)), *rows]
    text = "\n".join(rows)
    return text if len(text) <= room else ""


def first_words(text: str) -> str:
    """The first paragraph of a text's prose, at most 200 characters; code and quotes are no prose.

    `text` is Markdown, and so is the result. "" where there is no prose.
    """
    quotes = 0
    for token in _MARKDOWN.parse(text[:_READ]):
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type == "inline" and not quotes and token.content.strip():
            return clipped(" ".join(token.content.split()), _LONGEST_FIRST)
    return ""


def _rows(comments: Sequence[Comment], room: int) -> list[str]:
    """The rows of the newest comments, oldest first, as many as fit."""
    whole = [_row(comment, comment.body) for comment in comments[-_WHOLE:]]
    while len("\n".join(whole)) > room < _LEAST_COMMENT * len(whole) and len(whole) > 1:
        whole.pop(0)
    recent = comments[len(comments) - len(whole) :]
    given = shares(room + 1 - len(whole), [len(text) for text in whole])
    rows = [_row(comment, comment.body, size) for comment, size in zip(recent, given, strict=True)]
    if not all(rows):
        return [text for text in rows[-1:] if text]
    older = [_row(comment, _shortened(comment.body)) for comment in comments[: len(comments) - len(whole)]]
    return [*newest(older, room - len("\n".join(rows))), *rows]


def _row(comment: Comment, text: str, room: int = 1_000_000) -> str:
    """One comment; where there is little room its text is cut, and where there is none it is left out."""
    facts = {"by": _author(comment)}
    shown = row(facts, {"said": text}, room)
    return "" if shown == row(facts, {}, room) else shown


def _author(comment: Comment) -> str:
    """The author's name; no login holds brackets, and nobody else is "you"."""
    if comment.is_ours:
        return "you"
    login = comment.author or "ghost"
    if comment.is_bot:
        return f"{login.removesuffix('[bot]')} (bot)"
    return f"{login} (a person)" if login.casefold() == "you" else login


def _shortened(text: str) -> str:
    first = first_words(text)
    return first if first == text.strip() or first.endswith("…") else f"{first} …".lstrip()


def _not_shown(count: int) -> str:
    return "1 earlier turn not shown." if count == 1 else f"{count} earlier turns not shown."
