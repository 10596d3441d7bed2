"""What an answer is given to read: a thread, or a pull request's conversation, under a budget in characters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.conversation.code_shown import file_shown, hunk_shown
from kodiai.core.conversation.comment import Comment
from kodiai.core.conversation.findings_shown import finding_shown, findings_shown
from kodiai.core.conversation.room import Part, arranged
from kodiai.core.conversation.turns import row, talk
from kodiai.core.events.job import CommentPayload
from kodiai.core.findings.known import KnownFinding, Past

CONVERSATION_BUDGET = 16_000
"""How many characters an answer in a pull request's conversation is given to read."""


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


def said_before(comments: Iterable[Comment], said: CommentPayload) -> tuple[Comment, ...]:
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
    path, lines, place = material.path, material.lines, _place(material)
    parts = [
        Part("The pull request", 1, 108, lambda room: row({"number": material.number}, facts, room)),
        _subject(material),
        Part("The diff that it was written on, up to its line", 3, 0, lambda room: hunk_shown(material.hunk, room)),
        Part(f"The file at the head, {material.head[:7]}", 4, 0, lambda room: file_shown(path, lines, place, room)),
        Part("Said so far, oldest first", 4, 146, lambda room: talk(material.turns, room)),
    ]
    return arranged("# The thread", parts, budget)


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
        Part("The pull request", 4, 160, lambda room: row({"number": material.number}, facts, room)),
        Part("Your open findings, the gravest first", 6, 160, lambda room: findings_shown(material.known, room)),
        Part("Said so far, oldest first", 6, 160, lambda room: talk(material.comments, room)),
    ]
    return arranged("# The conversation", parts, budget)


def _subject(material: ThreadMaterial) -> Part:
    """What the thread is about: a finding, or else the comment that began it."""
    if material.finding is not None:
        finding = material.finding
        return Part("Your finding", 4, 234, lambda room: finding_shown(finding, _now(material), material.history, room))
    place = {"line": material.line}
    if material.opening is None:
        title = "Where it stands; the comment that began it was deleted"
        return Part(title, 4, 150, lambda room: row(place, {"path": material.path}, room))
    texts = {"path": material.path, "said": material.opening}
    return Part("The comment that began it", 4, 150, lambda room: row(place, texts, room))


def _now(material: ThreadMaterial) -> str:
    if material.lines is None:
        return "its file is gone"
    if material.at is None:
        return "its code is gone"
    start, end = material.at
    return f"stands at {start}" if start == end else f"stands at {start}-{end}"


def _place(material: ThreadMaterial) -> tuple[int, int] | None:
    """The lines to show: the finding's, else where the thread stands, else where the finding once was."""
    if material.at is not None:
        return material.at
    if material.line is not None:
        return material.line, material.line
    if material.finding is not None:
        return material.finding.finding.start_line, material.finding.finding.end_line
    return None
