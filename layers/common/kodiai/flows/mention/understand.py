"""Understand: determine what a comment asks of us, by parsing or as a model reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kodiai.core.conversation.replies import Meaning
from kodiai.core.errors import Retry
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Discussion, Reply
from kodiai.core.model.messages import Usage
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.mention.turns import begin_turn
from kodiai.flows.model.replies import UnreadReply, reply_meaning


@dataclass(frozen=True)
class Understood:
    """A comment with what it asks of us.

    `meaning` is what it says about the thread's finding, None if it decides and claims nothing.
    `needs_answer` is whether the model has to answer. `usage` is what reading the comment took, by model.
    `thread` is the id of the thread's first comment, None outside of threads; `discussion` is that thread, None if
    nobody needs to read it. `limit` is the line about a limit that kept a model from reading it, "" if that line was
    posted before, None if there was none.
    """

    heard: Heard
    meaning: Meaning | None
    needs_answer: bool
    thread: int | None
    discussion: Discussion | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict)
    limit: str | None = None


def understand(heard: Heard, session: MentionSession) -> Understood:
    """Understand a comment; without a model if its author is not answered.

    Raises Retry if the model is busy and there are more attempts, Ended if the comment is gone.
    """
    context, commenter, parsed = heard.context, heard.commenter, heard.context.parsed
    if commenter.refusal is not None:
        return Understood(heard, parsed.meaning, needs_answer=False, thread=context.thread)
    finding, limit = _finding_to_read_about(heard, session), None
    if finding is not None and not commenter.may_write:  # a decision of people who may write is never put off
        limit = begin_turn(heard, context.thread, session, "readings")
    meaning: Meaning | None = parsed.meaning
    usage: Mapping[str, Usage] = {}
    if finding is not None and limit is None:
        meaning, usage = _read(heard, finding, session)
    # Where no model reads replies, one that only a model understands is answered all the same.
    is_lost = finding is not None and meaning is None and limit is None and session.ports.settings.models.is_offline
    needs_answer = is_lost or _needs_answer(heard, meaning)
    understood = Understood(heard, meaning, needs_answer, context.thread, usage=usage, limit=limit)
    if context.thread is None or not (understood.needs_answer or (parsed.mentioned and context.finding is None)):
        return understood
    discussion = session.ports.github.discussion(session.comment)
    if discussion is None:
        raise session.ended("skipped", "the comment was deleted")
    return replace(understood, thread=discussion.root, discussion=discussion)


def _finding_to_read_about(heard: Heard, session: MentionSession) -> KnownFinding | None:
    """The finding about which the comment may decide something, so that a model reads it if parsing does not tell."""
    parsed, finding = heard.context.parsed, heard.context.finding
    if parsed.meaning or parsed.commands or not parsed.says_more:
        return None
    if finding is None or not session.can_decide(finding):
        return None
    return finding if heard.commenter.is_author or heard.commenter.may_decide(finding.finding) else None


def _read(heard: Heard, finding: KnownFinding, session: MentionSession) -> tuple[Meaning | None, Mapping[str, Usage]]:
    """The meaning of a reply, as a model reads it; a reply that cannot be read now is left to the next review."""
    comment = session.comment
    reply = Reply(str(comment.id), session.mention.sender, is_bot=False, body=comment.text)
    turns = next((each.replies for each in heard.context.snapshot.threads if each.finding == finding.id), ())
    before = [turn for turn in turns if int(turn.id) < comment.id]
    answers = session.model_answers(heard.context.config)
    meaning = None
    try:
        meaning = reply_meaning(answers, finding.finding, before, reply)
    except UnreadReply:
        pass
    except Retry:
        if not session.ports.deadline.attempt.is_last:
            raise
    return meaning, answers.use.by_model


def _needs_answer(heard: Heard, meaning: Meaning | None) -> bool:
    """Whether the model has to answer: a question to us, or an argument about a finding by somebody who may decide it.

    A decision needs no further answer. A mention in a thread without a finding of ours is a question.
    """
    parsed, finding = heard.context.parsed, heard.context.finding
    if parsed.mentioned and finding is None:
        return parsed.asks or parsed.meaning is not None
    if meaning == "disagrees":
        return parsed.mentioned or (finding is not None and heard.commenter.may_decide(finding.finding))
    return parsed.asks and meaning is None
