"""What is done in threads, and what an earlier try has done already."""

import pytest

from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.words.markers import reply_marker
from kodiai.flows.review.threads import acts_in_threads, left_to_do, resolved_by_us
from kodiai.ports import Run, ThreadAct
from tests.builders import HEAD, a_finding, a_thread, followed

FINDING = "F-0123456789ab"
RUN = Run("run1", HEAD, "b" * 40, "running", 0.0)
MARK = reply_marker("run1", FINDING)
SAY = ThreadAct("T", FINDING, say=f"Because.\n\n{MARK}")
RESOLVE = ThreadAct("T", FINDING, resolve=True, otherwise=f"Fixed.\n\n{MARK}")


def thread(*replies: Reply, resolved_by: str | None = None, can_resolve: bool = True) -> Thread:
    return Thread("T", FINDING, "1", resolved_by, can_resolve, replies)


def reply(body: str, *, is_ours: bool = True) -> Reply:
    return Reply("2", "kodiai[bot]" if is_ours else "mallory", is_ours, "NONE", body, is_ours)


@pytest.mark.parametrize(
    ("case", "now", "act", "left"),
    [
        ("nothing was done", thread(), SAY, SAY),
        ("it was said", thread(reply(SAY.say or "")), SAY, None),
        ("another run said it", thread(reply(f"Because.\n\n{reply_marker('run0', FINDING)}")), SAY, SAY),
        ("the mark is quoted", thread(reply(f"{MARK}\nand more")), SAY, SAY),
        ("somebody else wrote the mark", thread(reply(f"Ha.\n\n{MARK}", is_ours=False)), SAY, SAY),
        ("it was resolved", thread(resolved_by="kodiai[bot]"), RESOLVE, None),
        ("nothing was resolved", thread(), RESOLVE, RESOLVE),
        ("the thread is gone", None, SAY, None),
    ],
)
def test_what_an_earlier_try_has_done_is_left(case: str, now: Thread | None, act: ThreadAct, left: ThreadAct) -> None:
    """By the mark in what we wrote ourselves, and by the thread's state; never by what others write."""
    threads = [now] if now is not None else []

    assert left_to_do([act], threads, RUN) == ((left,) if left is not None else ()), case


def test_threads_that_an_earlier_try_has_resolved_are_known() -> None:
    """Only those of findings that this run resolves, and only where it was we."""
    fixed, still = followed(a_finding(), "resolved"), followed(a_finding(start_line=90, title="Other"))
    ours = [a_thread(finding=each.id, resolved_by="kodiai[bot]") for each in (fixed, still)]

    assert resolved_by_us([fixed, still], ours, "kodiai[bot]") == {fixed.id}
    assert resolved_by_us([fixed], [a_thread(finding=fixed.id, resolved_by="ann")], "kodiai[bot]") == frozenset()


def test_where_it_may_not_resolve_the_thread_is_told() -> None:
    """Quietly nothing is said, and what may be resolved is."""
    fixed = followed(a_finding(), "resolved")
    mine = a_thread(finding=fixed.id, can_resolve=False)
    granted = a_thread(finding=fixed.id, can_resolve=True)

    [told] = acts_in_threads([fixed], {fixed.id: mine}, RUN)
    [resolved] = acts_in_threads([fixed], {fixed.id: granted}, RUN)

    assert (told.say, told.resolve) == (f"Fixed in {HEAD[:7]}.\n\n{reply_marker('run1', fixed.id, 'fixed')}", False)
    assert (resolved.say, resolved.resolve, resolved.otherwise) == (None, True, told.say)
    assert acts_in_threads([fixed], {fixed.id: mine}, RUN, quietly=True) == ()
    [quiet] = acts_in_threads([fixed], {fixed.id: granted}, RUN, quietly=True)
    assert (quiet.resolve, quiet.otherwise) == (True, None)
