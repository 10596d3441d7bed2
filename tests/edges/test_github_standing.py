"""How things stand: the pull request, the settings of its base branch, our threads and reviews, in one query."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.errors import Refused
from kodiai.core.words.markers import finding_marker, review_marker
from kodiai.ports import OwnReview, PullRequest, Review, Standing
from tests.edges.github_scene import (
    BLOB,
    BOT,
    CONFIG,
    CONTENTS,
    FINDING,
    OTHER,
    SETTINGS_FILES,
    STANDING,
    THREADS,
    TOKEN,
    Pushed,
    Scene,
    a_review,
    connect,
    connect_as,
    review_id,
    thread_id,
)
from tests.edges.raw_github import Said, github_that_says, standing, told
from tests.git_repository import Content


def test_a_pull_request_that_nobody_has_spoken_on(scene: Scene, pushed: Pushed) -> None:
    """All of it by one request; a missing description is an empty one, a missing file is none."""
    found = scene.edge.standing(CONFIG)

    pull = PullRequest(
        repository="acme/widgets",
        number=scene.number,
        title="Two",
        body="",
        author="octocat",
        author_is_bot=False,
        state="open",
        draft=False,
        head=scene.head,
        base=pushed.base,
        base_ref="main",
    )
    assert found == Standing(pull, None)
    assert scene.edge.calls() == {TOKEN: 1, STANDING: 1}


def test_a_bots_draft_that_was_merged_is_closed(scene: Scene) -> None:
    """A bot has the name that REST gives it; the head alone is there too."""
    number = scene.stand_in.open_pull_request(scene.head, "settings", author=BOT, draft=True)
    scene.stand_in.close(number, merged=True)

    with connect(scene.stand_in, number) as edge:
        pull = edge.standing(CONFIG).pull_request

        assert (pull.author, pull.author_is_bot, pull.draft, pull.state) == (BOT, True, True, "closed")
        assert (pull.base_ref, edge.head()) == ("settings", scene.head)


def test_a_pull_request_that_is_not_there_is_refused(scene: Scene) -> None:
    """In GitHub's words, which name its number."""
    with connect(scene.stand_in, 999) as edge, pytest.raises(Refused, match=r"with the number of 999.*it is gone"):
        edge.standing(CONFIG)


def test_a_settings_file_is_read_whole_from_the_tip_of_the_base_branch(scene: Scene) -> None:
    """What GraphQL cuts, or has no text of, is read by REST, which follows links; what is no file is none."""
    number = scene.stand_in.open_pull_request(scene.head, "settings")
    expected: dict[str, tuple[Content, Mapping[str, int]]] = {
        "folder/.kodiai.yml": ("floor: MINOR\n", {}),
        "program.yml": ("floor: MINOR\n", {}),
        "empty.yml": ("", {}),
        "a.py": ("a = 1\n", {}),
        "nowhere.yml": (None, {}),
        "folder/nowhere.yml": (None, {}),
        "link.yml": ("floor: MINOR\n", {CONTENTS: 1}),
        "dangling.yml": (None, {CONTENTS: 1}),
        "binary.yml": (b"floor\0", {CONTENTS: 1}),
        "large.yml": (SETTINGS_FILES["large.yml"], {CONTENTS: 1}),
        "huge.yml": (SETTINGS_FILES["huge.yml"], {CONTENTS: 1, BLOB: 1}),
        "folder": (None, {CONTENTS: 1}),
    }

    with connect(scene.stand_in, number) as edge:
        for path, (content, apart) in expected.items():
            before = Counter(edge.calls())

            found = edge.standing(path)

            calls = Counter(edge.calls()) - before - Counter([TOKEN])
            assert (path, calls) == (path, {STANDING: 1, **apart})
            assert found.config == (content.encode() if isinstance(content, str) else content), path


def test_a_base_branch_that_is_gone_has_no_settings(scene: Scene) -> None:
    """It was merged and deleted; the pull request still names it."""
    scene.stand_in.state.pulls[scene.number].base_ref = "gone"

    found = scene.edge.standing("a.py")

    assert (found.config, found.pull_request.base_ref) == (None, "gone")


def test_our_threads_are_known_by_the_marker_that_we_wrote(scene: Scene) -> None:
    """Not those of others, who can copy a marker, nor what we said without one. Replies come oldest first."""
    ours, others = scene.tell(), scene.tell(OTHER, login="ann")
    unmarked = scene.stand_in.comment_on_line(scene.number, "a.py", 1, "By the way", login=scene.us)
    scene.stand_in.set_role("ann", "write")
    for login in ("octocat", BOT, "mallory", scene.us):
        scene.stand_in.reply(ours, f"{login}: {finding_marker(OTHER)}", login=login)
    for comment in (others, unmarked):
        scene.stand_in.reply(comment, "Not ours", login="ann")

    [thread] = scene.edge.standing(CONFIG).threads

    replies = [each for each in scene.stand_in.state.comments.values() if each.in_reply_to == ours]
    words = [("octocat", False, "COLLABORATOR"), (BOT, True, "NONE"), ("mallory", False, "NONE")]
    assert thread == Thread(
        id=thread_id(ours),
        finding=FINDING,
        comment_id=str(ours),
        resolved_by=None,
        can_resolve=False,
        replies=tuple(
            Reply(str(reply.id), *who, reply.body, is_ours=reply.author == scene.us)
            for reply, who in zip(replies, [*words, (scene.us, True, "NONE")], strict=True)
        ),
    )


