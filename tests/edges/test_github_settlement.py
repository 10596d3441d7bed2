"""What a run does on GitHub beside its review: one mutation for threads, older reviews and the check run."""

from collections import Counter
from dataclasses import replace

import pytest

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, PublishActions, PublishResults, Review, ThreadAction
from kodiai.core.words.markers import review_marker
from local.github.failures import PlannedFailure, dropped_connection, forbidden_field, refusal, server_error
from tests.edges.github_scene import (
    ANNOTATIONS,
    CONFIG,
    DONE,
    FINDING,
    OTHER,
    RESOLVE,
    REVIEW_COMMENTS,
    SETTLE,
    STANDING,
    TOKEN,
    UPDATE_CHECK,
    Scene,
    a_review,
    connect_as,
    review_id,
    some_notes,
    thread_id,
)

UPDATE = "POST /graphql updateCheckRun"
THIRD = "F-aaaaaaaaaaaa"


def comments_of(scene: Scene, posted: PostedReview) -> list[str]:
    """The ids of a review's comments, as GitHub has them."""
    comments = scene.stand_in.state.comments.values()
    return [str(comment.id) for comment in comments if str(comment.review) == posted.review_id]


def test_everything_beside_the_review_is_one_request(granted: Scene) -> None:
    """Threads are answered and resolved, older reviews hidden and lifted, the check run closed, our comments read."""
    answered, fixed, disputed = (granted.tell(finding) for finding in (THIRD, OTHER, "F-bbbbbbbbbbbb"))
    asking = Review("REQUEST_CHANGES", f"Old\n\n{review_marker('run1', granted.head)}", ())
    old = review_id(int(granted.edge.post_review(granted.head, asking).review_id))
    opened = granted.begin()
    posted = granted.edge.post_review(granted.head, a_review())
    before = granted.edge.calls()

    settled = granted.edge.settle(
        PublishActions(
            opened,
            replace(DONE, annotations=some_notes(2)),
            acts=(
                ThreadAction(thread_id(answered), THIRD, say="You are right.", resolve=True, otherwise="Fixed."),
                ThreadAction(thread_id(fixed), OTHER, resolve=True, otherwise="Fixed."),
                ThreadAction(thread_id(disputed), "F-bbbbbbbbbbbb", say="It still is."),
            ),
            collapsed=(old,),
            lifted=(old,),
            posted=posted,
            commented=frozenset({FINDING}),
        )
    )

    [comment] = comments_of(granted, posted)
    assert settled.resolved == (THIRD, OTHER)
    assert settled.comment_ids[FINDING] == comment
    assert granted.edge.calls() == {**before, SETTLE: 1}
    assert granted.resolved(answered, fixed, disputed) == [granted.us, granted.us, None]
    assert [granted.said_below(each) for each in (answered, fixed, disputed)] == [
        ["You are right."],
        [],
        ["It still is."],
    ]
    check = granted.check(opened)
    assert (check.status, check.conclusion, check.title, check.summary) == (
        "completed",
        "neutral",
        "Done",
        "All said.",
    )
    assert check.annotations == [
        {
            "path": "a.py",
            "start_line": 1,
            "end_line": 2,
            "annotation_level": "warning",
            "title": f"Note {at}",
            "message": "Text",
        }
        for at in range(2)
    ]
    assert [action["identifier"] for action in check.actions] == ["review-again"]
    [standing] = [each for each in granted.edge.standing(CONFIG).reviews if each.id == old]
    assert (standing.run, standing.collapsed, standing.requests_changes) == ("run1", True, False)


