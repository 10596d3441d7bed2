"""Threads: what is done in the threads of findings that were told before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kodiai.core.conversation.comment import Thread
from kodiai.core.findings.lifecycle import FindingUpdate
from kodiai.core.review.review import ThreadAction
from kodiai.core.review.run import Run
from kodiai.core.words import conversation
from kodiai.core.words import finding as words
from kodiai.core.words.markers import ReplyKind, answered_key, reply_kind, reply_marker, reply_of
from kodiai.core.words.secrets import masked

_TO_A_REPLY: frozenset[ReplyKind] = frozenset({"conceded", "disputed", "settled", "reopened"})


def thread_actions(
    followed: Sequence[FindingUpdate], threads: Mapping[str, Thread], run: Run, *, quietly: bool = False
) -> tuple[ThreadAction, ...]:
    """Resolve the threads of what is fixed or conceded, and answer where there is an answer.

    Where GitHub does not let us resolve, the thread is told instead; `quietly` says nothing but how people were
    understood.
    """
    acts = (_act(each, threads[each.id], run) for each in followed if each.id in threads)
    told = (quiet(act) if quietly and act.once is None else act for act in acts if act is not None)
    return tuple(act for act in told if does_anything(act))


def reply_told(reply: str) -> str:
    """Name what is said to somebody about a reply of theirs, by its id: whoever is first says it."""
    return f"reply-{reply}"


def quiet(act: ThreadAction) -> ThreadAction:
    """The action without what it says."""
    return replace(act, say=None, otherwise=None)


def does_anything(act: ThreadAction) -> bool:
    """Whether anything is left of an action."""
    return act.say is not None or act.resolve or act.unresolve


def left_to_do(acts: Sequence[ThreadAction], threads: Sequence[Thread], run: Run) -> tuple[ThreadAction, ...]:
    """The acts without what an earlier try has done: what it said carries its marker, what it resolved is resolved."""
    known = {thread.id: thread for thread in threads}
    return tuple(left for act in acts if (left := _left(act, known.get(act.thread), run)) is not None)


def resolved_by_us(followed: Sequence[FindingUpdate], threads: Sequence[Thread], us: str) -> frozenset[str]:
    """The findings of this run whose threads an earlier try has resolved."""
    ours = {thread.finding for thread in threads if thread.resolved_by == us}
    return frozenset(each.id for each in followed if each.transition == "resolved" and each.id in ours)


def _left(act: ThreadAction, thread: Thread | None, run: Run) -> ThreadAction | None:
    if thread is None:
        return None
    said = any(reply.is_ours and reply_of(reply.body) == (run.id, act.finding) for reply in thread.replies)
    left = replace(
        act,
        say=None if said else act.say,
        otherwise=None if said else act.otherwise,
        resolve=act.resolve and not thread.is_resolved,
        unresolve=act.unresolve and thread.is_resolved,
    )
    return left if does_anything(left) else None


def _act(each: FindingUpdate, thread: Thread, run: Run) -> ThreadAction | None:
    says = _says(each, thread)
    resolves = each.transition == "resolved" and not thread.is_resolved
    may = resolves and thread.can_resolve
    fixed = _marked((words.fixed(run.head), "fixed"), run, each) if resolves and says is None else None
    said = _marked(says, run, each) if says is not None else None
    if not resolves and said is None:
        return None
    return ThreadAction(
        thread=thread.id,
        finding=each.id,
        say=said if may or said is not None else fixed,
        resolve=may,
        otherwise=fixed if may else None,
        unresolve=each.transition == "reopened" and each.before.resolved_thread and thread.is_resolved,
        once=reply_told(each.stance.reply) if says and says[1] in _TO_A_REPLY and each.stance.reply else None,
    )


def _says(each: FindingUpdate, thread: Thread) -> tuple[str, ReplyKind] | None:
    """What is to be said, and what kind of thing that is; None where resolving says it."""
    if each.answer is not None:
        return _answer(each, each.answer)
    stance = each.stance
    if stance.reply is not None and not _is_confirmed(thread, stance.reply):
        if each.transition == "dismissed" and stance.meaning is not None and stance.by is not None:
            return conversation.dismissed(stance.meaning, stance.by), "settled"
        if each.transition == "reopened" and stance.reopened_by is not None:
            return conversation.reopened(stance.reopened_by), "reopened"
    if each.is_open and stance.may_not_resolve is not None and not _is_said(thread, "kept"):
        return conversation.may_not_resolve(stance.may_not_resolve, each.finding), "kept"
    return None


def _answer(each: FindingUpdate, why: str) -> tuple[str, ReplyKind]:
    if each.transition == "resolved":
        return words.conceded(why), "conceded"
    if each.transition == "raised":
        return words.worse(each.finding, why), "raised"
    return words.disputed(why), "disputed"


def _is_confirmed(thread: Thread, reply: str) -> bool:
    """Whether we have said below a reply how it was understood: an earlier run, or the conversation."""
    ids = [each.id for each in thread.replies]
    ours = [each.body for each in thread.replies[ids.index(reply) :] if each.is_ours]
    return any(reply_kind(body) in ("settled", "reopened") or answered_key(body) == f"thread-{reply}" for body in ours)


def _is_said(thread: Thread, kind: ReplyKind) -> bool:
    return any(reply.is_ours and reply_kind(reply.body) == kind for reply in thread.replies)


def _marked(says: tuple[str, ReplyKind], run: Run, each: FindingUpdate) -> str:
    text, said = says
    return f"{masked(text)}\n\n{reply_marker(run.id, each.id, said)}"
