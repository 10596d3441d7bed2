"""A template's system on one machine: from a webhook through a queue to a function."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem

Start = Callable[..., Any]


@pytest.fixture
def run(project: Path, shared_aws: LocalAws, stage: str) -> Start:
    """Runs the tiny project, with whatever a test changes."""

    @contextmanager
    def running(**changes: Any) -> Iterator[LocalSystem]:
        with LocalSystem(project, shared_aws.endpoints, parameters={"Stage": stage}, **changes) as system:
            yield system

    return running


def send(system: LocalSystem, job: Mapping[str, Any]) -> tuple[int, str]:
    body = json.dumps({"group": "g", **job}).encode()
    request = urllib.request.Request(system.webhook_url, body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request) as response:
        return response.status, response.read().decode()


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.02)


def told(system: LocalSystem, fact: str) -> list[str]:
    return [line[fact] for line in system.log_lines if fact in line]


def children_of(process_id: int) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "ppid=,pid=,comm="], capture_output=True, text=True, check=True).stdout
    rows = (row.split(None, 2) for row in listed.splitlines())
    return [int(pid) for parent, pid, name in rows if int(parent) == process_id and "python" in name]


def test_a_request_becomes_a_message_and_the_message_calls_the_function(run: Start) -> None:
    """Door, queue, event source and function work together, and the log tells what each of them did."""
    with run() as system:
        heard: list[Mapping[str, Any]] = []
        system.on_log(heard.append)

        answer = send(system, {"id": "1"})
        system.wait_until_quiet(20)

        assert answer == (202, "queued")
        assert told(system, "queued") == ["1"]
        assert [line for line in system.log_lines if line["function"] == "Worker"] == [
            {"function": "Worker", "began": "1"},
            {"function": "Worker", "done": "1"},
        ]
        assert heard == system.log_lines


def test_a_group_is_worked_off_in_order_and_two_groups_side_by_side(run: Start) -> None:
    """A pull request's events follow one another, another pull request need not wait for them."""
    with run() as system:
        for job in ("a1", "a2", "b1"):
            send(system, {"id": job, "group": job[0], "seconds": 0.5})
        system.wait_until_quiet(20)

        facts = [(kind, line[kind]) for line in system.log_lines for kind in ("began", "done") if kind in line]

    assert [fact for fact in facts if fact[1][0] == "a"] == [
        ("began", "a1"),
        ("done", "a1"),
        ("began", "a2"),
        ("done", "a2"),
    ]
    assert facts.index(("began", "b1")) < facts.index(("began", "a2"))


@pytest.mark.parametrize("trouble", ["fail", "crash"])
def test_a_message_that_keeps_failing_ends_in_the_dead_letter_queue(
    run: Start, shared_aws: LocalAws, stage: str, trouble: str
) -> None:
    """It is tried maxReceiveCount times, is then moved away, and what stands behind it goes on."""
    with run() as system:
        send(system, {"id": "1", trouble: True})
        send(system, {"id": "2"})
        system.wait_until_quiet(30)

        assert told(system, "began") == ["1", "1", "2"]
    sqs = shared_aws.client("sqs")
    dead = sqs.get_queue_url(QueueName=f"tiny-{stage}-dead.fifo")["QueueUrl"]
    (message,) = sqs.receive_message(QueueUrl=dead)["Messages"]
    assert json.loads(message["Body"])["id"] == "1"


def test_what_a_stopped_system_left_is_done_by_the_next(run: Start) -> None:
    """A stop in the middle of a run loses nothing: the message comes back when its visibility ends."""
    with run() as system:
        send(system, {"id": "1", "seconds_at_first": 60})
        until(lambda: told(system, "began") == ["1"])

    with run() as system:
        until(lambda: told(system, "done") == ["1"])
        system.wait_until_quiet(20)

        assert told(system, "began") == ["1"]


def test_waiting_gives_up_and_says_what_is_left(run: Start, stage: str) -> None:
    """Who waits for too much is told which queue and which function still have work."""
    with run() as system:
        send(system, {"id": "1", "seconds": 60})

        with pytest.raises(TimeoutError, match=f"after 0.5 seconds there is still work: 1 in tiny-{stage}.fifo"):
            system.wait_until_quiet(0.5)


def test_parameters_secrets_and_overrides_reach_their_places(run: Start, shared_aws: LocalAws, stage: str) -> None:
    """The template's plain parameters, those that the caller overrides, and secrets that only the caller has."""
    with run(secrets={"greeting": "hi", "key": "k"}, overrides={"Worker": {"Timeout": 1}}) as system:
        send(system, {"id": "1", "seconds": 30})
        until(lambda: any("Task timed out after 1.00 seconds" in text for text in told(system, "text")))

        assert system.environment["PREFIX"] == f"/tiny/{stage}"
        assert system.environment["QUEUE_URL"].endswith(f"/tiny-{stage}.fifo")
    stored = shared_aws.client("ssm").get_parameters_by_path(Path=f"/tiny/{stage}", WithDecryption=True)
    assert sorted((each["Name"], each["Type"], each["Value"]) for each in stored["Parameters"]) == [
        (f"/tiny/{stage}/greeting", "String", "hi"),
        (f"/tiny/{stage}/key", "SecureString", "k"),
    ]


def test_stopping_leaves_no_process(run: Start) -> None:
    """After the stop this process has the children that it had before."""
    before = set(children_of(os.getpid()))

    with run() as system:
        send(system, {"id": "1", "seconds": 60})
        during = set(children_of(os.getpid())) - before

    assert len(during) == 2
    assert set(children_of(os.getpid())) - before == set()


def test_a_system_that_cannot_start_leaves_nothing_behind(project: Path, shared_aws: LocalAws, stage: str) -> None:
    """A port that is taken stops the start, and what had been started by then is gone."""
    before = set(children_of(os.getpid()))
    with LocalSystem(project, shared_aws.endpoints, parameters={"Stage": stage}) as system:
        port = int(system.webhook_url.split(":")[2].partition("/")[0])

        with (
            pytest.raises(OSError, match="in use"),
            LocalSystem(project, shared_aws.endpoints, parameters={"Stage": f"{stage}b"}, port=port),
        ):
            pass

    assert set(children_of(os.getpid())) - before == set()


def test_functions_die_with_a_killed_system(project: Path, shared_aws: LocalAws, stage: str) -> None:
    """Even when the system is killed outright, no function stays behind."""
    program = """
        import json, sys, time
        from pathlib import Path
        from local.lambdas import LocalSystem
        system = LocalSystem(Path(sys.argv[1]), json.loads(sys.argv[2]), parameters={"Stage": sys.argv[3]})
        system.start()
        print("ready", flush=True)
        time.sleep(600)
    """
    arguments = [str(project), json.dumps(shared_aws.endpoints), stage]
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        functions = children_of(parent.pid)

        parent.send_signal(signal.SIGKILL)

    assert len(functions) == 2
    until(lambda: not any(map(alive, functions)))


def alive(process_id: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process_id)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in {"", "Z"}
