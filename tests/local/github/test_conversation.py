"""The conversation of a pull request, and its life."""

from typing import Any

from githubkit import GitHub

from local.github import LocalGitHub
from tests.local.github.scene import PULL, REPO, Client, Scene, refused

TALK = f"{REPO}/issues/1/comments"
Bot = GitHub[Any]


def test_a_comment_of_the_app_says_so(bot: Bot, ann: Client) -> None:
    """It is in the conversation for everybody."""
    posted = bot.request("POST", TALK, json={"body": "Hello."}).json()

    (listed,) = ann.get(TALK).json()
    assert (listed["id"], listed["body"], listed["user"]["login"]) == (posted["id"], "Hello.", "kodiai[bot]")
    assert listed["performed_via_github_app"]["slug"] == "kodiai"


def test_what_was_written_or_changed_since_a_time_can_be_listed(github: LocalGitHub, ann: Client) -> None:
    """To the second, in the conversation and in the threads; comments in threads can come newest first."""
    said = [github.comment(1, f"{at}") for at in range(3)]
    lines = [github.comment_on_line(1, "src/a.py", 31, f"{at}") for at in range(3)]
    state = github.state
    for kept, numbers in ((state.issue_comments, said), (state.comments, lines)):
        for at, number in enumerate(numbers):
            kept[number].created_at = 1_800_000_000.5 + at
    state.issue_comments[said[0]].edited_at = state.comments[lines[0]].edited_at = 1_800_000_009
    since = {"since": "2027-01-15T08:00:02Z"}

    assert [each["id"] for each in ann.get(TALK, **since).json()] == [said[0], said[2]]
    assert [each["id"] for each in ann.get(f"{PULL}/comments", **since).json()] == [lines[0], lines[2]]
    newest = ann.get(f"{PULL}/comments", sort="created", direction="desc", per_page=2).json()
    assert [each["id"] for each in newest] == [lines[2], lines[1]]
    assert [each["id"] for each in ann.get(f"{PULL}/comments", direction="desc").json()] == lines


def test_a_comment_that_is_empty_or_too_long_is_refused(bot: Bot, github: LocalGitHub) -> None:
    """GitHub's limit is 65,536 characters."""
    refusals = [refused(bot, "POST", TALK, {"body": body}).json() for body in (" \n", "x" * 65_537)]

    assert [refusal["errors"][0]["message"] for refusal in refusals] == [
        "Body cannot be blank",
        "Body is too long (maximum is 65536 characters)",
    ]
    assert github.state.issue_comments == {}


def test_reactions_to_a_comment_are_listed(bot: Bot, github: LocalGitHub, ann: Client) -> None:
    """In the order in which they came."""
    said = github.comment(1, "Please.")
    github.react("issue comment", said, "heart")

    bot.request("POST", f"{REPO}/issues/comments/{said}/reactions", json={"content": "eyes"})

    assert [r["content"] for r in ann.get(f"{REPO}/issues/comments/{said}/reactions").json()] == ["heart", "eyes"]
    assert ann.get(f"{REPO}/issues/comments/1/reactions").status_code == 404


def test_a_pull_request_says_what_happened_to_it(github: LocalGitHub, ann: Client, scene: Scene) -> None:
    """Title, text and counts, and then closed, opened again, merged."""
    opened = ann.get(PULL).json()
    github.close(1)
    closed = ann.get(PULL).json()
    github.reopen(1)
    github.close(1, merged=True, login="ann")
    merged = ann.get(PULL).json()

    assert (opened["title"], opened["body"], opened["user"]["login"]) == ("Change things", "Please.", "octocat")
    counts = ("commits", "changed_files", "additions", "deletions")
    assert [opened[count] for count in counts] == [1, 3, 4, 3]
    assert (opened["head"]["ref"], opened["head"]["sha"], opened["base"]["ref"]) == ("feature", scene.head, "main")
    assert [(p["state"], p["merged"]) for p in (opened, closed, merged)] == [
        ("open", False),
        ("closed", False),
        ("closed", True),
    ]
    assert merged["merged_by"]["login"] == "ann"
    happened = [(event.actor, event.what) for event in github.state.timeline]
    assert happened == [("octocat", "opened"), ("octocat", "closed"), ("octocat", "reopened"), ("ann", "closed")]
