"""Lists come in pages, and a header leads from one to the next."""

from typing import Any

import pytest

from local.github import LocalGitHub
from tests.local.github.scene import PULL, REPO, Client, Scene

TALK = f"{REPO}/issues/1/comments"
LISTS = {
    "files": f"{PULL}/files",
    "reviews": f"{PULL}/reviews",
    "review comments": f"{PULL}/comments",
    "comments of a review": f"{PULL}/reviews/{{review}}/comments",
    "conversation": TALK,
    "check runs": f"{REPO}/commits/{{head}}/check-runs",
    "reactions": f"{REPO}/issues/comments/{{comment}}/reactions",
}


@pytest.fixture
def busy(github: LocalGitHub, app: Client, scene: Scene) -> dict[str, str]:
    """Three of everything, and how the paths are filled in."""
    comments = [{"path": "src/a.py", "line": line, "body": f"{line}?"} for line in (5, 31, 32)]
    review = github.review(1, "COMMENT", "Seen.", comments)
    comment, *_ = [github.comment(1, text) for text in ("one", "two", "three")]
    for content in ("eyes", "heart", "rocket"):
        github.react("issue comment", comment, content)
    for _ in range(2):
        github.review(1, "COMMENT", "Again.")
    for name in ("one", "two", "three"):
        app.post(f"{REPO}/check-runs", {"name": name, "head_sha": scene.head})
    return {"review": str(review), "head": scene.head, "comment": str(comment)}


def test_a_list_leads_on_exactly_where_there_is_more(ann: Client, busy: dict[str, str]) -> None:
    """A full last page has no next one; following the header, everything is read once and in order."""

    def ask(address: str) -> tuple[list[Any], dict[str, str]]:
        answer = ann.get(address)
        found = answer.json()
        links = {rel: link["url"] for rel, link in answer.links.items()}
        return found["check_runs"] if isinstance(found, dict) else found, {str(rel): url for rel, url in links.items()}

    for name, path in LISTS.items():
        address = path.format(**busy)
        whole, alone = ask(f"{address}?per_page=3")
        first, onward = ask(f"{address}?per_page=2")
        second, back = ask(onward["next"])

        assert (len(whole), alone) == (3, {}), name
        assert (first, second) == (whole[:2], whole[2:]), name
        at = [f"{ann.url}{address}?per_page=2&page={number}" for number in (1, 2)]
        assert (onward, back) == (dict.fromkeys(("next", "last"), at[1]), dict.fromkeys(("first", "prev"), at[0])), name


def test_comments_since_a_time_can_be_listed(github: LocalGitHub, ann: Client) -> None:
    """The time is exact to the second and means creation or edit; comments in threads can come newest first."""
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
