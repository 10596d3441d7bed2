"""Comments of people on GitHub and our answers, over real HTTP: each once, whatever is gone meanwhile."""

from collections import Counter
from typing import Any

import pytest

from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.markers import answer_marker
from kodiai.core.github.comment import Comment, Discussion, Reaction
from kodiai.core.github.names import Surface
from local.github.failures import dropped_connection, forbidden_field, refusal, server_error
from local.github.state import Role
from tests.edges.github_scene import (
    BOT,
    CONVERSATION,
    PERMISSIONS,
    REPLIES,
    TALK,
    TALKING,
    THREAD_COMMENT,
    THREAD_COMMENTS,
    TOKEN,
    Pushed,
    Scene,
    connect_as,
)
from tests.edges.raw_github import github_that_says, told
from tests.tables import each_row

REACTIONS: dict[Surface, str] = {
    "thread": "POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions",
    "conversation": "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    "review": "POST /graphql mutation React",
}
NOT_NOW = refusal(403, {"message": "Resource not accessible by integration", "documentation_url": "https://x"})
CREATED = "2026-11-22T10:00:00Z"


def say(scene: Scene, surface: Surface) -> int:
    """Say something there as a person; its id."""
    if surface == "thread":
        return scene.stand_in.comment_on_line(scene.number, "a.py", 1, "Why?", login="ann")
    if surface == "conversation":
        return scene.stand_in.comment(scene.number, "Why?", login="ann")
    return scene.stand_in.review(scene.number, "COMMENT", "Why?", login="ann")


def sent(scene: Scene, before: Counter[str]) -> dict[str, int]:
    """The requests since then, without those for tokens."""
    return dict(Counter(scene.edge.calls()) - before - Counter([TOKEN]))


def texts(found: Discussion | None) -> list[str]:
    assert found is not None
    return [comment.body for comment in found.comments]


def orphan(scene: Scene, *replies: int) -> int:
    """Let replies point to a first comment that is gone, as they may where it was deleted; its id."""
    for reply in replies:
        scene.stand_in.state.comments[reply].in_reply_to = 4_000_000_000
    return 4_000_000_000


@pytest.mark.parametrize(("role", "permission"), PERMISSIONS.items())
def test_a_permission_is_one_of_four_words(scene: Scene, role: Role, permission: str) -> None:
    """The finer roles are what they at least may do; a stranger may do nothing."""
    scene.stand_in.set_role(f"p-{role}", role)

    assert scene.edge.permission(f"p-{role}") == permission
    assert scene.edge.may_write(f"p-{role}") is (permission in ("admin", "write"))
    assert scene.edge.permission("nobody-knows-them") == "none"


@each_row("body", [{"permission": "owner"}, {"permission": None}, {"permission": ["admin"]}, {}, [], None])
def test_a_permission_that_nobody_knows_is_none(body: Any) -> None:
    """A person who is not known to have a right has none."""
    with github_that_says(told(body), told(body)) as (edge, _):
        assert edge.permission("ann") == "none"
        assert not edge.may_write("ann")


@pytest.mark.parametrize("surface", list(REACTIONS))
def test_a_reaction_is_there_once(scene: Scene, surface: Surface) -> None:
    """To a comment by REST, to a review's body by GraphQL, which alone can."""
    number = say(scene, surface)
    contents: tuple[Reaction, ...] = ("eyes", "eyes", "+1", "heart", "confused")
    before = Counter(scene.edge.calls())

    reacted = [scene.edge.react(scene.said(surface, number), content) for content in contents]

    there = [each.content for each in scene.stand_in.state.reactions.values() if each.subject == number]
    assert (reacted, there) == ([True] * 5, ["eyes", "+1", "heart", "confused"])
    assert sent(scene, before) == {REACTIONS[surface]: 5}


@pytest.mark.parametrize("surface", list(REACTIONS))
def test_a_comment_that_is_gone_takes_no_reaction(scene: Scene, surface: Surface) -> None:
    """Then there is nothing to answer either."""
    assert scene.edge.react(scene.said(surface, 3_000_000_000), "eyes") is False


@pytest.mark.parametrize("surface", list(REACTIONS))
def test_a_reaction_that_is_not_permitted_is_done_without(scene: Scene, surface: Surface) -> None:
    """It is a courtesy; a GitHub that is busy is another matter."""
    number = say(scene, surface)
    route = "POST /graphql addReaction" if surface == "review" else REACTIONS[surface]

    scene.stand_in.fail_next(route, forbidden_field("addReaction") if surface == "review" else NOT_NOW)

    assert scene.edge.react(scene.said(surface, number), "eyes") is True
    assert not [each for each in scene.stand_in.state.reactions.values() if each.subject == number]
    scene.stand_in.fail_next(route, 502)
    with pytest.raises(Retry):
        scene.edge.react(scene.said(surface, number), "eyes")


