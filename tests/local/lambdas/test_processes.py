"""No process of a system outlives it, however it ends."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem
from tests.local.lambdas.running import EITHER_WAY, alive, children_of, in_sessions_of, logged, post, send, until

Start = Callable[..., AbstractContextManager[LocalSystem]]
SnapStart = Sequence[str] | None

PROGRAM = """
    import json, sys, time
    from pathlib import Path
    from local.aws import LocalAws
    from local.lambdas import LocalSystem
    template, snap_start = sys.argv[1:]
    aws = LocalAws().__enter__()
    system = LocalSystem(Path(template), aws, snap_start=json.loads(snap_start))
    system.on_log(lambda line: print(json.dumps(line), flush=True) if line["function"] == "Worker" else None)
    system.__enter__()
    print(system.webhook_url, flush=True)
    time.sleep(600)
"""


@contextmanager
def in_a_process(template: Path, snap_start: SnapStart) -> Iterator[subprocess.Popen[str]]:
    """Run a system that prints its address and what the worker writes."""
    arguments = [str(template), json.dumps(snap_start)]
    root = Path(__file__).parents[3]
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), *arguments]
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=root, text=True) as process:
        yield process


@EITHER_WAY
def test_stopping_leaves_no_process(run: Start, snap_start: SnapStart) -> None:
    """After the stop nothing is left of the processes that there were, nor of one in the middle of an event."""
    before = children_of(os.getpid())

    with run(snap_start=snap_start) as system:
        send(system, {"id": "1", "seconds": 60})
        until(lambda: logged(system, "began") == ["1"])
        during = children_of(os.getpid()) - before
        processes = in_sessions_of(during)

    assert len(during) == 2
    assert len(processes) == (2 if snap_start is None else 3)
    assert children_of(os.getpid()) - before == set()
    until(lambda: not any(map(alive, processes)))


def test_a_system_that_cannot_start_leaves_nothing_behind(project: Path, shared_aws: LocalAws, stage: str) -> None:
    """A port that is taken stops the start, and what had been started by then is gone."""
    before = children_of(os.getpid())
    with LocalSystem(project, shared_aws, parameters={"Stage": stage}) as system:
        port = int(system.webhook_url.split(":")[2].partition("/")[0])

        with (
            pytest.raises(OSError, match="in use"),
            LocalSystem(project, shared_aws, parameters={"Stage": f"{stage}b"}, port=port),
        ):
            pass

    assert children_of(os.getpid()) - before == set()


@EITHER_WAY
def test_functions_die_with_a_killed_system(project: Path, snap_start: SnapStart) -> None:
    """Even when the system is killed outright, no function stays behind, whether it is idle or has an event."""
    with in_a_process(project, snap_start) as system:
        assert system.stdout is not None
        post(system.stdout.readline().strip(), {"id": "1", "seconds": 60})
        assert json.loads(system.stdout.readline())["began"] == "1"
        functions = in_sessions_of(children_of(system.pid))

        system.send_signal(signal.SIGKILL)

    assert len(functions) == (2 if snap_start is None else 3)
    until(lambda: not any(map(alive, functions)))


@EITHER_WAY
def test_an_import_that_never_ends_dies_with_a_killed_system(project: Path, snap_start: SnapStart) -> None:
    """A function that has not come as far as to take events does not stay behind either."""
    (project.parent / "functions/worker/worker.py").write_text("import time\nprint('importing')\ntime.sleep(600)\n")
    with in_a_process(project, snap_start) as system:
        assert system.stdout is not None
        assert "importing" in "".join([system.stdout.readline(), system.stdout.readline()])
        functions = in_sessions_of(children_of(system.pid))

        system.send_signal(signal.SIGKILL)

    assert len(functions) == 2
    until(lambda: not any(map(alive, functions)))