def test_a_thread_is_opened_again(granted: Scene) -> None:
    """With the rest of what a run does, and by itself in the conversation; one that may not be is left."""
    first, second, third = (granted.tell(finding) for finding in (FINDING, OTHER, THIRD))
    opened = granted.begin()
    granted.edge.resolve_threads([thread_id(each) for each in (first, second, third)])
    resolved = granted.resolved(first, second, third)

    granted.edge.settle(
        PublishActions(opened, DONE, acts=(ThreadAction(thread_id(first), FINDING, say="Reopened.", unresolve=True),))
    )
    granted.edge.unresolve_thread(thread_id(second))
    granted.stand_in.fail_next("POST /graphql unresolveReviewThread", forbidden_field("unresolveReviewThread"))
    granted.edge.unresolve_thread(thread_id(third))

    assert resolved == [granted.us] * 3
    assert granted.resolved(first, second, third) == [None, None, granted.us]
    assert granted.said_below(first) == ["Reopened."]


def test_where_resolving_is_forbidden_something_is_said_instead(scene: Scene) -> None:
    """GitHub lets an App resolve only where it may write contents; the rest is done all the same."""
    told, silent = scene.tell(), scene.tell(OTHER)
    opened = scene.begin()

    settled = scene.edge.settle(
        PublishActions(
            opened,
            DONE,
            acts=(
                ThreadAction(thread_id(told), FINDING, resolve=True, otherwise="This is fixed."),
                ThreadAction(thread_id(silent), OTHER, say="You are right.", resolve=True),
            ),
        )
    )

    assert settled.resolved == ()
    assert (scene.said_below(told), scene.said_below(silent)) == (["This is fixed."], ["You are right."])
    assert scene.resolved(told, silent) == [None, None]
    assert scene.check(opened).conclusion == "neutral"
    assert scene.edge.calls()[SETTLE] == 2


def test_threads_are_resolved_in_one_request(granted: Scene) -> None:
    """Those that are there, and those that were resolved before."""
    open_one, resolved_one, other = granted.tell(), granted.tell(OTHER), granted.tell(THIRD)
    granted.stand_in.resolve_thread(resolved_one, login="ann")
    asked = [thread_id(number) for number in (open_one, 1, resolved_one)]
    before = granted.edge.calls()

    resolved = granted.edge.resolve_threads(asked)

    assert resolved == {thread_id(open_one), thread_id(resolved_one)}
    assert granted.resolved(open_one, resolved_one, other) == [granted.us, "ann", None]
    assert dict(Counter(granted.edge.calls()) - Counter(before) - Counter([TOKEN])) == {RESOLVE: 1}
    assert granted.edge.resolve_threads([]) == frozenset()
    assert granted.edge.calls()[RESOLVE] == 1


def test_threads_that_may_not_be_resolved_stay_open(scene: Scene) -> None:
    """That is no error: who asked for it is told; a GitHub that is busy is asked again."""
    thread = scene.tell()

    assert scene.edge.resolve_threads([thread_id(thread)]) == frozenset()
    scene.stand_in.fail_next("POST /graphql resolveReviewThread", refusal(403, {"message": "No"}))
    assert scene.edge.resolve_threads([thread_id(thread)]) == frozenset()
    scene.stand_in.fail_next("POST /graphql resolveReviewThread", 502)
    with pytest.raises(Retry):
        scene.edge.resolve_threads([thread_id(thread)])


def test_what_may_not_be_done_holds_nothing_else_up(granted: Scene) -> None:
    """A thread that was deleted, a review that is no longer there, one that has nothing to lift."""
    comment = granted.tell(OTHER)
    plain = review_id(granted.stand_in.review(granted.number, "COMMENT", "Hm.", login=granted.us))
    opened = granted.begin()

    settled = granted.edge.settle(
        PublishActions(
            opened,
            DONE,
            acts=(
                ThreadAction(thread_id(1), FINDING, say="Gone", resolve=True, otherwise="Fixed."),
                ThreadAction(thread_id(comment), OTHER, say="You are right.", resolve=True),
            ),
            collapsed=(review_id(1), plain),
            lifted=(review_id(1), plain),
        )
    )

    assert settled.resolved == (OTHER,)
    assert granted.said_below(comment) == ["You are right."]
    assert granted.check(opened).status == "completed"
    assert [review.minimized for review in granted.reviews() if review_id(review.id) == plain] == ["outdated"]


