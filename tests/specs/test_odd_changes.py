"""Pull requests that are large, empty, strange or hostile, and files that are only moved."""

from collections import Counter

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.findings.finding import Cause
from local.model import ModelRequest, is_find, is_judge
from tests.git_repository import SUBMODULE, Files
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding, a_report, rules, says, texts


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


def test_a_pull_request_without_files_is_not_read(stage: Stage) -> None:
    """An empty commit changes nothing: the model is not asked, and the check is not green."""
    opened = stage.open({})

    [review] = opened.reviews
    assert ":white_circle: **Nothing to read** -- " in review["body"]
    assert opened.check["conclusion"] == "neutral"
    assert stage.asked == 0


def test_files_that_need_not_be_read_are_listed_with_their_reasons(stage: Stage) -> None:
    """Binaries, lock files, generated and vendored files, submodules, and what the repository skips."""
    base: Files = {"old/name.py": "a = 1\n" * 20, "vendor/other.py": "x = 1\n", "other_pb2.py": "x = 1\n"}
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
    config = "review:\n  skipPaths: ['docs/**']\n"

    opened = stage.open(files, base=base, config=config, modes={"lib": SUBMODULE})

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
    """In batches under the token budget, each by both readers; or else each unread file would be named."""
    stage.model.answers = says(a_report())
    rows = "".join(f"    value_{number} = compute({number})\n" for number in range(160))
    files = {f"src/part_{at:02}.py": f"def part_{at}():\n{rows}" for at in range(93)}

    opened = stage.open(files)

    found = facts(opened)
    assert sum(map(len, files.values())) > 350_000
    assert (found["files_total"], found["files_read"], skipped(opened)) == (93, 93, {})
    shown: Counter[str] = Counter()
    for request in map(ModelRequest, stage.questions):
        if request.part and not request.turns_taken:
            shown[request.part] += request.texts[1].count("### FILE ")
    assert shown == dict.fromkeys(("behavior", "promises"), 93)


# Ten kilobytes that take a C++ parser more than a gigabyte, and most of a function's time.
HOSTILE = "/aa=>" * 2_000 + "\n"


def test_files_that_no_parser_survives_are_reviewed_all_the_same(stage: Stage) -> None:
    """In one attempt, within seconds; only the log says which files were outlined by their indentation."""
    stage.model.answers = says(a_report())

    opened = stage.open({"a.cpp": HOSTILE, "b.c": HOSTILE, "C.java": HOSTILE, "src/new.py": "def f():\n    pass\n"})

    outcome = stage.outcome()
    logged = [line for line in stage.machine.system.log_lines if line.get("message") == "not parsed"]
    assert len(opened.reviews) == 1
    assert (outcome["outcome"], outcome["attempt"], outcome["files_total"]) == ("completed", 1, 4)
    assert {line["path"] for line in logged} == {"a.cpp", "b.c", "C.java"}
    assert outcome["cpu_seconds"] < 15


RUN = "from .util import tick\n\n\ndef run():\n    return tick('data')\n"
BASE: Files = {"src/run.py": RUN, "src/util.py": "def tick(name):\n    return open(name)\n"}
BREAKS = 'names nothing any more: ".util" (was "src/util.py")'


def opened(stage: Stage, files: Files) -> Opened:
    """A reviewed pull request that moves src/run.py."""
    return stage.open({"src/run.py": None, **files}, base=BASE)


def test_a_finding_that_the_move_of_its_file_causes_blocks(stage: Stage) -> None:
    """Its code was there before, and worked; the judge's word that it was there before does not count.

    The reviewer sees the broken import, the judge has it as a fact. GitHub takes no comment there: the body has a link.
    """
    place = {"path": "src/app/run.py", "start_line": 1, "end_line": 1, "quote": "from .util import tick"}
    broken = a_finding(**place, title="The import fails")
    cause = {"path": "src/run.py", "quote": ""}
    away = {**place, "start_line": 5, "end_line": 5, "quote": "return tick('data')", "cause": cause}
    report = a_report(broken, a_finding(**away, title="The data is elsewhere"))
    stage.model.answers = says(report, *(rules(number, pre_existing=True) for number in (1, 2)))

    moved = opened(stage, {"src/app/run.py": RUN})

    [review], asked = moved.reviews, stage.questions
    title = '### FILE "src/app/run.py" renamed from "src/run.py"\n      1 | from .util import tick\n'
    assert title + BREAKS in texts(next(filter(is_find, asked)))
    judged = next(filter(is_judge, asked))
    notes = [each["notes"] for each in ModelRequest(judged).candidates]
    assert 'The reference at line 1 names nothing any more: ".util" (was "src/util.py").' in notes[0]
    assert "src/app/run.py was moved from src/run.py." in notes[1]
    assert review["body"].startswith(":red_circle: **Address before merging** · 2 major")
    there = f"{moved.web}/blob/{moved.head}/src/app/run.py?plain=1"
    assert f"[MAJOR] [src/app/run.py (1)]({there}#L1): The import fails\n" in review["body"]
    assert f"[MAJOR] [src/app/run.py (5)]({there}#L5): The data is elsewhere\n" in review["body"]
    assert "Older Problems" not in review["body"]
    assert moved.comments == []
    assert [each.finding.cause for each in moved.ledger.findings()] == [None, Cause(**cause)]