def test_a_refusal_of_any_kind_is_no_more_than_a_missing_reaction(scene: Scene) -> None:
    """A conversation that is locked, for one."""
    locked = {"errors": [{"type": "UNPROCESSABLE", "path": ["addReaction"], "message": "locked"}], "data": None}

    with github_that_says(told(locked)) as (edge, _):
        assert edge.react(scene.said("review", 5), "eyes") is True


def test_a_thread_is_read_in_one_request(scene: Scene) -> None:
    """Its comments, oldest first, with who said them and when; nothing of what was said elsewhere."""
    stand_in = scene.stand_in
    opening = scene.tell()
    elsewhere = stand_in.comment_on_line(scene.number, "a.py", 1, "Elsewhere.")
    first = stand_in.reply(opening, "No.", login="ann")
    second = stand_in.reply(opening, "Yes.", login=BOT)
    stand_in.reply(elsewhere, "Elsewhere too.")
    stand_in.comment(scene.number, "In the conversation.")
    stand_in.edit_comment(first, "No!")
    comments = stand_in.state.comments
    times = {opening: 1_000, first: 2_000, second: 3_000}
    for number, at in times.items():
        comments[number].created_at = at
    comments[first].edited_at = 5_000
    before = Counter(scene.edge.calls())

    found = scene.edge.discussion(scene.said("thread", second, reply_to=opening))

    root = Comment(opening, scene.us, True, True, comments[opening].body, 1_000, 1_000)
    assert found == Discussion(
        root=opening,
        opening=root,
        path="a.py",
        line=2,
        hunk=comments[opening].hunk,
        comments=(
            root,
            Comment(first, "ann", False, False, "No!", 2_000, 5_000),
            Comment(second, BOT, True, False, "Yes.", 3_000, 3_000),
        ),
    )
    assert sent(scene, before) == {THREAD_COMMENTS: 1}


def test_a_comment_that_was_deleted_has_no_thread(scene: Scene) -> None:
    """It was taken back before we came to it."""
    opening = scene.tell()
    reply = scene.stand_in.reply(opening, "Never mind.")
    scene.stand_in.delete_comment(reply)

    assert scene.edge.discussion(scene.said("thread", reply, reply_to=opening)) is None


def test_a_thread_without_its_opening_goes_on_below_its_oldest_comment(scene: Scene) -> None:
    """Its comments may point to the one that is gone, or to the oldest of them; either may ask."""
    for leaves_them in (False, True):
        opening = scene.tell()
        first, second = (scene.stand_in.reply(opening, text, login="ann") for text in ("One.", "Two."))
        scene.stand_in.delete_comment(opening)
        gone = orphan(scene, first, second) if leaves_them else opening

        for asked in (first, second):
            found = scene.edge.discussion(scene.said("thread", asked, reply_to=gone))

            assert found is not None
            assert (found.root, found.opening, found.path, found.line) == (first, None, "a.py", 2)
            assert texts(found) == ["One.", "Two."]


def test_the_newest_of_many_comments_are_read_and_the_two_that_matter(scene: Scene) -> None:
    """The thread's first comment, and the one that asks, are got by their ids."""
    opening = scene.tell()
    asked = scene.stand_in.reply(opening, "And this?")
    with scene.unchecked():
        scene.crowd(60)
        for at in range(40):
            scene.stand_in.reply(opening, f"Later {at}")
    before = Counter(scene.edge.calls())

    found = scene.edge.discussion(scene.said("thread", asked, reply_to=opening))

    assert texts(found)[1:] == ["And this?", *(f"Later {at}" for at in range(40))]
    assert sent(scene, before) == {THREAD_COMMENTS: 1, THREAD_COMMENT: 2}


def test_a_hundred_comments_of_a_long_thread_are_read(scene: Scene) -> None:
    """The first one and the one that asks among them, whatever came later."""
    opening = scene.tell()
    asked = scene.stand_in.reply(opening, "And this?")
    with scene.unchecked():
        for at in range(100):
            scene.stand_in.reply(opening, f"Later {at}")

    found = scene.edge.discussion(scene.said("thread", asked, reply_to=opening))

    assert texts(found)[1:] == ["And this?", *(f"Later {at}" for at in range(2, 100))]