@pytest.mark.parametrize(
    ("notes", "whole", "trouble"),
    [
        (50, 0, dropped_connection()),
        (120, 0, dropped_connection(takes_effect=False)),
        (120, 1, dropped_connection()),
        (120, 2, dropped_connection()),
    ],
)
def test_annotations_go_by_fifty_and_none_of_them_twice(
    scene: Scene, notes: int, whole: int, trouble: PlannedFailure
) -> None:
    """GitHub adds them up: a try that was cut off, after so many whole requests, is gone on with where it stopped."""
    opened = scene.begin()
    first = PublishActions(opened, replace(DONE, annotations=some_notes(notes)))
    again = replace(first, again=True)
    if whole:
        scene.stand_in.fail_next(UPDATE, PlannedFailure(takes_effect=True), times=whole)
    scene.stand_in.fail_next(UPDATE, trouble)

    with pytest.raises(Retry):
        scene.edge.settle(first)
    until_then = scene.edge.calls()[SETTLE] + scene.edge.calls().get(UPDATE_CHECK, 0)
    scene.edge.settle(again)
    scene.edge.settle(again)

    check = scene.check(opened)
    assert until_then == whole + 1
    assert [note["title"] for note in check.annotations] == [f"Note {number}" for number in range(notes)]
    assert check.conclusion == "neutral"
    assert scene.edge.calls()[ANNOTATIONS] == 2


def test_many_annotations_take_one_request_for_each_fifty(scene: Scene) -> None:
    """The first time nobody asks how many there are; without any nobody ever does."""
    opened = scene.begin()

    scene.edge.settle(PublishActions(opened, replace(DONE, annotations=some_notes(120))))
    scene.edge.settle(PublishActions(opened, DONE, again=True))

    assert len(scene.check(opened).annotations) == 120
    assert (scene.edge.calls()[SETTLE], scene.edge.calls()[UPDATE_CHECK]) == (2, 2)
    assert ANNOTATIONS not in scene.edge.calls()


def test_a_finding_that_is_told_anew_has_its_new_comment(scene: Scene) -> None:
    """Both of its threads carry its marker."""
    earlier = scene.tell()
    opened = scene.begin()
    posted = scene.edge.post_review(scene.head, a_review())

    settled = scene.edge.settle(PublishActions(opened, DONE, posted=posted, commented=frozenset({FINDING})))

    assert [settled.comment_ids[FINDING]] == comments_of(scene, posted)
    assert settled.comment_ids[FINDING] != str(earlier)


def test_comments_that_do_not_come_along_are_read_apart(scene: Scene) -> None:
    """Only a hundred threads come along: where one is missing, the review itself is asked, once."""
    opened = scene.begin()
    posted = scene.edge.post_review(scene.head, a_review())

    settled = scene.edge.settle(PublishActions(opened, DONE, posted=posted, commented=frozenset({FINDING, OTHER})))

    [comment] = comments_of(scene, posted)
    assert settled == PublishResults((), {FINDING: comment})
    assert (scene.edge.calls()[SETTLE], scene.edge.calls()[REVIEW_COMMENTS]) == (1, 1)


