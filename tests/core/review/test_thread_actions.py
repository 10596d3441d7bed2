"""The acts in threads, and those that an earlier try has done already."""

from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.markers import answer_marker, reply_marker
from kodiai.core.github.comment import Reply, Thread
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.review import ThreadAction
from kodiai.core.review.run import Run
from kodiai.core.review.thread_actions import left_to_do, resolved_by_us, thread_actions
from tests.builders import HEAD, a_finding, a_thread, followed
from tests.tables import each_row

FINDING = "F-0123456789ab"
RUN = Run("run1", HEAD, "b" * 40, "running", 0.0)
MARK = reply_marker("run1", FINDING)
SAY = ThreadAction("T", FINDING, say=f"Because.\n\n{MARK}")
RESOLVE = ThreadAction("T", FINDING, resolve=True, otherwise=f"Fixed.\n\n{MARK}")


def thread(*replies: Reply, resolved_by: str | None = None, can_resolve: bool = True) -> Thread:
    return Thread("T", FINDING, "1", resolved_by, can_resolve, replies)


def reply(body: str, *, is_ours: bool = True) -> Reply:
    return Reply("2", "kodiai[bot]" if is_ours else "mallory", is_ours, body, is_ours)


@each_row(
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
def test_the_acts_of_an_earlier_try_are_left(
    case: str, now: Thread | None, act: ThreadAction, left: ThreadAction
) -> None:
    """By the mark in what we wrote ourselves, and by the thread's state; never by what others write."""
    threads = [now] if now is not None else []

    assert left_to_do([act], threads, RUN) == ((left,) if left is not None else ()), case


def test_threads_that_an_earlier_try_has_resolved_are_known() -> None:
    """Only those of findings that this run resolves, and only where it was we."""
    fixed, still = followed(a_finding(), "resolved"), followed(a_finding(start_line=90, title="Other"))
    ours = [a_thread(finding=each.id, resolved_by="kodiai[bot]") for each in (fixed, still)]

    assert resolved_by_us([fixed, still], ours, "kodiai[bot]") == {fixed.id}
    assert resolved_by_us([fixed], [a_thread(finding=fixed.id, resolved_by="ann")], "kodiai[bot]") == frozenset()


def test_the_reading_of_a_comment_is_posted_once_below_it() -> None:
    """Also where nothing else is said; not where the conversation, or an earlier run, has said it."""
    wont, reopen = Reply("7", "ann", False, "won't fix"), Reply("8", "mia", False, "reopen")
    settled = followed(
        a_finding(), "dismissed", stance=Stance(settles="wont_fix", meaning="wont_fix", by="ann", reply="7")
    )
    reopened = followed(a_finding(), "reopened", stance=Stance(reopened_by="mia", reply="8", is_news=True))
    by_talk, by_run = (
        Reply("9", "kodiai[bot]", True, f"Said.\n\n{mark}", True)
        for mark in (answer_marker("thread-7"), reply_marker("run0", settled.id, "settled"))
    )

    def acts(each: FindingUpdate, *replies: Reply) -> list[tuple[str | None, str | None]]:
        said = thread_actions([each], {each.id: a_thread(*replies, finding=each.id)}, RUN, quietly=True)
        return [(act.say and act.say.partition("\n")[0], act.once) for act in said]

    dismissed = ("Dismissed as won't fix by @\u2060ann. Reply `reopen` to undo.", "reply-7")
    assert acts(settled, wont) == [dismissed]
    assert acts(settled, wont, by_talk) == acts(settled, wont, by_run) == []
    assert acts(settled, by_run, wont) == [dismissed]
    assert acts(reopened, wont, by_talk, reopen) == [
        ("Reopened by @\u2060mia. The next review counts it again.", "reply-8")
    ]
    assert acts(reopened, reopen, by_talk, by_run) == []


def test_a_thread_that_may_not_be_resolved_gets_a_reply() -> None:
    """Quietly nothing is said, and what may be resolved is."""
    fixed = followed(a_finding(), "resolved")
    mine = a_thread(finding=fixed.id, can_resolve=False)
    granted = a_thread(finding=fixed.id, can_resolve=True)

    [told] = thread_actions([fixed], {fixed.id: mine}, RUN)
    [resolved] = thread_actions([fixed], {fixed.id: granted}, RUN)

    assert (told.say, told.resolve) == (f"Fixed in {HEAD[:7]}.\n\n{reply_marker('run1', fixed.id, 'fixed')}", False)
    assert (resolved.say, resolved.resolve, resolved.otherwise) == (None, True, told.say)
    assert thread_actions([fixed], {fixed.id: mine}, RUN, quietly=True) == ()
    [quiet] = thread_actions([fixed], {fixed.id: granted}, RUN, quietly=True)
    assert (quiet.resolve, quiet.otherwise) == (True, None)
