"""The work of a run on GitHub next to its review: one mutation for threads, older reviews and the check run."""

from dataclasses import replace

import pytest

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.findings.markers import review_marker
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, PublishActions, PublishResults, Review, ThreadAction
from local.github.failures import PlannedFailure, dropped_connection, forbidden_field
from tests.edges.github_scene import (
    ANNOTATIONS,
    DONE,
    FINDING,
    OTHER,
    REVIEW_COMMENTS,
    SNAPSHOT,
    TOKEN,
    UPDATE_CHECK,
    UPDATE_THREADS,
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


def test_everything_next_to_the_review_is_one_request(granted: Scene) -> None:
    """Threads are answered and resolved, older reviews collapsed and dismissed, the check run closed, comments read.

    Only resolving takes a token of its own.
    """
    answered, fixed, disputed = (granted.tell(finding) for finding in (THIRD, OTHER, "F-bbbbbbbbbbbb"))
    asking = Review("REQUEST_CHANGES", f"Old\n\n{review_marker('run1', granted.head)}", ())
    old = review_id(int(granted.edge.post_review(granted.head, asking).review_id))
    opened = granted.begin()
    posted = granted.edge.post_review(granted.head, a_review())
    before = granted.edge.calls()

    results = granted.edge.update_threads(
        PublishActions(
            opened,
            replace(DONE, annotations=some_notes(2)),
            thread_actions=(
                ThreadAction(thread_id(answered), THIRD, say="You are right.", resolve=True, otherwise="Fixed."),
                ThreadAction(thread_id(fixed), OTHER, resolve=True, otherwise="Fixed."),
                ThreadAction(thread_id(disputed), "F-bbbbbbbbbbbb", say="It still is."),
            ),
            minimized=(old,),
            dismissed=(old,),
            posted=posted,
            commented=frozenset({FINDING}),
        )
    )

    [comment] = comments_of(granted, posted)
    assert results.resolved == (THIRD, OTHER)
    assert results.comment_ids[FINDING] == comment
    assert granted.edge.calls() == {**before, TOKEN: 2, UPDATE_THREADS: 1}
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
    [review] = [each for each in granted.edge.snapshot().reviews if each.id == old]
    assert (review.run, review.collapsed, review.requests_changes) == ("run1", True, False)


def test_a_thread_is_opened_again(granted: Scene) -> None:
    """With the rest of what a run does, and by itself in the conversation; one that may not be is left."""
    first, second, third = (granted.tell(finding) for finding in (FINDING, OTHER, THIRD))
    opened = granted.begin()
    acts = {each: ThreadAction(thread_id(each), FINDING, resolve=True) for each in (first, second, third)}
    granted.edge.update_threads(PublishActions(thread_actions=tuple(acts.values())))
    resolved = granted.resolved(first, second, third)

    granted.edge.update_threads(
        PublishActions(
            opened, DONE, thread_actions=(ThreadAction(thread_id(first), FINDING, say="Reopened.", unresolve=True),)
        )
    )
    again = {each: replace(act, resolve=False, unresolve=True) for each, act in acts.items()}
    granted.edge.update_threads(PublishActions(thread_actions=(again[second],)))
    granted.stand_in.fail_next("POST /graphql unresolveReviewThread", forbidden_field("unresolveReviewThread"))
    granted.edge.update_threads(PublishActions(thread_actions=(again[third],)))

    assert resolved == [granted.us] * 3
    assert granted.resolved(first, second, third) == [None, None, granted.us]
    assert granted.said_below(first) == ["Reopened."]


def test_a_thread_that_may_not_be_resolved_gets_a_reply_instead(scene: Scene) -> None:
    """GitHub lets an App resolve only where it may write contents; the rest is done all the same."""
    told, silent = scene.tell(), scene.tell(OTHER)
    opened = scene.begin()

    results = scene.edge.update_threads(
        PublishActions(
            opened,
            DONE,
            thread_actions=(
                ThreadAction(thread_id(told), FINDING, resolve=True, otherwise="This is fixed."),
                ThreadAction(thread_id(silent), OTHER, say="You are right.", resolve=True),
            ),
        )
    )

    assert results.resolved == ()
    assert (scene.said_below(told), scene.said_below(silent)) == (["This is fixed."], ["You are right."])
    assert scene.resolved(told, silent) == [None, None]
    assert scene.check(opened).conclusion == "neutral"
    assert scene.edge.calls()[UPDATE_THREADS] == 1


def test_an_action_that_is_not_possible_holds_nothing_else_up(granted: Scene) -> None:
    """A thread that was deleted, a review that is no longer there, one that has nothing to lift."""
    comment = granted.tell(OTHER)
    plain = review_id(granted.stand_in.review(granted.number, "COMMENT", "Hm.", login=granted.us))
    opened = granted.begin()

    results = granted.edge.update_threads(
        PublishActions(
            opened,
            DONE,
            thread_actions=(
                ThreadAction(thread_id(1), FINDING, say="Gone", resolve=True, otherwise="Fixed."),
                ThreadAction(thread_id(comment), OTHER, say="You are right.", resolve=True),
            ),
            minimized=(review_id(1), plain),
            dismissed=(review_id(1), plain),
        )
    )

    assert results.resolved == (OTHER,)
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
    """GitHub adds them up: a try that was cut off after some whole requests continues where it stopped."""
    opened = scene.begin()
    first = PublishActions(opened, replace(DONE, annotations=some_notes(notes)))
    again = replace(first, is_retry=True)
    if whole:
        scene.stand_in.fail_next(UPDATE, PlannedFailure(takes_effect=True), times=whole)
    scene.stand_in.fail_next(UPDATE, trouble)

    with pytest.raises(Retry):
        scene.edge.update_threads(first)
    until_then = scene.edge.calls()[UPDATE_THREADS] + scene.edge.calls().get(UPDATE_CHECK, 0)
    scene.edge.update_threads(again)
    scene.edge.update_threads(again)

    check = scene.check(opened)
    assert until_then == whole + 1
    assert [note["title"] for note in check.annotations] == [f"Note {number}" for number in range(notes)]
    assert check.conclusion == "neutral"
    assert scene.edge.calls()[ANNOTATIONS] == 2


def test_many_annotations_take_one_request_for_each_fifty(scene: Scene) -> None:
    """The first time nobody asks how many there are; without any nobody ever does."""
    opened = scene.begin()

    scene.edge.update_threads(PublishActions(opened, replace(DONE, annotations=some_notes(120))))
    scene.edge.update_threads(PublishActions(opened, DONE, is_retry=True))

    assert len(scene.check(opened).annotations) == 120
    assert (scene.edge.calls()[UPDATE_THREADS], scene.edge.calls()[UPDATE_CHECK]) == (2, 2)
    assert ANNOTATIONS not in scene.edge.calls()


def test_a_finding_that_is_reported_again_has_its_new_comment(scene: Scene) -> None:
    """Both of its threads carry its marker."""
    earlier = scene.tell()
    opened = scene.begin()
    posted = scene.edge.post_review(scene.head, a_review())

    results = scene.edge.update_threads(PublishActions(opened, DONE, posted=posted, commented=frozenset({FINDING})))

    assert [results.comment_ids[FINDING]] == comments_of(scene, posted)
    assert results.comment_ids[FINDING] != str(earlier)


def test_comments_that_do_not_come_along_are_read_apart(scene: Scene) -> None:
    """Only a hundred threads come along: where one is missing, the review itself is asked, once."""
    opened = scene.begin()
    posted = scene.edge.post_review(scene.head, a_review())

    results = scene.edge.update_threads(
        PublishActions(opened, DONE, posted=posted, commented=frozenset({FINDING, OTHER}))
    )

    [comment] = comments_of(scene, posted)
    assert results == PublishResults((), {FINDING: comment})
    assert (scene.edge.calls()[UPDATE_THREADS], scene.edge.calls()[REVIEW_COMMENTS]) == (1, 1)


def test_a_review_without_a_check_run_does_the_rest(scene: Scene) -> None:
    """A person's token may not write checks, and may resolve threads; a review without comments has none to read."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        edge.snapshot()
        posted, comment = edge.post_review(scene.head, a_review()), scene.tell(OTHER, login="ann")
        act = ThreadAction(thread_id(comment), OTHER, resolve=True, otherwise="Fixed.")

        results = edge.update_threads(PublishActions(None, DONE, (act,), posted=posted, commented=frozenset({FINDING})))
        without = edge.update_threads(PublishActions(None, DONE, posted=posted))
        nothing = edge.update_threads(PublishActions(None, DONE))

        [told] = comments_of(scene, posted)
        assert results == PublishResults((OTHER,), {FINDING: told})
        assert scene.resolved(comment) == ["ann"]
        assert without == nothing == PublishResults((), {})
        assert (edge.calls()[UPDATE_THREADS], edge.calls()[REVIEW_COMMENTS]) == (1, 1)


def test_a_check_run_that_may_not_be_written_is_refused(scene: Scene) -> None:
    """After the rest was done; in the first request or in a later one."""
    comment, opened = scene.tell(), scene.begin()
    act = ThreadAction(thread_id(comment), FINDING, say="It still is.")

    scene.stand_in.fail_next(UPDATE, forbidden_field("updateCheckRun"))
    with pytest.raises(Refused, match="not accessible by integration: look at what the App or the token is permitted"):
        scene.edge.update_threads(PublishActions(opened, DONE, (act,)))
    scene.stand_in.fail_next(UPDATE, PlannedFailure(takes_effect=True))
    scene.stand_in.fail_next(UPDATE, forbidden_field("updateCheckRun"))
    with pytest.raises(Refused, match="not accessible"):
        scene.edge.update_threads(PublishActions(opened, replace(DONE, annotations=some_notes(60))))
    scene.stand_in.fail_next("POST /graphql Annotations", forbidden_field("node"))
    with pytest.raises(Refused, match="not accessible"):
        scene.edge.update_threads(PublishActions(opened, replace(DONE, annotations=some_notes(60)), is_retry=True))

    assert scene.said_below(comment) == ["It still is."]
    assert len(scene.check(opened).annotations) == 50


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


def test_no_check_run_is_changed_before_the_snapshot_is_read(scene: Scene) -> None:
    """The repository's global id comes with it."""
    with pytest.raises(Broken, match="before the snapshot is read"):
        scene.edge.update_threads(PublishActions("CR_1", DONE))
    with pytest.raises(Broken, match="before the snapshot is read"):
        scene.edge.update_check("CR_1", DONE)

    scene.edge.snapshot()

    assert scene.edge.update_threads(PublishActions(None, DONE)) == PublishResults((), {})
    assert scene.edge.calls() == {TOKEN: 1, SNAPSHOT: 1}
