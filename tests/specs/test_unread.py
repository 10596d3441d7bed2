"""Files that were not read: never called ready, and read at the next event."""

import json
from collections.abc import Iterator

import pytest

from local.model import OFFLINE_MODEL, Script, refusal
from tests.git_repository import Files
from tests.lock_file_samples import npm
from tests.specs.conftest import Opened, Stage, a_stage, as_described
from tests.specs.moods import shows
from tests.specs.scripts import a_report, says
from tests.specs.talking import age_runs

VERDICT = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
EIGHT: Files = {f"src/part_{number}.py": f"n = {number}\n" for number in range(8)}
NOTHING_TO_READ = "Nothing to read · no changed file can be read"
LEAK = 'AWS_KEY = "AKIAY34FZKBOKMUTVV7A"\n'


@pytest.fixture(scope="module")
def running_small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system that reads three files in one review, and shows not much more than one at once."""
    free = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 0)
    parameters = {
        "limits/read-files": "3",
        "limits/batch-tokens": "300",
        "models/prices": json.dumps({OFFLINE_MODEL: free}),
    }
    with a_stage(tmp_path_factory.mktemp("repository"), parameters=parameters) as stage:
        yield stage


@pytest.fixture
def small(running_small: Stage) -> Iterator[Stage]:
    """The small system, with the offline reviewer."""
    yield from as_described(running_small)


def verdict_of(opened: Opened, title: str = "Verdict") -> str:
    """The line of the last review that says what it comes to."""
    return str(opened.reviews[-1]["body"].partition(f"## {title}\n\n")[2].partition("\n")[0])


def states(opened: Opened) -> list[str]:
    return [review["state"] for review in opened.reviews]


def check_of(opened: Opened) -> tuple[str, str]:
    """The latest check run of the head: how it ended, and its title."""
    [check] = opened.checks(opened.head)
    return check["conclusion"], check["output"]["title"]


def rebase(opened: Opened, files: Files) -> None:
    """Push the same changes on top of a base that has moved on."""
    stage = opened.stage
    base = stage.repository.commit({".kodiai.yml": VERDICT, "docs/news.md": "News.\n"}, stage.base)
    opened.push(stage.commit(files, base), base)


def test_a_file_does_not_excuse_itself_from_being_read(stage: Stage) -> None:
    """Nothing in the base branch says that it is generated or vendored, whatever its name or its first line say.

    Looking there costs one request at most.
    """
    calls = stage.open({"src/new.py": LEAK}, config=VERDICT).outcomes[-1]["github"]["calls"]

    opened = stage.open(
        {"src/made.py": f"# @generated\n{LEAK}", "vendor/tool.py": LEAK, "dist/a.py": LEAK}, config=VERDICT
    )

    assert {comment["path"] for comment in opened.comments} == {"src/made.py", "vendor/tool.py", "dist/a.py"}
    assert states(opened) == ["CHANGES_REQUESTED"]
    assert opened.outcomes[-1]["github"]["calls"] <= calls + 1


def test_a_pull_request_with_nothing_to_read_is_not_approved(stage: Stage) -> None:
    """Nor is it called ready: the model is not asked, nobody has looked. What comes later is read."""
    base = {"vendor/old.py": "x = 1\n", ".kodiai.yml": VERDICT}

    opened = stage.open({"vendor/new.py": LEAK, "Gemfile.lock": "GEM\n"}, base=base)

    assert states(opened) == ["COMMENTED"]
    assert verdict_of(opened) == ":white_circle: **Nothing to read** -- no changed file can be read"
    assert "\n\nNot read: 1 lock file, 1 file in vendor/.\n\n" in opened.reviews[0]["body"]
    assert check_of(opened) == ("neutral", NOTHING_TO_READ)
    assert "- vendor/new.py -- vendored" in opened.reviews[0]["body"]
    assert stage.asked == 0

    stage.model.answers = says(a_report())
    opened.push(stage.commit({"src/new.py": "x = 1\n"}, opened.head))

    assert (states(opened), check_of(opened)) == (
        ["COMMENTED", "COMMENTED"],
        ("neutral", "Nothing blocking in what was read · read 1 of 3 files"),
    )


def test_an_approval_is_withdrawn_when_something_comes_that_was_not_read(stage: Stage) -> None:
    """It would stay on the page as a green sign; so it does while everything that comes is read."""
    stage.model.answers = says(a_report())
    opened = stage.open({"src/new.py": "x = 1\n"}, base={".kodiai.yml": VERDICT})
    opened.push(stage.commit({"src/other.py": "y = 1\n"}, opened.head))
    assert states(opened) == ["APPROVED"]

    opened.push(stage.commit({"gradle-wrapper.jar": b"PK\3\4\0evil"}, opened.head))

    assert states(opened) == ["DISMISSED", "COMMENTED"]
    assert "\n\nNot read: gradle-wrapper.jar.\n\n" in opened.reviews[-1]["body"]


def test_findings_by_code_are_posted_where_nobody_reads_anything(small: Stage) -> None:
    """The table of a lock file has a row that no conversation has room for."""
    name = "left" * 600
    lock_file = npm({name: {"resolved": "http://evil.example/x.tgz"}}, [name])

    opened = small.open({"package-lock.json": lock_file}, config=VERDICT)

    assert [comment["path"] for comment in opened.comments] == ["package-lock.json"]
    assert "not verified: nothing was read" in opened.comments[0]["body"]
    assert states(opened) == ["CHANGES_REQUESTED"]


def test_files_over_the_budget_are_read_at_the_next_events_until_all_were(small: Stage) -> None:
    """A person asks, then a push changes nothing: the third review has read all, and only that one approves."""
    small.model.answers = says(a_report())

    opened = small.open(EIGHT, config=VERDICT)
    assert verdict_of(opened) == ":yellow_circle: **Not fully reviewed** -- read 3 of 8 files"
    assert "- src/part_7.py -- over the budget of 3 files" in opened.reviews[0]["body"]
    assert (states(opened), check_of(opened)) == (["COMMENTED"], ("neutral", "Not fully reviewed · read 3 of 8 files"))

    opened.ask_for_review()
    assert small.outcome()["mode"] == "incremental"
    assert (states(opened), check_of(opened)) == (["COMMENTED"], ("neutral", "Not fully reviewed · read 6 of 8 files"))
    assert "; 2 files were not read." in opened.checks(opened.head)[0]["output"]["summary"]

    rebase(opened, EIGHT)
    assert small.outcome()["mode"] == "incremental"
    assert verdict_of(opened) == ":green_circle: **Ready to merge** -- nothing found in 8 files"
    assert (states(opened), check_of(opened)) == (
        ["COMMENTED", "APPROVED"],
        ("success", "Ready to merge · nothing found in 8 files"),
    )

    asked = small.asked
    opened.ask_for_review()
    assert (small.asked, small.outcome()["outcome"]) == (asked, "skipped")


def test_a_batch_that_the_model_did_not_read_is_read_at_the_next_push(small: Stage) -> None:
    """Though none of its hunks changed; until then the review is not green, however often somebody asks.

    A request that did not get it read either is not followed by the same at once.
    """
    odd = "".join(f"value_{number} = {number}\n" for number in range(25))
    files = {"src/odd.py": odd, "src/even.py": odd}

    small.model.answers = Script(otherwise=says(a_report())).when(shows("src/odd.py"), refusal(), always=True)
    opened = small.open(files, config=VERDICT)
    assert verdict_of(opened) == ":yellow_circle: **Not fully reviewed** -- read 1 of 2 files"
    assert (states(opened), check_of(opened)) == (["COMMENTED"], ("neutral", "Not fully reviewed · read 1 of 2 files"))
    assert "- src/odd.py -- the model " in opened.reviews[0]["body"]

    opened.ask_for_review()
    assert (small.outcome()["outcome"], opened.dead) == ("completed", [])
    assert (states(opened), check_of(opened)) == (["COMMENTED"], ("neutral", "Not fully reviewed · read 1 of 2 files"))

    asked = small.asked
    opened.ask_for_review()
    assert (small.outcome()["outcome"], small.asked) == ("skipped", asked)
    age_runs(opened, 600)
    opened.ask_for_review()
    assert small.outcome()["outcome"] == "completed"
    assert small.asked > asked

    small.model.answers = says(a_report())
    rebase(opened, files)

    assert small.outcome()["hunks_asked"] == 1
    assert (states(opened), check_of(opened)) == (
        ["COMMENTED", "APPROVED"],
        ("success", "Ready to merge · nothing found in 2 files"),
    )
