"""The merge box: the checks, which of them are required, and whether the pull request can be merged."""

from collections.abc import Callable

import pytest

from local.github import LocalGitHub
from tests.git_repository import GitRepository
from tests.local.github.scene import Client
from tests.local.page.reader import Element, Page, Reader
from tests.tables import each_row

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


def test_each_check_has_its_state_and_a_missing_one_is_expected(
    reader: Reader, github: LocalGitHub, head: str, number: int, report: Callable[..., int]
) -> None:
    """Another App's check of the same name does not replace ours, and a commit status is one of them.

    A check that only one App may report is expected of that one.
    """
    branch = github.state.pulls[number].base_ref
    github.require_check(branch, "Kodiai")
    before, sign = box(reader, number), reader.read(PULL.format(number)).one("a", "sign").text
    github.require_check(branch, "lint", app="buildkite")
    check = report(conclusion="action_required", output={"title": "Not reviewed", "summary": "Press the button."})
    github.report_check(head, "build", "failure")
    github.report_check(head, "Kodiai", "success", app="impostor")
    github.report_check(head, "lint", "success")
    github.report_status(head, "ci/style", "pending", "Queued")

    shown = box(reader, number)

    assert rows(before) == [
        ("Some checks haven't completed yet", [f"● Kodiai {WAITING} Required"]),
        ("Merging is blocked", [f"Kodiai: {WAITING}"]),
    ]
    assert before.one(id="merge-it").one("button").text == "Merge pull request: merging is blocked"
    assert sign == "● Check: expected"
    assert rows(shown)[0] == (
        "Some checks were not successful",
        [
            f"● lint {WAITING} Required",
            "● ci/style Pending — Queued",
            "! Kodiai Action required — Not reviewed RequiredReview again",
            "✕ build by github-actions Failure",
            "✓ Kodiai by impostor Success Required",
            "✓ lint by github-actions Success",
        ],
    )
    assert shown.one("p", "dim").text == "1 expected, 1 pending, 1 action required, 1 failure, 2 success"
    assert shown.one("ul", "lines").all("a")[0]["href"] == f"{PULL.format(number)}/checks#check-{check}"
    github.report_check(head, "lint", "success", app="buildkite")
    assert "✓ lint by buildkite Success Required" in rows(box(reader, number))[0][1]


def test_the_rules_of_the_branch_are_set_as_a_list(
    read_as: Callable[..., Reader], github: LocalGitHub, number: int
) -> None:
    """A check that stays in it keeps the App that has to report it."""
    ada, branch = read_as("ada", "admin"), github.state.pulls[number].base_ref
    github.require_check(branch, "build", app="buildkite")
    app = github.state.rules[branch].checks["build"]

    def save(**form: str) -> tuple[dict[str, int | None], str, bool]:
        ada.send(f"{PULL.format(number)}/rules", **form)
        shown = box(ada, number)
        checked = "checked" in shown.one("input", id="uses-queue").attributes
        return github.state.rules[branch].checks, shown.one("input", id="required-checks")["value"], checked

    assert save(checks=" Kodiai, build,,Kodiai") == ({"Kodiai": None, "build": app}, "Kodiai, build", False)
    assert save(checks="build", queue="on") == ({"build": app}, "build", True)
    assert save(checks="") == ({}, "", False)


@each_row(("conclusion", "passes"), [
    ("success", True),
    ("neutral", True),
    ("skipped", True),
    ("failure", False),
    ("action_required", False),
    ("cancelled", False),
    ("timed_out", False),
])  # fmt: skip
def test_a_required_check_lets_a_pull_request_be_merged_by_its_conclusion(
    reader: Reader, github: LocalGitHub, number: int, report: Callable[..., int], conclusion: str, passes: bool
) -> None:
    github.require_check(github.state.pulls[number].base_ref, "Kodiai")
    report(conclusion=conclusion, output={"title": "Title", "summary": "Summary."})

    checks, merging = box(reader, number).all("div", "row")[:2]

    assert checks.one("span", "dot")["class"] == ("dot green" if passes else "dot red")
    assert merging.one("h3").text == ("No conflicts with the base branch" if passes else "Merging is blocked")
    assert merging.texts("li") == ([] if passes else ["Kodiai: Failing — Title"])
    assert ("disabled" in merging.one("button").attributes) == (not passes)


