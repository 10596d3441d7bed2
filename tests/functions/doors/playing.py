"""What the tests of whole functions play: a change with a defect, and messages that are no jobs."""

import json
from collections.abc import Mapping
from pathlib import Path

from local.machine import LocalMachine
from tests.git_repository import GitRepository


def a_login(folder: Path, settings: Mapping[str, str] = {}) -> tuple[GitRepository, str, str]:
    """A repository, its base with these files of settings, and a head that puts a defect into a sensitive file."""
    repository = GitRepository(folder / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n", **settings}, branch="main")
    return repository, base, repository.commit({"auth/login.py": "import os\n\nswordfish = eval(input())\n"}, base)


def send_nonsense(machine: LocalMachine) -> None:
    """Put a message that is no job into each queue."""
    for queue in ("REVIEWS", "MENTIONS"):
        machine.aws.client("sqs").send_message(
            QueueUrl=machine.system.environment[f"KODIAI_{queue}_QUEUE_URL"],
            MessageBody=json.dumps({"kind": "nonsense"}),
            MessageGroupId="acme/widgets#1",
            MessageDeduplicationId="1",
        )
