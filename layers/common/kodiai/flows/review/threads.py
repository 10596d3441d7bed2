"""Threads: what is done in the threads of findings that were told before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kodiai.core.conversation.thread import Thread
from kodiai.core.findings.lifecycle import Followed
from kodiai.core.words import finding as words
from kodiai.core.words.markers import Said, reply_marker, reply_of
from kodiai.core.words.secrets import masked
from kodiai.ports import Run, ThreadAct


def acts_in_threads(
    followed: Sequence[Followed], threads: Mapping[str, Thread], run: Run, *, quietly: bool = False
) -> tuple[ThreadAct, ...]:
    """Resolve the threads of what is fixed or conceded, and answer where there is an answer.

    Where GitHub does not let us resolve, the thread is told instead; `quietly` says nothing anywhere.
    """
    acts = (_act(each, threads[each.id], run) for each in followed if each.id in threads)
    told = (replace(act, say=None, otherwise=None) if quietly else act for act in acts if act is not None)
    return tuple(act for act in told if act.say is not None or act.resolve)


def left_to_do(acts: Sequence[ThreadAct], threads: Sequence[Thread], run: Run) -> tuple[ThreadAct, ...]:
    """The acts without what an earlier try has done: what it said carries its marker, what it resolved is resolved."""
    known = {thread.id: thread for thread in threads}
    return tuple(left for act in acts if (left := _left(act, known.get(act.thread), run)) is not None)


def resolved_by_us(followed: Sequence[Followed], threads: Sequence[Thread], us: str) -> frozenset[str]:
    """The findings of this run whose threads an earlier try has resolved."""
    ours = {thread.finding for thread in threads if thread.resolved_by == us}
    return frozenset(each.id for each in followed if each.turn == "resolved" and each.id in ours)


def _left(act: ThreadAct, thread: Thread | None, run: Run) -> ThreadAct | None:
    if thread is None:
        return None
    said = any(reply.is_ours and reply_of(reply.body) == (run.id, act.finding) for reply in thread.replies)
    left = replace(
        act,
        say=None if said else act.say,
        otherwise=None if said else act.otherwise,
        resolve=act.resolve and not thread.is_resolved,
    )
    return left if left.say is not None or left.resolve else None


def _act(each: Followed, thread: Thread, run: Run) -> ThreadAct | None:
    says = _says(each)
    resolves = each.turn == "resolved" and not thread.is_resolved
    may = resolves and thread.can_resolve
    fixed = _marked((words.fixed(run.head), "fixed"), run, each) if resolves and says is None else None
    said = _marked(says, run, each) if says is not None else None
    if not resolves and said is None:
        return None
    return ThreadAct(
        thread=thread.id,
        finding=each.id,
        say=said if may or said is not None else fixed,
        resolve=may,
        otherwise=fixed if may else None,
    )


def _says(each: Followed) -> tuple[str, Said] | None:
    """What is to be said, and what kind of thing that is; None where resolving says it."""
    if each.answer is None:
        return None
    if each.turn == "resolved":
        return words.conceded(each.answer), "conceded"
    if each.turn == "raised":
        return words.worse(each.finding, each.answer), "raised"
    return words.disputed(each.answer), "disputed"


def _marked(says: tuple[str, Said], run: Run, each: Followed) -> str:
    text, said = says
    return f"{masked(text)}\n\n{reply_marker(run.id, each.id, said)}"
