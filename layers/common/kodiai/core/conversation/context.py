"""The context of an answer: a thread, or a pull request's conversation, under a budget in characters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.conversation.shown import comments_shown, file_shown, finding_shown, findings_shown, hunk_shown
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.github.comment import Comment, CommentPayload, Discussion
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.text.character_budget import ContextPart, arranged, row

CONVERSATION_BUDGET = 16_000
"""The characters of context for an answer in a pull request's conversation."""


@dataclass(frozen=True)
class ThreadMaterial:
    """A review thread. Texts that people wrote are cleaned already.

    `title` is the pull request's. `finding` is what the thread is about, with its `history` (oldest first); None where
    it is not known: then `opening` is shown, the comment that started it, None where that was deleted.
    `lines` is the file at the head, None where it is gone; `at` are the finding's lines there (1-based, both
    included), None where its code is no longer there. `turns` are the comments before the question, oldest first.
    """

    pull_request: PullRequest
    title: str
    discussion: Discussion
    finding: KnownFinding | None
    history: tuple[HistoryEntry, ...]
    opening: str | None
    lines: Sequence[str] | None
    at: tuple[int, int] | None
    turns: tuple[Comment, ...]


def comments_before(comments: Iterable[Comment], question: CommentPayload) -> tuple[Comment, ...]:
    """The comments that were there, as they are now, when a question was asked, oldest first, without the question.

    GitHub gives whole seconds. Of those created within the same one, only a comment that was never edited and has a
    smaller id is known to have been there.
    """

    def stood(comment: Comment) -> bool:
        if comment.id == question.id:
            return False
        last = max(comment.created, comment.edited)
        return last < question.at or (comment.created == comment.edited == question.at and comment.id < question.id)

    return tuple(sorted(filter(stood, comments), key=lambda comment: (comment.created, comment.id)))


def thread_context(material: ThreadMaterial, budget: int) -> str:
    """Show a thread in at most `budget` characters (500 or more)."""
    pull_request, discussion = material.pull_request, material.discussion
    facts = {"repository": pull_request.repository, "author": pull_request.author, "title": material.title}
    file = (discussion.path, material.lines, _place(material))
    parts = [
        ContextPart("The pull request", lambda room: row({"number": pull_request.number}, facts, room), least=108),
        _subject(material),
        ContextPart("The diff that it was written on, up to its line", lambda room: hunk_shown(discussion.hunk, room)),
        ContextPart(f"The file at the head, {pull_request.head[:7]}", lambda room: file_shown(*file, room)),
        ContextPart("Said so far, oldest first", lambda room: comments_shown(material.turns, room), least=146),
    ]
    return arranged("# The thread", parts, budget)


def conversation_context(
    pull_request: PullRequest,
    title: str,
    description: str | None,
    known: Iterable[KnownFinding],
    comments: Sequence[Comment],
    budget: int = CONVERSATION_BUDGET,
) -> str:
    """Show a pull request with its conversation in at most `budget` characters (2,000 or more).

    Texts that people wrote are cleaned already. `known` are all its findings, whatever their status. `comments` are
    those before the question, oldest first.
    """
    facts = {
        "repository": pull_request.repository,
        "author": pull_request.author,
        "title": title,
        "base": pull_request.base_ref,
        "head": pull_request.head,
        **({"description": description} if description else {}),
    }
    parts = [
        ContextPart("The pull request", lambda room: row({"number": pull_request.number}, facts, room)),
        ContextPart("Your open findings, the gravest first", lambda room: findings_shown(known, room)),
        ContextPart("Said so far, oldest first", lambda room: comments_shown(comments, room)),
    ]
    return arranged("# The conversation", parts, budget)


def _subject(material: ThreadMaterial) -> ContextPart:
    """The subject of the thread: a finding, or else the comment that started it."""
    finding, history = material.finding, material.history
    if finding is not None:
        return ContextPart(
            "Your finding", lambda room: finding_shown(finding, _now(material), history, room), least=234
        )
    place, path = {"line": material.discussion.line}, material.discussion.path
    if material.opening is None:
        title, texts = "Where it stands; the comment that began it was deleted", {"path": path}
    else:
        title, texts = "The comment that began it", {"path": path, "said": material.opening}
    return ContextPart(title, lambda room: row(place, texts, room), least=150)


def _now(material: ThreadMaterial) -> str:
    if material.lines is None:
        return "its file is gone"
    if material.at is None:
        return "its code is gone"
    start, end = material.at
    return f"stands at {start}" if start == end else f"stands at {start}-{end}"


def _place(material: ThreadMaterial) -> tuple[int, int] | None:
    """The lines to show: the finding's, else the thread's, else those where the finding once was."""
    line = material.discussion.line
    if material.at is not None:
        return material.at
    if line is not None:
        return line, line
    if material.finding is not None:
        return material.finding.finding.start_line, material.finding.finding.end_line
    return None