def test_without_a_check_run_the_rest_is_settled(scene: Scene) -> None:
    """A person's token may not write checks, and may resolve threads; a review without comments has none to read."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        edge.standing(CONFIG)
        posted, comment = edge.post_review(scene.head, a_review()), scene.tell(OTHER, login="ann")
        act = ThreadAction(thread_id(comment), OTHER, resolve=True, otherwise="Fixed.")

        settled = edge.settle(PublishActions(None, DONE, (act,), posted=posted, commented=frozenset({FINDING})))
        without = edge.settle(PublishActions(None, DONE, posted=posted))
        nothing = edge.settle(PublishActions(None, DONE))

        [told] = comments_of(scene, posted)
        assert settled == PublishResults((OTHER,), {FINDING: told})
        assert scene.resolved(comment) == ["ann"]
        assert without == nothing == PublishResults((), {})
        assert (edge.calls()[SETTLE], edge.calls()[REVIEW_COMMENTS]) == (1, 1)


def test_a_check_run_that_may_not_be_written_is_refused(scene: Scene) -> None:
    """After the rest was done; in the first request or in a later one."""
    comment, opened = scene.tell(), scene.begin()
    act = ThreadAction(thread_id(comment), FINDING, say="It still is.")

    scene.stand_in.fail_next(UPDATE, forbidden_field("updateCheckRun"))
    with pytest.raises(Refused, match="not accessible by integration: look at what the App is permitted"):
        scene.edge.settle(PublishActions(opened, DONE, (act,)))
    scene.stand_in.fail_next(UPDATE, PlannedFailure(takes_effect=True))
    scene.stand_in.fail_next(UPDATE, forbidden_field("updateCheckRun"))
    with pytest.raises(Refused, match="not accessible"):
        scene.edge.settle(PublishActions(opened, replace(DONE, annotations=some_notes(60))))
    scene.stand_in.fail_next("POST /graphql Annotations", forbidden_field("node"))
    with pytest.raises(Refused, match="not accessible"):
        scene.edge.settle(PublishActions(opened, replace(DONE, annotations=some_notes(60)), again=True))

    assert scene.said_below(comment) == ["It still is."]
    assert len(scene.check(opened).annotations) == 50


def test_a_settlement_is_never_sent_twice(scene: Scene) -> None:
    """GitHub may have done it before it failed; the fallback of a thread is no different."""
    comment, opened = scene.tell(), scene.begin()
    act = ThreadAction(thread_id(comment), FINDING, say="You are right.", resolve=True, otherwise="Fixed.")

    scene.stand_in.fail_next("POST /graphql Settle", server_error(502, takes_effect=True))
    with pytest.raises(Retry):
        scene.edge.settle(PublishActions(opened, DONE, (act,)))
    after_one = (scene.edge.calls()[SETTLE], scene.said_below(comment))
    scene.stand_in.fail_next("POST /graphql Settle", PlannedFailure(takes_effect=True))
    scene.stand_in.fail_next("POST /graphql Settle", server_error(502, takes_effect=True))
    with pytest.raises(Retry):
        scene.edge.settle(PublishActions(opened, DONE, (replace(act, say=None),)))

    assert after_one == (1, ["You are right."])
    assert scene.edge.calls()[SETTLE] == 3
    assert scene.said_below(comment) == ["You are right.", "Fixed."]


def test_a_check_run_says_how_far_the_work_is(scene: Scene) -> None:
    """And how it ended; one that is opened again has no conclusion."""
    opened = scene.begin()

    scene.edge.update_check(opened, Check("Asking", "Half-way."))
    meanwhile = replace(scene.check(opened))
    scene.edge.update_check(opened, replace(DONE, conclusion="failure"))
    ended = replace(scene.check(opened))
    scene.edge.update_check(opened, Check("Asking", "Half-way."))

    assert (meanwhile.status, meanwhile.conclusion, meanwhile.title) == ("in_progress", None, "Asking")
    assert meanwhile.actions == []
    assert (ended.status, ended.conclusion, ended.summary) == ("completed", "failure", "All said.")
    assert [action["identifier"] for action in ended.actions] == ["review-again"]
    assert (scene.check(opened).status, scene.check(opened).conclusion) == ("in_progress", None)
    with pytest.raises(Refused, match="it is gone"):
        scene.edge.update_check("CR_1", DONE)


def test_no_check_run_is_changed_before_it_is_known_how_things_stand(scene: Scene) -> None:
    """The repository's global id comes with it."""
    with pytest.raises(Broken, match="before it is known how things stand"):
        scene.edge.settle(PublishActions("CR_1", DONE))
    with pytest.raises(Broken, match="before it is known how things stand"):
        scene.edge.update_check("CR_1", DONE)

    scene.edge.standing(CONFIG)

    assert scene.edge.settle(PublishActions(None, DONE)) == PublishResults((), {})
    assert scene.edge.calls() == {TOKEN: 1, STANDING: 1}
