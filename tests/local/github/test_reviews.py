"""Reviews: what GitHub takes, and what it refuses in whole."""

from collections.abc import Callable
from functools import partial
from typing import Any

from githubkit import GitHub

from local.github import LocalGitHub
from tests.local.github.scene import PULL, Client, Scene, refused
from tests.tables import each_row

REVIEWS = f"{PULL}/reviews"
Bot = GitHub[Any]


def comment(path: str, line: int | None = None, body: str = "See.", **more: Any) -> dict[str, Any]:
    return {"path": path, "body": body} | ({"line": line} if line else {}) | more


def test_the_comments_of_one_review_come_with_positions_and_without_lines(bot: Bot, ann: Client) -> None:
    """GitHub's own list of a review's comments never says the line; one must not rely on it there."""
    body = {"event": "COMMENT", "body": "Seen.", "comments": [comment("new.py", 1)]}
    review = bot.request("POST", REVIEWS, json=body).json()["id"]

    (listed,) = ann.get(f"{REVIEWS}/{review}/comments").json()

    assert (listed["path"], listed["position"], listed["body"]) == ("new.py", 1, "See.")
    assert not {"line", "original_line", "side", "start_line"} & set(listed)


@each_row(
    ("comments", "sentence"),
    [
        ([comment("src/a.py", 20)], "Line could not be resolved"),
        ([comment("src/a.py", 1)], "Line could not be resolved"),
        ([comment("src/a.py", 4000)], "Line could not be resolved"),
        ([comment("src/a.py")], "Line could not be resolved"),
        ([comment("new.py", 1, side="LEFT")], "Line could not be resolved"),
        ([comment("gone.py", 1)], "Line could not be resolved"),
        ([comment("src/a.py", 32, start_line=20)], "Start line could not be resolved"),
        ([comment("src/a.py", 32, start_line=5)], "Start line must be part of the same hunk as the line."),
        ([comment("src/a.py", 31, start_line=32)], "Start line must precede the end line."),
        ([comment("src/b.py", 1)], "Path could not be resolved"),
        ([comment("src/a.py", 5, body="x" * 65_537)], "Body is too long (maximum is 65536 characters)"),
        ([comment("new.py", 1), comment("src/a.py", 20)], "Line could not be resolved"),
    ],
    ids=[
        "between the hunks",
        "above the first hunk",
        "beyond the end",
        "no line",
        "old side of a new file",
        "new side of a removed file",
        "start outside the hunks",
        "start in another hunk",
        "start below the end",
        "a file that did not change",
        "a text that is too long",
        "one of two",
    ],
)
def test_one_misplaced_comment_refuses_the_whole_review(
    bot: Bot, github: LocalGitHub, comments: list[dict[str, Any]], sentence: str
) -> None:
    """422, which does not say which comment is meant, and nothing is stored or reported."""
    sent = len(github.deliveries)

    answer = refused(bot, "POST", REVIEWS, {"event": "COMMENT", "body": "Seen.", "comments": comments})

    assert answer.status_code == 422
    assert answer.json() == {
        "message": "Unprocessable Entity",
        "errors": [sentence],
        "documentation_url": "https://docs.github.com/rest",
        "status": "422",
    }
    assert (github.state.reviews, github.state.comments, len(github.deliveries)) == ({}, {}, sent)


@each_row(
    ("body", "sentence"),
    [
        ({"event": "COMMENT"}, "Body can't be blank"),
        ({"event": "REQUEST_CHANGES", "body": "  "}, "Body can't be blank"),
        ({"event": "COMMENT", "body": "x" * 65_537}, "Body is too long (maximum is 65536 characters)"),
        ({"event": "COMMENT", "body": "x", "commit_id": "0" * 40}, "Commit is not part of the pull request"),
    ],
)
def test_a_review_that_lacks_what_it_needs_is_refused(
    bot: Bot, github: LocalGitHub, body: dict[str, Any], sentence: str
) -> None:
    """A text for a comment or a request for changes, of at most 65,536 characters, about a commit of it."""
    answer = refused(bot, "POST", REVIEWS, body)

    assert (answer.status_code, answer.json()["errors"], github.state.reviews) == (422, [sentence], {})


