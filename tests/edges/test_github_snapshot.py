"""The snapshot: the pull request, the settings of its base branch, our threads and reviews, in one query."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.config.read import BranchFile
from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.embedded import embedded_findings, with_embedded_findings
from kodiai.core.findings.markers import finding_marker, review_marker
from kodiai.core.github.ci import NO_CI
from kodiai.core.github.comment import Opening, Reply, Thread, Thumb
from kodiai.core.github.pull_request import Guidance, LinkedIssue, PullRequest
from kodiai.core.plan.snapshot import OwnReview, PullRequestSnapshot
from kodiai.core.review.review import Review, ReviewComment
from local.github import LocalGitHub
from local.github.failures import forbidden_field
from local.github.hosted_repository import REPOSITORY_ID
from tests.builders import a_finding
from tests.edges.github_scene import (
    BLOB,
    BOT,
    CONTENTS,
    FINDING,
    OTHER,
    SETTINGS,
    SNAPSHOT,
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
from tests.edges.raw_github import Said, a_snapshot, github_that_says, told
from tests.git_repository import Content, GitRepository
from tests.tables import each_row


def test_a_pull_request_that_nobody_has_spoken_on(scene: Scene, pushed: Pushed) -> None:
    """All of it by one request; a missing description is an empty one, a missing file is none.

    Its commits tell what they are for, and nothing else does.
    """
    found = scene.edge.snapshot()

    pull = PullRequest(
        repository="acme/widgets",
        repository_id=REPOSITORY_ID,
        is_private=True,
        number=scene.number,
        url=f"{scene.stand_in.url}/acme/widgets/pull/{scene.number}",
        title="Two",
        body="",
        author="octocat",
        author_is_bot=False,
        state="open",
        is_merged=False,
        draft=False,
        head=scene.head,
        base=pushed.base,
        base_ref="main",
    )
    # Other tests check the same head.
    alone = replace(found, ci=NO_CI, own_checks=(), same_head=())
    assert alone == PullRequestSnapshot(pull, None, commits=("A change",))
    assert scene.edge.calls() == {TOKEN: 1, SNAPSHOT: 1}


def test_a_bots_draft_that_was_edited_labeled_and_merged(scene: Scene) -> None:
    """A bot has the name that REST gives it, and a label is as it was written. The head alone can be read too."""
    number = scene.stand_in.open_pull_request(
        scene.head, "settings", author=BOT, draft=True, labels=["WIP", "needs review"]
    )
    scene.stand_in.unlabel(number, "wip")
    scene.stand_in.label(number, "bug")
    scene.stand_in.describe(number, "Ignore the rules.")
    scene.stand_in.state.pulls[number].body_edited_at = 1_800_000_000.5
    scene.stand_in.close(number, merged=True)

    with connect(scene.stand_in, number) as edge:
        pull = edge.snapshot().pull_request

        assert (pull.author, pull.author_is_bot, pull.draft) == (BOT, True, True)
        assert (pull.state, pull.is_merged) == ("closed", True)
        assert (pull.body, pull.body_edited, pull.labels) == (
            "Ignore the rules.",
            1_800_000_000,
            ("needs review", "bug"),
        )
        assert (pull.base_ref, edge.head()) == ("settings", scene.head)


def test_a_settings_file_is_read_whole_from_the_tip_of_the_base_branch(scene: Scene) -> None:
    """REST reads a text that GraphQL cuts or does not have, and follows links; a folder is none.

    The default branch's is read in the same query if that is another branch.
    """
    expected: dict[str, tuple[Content, Mapping[str, int]]] = {
        **{branch: (SETTINGS[branch][1], {}) for branch in ("settings", "executable", "empty")},
        "main": (None, {}),
        "link": ("a = 1\n", {CONTENTS: 1}),
        "dangling": (None, {CONTENTS: 1}),
        "binary": (b"floor\0", {CONTENTS: 1}),
        "large": (SETTINGS["large"][1], {CONTENTS: 1}),
        "huge": (SETTINGS["huge"][1], {CONTENTS: 1, BLOB: 1}),
        "folder": (None, {CONTENTS: 1}),
    }

    for branch, (content, more) in expected.items():
        with connect(scene.stand_in, scene.stand_in.open_pull_request(scene.head, branch)) as edge:
            found = edge.snapshot()

            assert (branch, edge.calls()) == (branch, {TOKEN: 1, SNAPSHOT: 1, **more})
            assert found.config == (content.encode() if isinstance(content, str) else content), branch
            assert found.default_file == (None if branch == "main" else BranchFile("main", None))


def test_a_large_settings_file_of_the_default_branch_is_read_whole(scene: Scene) -> None:
    """A restriction at its end counts as well."""
    content = SETTINGS["large"][1]
    copy = scene.stand_in.repository.copy
    large = copy.resolve("large")
    with connect(scene.stand_in, scene.stand_in.open_pull_request(scene.head, "settings")) as edge:
        copy.set_ref("refs/heads/main", large)

        found = edge.snapshot()

        assert found.default_file == BranchFile("main", content.encode() if isinstance(content, str) else content)
        assert edge.calls() == {TOKEN: 1, SNAPSHOT: 1, CONTENTS: 1}


GUIDANCE: dict[str, Content] = {
    "CONTRIBUTING.md": "Run make.\n",
    "CLAUDE.md": "AGENTS.md",
    "AGENTS.md": "Use dataclasses.\n",
    ".github/copilot-instructions.md": " \n",
    ".kodiai/guidance.md": "Money is in cents.\n",
    ".github/pull_request_template.md": "## What\n",
    "docs/pull_request_template.md": "",
}


def test_the_purpose_of_the_change_comes_in_the_same_query(tmp_path: Path) -> None:
    """The last 20 commits' messages, the first three issues, the base branch's own words and its templates.

    What is written for us comes first. What is a link, or blank, is left out.
    """
    repository = GitRepository(tmp_path)
    head = base = repository.commit(GUIDANCE, modes={"CLAUDE.md": "120000"}, branch="main")
    for number in range(21):
        head = repository.commit({"AGENTS.md": f"{number}\n"}, head, message=f"Step {number}\n\nIn full.")
    with LocalGitHub(tmp_path) as stand_in:
        closed = [stand_in.open_issue(f"Issue {number}", f"Body {number}") for number in range(4)]
        body = "\n".join(f"Closes #{number}" for number in reversed(closed))
        with connect(stand_in, stand_in.open_pull_request(head, base, body=body)) as edge:
            found = edge.snapshot()

            assert edge.calls() == {TOKEN: 1, SNAPSHOT: 1}

    assert found.commits == tuple(f"Step {number}\n\nIn full." for number in range(1, 21))
    assert found.issues == tuple(
        LinkedIssue(closed[number], f"Issue {number}", f"Body {number}", "acme/widgets") for number in (3, 2, 1)
    )
    assert found.guidance == (
        Guidance(".kodiai/guidance.md", "Money is in cents.\n"),
        Guidance("AGENTS.md", "Use dataclasses.\n"),
        Guidance("CONTRIBUTING.md", "Run make.\n"),
    )
    assert (found.templates, found.unseen) == (("## What\n",), ())


def test_a_brief_snapshot_leaves_out_the_purpose_of_the_change(scene: Scene) -> None:
    """An answer can do without; what is not asked for is not missing."""
    everything = ("closingIssuesReferences", "commits", "pullRequestTemplates")
    scene.stand_in.fail_next("POST /graphql Snapshot", forbidden_field(*everything), times=3)
    whole = scene.edge.snapshot()
    scene.tell()

    found = scene.edge.snapshot(briefly=True)

    assert len(whole.unseen) == 4
    assert (found.commits, found.issues, found.guidance, found.templates, found.unseen) == ((), (), (), (), ())
    assert found.pull_request == whole.pull_request
    assert [thread.finding for thread in found.threads] == [FINDING]
    assert scene.edge.calls()[SNAPSHOT] == 4


def test_guidance_that_is_cut_or_repeated_is_left_out(tmp_path: Path) -> None:
    """Half a text may say the opposite of the whole; the same one twice costs twice."""
    files: dict[str, Content] = {"AGENTS.md": "Be kind.\n", "CLAUDE.md": "Be kind.\n", "CONTRIBUTING.md": "x" * 512_001}
    repository = GitRepository(tmp_path)
    base = repository.commit(files, branch="main")
    with LocalGitHub(tmp_path) as stand_in:
        number = stand_in.open_pull_request(repository.commit({"a.py": "a = 1\n"}, base))
        with connect(stand_in, number) as edge:
            assert edge.snapshot().guidance == (Guidance("AGENTS.md", "Be kind.\n"),)


@pytest.mark.parametrize(
    ("fields", "unseen", "asked"),
    [
        (["pullRequestTemplates"], ("pull request templates: not permitted",), 1),
        (["statusCheckRollup"], ("checks of the head: not permitted",), 1),
        (["associatedPullRequests"], ("other pull requests of the head: not permitted",), 1),
        (["message"], ("some commit messages: not permitted",), 1),
        (["commits"], ("commit messages: not permitted", "checks of the head: not permitted"), 3),
        (
            ["commits", "closingIssuesReferences", "pullRequestTemplates"],
            (
                "pull request templates: not permitted",
                "commit messages: not permitted",
                "linked issues: not permitted",
                "checks of the head: not permitted",
            ),
            3,
        ),
    ],
)
def test_a_dispensable_field_may_be_missing(
    scene: Scene, fields: list[str], unseen: tuple[str, ...], asked: int
) -> None:
    """The rest is asked for once more, alone, if GitHub shows nothing at all because of it."""
    scene.stand_in.fail_next("POST /graphql Snapshot", forbidden_field(*fields), times=asked)

    found = scene.edge.snapshot()

    assert found.unseen == unseen
    assert found.pull_request.title == "Two"
    assert found.commits == (() if {"message", "commits"} & {*fields} else ("A change",))
    assert scene.edge.calls() == {TOKEN: 1, SNAPSHOT: asked}


@pytest.mark.parametrize("field", ["file", "baseRef", "reviewThreads", "pullRequest"])
def test_a_needed_field_may_not_be_missing(scene: Scene, field: str) -> None:
    """Settings that may not be read could say anything."""
    scene.stand_in.fail_next("POST /graphql Snapshot", forbidden_field(field, "closingIssuesReferences"))

    with pytest.raises(Refused, match="look at what the App or the token is permitted here"):
        scene.edge.snapshot()


def test_a_base_branch_that_is_gone_has_no_settings(scene: Scene) -> None:
    """It was merged and deleted; the pull request still names it."""
    number = scene.stand_in.open_pull_request(scene.head, "settings")
    scene.stand_in.state.pulls[number].base_ref = "gone"

    with connect(scene.stand_in, number) as edge:
        found = edge.snapshot()

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

    [thread] = scene.edge.snapshot().threads

    replies = [each for each in scene.stand_in.state.comments.values() if each.in_reply_to == ours]
    words = [("octocat", False), (BOT, True), ("mallory", False)]
    assert thread == Thread(
        id=thread_id(ours),
        finding=FINDING,
        comment_id=str(ours),
        resolved_by=None,
        can_resolve=True,
        replies=tuple(
            Reply(str(reply.id), *who, reply.body, is_ours=reply.author == scene.us)
            for reply, who in zip(replies, [*words, (scene.us, True)], strict=True)
        ),
        opening=Opening(
            body=f"Comment.\n\n{finding_marker(FINDING)}",
            path="a.py",
            lines=(2, 2),
            original_lines=(2, 2),
            hunk="@@ -1 +1,2 @@\n-a = 1\n+a = 2\n+b = 3",
        ),
    )


def test_the_thumbs_of_people_at_the_first_comment_are_read(scene: Scene) -> None:
    """Neither bots' thumbs, nor other reactions, nor those to replies. Of the first 20 of each: here one is a bot's."""
    ours = scene.tell()
    reply = scene.stand_in.reply(ours, "Right.", login="ann")
    people = [f"person-{number}" for number in range(21)]
    for login in (BOT, *people):
        scene.stand_in.react("review comment", ours, "+1", login=login)
    scene.stand_in.react("review comment", ours, "-1", login="ann")
    scene.stand_in.react("review comment", ours, "heart", login="bob")
    scene.stand_in.react("review comment", reply, "+1", login="bob")

    [thread] = scene.edge.snapshot().threads

    assert set(thread.thumbs) == {Thumb("ann", up=False), *(Thumb(login, up=True) for login in people[:19])}


def test_a_thread_says_where_it_stands_and_where_it_stood(scene: Scene, pushed: Pushed) -> None:
    """On which lines of the head, as long as it is not outdated, and on which of the commit that it was written for."""
    comment = ReviewComment("a.py", 2, 1, f"Comment.\n\n{finding_marker(FINDING)}")
    scene.edge.post_review(scene.head, Review("COMMENT", "Body", (comment,)))

    def opening() -> Opening:
        [thread] = scene.edge.snapshot().threads
        assert thread.opening is not None
        return thread.opening

    here = opening()
    git = GitRepository(pushed.path)
    scene.stand_in.push(scene.number, git.commit({"a.py": "# One more.\na = 2\nb = 3\n"}, scene.head))
    moved = opening()
    scene.stand_in.push(scene.number, git.commit({"a.py": "a = 2\nb = 4\n"}, scene.head))
    outdated = opening()

    assert [each.lines for each in (here, moved, outdated)] == [(1, 2), (2, 3), None]
    assert {each.original_lines for each in (here, moved, outdated)} == {(1, 2)}
    assert {each.hunk for each in (here, moved, outdated)} == {"@@ -1 +1,2 @@\n-a = 1\n+a = 2\n+b = 3"}


def test_the_resolver_of_a_thread_is_known(scene: Scene) -> None:
    """A person, or we ourselves, whom GitHub names there with or without the mark of bots.

    A thread that was opened again is resolved by nobody.
    """
    by_ann, by_us, by_app, again = (scene.tell(f"F-{number:012x}") for number in range(4))
    scene.stand_in.resolve_thread(by_ann, login="ann")
    scene.stand_in.resolve_thread(by_us, login=scene.us)
    scene.stand_in.resolve_thread(by_app, login=scene.us.removesuffix("[bot]"))
    scene.stand_in.resolve_thread(again, login="ann")
    scene.stand_in.resolve_thread(again, resolved=False)

    threads = scene.edge.snapshot().threads

    assert [thread.resolved_by for thread in threads] == ["ann", scene.us, scene.us, None]
    assert [thread.is_resolved for thread in threads] == [True, True, True, False]


def test_the_right_to_resolve_a_thread_is_githubs_to_say(scene: Scene) -> None:
    """A person who may write may resolve it, once."""
    open_one, closed_one = scene.tell(login="ann"), scene.tell(OTHER, login="ann")
    scene.stand_in.resolve_thread(closed_one, login="ann")

    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        threads = {thread.id: thread.can_resolve for thread in edge.snapshot().threads}

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

    threads = scene.edge.snapshot().threads

    assert [thread.comment_id for thread in threads] == [str(first), str(last)]
    assert [reply.body for reply in threads[0].replies] == [f"Reply {number}" for number in range(1, 31)]
    assert [reply.body for reply in threads[1].replies] == ["The only one"]
    assert scene.edge.calls() == {TOKEN: 1, SNAPSHOT: 1, THREADS: 1}


def test_our_reviews_are_known_by_the_run_that_wrote_them(scene: Scene) -> None:
    """Not what others wrote, nor drafts, nor what carries no marker."""
    marker = review_marker("run1", scene.head)
    asking = Review("REQUEST_CHANGES", f"One\n\n{marker}", ())
    two = with_embedded_findings(f"Two\n\n{review_marker('run2', scene.head)}", [(OTHER, a_finding())])
    hidden = a_review(body=two)
    scene.stand_in.review(scene.number, "COMMENT", f"Copied\n\n{marker}", login="ann")
    posted = [scene.edge.post_review(scene.head, review) for review in (asking, hidden, asking, a_review())]
    ids = [int(each.review_id) for each in posted]
    scene.stand_in.state.reviews[ids[1]].minimized = "outdated"
    scene.stand_in.state.reviews[ids[2]].state = "PENDING"

    first, second = scene.edge.snapshot().reviews

    now, told = scene.stand_in.state.reviews, embedded_findings(two)
    at = [float(int(now[each].submitted_at or 0)) for each in ids[:2]]
    assert first == OwnReview(review_id(ids[0]), "run1", True, False, scene.head, at[0])
    assert second == OwnReview(review_id(ids[1]), "run2", False, True, scene.head, at[1], told)
    assert told[OTHER].title == a_finding().title


MARKED = f"C\n{finding_marker(FINDING)}"


def thread(**more: Any) -> dict[str, Any]:
    """A thread that ann, under whose name we write there, began about a finding."""
    root = {"databaseId": 1, "body": MARKED, "diffHunk": "", "author": {"__typename": "User", "login": "ann"}}
    root |= {"reactionGroups": None}
    plain = {"id": "T1", "isResolved": False, "viewerCanResolve": True, "resolvedBy": None}
    plain |= {"path": "a.py", "line": 2, "startLine": None, "originalLine": 2, "originalStartLine": None}
    return {**plain, "root": {"nodes": [root]}, "said": {"nodes": [root]}, **more}


def test_a_comment_on_a_whole_file_has_no_place() -> None:
    """GitHub names no line of it, nor of one whose lines it has lost."""
    lost = thread(line=None, originalLine=None)

    [found] = read(a_snapshot(reviewThreads=page(lost))).threads

    assert (found.finding, found.opening) == (FINDING, None)


def page(*threads: dict[str, Any]) -> dict[str, Any]:
    return {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": list(threads)}


def read(answer: Said) -> PullRequestSnapshot:
    with github_that_says(answer) as (edge, _):
        return edge.snapshot()


def test_an_account_that_is_gone_is_a_ghost() -> None:
    """As author, as one who answered, as one who resolved; a first comment of nobody's is not ours.

    Where GitHub has no list of labels there are none.
    """
    gone = {"databaseId": 2, "body": "Bye", "author": None}
    root = {"databaseId": 3, "body": f"C\n{finding_marker(OTHER)}", "author": None, "reactionGroups": None}
    left = thread(isResolved=True, said={"nodes": [gone]})
    nobodys, empty = thread(id="T2", root={"nodes": [root]}), thread(id="T3", root={"nodes": []}, said={"nodes": []})
    bodies = {"id": "PRR_1", "state": "COMMENTED", "isMinimized": False, "author": None}
    marked = {**bodies, "body": f"B\n{review_marker('run1', '1' * 40)}"}

    opening = Opening(MARKED, "a.py", (2, 2), (2, 2), "")

    found = read(
        a_snapshot(author=None, labels=None, reviewThreads=page(left, nobodys, empty), reviews={"nodes": [marked]})
    )

    assert (found.pull_request.author, found.pull_request.author_is_bot) == ("ghost", False)
    assert found.pull_request.labels == ()
    assert found.threads == (Thread("T1", FINDING, "1", "ghost", True, (Reply("2", "ghost", False, "Bye"),), opening),)
    assert found.reviews == ()


ISSUE = {"number": 7, "title": "It crashes", "body": "Often.", "repository": {"nameWithOwner": "acme/other"}}
ISSUES = ["repository", "pullRequest", "closingIssuesReferences"]


def failed(path: Sequence[str | int], kind: str | None = "FORBIDDEN") -> dict[str, Any]:
    return {"message": "So it is.", "path": path, **({"type": kind} if kind else {})}


def partly(*errors: dict[str, Any], **pull: Any) -> Said:
    """The snapshot of a pull request, with errors next to it."""
    whole = json.loads(a_snapshot(**pull).raw.partition(b"\r\n\r\n")[2])
    return told({**whole, "errors": list(errors)})


@each_row(
    ("error", "unseen"),
    [
        (failed(ISSUES), "linked issues: not permitted"),
        (failed(ISSUES, "INSUFFICIENT_SCOPES"), "linked issues: not permitted"),
        (failed(ISSUES, None), "linked issues: GitHub could not say"),
        (failed([*ISSUES, "nodes", 1]), "some linked issues: not permitted"),
        (failed(["repository", "pullRequestTemplates"]), "pull request templates: not permitted"),
        (failed(["repository", "pullRequest", "baseRef", "target", "guidance3"]), "AGENTS.md: not permitted"),
    ],
)
def test_a_missing_field_is_named_with_the_reason(error: dict[str, Any], unseen: str) -> None:
    """An issue of another repository may be hidden while others are seen."""
    found = read(partly(error, error, closingIssuesReferences={"nodes": [ISSUE, None]}))

    assert (found.unseen, found.issues) == ((unseen,), (LinkedIssue(7, "It crashes", "Often.", "acme/other"),))


def test_a_server_that_does_not_know_a_field_is_asked_without() -> None:
    """It answers nothing then, and names the field by the query's name; what it refuses after that is refused."""
    unknown = told(
        {"errors": [{**failed(["query Snapshot", *ISSUES], None), "extensions": {"code": "undefinedField"}}]}
    )

    with github_that_says(unknown, a_snapshot(), unknown, told({"errors": [failed(["repository"])]})) as (edge, server):
        found = edge.snapshot()
        with pytest.raises(Refused):
            edge.snapshot()

    assert (found.pull_request.title, found.unseen) == ("Two", ("linked issues: GitHub could not say",))
    assert server.asked == ["POST"] * 4


def test_a_limit_is_no_missing_permission() -> None:
    """Whatever it is said of: the same query may find everything in a minute."""
    with pytest.raises(Retry, match="GitHub is busy") as limited:
        read(partly(failed(ISSUES, "RATE_LIMITED")))

    assert limited.value.after_seconds == 60


def test_a_submodule_in_the_place_of_the_settings_is_no_file() -> None:
    """GraphQL has no object for it, REST a type."""
    entry = {"target": {"file": {"mode": 0o160000, "object": None}}}

    with github_that_says(a_snapshot(baseRef=entry), told({"type": "submodule", "sha": "1" * 40})) as (edge, server):
        found = edge.snapshot()

    assert (found.config, server.asked) == (None, ["POST", "GET"])
