"""A function whose events run each in a fork of a process that has done its imports, as with SnapStart."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.lambdas.function import Function
from local.lambdas.log import Log
from tests.local.lambdas.running import alive, until

MakeFunction = Callable[..., Function]

COUNTER = """
    import os, time
    IMPORTED = time.time()
    events = 0
    def handler(event, context):
        global events
        events += 1
        if event == "sleep":
            print("asleep")
            time.sleep(600)
        return [events, IMPORTED, os.getpid(), os.getppid()]
"""


def run(function: Function, event: Any = None) -> Any:
    return json.loads(function.invoke(json.dumps(event).encode()).payload)


def test_every_event_finds_the_modules_as_the_imports_left_them(make_function: MakeFunction) -> None:
    """The imports happen once, in the one process that all the events' processes come from."""
    function = make_function(COUNTER, snap_start=())

    answers = [run(function) for _ in range(3)]

    assert [counted for counted, _, _, _ in answers] == [1, 1, 1]
    assert len({imported for _, imported, _, _ in answers}) == 1
    assert len({process for _, _, process, _ in answers}) == 3
    assert len({parent for _, _, _, parent in answers}) == 1


def test_an_events_process_ends_with_the_event(make_function: MakeFunction) -> None:
    """Nothing of it is left when the event's caller has its answer."""
    function = make_function(COUNTER, snap_start=())

    _, _, process, _ = run(function)

    assert not alive(process)


def test_modules_that_the_handler_imports_late_can_be_imported_early(
    make_function: MakeFunction, tmp_path: Path
) -> None:
    """A module that is named is imported before the first event, by the process that then forks."""
    function = make_function(
        "import os\ndef handler(event, context):\n import late\n return late.PROCESS == os.getppid()",
        snap_start=("late",),
    )
    (tmp_path / "code" / "late.py").write_text("import os\nPROCESS = os.getpid()\n")

    assert run(function)


def test_a_module_that_cannot_be_imported_early_fails_each_event(make_function: MakeFunction, log: Log) -> None:
    """The reason is in the log."""
    function = make_function(COUNTER, snap_start=("a_module_that_is_not_there",))

    failures = [function.invoke(b"null") for _ in range(2)]

    assert [failure.failed for failure in failures] == [True, True]
    assert any("No module named 'a_module_that_is_not_there'" in line["text"] for line in log.lines)


def test_only_the_event_ends_at_the_deadline(make_function: MakeFunction, log: Log) -> None:
    """The process that has the imports lives on and takes the next event."""
    function = make_function(COUNTER, snap_start=(), timeout=1)
    before = run(function)

    late = function.invoke(b'"sleep"')
    after = run(function)

    assert late.timed_out
    assert [line["text"].partition(" ")[2] for line in log.lines] == ["", "Task timed out after 1.00 seconds"]
    assert (after[0], after[1], after[3]) == (1, before[1], before[3])


def test_a_killed_event_fails_and_the_next_one_runs(make_function: MakeFunction, log: Log) -> None:
    """The kill ends the fork, by the id under which its event is listed; the lines that it has written are kept."""
    function = make_function(COUNTER, snap_start=())
    before = run(function)
    answers: list[Any] = []
    caller = threading.Thread(target=lambda: answers.append(run(function, "sleep")))
    caller.start()
    while not log.lines:
        pass
    [running] = function.running_events()

    killed = function.kill(running.process_id)
    caller.join()

    assert killed
    assert answers == [{"errorType": "Runtime.ExitError", "errorMessage": "Runtime exited with error: signal: SIGKILL"}]
    assert (running.function, running.event) == ("Tiny", b'"sleep"')
    assert running.process_id not in {before[2], before[3]}
    assert function.running_events() == []
    assert run(function)[1] == before[1]


def test_an_event_killed_before_it_began_takes_none_of_the_next(make_function: MakeFunction) -> None:
    """However early the kill comes, each event has one answer: its own."""
    function = make_function("def handler(event, context): return event", snap_start=())
    answers: dict[int, Any] = {}

    for number in range(40):
        caller = threading.Thread(target=lambda number=number: answers.update({number: run(function, number)}))
        caller.start()
        while caller.is_alive() and number % 2 and not function.running_events():
            pass
        for running in function.running_events() if number % 2 else []:
            function.kill(running.process_id)
        caller.join()

    assert {number: answers[number] for number in range(0, 40, 2)} == {number: number for number in range(0, 40, 2)}
    assert all(answers[number] == number or "SIGKILL" in str(answers[number]) for number in range(1, 40, 2))


def test_what_an_event_started_ends_with_its_fork(make_function: MakeFunction) -> None:
    """As after a kill of the whole environment, no child goes on next to the next event."""
    function = make_function(
        "import subprocess\ndef handler(event, context): return subprocess.Popen(['sleep', '600']).pid", snap_start=()
    )

    started = run(function)

    until(lambda: not alive(started))
    assert not alive(started)
