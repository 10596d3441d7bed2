"""What an answer is given to read: a thread, or a pull request's conversation, under a budget in characters."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.conversation.comment import Comment
from kodiai.core.conversation.turns import largest, row, talk
from kodiai.core.events.job import Said
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import KnownFinding, Past
from kodiai.core.words.markdown import fenced

CONVERSATION_BUDGET = 16_000
"""How many characters an answer in a pull request's conversation is given to read."""

_SHARES = 16  # a part's share is told in so many parts of the budget
_LONGEST_LISTED = 400  # characters of an entry in a list, and of a line of code where others want the room too
_LEAST_CODE = 20
_LEAST_FACTS = 500  # characters that a finding needs before its history may take any


@dataclass(frozen=True)
class ThreadMaterial:
    """What is known of a review thread. Texts that people wrote are cleaned already.

    `finding` is what the thread is about, with its `history` (oldest first); None where it is not known: then
    `opening` is shown, the comment that began it, None where that was deleted. `line` is where the thread stands on
    the new side, None where it is outdated, and `hunk` the diff that GitHub shows with it.
    `lines` is the file at the head, None where it is gone; `at` are the finding's lines there (1-based, both
    included), None where its code is no longer there. `turns` are those before the question, oldest first.
    """

    repository: str
    number: int
    title: str
    author: str
    head: str
    path: str
    line: int | None
    hunk: str
    finding: KnownFinding | None
    history: tuple[Past, ...]
    opening: str | None
    lines: Sequence[str] | None
    at: tuple[int, int] | None
    turns: tuple[Comment, ...]


@dataclass(frozen=True)
class ConversationMaterial:
    """What is known of a pull request. Texts that people wrote are cleaned already.

    `base` is the branch that it goes to, `head` the commit. `known` are all its findings, whatever their status.
    `comments` are those before the question, oldest first.
    """

    repository: str
    number: int
    title: str
    author: str
    description: str | None
    base: str
    head: str
    known: tuple[KnownFinding, ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True)
class _Part:
    """A part of a context. `show` gives at most so many characters of it, "" where it has nothing for them.

    `share` is what it may take whatever the others want, in parts of the budget; `least` is that in characters.
    """

    title: str
    share: int
    least: int
    body: Callable[[int], str]

    def show(self, room: int) -> str:
        heading = f"\n\n## {self.title}\n\n"
        text = self.body(room - len(heading)) if room > len(heading) else ""
        return heading + text if text else ""


def said_before(comments: Iterable[Comment], said: Said) -> tuple[Comment, ...]:
    """Keep what stood there as it is now when something was said, oldest first; that itself is left out.

    GitHub tells whole seconds. Of what was created within the same one, only what was never edited and has a
    smaller id is known to have been there.
    """

    def stood(comment: Comment) -> bool:
        if comment.id == said.id:
            return False
        last = max(comment.created, comment.edited)
        return last < said.at or (comment.created == comment.edited == said.at and comment.id < said.id)

    return tuple(sorted(filter(stood, comments), key=lambda comment: (comment.created, comment.id)))


def thread_context(material: ThreadMaterial, budget: int) -> str:
    """Tell of a thread in at most `budget` characters (500 or more), and in fewer only where nothing more fits."""
    facts = {"repository": material.repository, "author": material.author, "title": material.title}
    parts = [
        _Part("The pull request", 1, 108, lambda room: row({"number": material.number}, facts, room)),
        _subject(material),
        _Part("The diff that it was written on, up to its line", 3, 0, lambda room: _hunk(material.hunk, room)),
        _Part(f"The file at the head, {material.head[:7]}", 4, 0, lambda room: _file(material, room)),
        _Part("Said so far, oldest first", 4, 146, lambda room: talk(material.turns, room)),
    ]
    return _arranged("# The thread", parts, budget)


def conversation_context(material: ConversationMaterial, budget: int = CONVERSATION_BUDGET) -> str:
    """Tell of a pull request in at most `budget` characters (500 or more), fewer only where nothing more fits."""
    facts = {
        "repository": material.repository,
        "author": material.author,
        "title": material.title,
        "base": material.base,
        "head": material.head,
        **({"description": material.description} if material.description else {}),
    }
    parts = [
        _Part("The pull request", 4, 160, lambda room: row({"number": material.number}, facts, room)),
        _Part("Your open findings, the gravest first", 6, 160, lambda room: _findings(material.known, room)),
        _Part("Said so far, oldest first", 6, 160, lambda room: talk(material.comments, room)),
    ]
    return _arranged("# The conversation", parts, budget)