def test_a_pull_request_is_merged_into_its_base(
    read_as: Callable[..., Reader], github: LocalGitHub, head: str, number: int
) -> None:
    will, pull = read_as("will", "write"), github.state.pulls[number]

    will.send(f"{PULL.format(number)}/merge")

    assert (pull.state, pull.merged_by) == ("closed", "will")
    base = github.repository.copy.tip(f"refs/heads/{pull.base_ref}")
    assert base is not None
    assert github.repository.copy.contains(head, base)
    assert [title for title, _ in rows(box(will, number))] == ["No checks have reported"]


def test_a_draft_and_a_conflict_block_the_merge(
    read_as: Callable[..., Reader], github: LocalGitHub, repository: GitRepository
) -> None:
    """A form that is sent all the same is refused."""
    will, base = read_as("will", "write"), repository.commit({"a.py": "x = 1\n"})
    number = github.open_pull_request(repository.commit({"a.py": "x = 2\n"}, base), base, draft=True)
    github.set_base_file(number, "a.py", b"x = 3\n")

    shown = box(will, number)
    draft = will.send(f"{PULL.format(number)}/merge")
    github.ready(number)
    conflict = will.send(f"{PULL.format(number)}/merge")

    reasons = ["This pull request is still a draft.", "This branch has conflicts that must be resolved."]
    assert rows(shown)[1] == ("Merging is blocked", reasons)
    assert "Pull request is a draft" in Page(draft).by_id("refusal").text
    assert "Pull request has merge conflicts" in Page(conflict).by_id("refusal").text
    assert github.state.pulls[number].state == "open"


def test_a_place_in_the_merge_queue_is_shown_with_the_checks_of_its_commit(
    read_as: Callable[..., Reader], github: LocalGitHub, repository: GitRepository
) -> None:
    """The first one is merged when its check passes, and the second one is removed when its check fails."""
    will, base = read_as("will", "write"), repository.commit({"a.py": "x = 1\n"}, branch="queue")
    first, second = (github.open_pull_request(repository.commit({name: "y\n"}, base), "queue") for name in "bc")
    github.set_rules("queue", ["build"], has_queue=True)

    def report(commit: str, result: str) -> None:
        will.send(f"{PULL.format(second)}/report", commit=commit, name="build", result=result)

    offered = {}
    for number in (first, second):
        github.report_check(github.state.pulls[number].head_sha, "build", "success")
        offered[number] = box(will, number).one(id="enqueue-it").text
        will.send(f"{PULL.format(number)}/enqueue")
    queued = [box(will, number) for number in (first, second)]
    commits = [group.head for group in github.state.groups.values() if group.number in offered]
    github.report_check(commits[0], "build", "success")
    choice = [option["value"] for option in queued[1].one(id="check-commit").all("option")]
    report(choice[0], "failure")

    passed, waits = "✓ build by github-actions Success Required", f"● build {WAITING} Required"
    assert offered == {first: "Add to merge queue", second: "Add to merge queue"}
    assert [rows(shown) for shown in queued] == [
        [("All checks have passed", [passed]), (f"In the merge queue, position {place}", [waits])] for place in (1, 2)
    ]
    assert [shown.all("div", "row")[1].all("p")[0].text for shown in queued] == [
        f"Commit {commits[0][:7]} merges it into queue. Some checks haven't completed yet.",
        f"Commit {commits[1][:7]} merges it into #{first}, which is before it. Some checks haven't completed yet.",
    ]
    assert choice == [commits[1], github.state.pulls[second].head_sha]
    assert [github.state.pulls[number].state for number in offered] == ["closed", "open"]
    assert [entry.text.split(" 20")[0] for entry in will.read(PULL.format(second)).all("div", "line")[1:]] == [
        "▸will added this to the merge queue",
        "▸will had added this to the merge queue, which removed it: a required check failed",
    ]
    assert [entry.text.split(" 20")[0] for entry in will.read(PULL.format(first)).all("div", "line")[1:]] == [
        "▸will added this to the merge queue",
        "▸will merged this",
    ]


def test_a_person_plays_another_app(
    read_as: Callable[..., Reader], github: LocalGitHub, head: str, number: int
) -> None:
    """Its check stays open while it is in progress, and has an annotation if there is one in the form."""
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