def test_who_resolved_a_thread_is_known(scene: Scene) -> None:
    """A person, or we ourselves, whom GitHub names there with or without the mark of bots.

    A thread that was opened again is resolved by nobody.
    """
    by_ann, by_us, by_app, again = (scene.tell(f"F-{number:012x}") for number in range(4))
    scene.stand_in.resolve_thread(by_ann, login="ann")
    scene.stand_in.resolve_thread(by_us, login=scene.us)
    scene.stand_in.resolve_thread(by_app, login=scene.us.removesuffix("[bot]"))
    scene.stand_in.resolve_thread(again, login="ann")
    scene.stand_in.resolve_thread(again, resolved=False)

    threads = scene.edge.standing(CONFIG).threads

    assert [thread.resolved_by for thread in threads] == ["ann", scene.us, scene.us, None]
    assert [thread.is_resolved for thread in threads] == [True, True, True, False]


def test_whether_a_thread_may_be_resolved_is_githubs_to_say(scene: Scene) -> None:
    """Whoever may write may, once."""
    open_one, closed_one = scene.tell(login="ann"), scene.tell(OTHER, login="ann")
    scene.stand_in.resolve_thread(closed_one, login="ann")

    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        threads = {thread.id: thread.can_resolve for thread in edge.standing(CONFIG).threads}

    assert threads == {thread_id(open_one): True, thread_id(closed_one): False}


def test_more_threads_and_replies_than_one_page_holds(scene: Scene) -> None:
    """Threads come by the hundred, all of them; of the comments in one the last thirty, never the first one twice."""
    first = scene.tell()
    with scene.unchecked():
        for number in range(31):
            scene.stand_in.reply(first, f"Reply {number}", login="ann")
    scene.crowd(99)
    last = scene.tell(OTHER)
    scene.stand_in.reply(last, "The only one")

    threads = scene.edge.standing(CONFIG).threads

    assert [thread.comment_id for thread in threads] == [str(first), str(last)]
    assert [reply.body for reply in threads[0].replies] == [f"Reply {number}" for number in range(1, 31)]
    assert [reply.body for reply in threads[1].replies] == ["The only one"]
    assert scene.edge.calls() == {TOKEN: 1, STANDING: 1, THREADS: 1}


def test_our_reviews_are_known_by_the_run_that_wrote_them(scene: Scene) -> None:
    """Not what others wrote, nor drafts, nor what carries no marker."""
    marker = review_marker("run1", scene.head)
    asking = Review("REQUEST_CHANGES", f"One\n\n{marker}", ())
    hidden = a_review(body=f"Two\n\n{review_marker('run2', scene.head)}")
    scene.stand_in.review(scene.number, "COMMENT", f"Copied\n\n{marker}", login="ann")
    posted = [scene.edge.post_review(scene.head, review) for review in (asking, hidden, asking, a_review())]
    ids = [int(each.review_id) for each in posted]
    scene.stand_in.state.reviews[ids[1]].minimized = "outdated"
    scene.stand_in.state.reviews[ids[2]].state = "PENDING"

    assert scene.edge.standing(CONFIG).reviews == (
        OwnReview(review_id(ids[0]), "run1", requests_changes=True, collapsed=False),
        OwnReview(review_id(ids[1]), "run2", requests_changes=False, collapsed=True),
    )


def thread(**more: Any) -> dict[str, Any]:
    """A thread that ann, under whose name we write there, began about a finding."""
    root = {"databaseId": 1, "body": f"C\n{finding_marker(FINDING)}", "author": {"__typename": "User", "login": "ann"}}
    nodes = [{**root, "authorAssociation": "MEMBER"}]
    plain = {"id": "T1", "isResolved": False, "viewerCanResolve": True, "resolvedBy": None}
    return {**plain, "root": {"nodes": [root]}, "said": {"nodes": nodes}, **more}


def page(*threads: dict[str, Any]) -> dict[str, Any]:
    return {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": list(threads)}


def read(answer: Said) -> Standing:
    with github_that_says(answer) as (edge, _):
        return edge.standing(CONFIG)


def test_an_account_that_is_gone_is_a_ghost() -> None:
    """As author, as one who answered, as one who resolved; a first comment of nobody's is not ours."""
    gone = {"databaseId": 2, "body": "Bye", "authorAssociation": "NONE", "author": None}
    root = {"databaseId": 3, "body": f"C\n{finding_marker(OTHER)}", "author": None}
    left = thread(isResolved=True, said={"nodes": [gone]})
    nobodys, empty = thread(id="T2", root={"nodes": [root]}), thread(id="T3", root={"nodes": []}, said={"nodes": []})
    bodies = {"id": "PRR_1", "state": "COMMENTED", "isMinimized": False, "author": None}
    marked = {**bodies, "body": f"B\n{review_marker('run1', '1' * 40)}"}

    found = read(standing(author=None, reviewThreads=page(left, nobodys, empty), reviews={"nodes": [marked]}))

    assert (found.pull_request.author, found.pull_request.author_is_bot) == ("ghost", False)
    assert found.threads == (Thread("T1", FINDING, "1", "", True, (Reply("2", "ghost", False, "NONE", "Bye"),)),)
    assert found.reviews == ()


def test_a_submodule_in_the_place_of_the_settings_is_no_file() -> None:
    """GraphQL has no object for it, REST a type."""
    entry = {"target": {"file": {"mode": 0o160000, "object": None}}}

    with github_that_says(standing(baseRef=entry), told({"type": "submodule", "sha": "1" * 40})) as (edge, server):
        found = edge.standing(CONFIG)

    assert (found.config, server.asked) == (None, ["POST", "GET"])
