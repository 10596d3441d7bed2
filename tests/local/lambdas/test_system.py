"""A template's system on one machine: from a webhook through a queue to a function."""

import json
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from local.aws import LocalAws
from tests.local.lambdas.running import logged, send, until

Start = Callable[..., Any]

OVERTAKEN = """
    import os, pathlib, time, boto3
    from shared import tell

    def handler(event, context):
        (record,) = event["Records"]
        delivery = record["attributes"]["ApproximateReceiveCount"]
        tell(began=delivery)
        if delivery == "1":
            boto3.client("sqs").change_message_visibility(
                QueueUrl=os.environ["QUEUE_URL"], ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0)
        else:
            pathlib.Path("second").touch()
        while not pathlib.Path("second" if delivery == "1" else "go").exists():
            time.sleep(0.01)
        tell(done=delivery)
"""


def test_a_request_becomes_a_message_and_the_message_calls_the_function(run: Start) -> None:
    """HTTP API, queue, event source and function work together, and the log tells what each of them did."""
    with run() as system:
        heard: list[Mapping[str, Any]] = []
        system.on_log(heard.append)

        answer = send(system, {"id": "1"})
        system.wait_until_quiet(20)

        assert answer == (202, "queued")
        assert logged(system, "queued") == ["1"]
        assert [sorted(line) for line in system.log_lines if line["function"] == "Worker"] == [
            ["began", "function", "process", "request"],
            ["done", "function"],
        ]
        assert (logged(system, "began"), logged(system, "done")) == (["1"], ["1"])
        assert heard == system.log_lines


def test_a_group_is_worked_off_in_order_and_two_groups_side_by_side(run: Start) -> None:
    """A pull request's events follow one another, another pull request need not wait for them."""
    with run() as system:
        for job in ("a1", "a2", "b1"):
            send(system, {"id": job, "group": job[0], "seconds": 1.5})
        system.wait_until_quiet(20)

        facts = [(kind, line[kind]) for line in system.log_lines for kind in ("began", "done") if kind in line]

    assert [fact for fact in facts if fact[1][0] == "a"] == [
        ("began", "a1"),
        ("done", "a1"),
        ("began", "a2"),
        ("done", "a2"),
    ]
    assert facts.index(("began", "b1")) < facts.index(("began", "a2"))


def test_a_message_that_becomes_visible_too_early_is_handled_again_at_the_same_time(run: Start, project: Path) -> None:
    """Only the queue holds a message back. A late worker cannot delete it, and a log line says so."""
    (project.parent / "functions/worker/worker.py").write_text(textwrap.dedent(OVERTAKEN))
    patient = {"Worker": {"Timeout": 30}, "Jobs": {"VisibilityTimeout": 60}}
    with run(overrides=patient) as system:
        send(system, {"id": "1"})
        until(lambda: any("cannot be deleted" in text for text in logged(system, "text")))
        overtaken = logged(system, "began"), logged(system, "done")
        (project.parent / "functions/worker/go").touch()
        system.wait_until_quiet(20)

        assert overtaken == (["1", "2"], ["1"])
        assert logged(system, "done") == ["1", "2"]
        [problem] = logged(system, "text")
        assert problem.startswith("a finished message cannot be deleted: ")
        assert "The receipt handle has expired" in problem


@pytest.mark.parametrize("failure", ["fail", "crash"])
def test_a_message_that_keeps_failing_ends_in_the_dead_letter_queue(
    run: Start, shared_aws: LocalAws, stage: str, failure: str
) -> None:
    """It is tried maxReceiveCount times, is then moved away, and what stands behind it goes on."""
    with run() as system:
        send(system, {"id": "1", failure: True})
        send(system, {"id": "2"})
        system.wait_until_quiet(30)

        assert logged(system, "began") == ["1", "1", "2"]
    sqs = shared_aws.client("sqs")
    dead = sqs.get_queue_url(QueueName=f"tiny-{stage}-dead.fifo")["QueueUrl"]
    (message,) = sqs.receive_message(QueueUrl=dead)["Messages"]
    assert json.loads(message["Body"])["id"] == "1"


def test_what_a_stopped_system_left_is_done_by_the_next(run: Start) -> None:
    """A stop in the middle of a run loses nothing: the message comes back when its visibility ends."""
    with run() as system:
        send(system, {"id": "1", "seconds_at_first": 60})
        until(lambda: logged(system, "began") == ["1"])

    with run() as system:
        until(lambda: logged(system, "done") == ["1"])
        system.wait_until_quiet(20)

        assert logged(system, "began") == ["1"]


def test_waiting_gives_up_and_says_what_is_left(run: Start, stage: str) -> None:
    """The error says which queue and which function still have work."""
    with run() as system:
        send(system, {"id": "1", "seconds": 60})

        with pytest.raises(TimeoutError, match=f"after 0.5 seconds there is still work: 1 in tiny-{stage}.fifo"):
            system.wait_until_quiet(0.5)


def test_parameters_secrets_and_overrides_reach_their_places(run: Start, shared_aws: LocalAws, stage: str) -> None:
    """The template's plain parameters, those that the caller overrides, and secrets that only the caller has."""
    with run(secrets={"greeting": "hi", "key": "k"}, overrides={"Worker": {"Timeout": 1}}) as system:
        send(system, {"id": "1", "seconds": 30})
        until(lambda: any("Task timed out after 1.00 seconds" in text for text in logged(system, "text")))

        assert system.environment["PREFIX"] == f"/tiny/{stage}"
        assert system.environment["QUEUE_URL"].endswith(f"/tiny-{stage}.fifo")
    stored = shared_aws.client("ssm").get_parameters_by_path(Path=f"/tiny/{stage}", WithDecryption=True)
    assert sorted((each["Name"], each["Type"], each["Value"]) for each in stored["Parameters"]) == [
        (f"/tiny/{stage}/greeting", "String", "hi"),
        (f"/tiny/{stage}/key", "SecureString", "k"),
    ]
