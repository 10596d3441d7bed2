"""The conversation of a pull request, its list, and its life."""

from typing import Any

from githubkit import GitHub

from local.github import GitHubStandIn
from tests.local.github.scene import PULL, REPO, Client, Scene, refused

TALK = f"{REPO}/issues/1/comments"
Bot = GitHub[Any]


def test_what_was_said_can_be_read_changed_and_taken_back(bot: Bot, ann: Client) -> None:
    """A comment of the App says so; afterwards it is gone."""
    said = bot.request("POST", TALK, json={"body": "Hello."}).json()
    path = f"{REPO}/issues/comments/{said['id']}"

    bot.request("PATCH", path, json={"body": "Hello!"})

    told = ann.get(path).json()
    assert (told["body"], told["user"]["login"]) == ("Hello!", "kodiai[bot]")
    assert told["performed_via_github_app"]["slug"] == "kodiai"
    assert [c["id"] for c in ann.get(TALK).json()] == [said["id"]]
    assert bot.request("DELETE", path).status_code == 204
    assert (ann.get(path).status_code, ann.get(TALK).json()) == (404, [])


def test_what_somebody_else_said_is_not_the_apps_to_change(bot: Bot, github: GitHubStandIn) -> None:
    """Nor to take back."""
    path = f"{REPO}/issues/comments/{github.comment(1, 'Mine.', login='ann')}"

    assert refused(bot, "PATCH", path, {"body": "x"}).status_code == 403
    assert refused(bot, "DELETE", path).status_code == 403


def test_what_was_said_or_changed_since_a_time_can_be_asked_for(github: GitHubStandIn, ann: Client) -> None:
    """To the second, in the conversation and in the threads; threads' comments come newest first if one asks so."""
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


def test_a_comment_that_is_empty_or_too_long_is_refused(bot: Bot, github: GitHubStandIn) -> None:
    """GitHub's limit is 65,536 characters."""
    refusals = [refused(bot, "POST", TALK, {"body": body}).json() for body in (" \n", "x" * 65_537)]

    assert [refusal["errors"][0]["message"] for refusal in refusals] == [
        "Body cannot be blank",
        "Body is too long (maximum is 65536 characters)",
    ]
    assert github.state.issue_comments == {}


def test_reactions_go_to_comments_and_to_the_pull_request(bot: Bot, github: GitHubStandIn, ann: Client) -> None:
    """Each has its own."""
    said = github.comment(1, "Please.")
    github.react("issue comment", said, "heart")

    bot.request("POST", f"{REPO}/issues/comments/{said}/reactions", json={"content": "eyes"})
    bot.request("POST", f"{REPO}/issues/1/reactions", json={"content": "rocket"})

    on_comment, on_pull = (ann.get(f"{REPO}/issues/{of}/reactions").json() for of in (f"comments/{said}", 1))
    assert [r["content"] for r in on_comment] == ["heart", "eyes"]
    assert [r["content"] for r in on_pull] == ["rocket"]
    assert ann.get(f"{REPO}/issues/comments/1/reactions").status_code == 404


def test_a_pull_request_tells_what_happened_to_it(github: GitHubStandIn, ann: Client, scene: Scene) -> None:
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


def test_pull_requests_are_listed_by_state_and_head(github: GitHubStandIn, ann: Client, scene: Scene) -> None:
    """Open ones unless asked, newest first; a fork's head carries its owner's name."""
    github.open_pull_request(scene.push({"a": "a"}), "main", from_fork=True, author="forker", draft=True)
    github.close(1)

    listed = {
        query: ann.get(f"{REPO}/pulls?{query}").json() for query in ("", "state=all", "head=acme:feature&state=closed")
    }

    assert [[p["number"] for p in pulls] for pulls in listed.values()] == [[2], [2, 1], [1]]
    fork = listed[""][0]
    assert (fork["head"]["label"], fork["head"]["repo"]["full_name"], fork["head"]["repo"]["fork"]) == (
        "forker:change-2",
        "forker/widgets",
        True,
    )
    assert fork["draft"]
