"""The tab of check runs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.github import LocalGitHub
from tests.local.github.scene import REPO, Client, installation_token
from tests.local.page.reader import Element, Page, Reader
from tests.tables import each_row

PULL = "/acme/widgets/pull/{}"


@pytest.fixture
def app(github: LocalGitHub) -> Iterator[Client]:
    """The App, which alone writes check runs."""
    client = Client(github, installation_token(github))
    yield client
    client.close()


@pytest.fixture
def number(open_pull: Callable[..., int]) -> int:
    return open_pull({"a.txt": "a\n"}, {"a.txt": "b\n"})


@pytest.fixture
def run(github: LocalGitHub, app: Client, number: int) -> Callable[..., int]:
    """Makes check runs on the head, and returns their ids."""

    def make(name: str = "kodiai", **told: Any) -> int:
        body = {"name": name, "head_sha": github.state.pulls[number].head_sha, **told}
        return int(app.post(f"{REPO}/check-runs", body).json()["id"])

    return make


def checks(reader: Reader, number: int) -> Page:
    return reader.read(f"{PULL.format(number)}/checks")


def box(reader: Reader, number: int, check: int) -> Element:
    return checks(reader, number).by_id(f"check-{check}")


def test_a_completed_check_is_shown_with_its_texts(reader: Reader, run: Callable[..., int], number: int) -> None:
    """Title, summary, text, conclusion and duration are shown."""
    check = run(
        status="completed",
        conclusion="action_required",
        started_at="2026-01-02T03:04:05Z",
        completed_at="2026-01-02T03:07:10Z",
        output={"title": "2 findings", "summary": "It is **bad**.", "text": "See `a.txt`."},
    )

    shown = box(reader, number, check)

    assert (shown.one("h3").text, shown.one("span", "chip").text) == ("kodiai", "action required")
    assert shown.one("p", "times").text == "3 min 5 s, completed 2026-01-02 03:07:10 UTC"
    assert shown.one("h4").text == "2 findings"
    assert [(prose.text, prose.texts("strong") + prose.texts("code")) for prose in shown.all("div", "prose")] == [
        ("It is bad.", ["bad"]),
        ("See a.txt.", ["a.txt"]),
    ]


@each_row("status", ["queued", "in_progress"])
def test_a_check_that_runs_says_since_when(reader: Reader, run: Callable[..., int], number: int, status: str) -> None:
    """It is in a part of the page that follows changes."""
    shown = box(reader, number, run(status=status, started_at="2026-01-02T03:04:05Z"))

    assert shown.one("p", "times").text == f"{status.replace('_', ' ')} since 2026-01-02 03:04:05 UTC"
    assert (len(shown.all("progress")), "data-live" in shown.attributes) == (1, True)


def test_annotations_lead_to_their_lines(
    reader: Reader, github: LocalGitHub, run: Callable[..., int], number: int
) -> None:
    head = github.state.pulls[number].head_sha
    place = {"path": "a.txt", "annotation_level": "warning", "message": "Look\n<b>here</b>"}
    notes = [
        {**place, "start_line": 1, "end_line": 1},
        {**place, "start_line": 1, "end_line": 3, "title": "Three", "annotation_level": "failure"},
    ]
    check = run(output={"title": "t", "summary": "s", "annotations": notes})

    first, second = box(reader, number, check).one("ul", "notes").all("li")

    assert first.texts("p") == ["▲ warning a.txt:1", "Look <b>here</b>"]
    assert second.texts("p") == ["✕ failure a.txt:1–3", "Three", "Look <b>here</b>"]
    assert first.one("a")["href"] == f"/acme/widgets/blob/{head}/a.txt#L1"
    assert second.one("a")["href"].endswith("/a.txt#L1-L3")
    assert reader.read(first.one("a")["href"]).by_id("L1").texts("code") == ["b"]


def test_checks_of_the_queue_and_of_earlier_heads_stand_below_those_of_the_head(
    read_as: Callable[..., Reader],
    github: LocalGitHub,
    open_pull: Callable[..., int],
    run: Callable[..., int],
    number: int,
) -> None:
    """Buttons belong to our App's checks of the head. A check run's own address leads to it."""
    wendy, pull = read_as("wendy", "write"), github.state.pulls[number]
    early, first = run(actions=[{"label": "Again", "description": "Anew", "identifier": "again"}]), pull.head_sha
    buttons = len(box(wendy, number, early).all("button"))
    github.push(number, github.state.pulls[open_pull({"b.txt": "b\n"}, {"b.txt": "c\n"})].head_sha)
    empty = checks(wendy, number).by_id("heads").all("section")[0].one("p").text
    run()
    github.set_rules(pull.base_ref, ["build"], has_queue=True)
    github.report_check(pull.head_sha, "build", "success")
    github.enqueue(number)
    (commit,) = [group.head for group in github.state.groups.values() if group.number == number]
    queued = github.report_check(commit, "build", None)

    head, queue, earlier = checks(wendy, number).by_id("heads").all("section")

    assert (buttons, empty) == (2, "No check runs.")
    assert [each.one("h2").text for each in (head, queue, earlier)] == [
        f"Latest commit {pull.head_sha[:7]}",
        f"Merge queue {commit[:7]}",
        f"Earlier commit {first[:7]}",
    ]
    assert head.one(id="rerun-all").text == "Re-run all checks"
    assert [box["id"] for box in queue.all("article")] == [f"check-{queued}"]
    assert earlier.one(id=f"check-{early}").all("button") == []
    for check in (early, queued):
        answer = wendy.get(f"/acme/widgets/runs/{check}")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{PULL.format(number)}/checks#check-{check}")
    assert wendy.get("/acme/widgets/runs/1").status_code == 404