def test_the_longest_allowed_text_is_taken(bot: Bot) -> None:
    """65,536 characters, counted as characters and not as bytes; an approval may be silent."""
    body = "\u00fc" * 65_536

    assert bot.request("POST", REVIEWS, json={"event": "COMMENT", "body": body}).json()["body"] == body
    assert bot.request("POST", REVIEWS, json={"event": "APPROVE"}).json()["state"] == "APPROVED"


def test_nobody_approves_their_own_pull_request(github: LocalGitHub, client_of: Callable[..., Client]) -> None:
    """Authors cannot request changes either; they may comment."""
    author = client_of(github, github.token_for("octocat"))

    answers = [
        author.post(REVIEWS, {"event": event, "body": "x"}) for event in ("APPROVE", "REQUEST_CHANGES", "COMMENT")
    ]

    assert [answer.status_code for answer in answers] == [422, 422, 200]
    assert [answer.json()["errors"] for answer in answers[:2]] == [
        ["Can not approve your own pull request"],
        ["Can not request changes on your own pull request"],
    ]


def test_a_review_can_be_about_an_earlier_commit_of_the_pull_request(
    bot: Bot, ann: Client, github: LocalGitHub, scene: Scene
) -> None:
    """Its lines are those of that commit; the base's commits are not part of the pull request."""
    github.push(1, scene.push({"src/a.py": "all new\n"}))
    body = {"event": "COMMENT", "body": "x", "comments": [comment("src/a.py", 32)], "commit_id": scene.head}

    review = bot.request("POST", REVIEWS, json=body).json()

    (found,) = ann.get(f"{PULL}/comments").json()
    assert (review["commit_id"], found["original_line"], found["line"]) == (scene.head, 32, None)
    assert refused(bot, "POST", REVIEWS, body | {"commit_id": scene.base}).status_code == 422


def test_without_an_event_a_review_stays_pending_and_is_seen_by_its_author_only(
    bot: Bot, ann: Client, github: LocalGitHub
) -> None:
    """No webhook, nothing for others to see; there can be one at a time, and only a pending one can be deleted."""
    sent = len(github.deliveries)

    pending = bot.request("POST", REVIEWS, json={"comments": [comment("new.py", 1)]}).json()

    assert (pending["state"], "submitted_at" in pending, len(github.deliveries)) == ("PENDING", False, sent)
    seen = [
        [len(ask(path).json()) for path in (REVIEWS, f"{PULL}/comments")]
        for ask in (partial(bot.request, "GET"), ann.get)
    ]
    assert seen == [[1, 1], [0, 0]]
    again = refused(bot, "POST", REVIEWS, {"event": "COMMENT", "body": "x"})
    assert again.json()["errors"] == ["User can only have one pending review per pull request"]
    assert ann.post(REVIEWS, {"event": "COMMENT", "body": "mine"}).status_code == 200
    bot.request("DELETE", f"{REVIEWS}/{pending['id']}")
    assert github.state.comments == {}
    submitted = bot.request("POST", REVIEWS, json={"event": "COMMENT", "body": "x"}).json()
    assert [refused(bot, "DELETE", f"{REVIEWS}/{each}").status_code for each in (submitted["id"], 1)] == [422, 404]


def test_a_requested_reviewer_is_requested_until_they_review(github: LocalGitHub, ann: Client) -> None:
    github.request_review(1)
    before = [user["login"] for user in ann.get(PULL).json()["requested_reviewers"]]

    github.review(1, "COMMENT", "Seen.", login=github.bot_login)

    assert (before, ann.get(PULL).json()["requested_reviewers"]) == ([github.bot_login], [])
