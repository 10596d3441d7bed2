"""The processes of functions are forks of one that has done the imports; each event can have one of its own."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.lambdas.fork_server import ForkServer
from local.lambdas.function import Function

MakeFunction = Callable[..., Function]

COUNTER = """
    import os, shared
    events = 0
    def handler(event, context):
        global events
        events += 1
        return [events, os.getpid(), os.getppid(), shared.IMPORTED_BY, shared.LEVEL]
"""
SHARED = "import os\nIMPORTED_BY = os.getpid()\nLEVEL = os.environ.get('POWERTOOLS_LOG_LEVEL')\n"


def run(function: Function, event: Any = None) -> Any:
    return json.loads(function.invoke(json.dumps(event).encode()).payload)


@pytest.mark.parametrize(("reuse", "counts"), [(True, [1, 2, 3]), (False, [1, 1, 1])])
def test_an_event_finds_what_is_left_in_the_memory_or_has_a_process_of_its_own(
    make_function: MakeFunction, *, reuse: bool, counts: list[int]
) -> None:
    """The process is a warm one, or a fresh fork; the imports happen once."""
    function = make_function(COUNTER, layer={"shared.py": SHARED}, modules=("shared",), reuse=reuse)

    answers = [run(function) for _ in range(3)]

    assert [counted for counted, *_ in answers] == counts
    assert len({process for _, process, *_ in answers}) == (1 if reuse else 3)
    assert {parent for _, _, parent, *_ in answers} == {imported_by for _, _, _, imported_by, _ in answers}


def test_functions_share_imports_that_looked_at_the_same_variables(make_function: MakeFunction) -> None:
    """A module may read the level of its logs when it is imported: functions with another one share nothing."""
    options: dict[str, Any] = {"layer": {"shared.py": SHARED}, "modules": ("shared",)}
    one, same = (make_function(COUNTER, variables={"KODIAI_TABLE": name}, **options) for name in ("a", "b"))
    other = make_function(COUNTER, variables={"POWERTOOLS_LOG_LEVEL": "DEBUG"}, **options)

    answers = [run(function) for function in (one, same, other)]

    assert [level for *_, level in answers] == [None, None, "DEBUG"]
    assert answers[0][3] == answers[1][3] != answers[2][3]


def test_an_event_killed_before_it_began_takes_none_of_the_next(make_function: MakeFunction) -> None:
    """Each event has one answer, its own, also after an early kill."""
    function = make_function("def handler(event, context): return event", reuse=False)
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


@pytest.fixture
def output() -> Iterator[int]:
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def test_a_module_that_is_not_named_is_imported_by_each_process(make_function: MakeFunction) -> None:
    """Such a module, or one that cannot be imported, does not keep others from being shared."""
    layer = {
        "common/__init__.py": "",
        "common/early.py": SHARED,
        "common/late.py": SHARED,
        "common/needs_late.py": "from common import late\n",
    }
    source = """
        import os
        from common import early, needs_late
        def handler(event, context): return [early.IMPORTED_BY, needs_late.late.IMPORTED_BY, os.getpid()]
    """
    modules = ("common", "common.needs_late", "common.missing", "common.early")
    function = make_function(source, layer=layer, modules=modules, reuse=False)

    (early, late, process), (early_again, late_again, process_again) = run(function), run(function)

    assert early == early_again
    assert [late, late_again] == [process, process_again]


def test_a_server_that_was_killed_says_so(tmp_path: Path, output: int) -> None:
    """No caller waits for ever."""
    server = ForkServer(sys.executable, (), {"PATH": os.environ["PATH"]})
    os.kill(server.pid, signal.SIGKILL)

    with pytest.raises(OSError, match="fork server has ended"):
        server.fork("tiny.handler", tmp_path, {}, output)
    server.stop()