def test_the_line_of_a_thread_is_where_it_stands_now(scene: Scene, pushed: Pushed) -> None:
    """On the new side: what is outdated has none, and neither has the old side or a whole file."""
    stand_in = scene.stand_in
    new, old = (
        stand_in.comment_on_line(scene.number, "a.py", 1, "Here.", side=side, login="ann") for side in ("RIGHT", "LEFT")
    )

    assert [_line(scene, number) for number in (new, old)] == [1, None]
    stand_in.push(scene.number, pushed.base)
    assert _line(scene, new) is None
    entry = {"id": 5, "path": "a.py", "line": 1, "subject_type": "file", "diff_hunk": "@@", "body": "", "user": None}
    with github_that_says(told([entry | {"created_at": CREATED, "updated_at": CREATED}])) as (edge, _):
        found = edge.discussion(scene.said("thread", 5))
    assert found is not None
    assert (found.line, found.hunk) == (None, "@@")
    assert found.opening == Comment(5, "ghost", False, False, "", 1_795_341_600, 1_795_341_600)


def _line(scene: Scene, number: int) -> int | None:
    found = scene.edge.discussion(scene.said("thread", number))
    assert found is not None
    return found.line


def test_the_conversation_is_read_in_one_query(scene: Scene) -> None:
    """Comments and reviews' texts together, oldest first; a review is said when it is submitted."""
    stand_in = scene.stand_in
    hello = stand_in.comment(scene.number, "Hello.", login="ann")
    empty = stand_in.review(scene.number, "APPROVE", "", login="bob")
    review = stand_in.review(scene.number, "COMMENT", "Seen.", login=BOT)
    ours = stand_in.comment(scene.number, "Done.", login=scene.us)
    say(scene, "thread")
    stand_in.edit_comment(hello, "Hello!")
    state = stand_in.state
    state.issue_comments[hello].created_at, state.issue_comments[hello].edited_at = 1_000, 9_000
    state.reviews[review].created_at, state.reviews[review].submitted_at = 500, 2_000
    state.issue_comments[ours].created_at = 3_000
    before = Counter(scene.edge.calls())

    found = scene.edge.conversation()

    assert found == (
        Comment(hello, "ann", False, False, "Hello!", 1_000, 9_000),
        Comment(review, BOT, True, False, "Seen.", 2_000, 2_000),
        Comment(ours, scene.us, True, True, "Done.", 3_000, 3_000),
    )
    assert empty not in [comment.id for comment in found]
    assert sent(scene, before) == {CONVERSATION: 1}


def test_the_newest_hundred_of_a_long_conversation_are_read(scene: Scene) -> None:
    """Whatever they are."""
    state = scene.stand_in.state
    with scene.unchecked():
        for at in range(101):
            number = scene.stand_in.comment(scene.number, f"{at}")
            state.issue_comments[number].created_at = 1_000 + at
    review = scene.stand_in.review(scene.number, "COMMENT", "Between.")
    state.reviews[review].submitted_at = 1_050.0
    state.reviews[review].created_at = 1_050.0

    found = [comment.body for comment in scene.edge.conversation()]

    assert found == [*map(str, range(2, 51)), "Between.", *map(str, range(51, 101))]


def test_a_draft_of_ours_is_no_part_of_the_conversation() -> None:
    """Nobody else can see it; and who is gone is a ghost."""
    said = {"databaseId": 7, "body": "Hm.", "createdAt": CREATED, "lastEditedAt": None, "author": None}
    drafts = [said | {"state": state, "submittedAt": None} for state in ("PENDING", "COMMENTED")]
    pull = {"comments": {"nodes": [None]}, "reviews": {"nodes": drafts}}

    with github_that_says(told({"data": {"repository": {"pullRequest": pull}}})) as (edge, _):
        assert edge.conversation() == (Comment(7, "ghost", False, False, "Hm.", 1_795_341_600, 1_795_341_600),)


