"""The whole system on kept data, killed again and again: as if nothing had happened."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem, NewStack
from tests.git_repository import GitRepository

BAD = "def add(item, items=[]):\n    return items\n"
WORSE = 'def is_paid(status):\n    return status is "paid"\n'


@pytest.mark.proof  # the whole system starts twice
def test_a_review_that_is_killed_when_it_has_just_been_posted_is_posted_once(tmp_path: Path) -> None:
    """The review is finished then, and the next push gets an incremental review."""
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"src/a.py": "x = 1\n"}, branch="main")
    first = repository.commit({"src/b.py": BAD}, base, branch="feature")
    second = repository.commit({"src/c.py": WORSE}, first)

    lives = [{"open": "feature", "ends": "posted"}, {"push": second}]
    arguments = json.dumps({"repository": str(repository.path), "data": str(tmp_path / "data"), "lives": lives})

    program = [sys.executable, "-m", "tests.local.lambdas.lives", arguments]
    done = subprocess.run(program, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["heads"] == [first, second]
    assert seen["paths"] == ["src/b.py", "src/c.py"]
    assert sorted(seen["findings"]) == ["src/b.py", "src/c.py"]
    assert seen["checks"] == [[first, "completed"], [second, "completed"]]
    assert seen["outcomes"] == [["completed", "full", 1], ["completed", "incremental", 1]]
    assert seen["violations"] == []


def test_a_changed_queue_description_updates_the_queue(project: Path, tmp_path: Path) -> None:
    """Waiting messages stay, as in a deployment."""

    def attributes(**queue: Any) -> dict[str, str]:
        with (
            LocalAws(tmp_path / "data") as aws,
            LocalSystem(project, aws, NewStack(overrides={"Jobs": queue})) as system,
        ):
            sqs, url = aws.client("sqs"), system.environment["QUEUE_URL"]
            found: dict[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
            return found

    before = attributes()
    after = attributes(VisibilityTimeout=9)

    assert (before["VisibilityTimeout"], after["VisibilityTimeout"]) == ("60", "9")
    assert after["RedrivePolicy"] == before["RedrivePolicy"]
