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


def test_a_finished_check_is_told_with_its_words(reader: Reader, run: Callable[..., int], number: int) -> None:
    """Title, summary and text, how it ended and how long it took."""
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
    check = run(status=status, started_at="2026-01-02T03:04:05Z")

    shown = box(reader, number, check)

    assert shown.one("p", "times").text == f"{status.replace('_', ' ')} since 2026-01-02 03:04:05 UTC"
    assert len(shown.all("progress")) == 1
    assert "data-live" in shown.attributes


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


def test_checks_of_earlier_heads_stand_below_without_buttons(
    reader: Reader, github: LocalGitHub, open_pull: Callable[..., int], run: Callable[..., int], number: int
) -> None:
    check = run(actions=[{"label": "Again", "description": "Anew", "identifier": "again"}])
    assert len(box(reader, number, check).all("button")) == 2
    github.push(number, github.state.pulls[open_pull({"b.txt": "b\n"}, {"b.txt": "c\n"})].head_sha)

    page = checks(reader, number)

    assert [head.one("h2").text.rsplit(" ", 1)[0] for head in page.by_id("heads").all("section")] == [
        "Latest commit",
        "Earlier commit",
    ]
    assert page.by_id("heads").all("section")[0].one("p").text == "No check runs."
    assert page.by_id(f"check-{check}").all("button") == []


def test_checks_of_the_merge_queue_stand_below_those_of_the_head(
    read_as: Callable[..., Reader], github: LocalGitHub, run: Callable[..., int], number: int
) -> None:
    """Each check's own address leads there too. Our App's checks can be re-run all together."""
    run()
    reader = read_as("wendy", "write")
    github.set_rules(github.state.pulls[number].base_ref, ["build"], has_queue=True)
    github.report_check(github.state.pulls[number].head_sha, "build", "success")
    github.enqueue(number)
    (commit,) = [group.head for group in github.state.groups.values() if group.number == number]
    queued = github.report_check(commit, "build", None)

    head, queue = checks(reader, number).by_id("heads").all("section")

    assert [head.one("h2").text, queue.one("h2").text] == [
        f"Latest commit {github.state.pulls[number].head_sha[:7]}",
        f"Merge queue {commit[:7]}",
    ]
    assert head.one(id="rerun-all").text == "Re-run all checks"
    assert [box["id"] for box in queue.all("article")] == [f"check-{queued}"]
    assert (
        reader.get(f"/acme/widgets/runs/{queued}").headers["location"] == f"{PULL.format(number)}/checks#check-{queued}"
    )


def test_writers_can_ask_for_another_review_and_press_its_buttons(
    read_as: Callable[..., Reader], github: LocalGitHub, run: Callable[..., int], number: int
) -> None:
    check = run(actions=[{"label": "Full review", "description": "Anew", "identifier": "full"}])
    reader = read_as("wendy", "write")

    again, action = box(reader, number, check).all("form")
    for form in (again, action):
        reader.send(form["action"], **{field["name"]: field["value"] for field in form.all("input")})

    told = [(each.event, each.action) for each in github.deliveries if each.event == "check_run"][-2:]
    assert (again.one("button").text, action.one("button").text) == ("Re-run", "Full review")
    assert told == [("check_run", "rerequested"), ("check_run", "requested_action")]


def test_readers_see_why_they_cannot_press_a_button(
    read_as: Callable[..., Reader], run: Callable[..., int], number: int
) -> None:
    button = box(read_as("rita", "read"), number, run()).one("button")

    assert "disabled" in button.attributes
    assert button.text == "Re-run: requires write access"


def test_a_check_runs_own_address_leads_to_it(
    reader: Reader, read_as: Callable[..., Reader], run: Callable[..., int], number: int
) -> None:
    check = run()

    answer = reader.get(f"/acme/widgets/runs/{check}")

    assert (answer.status_code, answer.headers["location"]) == (303, f"{PULL.format(number)}/checks#check-{check}")
    assert reader.get("/acme/widgets/runs/1").status_code == 404
    assert read_as("mallory", "none").get(f"/acme/widgets/runs/{check}").status_code == 404


def test_what_a_check_says_is_text(reader: Reader, run: Callable[..., int], number: int) -> None:
    """And what is Markdown in it is cleaned."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    note = {"path": evil, "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": evil, "title": evil}
    action = {"label": "<script>", "description": "<b>x</b>", "identifier": '"><script>'}
    summary = "Hello <script>alert(1)</script><b onclick=alert(1)>x</b>"
    output = {"title": evil, "summary": summary, "text": evil, "annotations": [note]}
    check = run("<script>", output=output, actions=[action])

    page = checks(reader, number)
    shown = page.by_id(f"check-{check}")

    assert [script["src"] for script in page.all("script")] == ["/-/static/page.js"]
    assert [each for each in page.walk() if any(name.startswith("on") for name in each.attributes)] == []
    assert (shown.one("h3").text, shown.texts("h4")[0]) == ("<script>", evil)
    assert shown.one("ul", "notes").texts("p")[1:] == [evil, evil]
    assert shown.all("input", name="identifier")[0]["value"] == '"><script>'
