"""Pull requests that are large, empty or strange."""

from collections import Counter

from kodiai.core.changes.changed_file import Skipped
from local.model import ModelRequest
from tests.git_repository import SUBMODULE, Files
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_report, says


def facts(opened: Opened) -> dict[str, object]:
    """The figures of the last completed run."""
    run = opened.stage.outcome()["run"]
    found = opened.ledger.run(run)
    assert found is not None
    return dict(found.facts)


def skipped(opened: Opened) -> dict[str, str]:
    listed = facts(opened)["skipped"]
    assert isinstance(listed, list)
    return {Skipped(**entry).path: Skipped(**entry).reason for entry in listed}


def test_of_a_pull_request_without_files_nothing_is_read(stage: Stage) -> None:
    """An empty commit changes nothing: the model is not asked, and the check is not green."""
    asked = stage.asked

    opened = stage.open({})

    [review] = opened.reviews
    assert ":white_circle: **Nothing to read** -- " in review["body"]
    assert opened.check["conclusion"] == "neutral"
    assert stage.asked == asked


def test_what_need_not_be_read_is_listed_with_its_reason(stage: Stage) -> None:
    """Binaries, lock files, generated and vendored files, submodules, and what the repository skips."""
    base = stage.commit({"old/name.py": "a = 1\n" * 20, "vendor/other.py": "x = 1\n", "other_pb2.py": "x = 1\n"})
    files = {
        "logo.png": b"\x89PNG\0\0",
        "Gemfile.lock": "GEM\n",
        "vendor/lib.py": "x = 1\n",
        "api_pb2.py": "x = 1\n",
        "docs/guide.md": "Words.\n",
        "lib": "c" * 40,
        "old/name.py": None,
        "new/name.py": "a = 1\n" * 20,
        "read.py": "x = 1\n",
    }
    config = stage.repository.commit({".kodiai.yml": "review:\n  skipPaths: ['docs/**']\n"}, base)
    head = stage.commit(files, base, modes={"lib": SUBMODULE})

    opened = Opened(stage, stage.github.open_pull_request(head, config))
    stage.settle()

    assert skipped(opened) == {
        "logo.png": "binary",
        "Gemfile.lock": "lock file",
        "vendor/lib.py": "vendored",
        "api_pb2.py": "generated",
        "docs/guide.md": "matches skipPaths",
        "lib": "submodule",
    }
    body = opened.reviews[0]["body"]
    assert "- Coverage: read 2 of 8 files" in body
    assert "- lib -- submodule: new → cccccccccccc" in body
    assert "Not read: logo.png, 1 generated file, 1 lock file, lib (submodule), 1 file in vendor/." in body


def test_comments_stand_right_in_files_with_odd_ends_and_names(stage: Stage) -> None:
    """CRLF, no newline at the end, a form feed inside a line: the line numbers are git's.

    A path that is not UTF-8, which GitHub shows with replacement characters, does not stop the review.
    """
    files: Files = {
        "crlf.py": b"import os\r\n\r\n\r\ndef f(x=[]):\r\n    return x\r\n",
        "no_end.py": b"def f(x=[]):\n    return x",
        "feed.py": b"a = 1\n\x0c\ndef f(x=[]):\n    return x, a\n",
        b"caf\xe9.py": "def f(x=[]):\n    return x\n",
    }

    opened = stage.open(files)

    lines = {(comment["path"], comment["line"]) for comment in opened.comments}
    assert {("crlf.py", 4), ("no_end.py", 1), ("feed.py", 3)} <= lines
    assert len(opened.reviews) == 1


def test_three_thousand_files_are_reviewed_within_the_budget(stage: Stage) -> None:
    """The riskiest are read, every other one is counted, also the one that GitHub does not list.

    It takes long because git makes and compares them: https://docs.github.com/en/rest/pulls/pulls lists 3,000.
    """
    stage.model.answers = says(a_report())
    files = {f"src/module_{number}.py": f"x = {number}\n" for number in range(3_000)}
    files["src/auth/login.py"] = "def login(user):\n    return user\n"

    opened = stage.open(files)

    known = facts(opened)
    assert (known["files_total"], known["files_read"]) == (3_001, 400)
    read = known["changed_files"]
    assert isinstance(read, list)
    assert read[0] == "src/auth/login.py"
    assert len(skipped(opened)) == 2_601
    assert skipped(opened)["more files than GitHub lists"] == "it lists 3,000"
    assert "- Coverage: read 400 of 3,001 files" in opened.reviews[0]["body"]
    assert len(opened.reviews[0]["body"]) <= 65_536


def test_ninety_three_files_of_four_hundred_kilobytes_are_read_whole(stage: Stage) -> None:
    """In batches under the token budget, each by four reviewers; or else each unread file would be named."""
    assert stage.machine.model is not None
    stage.model.answers, since = says(a_report()), stage.asked
    rows = "".join(f"    value_{number} = compute({number})\n" for number in range(160))
    files = {f"src/part_{at:02}.py": f"def part_{at}():\n{rows}" for at in range(93)}

    opened = stage.open(files)

    found = facts(opened)
    assert sum(map(len, files.values())) > 350_000
    assert (found["files_total"], found["files_read"], skipped(opened)) == (93, 93, {})
    asked = [recorded.body for recorded in stage.machine.model.requests[since:]]
    shown: Counter[str] = Counter()
    for request in map(ModelRequest, asked):
        if request.part and not request.turns_taken:
            shown[request.part] += request.texts[1].count("### FILE ")
    assert shown == dict.fromkeys(("correctness", "security", "performance", "tests-and-documentation"), 93)