@pytest.mark.parametrize("in_thread", [True, False])
def test_an_answer_is_given_once(scene: Scene, in_thread: bool) -> None:
    """Also where others copied its mark, and a hundred comments stand between."""
    opening, elsewhere = scene.tell(), say(scene, "thread")
    thread = opening if in_thread else None
    for comment in (opening, elsewhere):
        scene.stand_in.reply(comment, f"Copied.\n\n{answer_marker('c-5')}", login="ann")
    scene.stand_in.comment(scene.number, f"Copied.\n\n{answer_marker('c-5')}")

    scene.edge.answer("c-5", "Because.", thread=thread)
    with scene.unchecked():
        scene.crowd(100)
        for _ in range(100):
            scene.stand_in.comment(scene.number, "Hm.")
        for key in ("c-5", "c-6", "c-6", "c-5"):
            scene.edge.answer(key, "Because.", thread=thread)

    below = scene.said_below(opening)[1:]
    here = [each.body for each in scene.stand_in.state.issue_comments_of(scene.number) if each.author == scene.us]
    assert [*below, *here] == [f"Because.\n\n{answer_marker(key)}" for key in ("c-5", "c-6")]
    assert bool(below) is in_thread


@pytest.mark.parametrize("trouble", [dropped_connection(), server_error(takes_effect=True)])
@pytest.mark.parametrize("in_thread", [True, False])
def test_an_answer_whose_success_was_lost_is_found_by_the_next_try(scene: Scene, trouble: Any, in_thread: bool) -> None:
    """It is there, though nobody told us."""
    opening = scene.tell()
    thread = opening if in_thread else None
    scene.stand_in.fail_next(REPLIES if in_thread else TALKING, trouble)
    with pytest.raises(Retry):
        scene.edge.answer("thread-5", "Because.", thread=thread, since=1_000)

    scene.edge.answer("thread-5", "Because!", thread=thread, since=1_000)

    told_there = scene.said_below(opening)
    told_here = [each.body for each in scene.stand_in.state.issue_comments_of(scene.number)]
    assert [*told_there, *told_here] == [f"Because.\n\n{answer_marker('thread-5')}"]
    assert bool(told_there) is in_thread


@pytest.mark.parametrize("points_elsewhere", [False, True])
def test_an_answer_that_the_thread_does_not_take_goes_into_the_conversation_once(
    scene: Scene, points_elsewhere: bool
) -> None:
    """The comment is gone, or it is no first comment of a thread; a lost success is found there too."""
    opening = scene.tell()
    reply = scene.stand_in.reply(opening, "Why?", login="ann")
    if points_elsewhere:
        orphan(scene, reply)
        thread = reply
    else:
        scene.stand_in.delete_comment(opening)
        thread = opening
    scene.stand_in.fail_next(TALKING, dropped_connection())
    with pytest.raises(Retry):
        scene.edge.answer("thread-5", "Because.", thread=thread)

    scene.edge.answer("thread-5", "Because!", thread=thread)

    said = scene.stand_in.state.issue_comments_of(scene.number)
    assert [each.body for each in said] == [f"Because.\n\n{answer_marker('thread-5')}"]
    assert scene.said_below(thread) == []


def test_a_comment_older_than_the_first_try_is_not_looked_at(scene: Scene) -> None:
    """`since` keeps a long conversation to one page; what is of that very second is seen."""
    with scene.unchecked():
        for at in range(101):
            scene.stand_in.state.issue_comments[scene.stand_in.comment(scene.number, f"{at}")].created_at = 1_000
        scene.edge.answer("conversation-5", "Because.", since=2_000.7)
    [ours] = [each for each in scene.stand_in.state.issue_comments_of(scene.number) if each.author == scene.us]
    ours.created_at = 2_000.2
    before = Counter(scene.edge.calls())

    scene.edge.answer("conversation-5", "Because.", since=2_000.7)

    assert sent(scene, before) == {TALK: 1}


def test_an_answer_that_may_not_be_given_is_refused(scene: Scene) -> None:
    """Elsewhere it would not be permitted either."""
    opening = scene.tell()
    scene.stand_in.fail_next(REPLIES, NOT_NOW)

    with pytest.raises(Refused, match="not accessible"):
        scene.edge.answer("thread-5", "Because.", thread=opening)

    assert scene.stand_in.state.issue_comments_of(scene.number) == []


def test_our_login_is_ours_in_any_case(scene: Scene) -> None:
    """GitHub writes it as the account does, a setting as somebody typed it."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        edge.answer("d-1", "Because.")
    with connect_as(scene.stand_in, "ann", scene.number, us="Ann") as edge:
        edge.answer("d-1", "Because.")
        assert [comment.is_ours for comment in edge.conversation()] == [True]
        number = say(scene, "thread")
        found = edge.discussion(scene.said("thread", number))

    assert found is not None
    assert found.comments[0].is_ours
    assert len(scene.stand_in.state.issue_comments_of(scene.number)) == 1
