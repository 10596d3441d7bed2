"""A review that is too large for one invocation: it goes on as a fresh message, as often as it takes."""

import time
from collections import Counter
from collections.abc import Iterator

import pytest

from local.machine import MachineOptions
from local.model import Answer, ModelRequest, Request, Script, is_find, is_judge, reporting
from tests.git_repository import Files
from tests.specs.conftest import Stage, a_stage
from tests.specs.moods import TREES
from tests.specs.scripts import a_finding, a_report, judged

SECONDS = {"limits/answer-seconds": "11", "limits/publish-seconds": "1"}
SMALL = {"limits/batch-tokens": "300", "limits/read-files": "6", "limits/parallel-calls": "1"}
MEANWHILE = 4.5
"""The seconds of an answer that takes the rest of an invocation: of 16 it leaves less than another one may take."""

BODY = "".join(f"    value_{row} = rows[{row}] + {row}\n" for row in range(10))
FILES: Files = {f"src/part_{at}.py": f"def part_{at}(rows):\n{BODY}    return value_0\n" for at in range(7)}
DEFECT = a_finding(path="src/auth/login.py", start_line=3, end_line=3, quote="swordfish = eval(input())")
LOGIN: Files = {"src/auth/login.py": "import os\n\nswordfish = eval(input())\n"}


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system whose reviews have four seconds for their work, and read six files."""
    options = MachineOptions(overrides={"ReviewFunction": {"Timeout": 16}})
    with a_stage(tmp_path_factory.mktemp("hurried"), parameters=SECONDS | SMALL, options=options) as stage:
        yield stage


def slowly(_: Request) -> None:
    """Let time pass, and leave the answer to others."""
    time.sleep(MEANWHILE)


def at_once(_: Request) -> None:
    """Leave the answer to others."""


def found(request: Request) -> Answer:
    """A reviewer's report on one batch: one defect, in the file of the login."""
    here = [DEFECT] if any(change.path == DEFECT["path"] for change in ModelRequest(request).changes) else []
    return reporting(a_report(*here))


def a_model() -> Script:
    """A model without tools, which is slow at its second and its fourth question, and at the first of the judge."""
    others = judged(Script().when(is_find, found, always=True))
    return Script(at_once, slowly, at_once, slowly, otherwise=others).when(is_judge, slowly)


@pytest.mark.slow  # it waits until the time of three invocations is up
def test_a_review_goes_on_where_its_last_message_stopped_and_posts_one_review(hurried: Stage) -> None:
    """Nothing is asked twice; each message lists the files.

    The files over the limit are listed.
    """
    hurried.model.answers = a_model()

    opened = hurried.open({**FILES, **LOGIN})

    outcomes = [line["outcome"] for line in opened.outcomes]
    assert len(outcomes) >= 3
    assert outcomes == [*["continued"] * (len(outcomes) - 1), "completed"]
    assert {line["attempt"] for line in opened.outcomes} == {1}
    asked = Counter(map(repr, hurried.questions))
    assert len(asked) > 6
    assert set(asked.values()) == {1}
    assert hurried.sent(TREES) == len(outcomes)
    [review] = opened.reviews
    assert "6 of 8 files" in review["body"]
    assert review["body"].count("over the budget of 6 files") == 2
    [comment] = opened.comments
    assert comment["path"] == "src/auth/login.py"
    assert opened.check["status"] == "completed"
