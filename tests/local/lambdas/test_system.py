"""A template's system on one machine: from a webhook through a queue to a function.

Most tests share one system; the jobs of each are a group of their own.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem, NewStack
from tests.local.lambdas.conftest import write_project
from tests.local.lambdas.running import alive, logged, problems, send, until

Start = Callable[..., Any]
pytestmark = pytest.mark.xdist_group("tiny system")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, shared_aws: LocalAws) -> Iterator[LocalSystem]:
    """The tiny project."""
    template = write_project(tmp_path_factory.mktemp("tiny"))
    with LocalSystem(template, shared_aws, NewStack({"Stage": "shared"})) as system:
        yield system


def test_a_request_becomes_a_message_and_the_message_calls_the_function(system: LocalSystem) -> None:
    """HTTP API, queue, event source and function work together, and the log tells what each of them did."""
    before = len(system.log_lines)
    heard: list[Mapping[str, Any]] = []
    system.on_log(heard.append)

    answer = send(system, {"id": "1"})
    system.wait_until_quiet(20)

    assert answer == (202, "queued")
    assert [sorted(line) for line in heard if line["function"] == "Worker"] == [
        ["at", "began", "function", "group", "process", "request"],
        ["at", "done", "function", "group"],
    ]
    assert [logged(system, fact) for fact in ("queued", "began", "done")] == [["1"]] * 3
    assert heard == system.log_lines[before:]


def test_a_group_is_worked_off_in_order_and_two_groups_at_the_same_time(system: LocalSystem) -> None:
    """A pull request's events follow one another, another pull request need not wait for them."""
    send(system, {"group": "a", "id": "a1", "until": {"1": "b1 1"}})
    send(system, {"group": "a", "id": "a2"})
    send(system, {"group": "b", "id": "b1"})
    system.wait_until_quiet(20)

    lines = [line for line in system.log_lines if "at" in line]
    lines.sort(key=lambda line: line["at"])  # two functions' lines arrive in any order
    facts = [(kind, line[kind]) for line in lines for kind in ("began", "done") if line.get(kind)]
    assert [fact for fact in facts if fact[1] in {"a1", "a2"}] == [
        ("began", "a1"),
        ("done", "a1"),
        ("began", "a2"),
        ("done", "a2"),
    ]
    assert facts.index(("began", "b1")) < facts.index(("done", "a1"))


def test_a_message_that_becomes_visible_too_early_is_handled_again_at_the_same_time(system: LocalSystem) -> None:
    """The queue alone holds a message back. A late worker cannot delete it, which is logged."""
    send(system, {"group": "early", "id": "e", "visible_at": "1", "until": {"1": "e 2", "2": "late 1"}})
    until(lambda: any("cannot be deleted" in text for text in problems(system)))
    overtaken = [logged(system, fact, "early") for fact in ("began", "done")]
    send(system, {"group": "late", "id": "late"})
    system.wait_until_quiet(20)

    assert overtaken == [["e", "e"], ["e"]]
    assert logged(system, "done", "early") == ["e", "e"]
    [problem] = [text for text in problems(system) if "cannot be deleted" in text]
    assert problem.startswith("a finished message cannot be deleted: ")
    assert "The receipt handle has expired" in problem


def test_only_a_process_that_runs_an_event_can_be_killed(system: LocalSystem) -> None:
    """Any other id is refused: not even a function's own idle process is ended."""
    send(system, {"group": "idle", "id": "1"})
    system.wait_until_quiet(20)
    [idle] = logged(system, "process", "idle")

    for process in (os.getpid(), idle):
        with pytest.raises(ValueError, match=f"no event runs in the process {process}"):
            system.kill(process)

    assert alive(idle)


def test_waiting_gives_up_and_says_what_is_left(system: LocalSystem) -> None:
    """The error says which queue and which function still have work."""
    send(system, {"group": "long", "id": "1", "until": {"1": "enough 1"}})

    with pytest.raises(TimeoutError, match=r"after 0.5 seconds there is still work: 1 in tiny-shared\.fifo"):
        system.wait_until_quiet(0.5)

    send(system, {"group": "enough", "id": "enough"})
    system.wait_until_quiet(20)
    assert logged(system, "done", "long") == ["1"]


def test_the_next_system_finishes_the_work_of_a_stopped_one(run: Start, shared_aws: LocalAws) -> None:
    """A stop in the middle of a run loses nothing: the message comes back when its visibility ends."""
    with run() as system:
        send(system, {"id": "1", "until": {"1": "never"}})
        until(lambda: logged(system, "began") == ["1"])

    with run() as system:
        shared_aws.clock.advance(61)
        until(lambda: logged(system, "done") == ["1"])
        system.wait_until_quiet(20)

        assert logged(system, "began") == ["1"]
