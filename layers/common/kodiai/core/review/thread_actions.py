"""Thread actions: what a run does in the threads of earlier findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kodiai.core.findings.markers import ReplyKind, answered_key, reply_kind, reply_marker, reply_of
from kodiai.core.github.comment import Thread
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.review import ThreadAction
from kodiai.core.review.run import Run
from kodiai.core.text.secrets import masked
from kodiai.core.words import conversation
from kodiai.core.words import finding as words

_TO_A_REPLY: frozenset[ReplyKind] = frozenset({"conceded", "disputed", "settled", "reopened"})


def thread_actions(
    updates: Sequence[FindingUpdate], threads: Mapping[str, Thread], run: Run, *, quietly: bool = False
) -> tuple[ThreadAction, ...]:
    """Resolve the threads of findings that are fixed or conceded, and answer if there is an answer.

    If GitHub does not let us resolve, the thread says so instead; `quietly` says nothing but how people were
    understood.
    """
    actions = (_action(each, threads[each.id], run) for each in updates if each.id in threads)
    said = (silent(each) if quietly and each.once is None else each for each in actions if each is not None)
    return tuple(each for each in said if does_anything(each))


def confirmation_key(reply: str) -> str:
    """The name under which a reply of this id is answered once, by a review or in the conversation."""
    return f"reply-{reply}"


def silent(action: ThreadAction) -> ThreadAction:
    """The action without what it says."""
    return replace(action, say=None, otherwise=None)


def does_anything(action: ThreadAction) -> bool:
    """Whether anything is left of an action."""
    return action.say is not None or action.resolve or action.unresolve


def left_to_do(actions: Sequence[ThreadAction], threads: Sequence[Thread], run: Run) -> tuple[ThreadAction, ...]:
    """The actions without what an earlier attempt has done, by our marker in a reply and by the thread's state."""
    known = {thread.id: thread for thread in threads}
    left = (_left(action, known[action.thread], run) for action in actions if action.thread in known)
    return tuple(each for each in left if does_anything(each))


def resolved_by_us(updates: Sequence[FindingUpdate], threads: Sequence[Thread], us: str) -> frozenset[str]:
    """The findings of this run whose threads an earlier attempt has resolved."""
    ours = {thread.finding for thread in threads if thread.resolved_by == us}
    return frozenset(each.id for each in updates if each.transition == "resolved" and each.id in ours)


def _left(act: ThreadAction, thread: Thread, run: Run) -> ThreadAction:
    said = any(reply.is_ours and reply_of(reply.body) == (run.id, act.finding) for reply in thread.replies)
    return replace(
        act,
        say=None if said else act.say,
        otherwise=None if said else act.otherwise,
        resolve=act.resolve and not thread.is_resolved,
        unresolve=act.unresolve and thread.is_resolved,
    )


def _action(each: FindingUpdate, thread: Thread, run: Run) -> ThreadAction | None:
    says = _says(each, thread, run.head)
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
        once=confirmation_key(each.stance.reply) if says and says[1] in _TO_A_REPLY and each.stance.reply else None,
    )


def _says(each: FindingUpdate, thread: Thread, head: str) -> tuple[str, ReplyKind] | None:
    """The text and its kind; None if nothing needs to be said at this head."""
    if each.answer is not None and each.transition == "resolved":
        return words.conceded(each.answer), "conceded"
    if each.answer is not None and each.transition == "raised":
        return words.worse(each.finding, each.answer), "raised"
    if each.answer is not None and each.transition == "partly":
        return words.partly_fixed(head, each.finding, each.answer), "partly"
    if each.answer is not None and each.stance.claim != "disagrees":
        return words.not_fixed(head, each.answer), "open"
    if each.answer is not None:
        return words.disputed(each.answer), "disputed"
    stance = each.stance
    if not is_confirmed(thread, stance.reply):
        if each.transition == "dismissed" and stance.meaning is not None and stance.by is not None:
            return conversation.dismissed(stance.meaning, stance.by), "settled"
        if each.transition == "reopened" and stance.reopened_by is not None:
            return conversation.reopened(stance.reopened_by), "reopened"
    said = [reply_kind(reply.body) for reply in thread.replies if reply.is_ours]
    if each.is_open and stance.may_not_resolve is not None and "kept" not in said:
        return conversation.may_not_resolve(stance.may_not_resolve, each.finding), "kept"
    return None


def is_confirmed(thread: Thread, reply: str | None) -> bool:
    """Whether an earlier run or the conversation has answered a reply; None is no reply, and needs no answer."""
    if reply is None:
        return True
    ids = [each.id for each in thread.replies]
    ours = [each.body for each in thread.replies[ids.index(reply) :] if each.is_ours]
    return any(reply_kind(body) in ("settled", "reopened") or answered_key(body) == f"thread-{reply}" for body in ours)


def _marked(says: tuple[str, ReplyKind], run: Run, each: FindingUpdate) -> str:
    text, said = says
    return f"{masked(text)}\n\n{reply_marker(run.id, each.id, said)}"
