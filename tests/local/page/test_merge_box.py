"""The merge box: the checks, which of them are required, and whether the pull request can be merged."""

from collections.abc import Callable

import pytest

from local.github import LocalGitHub
from tests.local.github.scene import Client
from tests.local.page.reader import Element, Reader

PULL = "/acme/widgets/pull/{}"
WAITING = "Expected — Waiting for status to be reported"


@pytest.fixture
def number(github: LocalGitHub, open_pull: Callable[..., int]) -> int:
    """A pull request into a branch of its own, whose rules concern no other test."""
    github.set_role("octocat", "write")
    number = open_pull({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"})
    assert github.state.pulls[number].base_ref not in github.state.rules
    return number


@pytest.fixture
def head(github: LocalGitHub, number: int) -> str:
    return github.state.pulls[number].head_sha


@pytest.fixture
def require(github: LocalGitHub, number: int) -> Callable[..., None]:
    """Requires checks for the pull request."""
    return lambda *names: github.require_check(github.state.pulls[number].base_ref, *names)


@pytest.fixture
def report(bot: Client, head: str) -> Callable[..., int]:
    """Reports our App's check run on the head."""

    def make(**told: object) -> int:
        return int(
            bot.post("/repos/acme/widgets/check-runs", {"name": "Kodiai", "head_sha": head, **told}).json()["id"]
        )

    return make


def box(reader: Reader, number: int) -> Element:
    return reader.read(PULL.format(number)).by_id("merge")


def rows(shown: Element) -> list[tuple[str, list[str]]]:
    """The headings, each with the lines below it."""
    return [(row.one("h3").text, row.texts("li")) for row in shown.all("div", "row") if row.all("h3")]


def test_a_required_check_that_never_reported_is_expected(
    reader: Reader, number: int, require: Callable[..., None]
) -> None:
    require("Kodiai")

    shown = box(reader, number)

    assert rows(shown) == [("Some checks haven't completed yet", [f"● Kodiai {WAITING} Required"])]
    assert reader.read(PULL.format(number)).one("a", "sign").text == "● Check: expected"


def test_a_check_shows_its_state_and_its_title(
    reader: Reader,
    github: LocalGitHub,
    head: str,
    number: int,
    require: Callable[..., None],
    report: Callable[..., int],
) -> None:
    """Another App's check of the same name does not replace it, and a commit status is one of them."""
    require("Kodiai", "build")
    check = report(conclusion="action_required", output={"title": "Not reviewed", "summary": "Press the button."})
    github.report_check(head, "build", "failure")
    github.report_check(head, "Kodiai", "success", app="impostor")
    github.report_status(head, "ci/lint", "pending", "Queued")

    shown = box(reader, number)

    assert rows(shown)[0] == (
        "Some checks were not successful",
        [
            "● ci/lint Pending — Queued",
            "! Kodiai Action required — Not reviewed RequiredReview again",
            "✕ build by github-actions Failure Required",
            "✓ Kodiai by impostor Success Required",
        ],
    )
    assert shown.one("p", "dim").text == "1 pending, 1 action required, 1 failure, 1 success"
    assert shown.one("ul", "lines").all("a")[0]["href"] == f"{PULL.format(number)}/checks#check-{check}"


def test_a_check_that_only_one_app_may_report_is_expected_of_it(
    reader: Reader, github: LocalGitHub, head: str, number: int
) -> None:
    github.require_check(github.state.pulls[number].base_ref, "build", app="buildkite")
    github.report_check(head, "build", "success")

    assert rows(box(reader, number))[0][1] == [f"● build {WAITING} Required", "✓ build by github-actions Success"]


def test_the_rules_of_the_branch_are_set_as_a_list(
    read_as: Callable[..., Reader], github: LocalGitHub, number: int
) -> None:
    ada, branch = read_as("ada", "admin"), github.state.pulls[number].base_ref

    def save(names: str) -> tuple[list[str], str]:
        ada.send(f"{PULL.format(number)}/rules", checks=names)
        return list(github.state.rules[branch].checks), ada.read(PULL.format(number)).by_id("required-checks")["value"]

    assert save(" Kodiai, build,,Kodiai") == (["Kodiai", "build"], "Kodiai, build")
    assert save("build, lint") == (["build", "lint"], "build, lint")
    assert save("") == ([], "")


def test_a_person_plays_another_app(
    read_as: Callable[..., Reader], github: LocalGitHub, head: str, number: int
) -> None:
    """Its check goes on where it is in progress, and has one annotation where that is given."""
    will, address = read_as("will", "write"), f"{PULL.format(number)}/report"

    will.send(address, commit=head, name="build", result="in_progress")
    running = rows(box(will, number))[0][1]
    will.send(address, commit=head, name="build", result="failure", annotation="a.py:1: x is 2: why?")

    assert running == ["● build by github-actions In progress"]
    assert rows(box(will, number))[0][1] == ["✕ build by github-actions Failure"]
    (run,) = github.state.checks_of(head)
    place = {"path": "a.py", "start_line": 1, "end_line": 1}
    assert run.annotations == [{**place, "annotation_level": "failure", "message": "x is 2: why?"}]
    shown = will.read(f"{PULL.format(number)}/checks").by_id(f"check-{run.id}")
    assert shown.one("header").text.startswith("✕ build by github-actions failure ")
    assert shown.all("button") == []


def test_a_locked_conversation_says_so_where_one_would_comment(
    reader: Reader, read_as: Callable[..., Reader], github: LocalGitHub, number: int
) -> None:
    """People with write access go on, and the others see no form."""
    github.set_role("octocat", "read")
    thread = github.comment_on_line(number, "a.py", 1, "Why?")
    github.lock(number, login="ann")

    as_reader, as_writer = (each.read(PULL.format(number)) for each in (reader, read_as("will", "write")))
    github.set_role("octocat", "write")

    said = "This conversation has been locked and limited to collaborators."
    assert as_reader.by_id("locked").text == as_writer.by_id("locked").text == said
    assert ("comment" in as_reader.ids, "comment" in as_writer.ids) == (False, True)
    assert "Reply: the conversation is locked" in as_reader.by_id(f"thread-{thread}").texts("button")
    assert as_writer.by_id("unlock").text == "Unlock conversation"
    assert as_writer.by_id("entries").texts("p")[-1].startswith("▸ann locked and limited conversation to collaborators")
