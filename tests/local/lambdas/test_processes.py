"""No process of a system outlives it, however it ends."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem
from tests.local.lambdas.running import alive, children_of, in_sessions_of, logged, send, until

Start = Callable[..., AbstractContextManager[LocalSystem]]

FUNCTIONS = {
    "idle": "print('idle')\ndef handler(event, context): pass\n",
    "busy": "import time\ndef handler(event, context):\n    print('busy')\n    time.sleep(600)\n",
    "importing": "import time\nprint('importing')\ntime.sleep(600)\n",
}

PROGRAM = """
    import sys, threading
    from pathlib import Path
    from local.lambdas.description import FunctionDescription
    from local.lambdas.function import Function

    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for snap_start in (None, ()):
        for name in names:
            description = FunctionDescription(
                name=name, arn=f"arn:{name}", handler=f"{name}.handler", folders=(folder,),
                timeout=600, memory=128, environment={}, log_format="Text")
            function = Function(
                description, {}, lambda _, line: print(line, flush=True),
                concurrency=1, init_timeout=600, snap_start=snap_start)
            function.start()
            if name == "busy":
                threading.Thread(target=function.invoke, args=(b"null",)).start()
    threading.Event().wait()
"""


def test_functions_die_with_a_killed_program(tmp_path: Path) -> None:
    """None stays behind, whether it is idle, has an event or has not done its imports, in one process or with forks."""
    for name, source in FUNCTIONS.items():
        (tmp_path / f"{name}.py").write_text(source)
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path), *FUNCTIONS]

    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3], text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline().strip() for _ in range(2 * len(FUNCTIONS))]
        functions = in_sessions_of(children_of(process.pid))
        process.send_signal(signal.SIGKILL)

    assert sorted(said) == sorted([*FUNCTIONS, *FUNCTIONS])
    assert len(functions) == 3 + 4  # the event of one of them runs in a fork
    until(lambda: not any(map(alive, functions)))


def test_stopping_leaves_no_process(run: Start, project: Path, shared_aws: LocalAws, stage: str) -> None:
    """Nothing is left of a function in the middle of an event, nor of a second system whose port was taken."""
    before = children_of(os.getpid())

    with run() as system:
        send(system, {"id": "1", "until": {"1": "never"}})
        until(lambda: logged(system, "began") == ["1"])
        during = children_of(os.getpid()) - before
        port = int(system.webhook_url.split(":")[2].partition("/")[0])
        with (
            pytest.raises(OSError, match="in use"),
            LocalSystem(project, shared_aws, parameters={"Stage": f"{stage}b"}, port=port),
        ):
            pass
        after_the_second = children_of(os.getpid()) - before

    assert len(during) == 2
    assert after_the_second == during
    assert children_of(os.getpid()) - before == set()
    until(lambda: not any(map(alive, during)))