def _arranged(heading: str, parts: Sequence[_Part], budget: int) -> str:
    """Give each part its share, then what is left over to those that have more to show.

    What was said is served before all others, for without it there is nothing to answer.
    """
    served = [*parts[-1:], *parts[:-1]]
    left = budget - len(heading)
    shown: dict[str, str] = {}
    for part in served:
        share = max(part.share * budget // _SHARES, part.least)
        shown[part.title] = part.show(min(share, left))
        left -= len(shown[part.title])
    for part in served:
        left += len(shown[part.title])
        shown[part.title] = part.show(left)
        left -= len(shown[part.title])
    return heading + "".join(shown[part.title] for part in parts)


def _subject(material: ThreadMaterial) -> _Part:
    """What the thread is about: a finding, or else the comment that began it."""
    if material.finding is not None:
        finding, history = material.finding, [_past(entry) for entry in material.history]
        return _Part("Your finding", 4, 234, lambda room: _finding(finding, _now(material), history, room))
    place = {"line": material.line}
    if material.opening is None:
        title = "Where it stands; the comment that began it was deleted"
        return _Part(title, 4, 150, lambda room: row(place, {"path": material.path}, room))
    texts = {"path": material.path, "said": material.opening}
    return _Part("The comment that began it", 4, 150, lambda room: row(place, texts, room))


def _finding(known: KnownFinding, now: str, history: Sequence[str], room: int) -> str:
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
    kept = _newest(history, min(room // 4, room - _LEAST_FACTS))
    told = row(facts, texts, room - sum(len(entry) + 1 for entry in kept))
    return "\n".join([told, *_newest(history, room - len(told))]) if told else ""


def _newest(entries: Sequence[str], room: int) -> list[str]:
    """The last entries, as many as fit, each after a newline."""
    rows: list[str] = []
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0:
            break
        rows.append(entry)
    return rows[::-1]


def _past(entry: Past) -> str:
    when = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M")
    return row({"then": when, "head": entry.head[:7], "status": entry.status}, {"why": entry.why}, _LONGEST_LISTED)


def _now(material: ThreadMaterial) -> str:
    if material.lines is None:
        return "its file is gone"
    if material.at is None:
        return "its code is gone"
    start, end = material.at
    return f"stands at {start}" if start == end else f"stands at {start}-{end}"


def _hunk(hunk: str, room: int) -> str:
    """The end of a diff hunk: that is where the commented line is."""
    rows = [one_line(text) for text in hunk.rstrip("\n").split("\n")]

    def show(count: int, width: int) -> str:
        left_out = ["…"] if count < len(rows) else []
        return fenced("\n".join([*left_out, *(_clipped(text, width) for text in rows[-count:])]), "diff")

    return _grown(show, rows, room) if hunk.strip() else ""


def _file(material: ThreadMaterial, room: int) -> str:
    """The file's lines around the place that the thread is about, the nearest ones."""
    if not material.lines:
        text = "It is gone." if material.lines is None else "It is empty."
        return text if len(text) <= room else ""
    place = _place(material)
    if place is None:
        return ""
    path, lines = _clipped(material.path, _LONGEST_LISTED), list(material.lines)
    first = min(max(place[0], 1), len(lines))
    last = min(max(place[1], first), len(lines))

    def show(count: int, width: int) -> str:
        start, end = _window(first, last, count, len(lines))
        shown = [_clipped(text, width) for text in lines[start - 1 : end]]
        return fenced(show_lines(path, [*lines[: start - 1], *shown, *lines[end:]], start, end))

    return _grown(show, lines, room)


def _place(material: ThreadMaterial) -> tuple[int, int] | None:
    """The lines to show: the finding's, else where the thread stands, else where the finding once was."""
    if material.at is not None:
        return material.at
    if material.line is not None:
        return material.line, material.line
    if material.finding is not None:
        return material.finding.finding.start_line, material.finding.finding.end_line
    return None


def _window(first: int, last: int, count: int, total: int) -> tuple[int, int]:
    """So many lines of a file around those from `first` to `last`, as many above as below where there are."""
    around = count - (last - first + 1)
    if around <= 0:
        return first, first + count - 1
    above = min(first - 1, max((around + 1) // 2, around - (total - last)))
    return first - above, last + around - above


def _grown(show: Callable[[int, int], str], rows: Sequence[str], room: int) -> str:
    """Show as many rows as there is room for, long ones cut, then as much of those as there is still room for.

    `show` is given how many rows, and how many characters of each.
    """
    widest = max(map(len, rows))
    count = max(1, largest(lambda count: len(show(count, _LONGEST_LISTED)) <= room, min(len(rows), room)))
    width = largest(lambda width: len(show(count, width)) <= room, min(widest, room))
    text = show(count, width)
    return text if len(text) <= room and width >= min(widest, _LEAST_CODE) else ""


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[:width]}…"


def _findings(known: Iterable[KnownFinding], room: int) -> str:
    """The open findings, as many as fit, and how many others there are."""
    known = tuple(known)
    open_ones = sorted((each.finding for each in known if each.status == "open"), key=rank)
    others = Counter(each.status for each in known if each.status != "open")
    closed = [f"No longer open: {', '.join(f'{count} {status}' for status, count in sorted(others.items()))}."]
    rows = [_listed(finding) for finding in open_ones]

    def show(count: int) -> str:
        left_out = len(rows) - count
        more = [f"Not shown: {left_out}{' more' if count else ''}."] if left_out else []
        return "\n".join([*(rows[:count] if rows else ["None."]), *more, *(closed if others else [])])

    return next((text for text in map(show, range(len(rows), -1, -1)) if len(text) <= room), "")


def _listed(finding: Finding) -> str:
    texts = {"path": finding.path, "title": finding.title}
    return row({"severity": finding.severity, "lines": finding.lines}, texts, _LONGEST_LISTED)
