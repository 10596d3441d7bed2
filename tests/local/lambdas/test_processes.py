"""No process of a system outlives it, however it ends."""

import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem, NewStack
from tests.local.lambdas.running import alive, descendants_of, logged, send, until
from tests.programs import started_python

Start = Callable[..., AbstractContextManager[LocalSystem]]

FUNCTIONS = {
    "busy": "import time\ndef handler(event, context):\n    print('busy')\n    time.sleep(600)\n",
    "importing": "import time\nprint('importing')\ntime.sleep(600)\n",
}

PROGRAM = """
    import sys, threading
    from pathlib import Path
    from local.lambdas.description import FunctionDescription
    from local.lambdas.function import Function

    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for name in names:
        description = FunctionDescription(
            name=name, arn=f"arn:{name}", handler=f"{name}.handler", folders=(folder,),
            timeout=600, memory=128, environment={}, log_format="Text")
        function = Function(
            description, {}, lambda _, line: print(f"{line}\\n", end="", flush=True), concurrency=1, init_timeout=600)
        threading.Thread(target=function.invoke, args=(b"null",)).start()
    threading.Event().wait()
"""


def test_functions_die_with_a_killed_program(tmp_path: Path) -> None:
    """A process with an event dies, and so does one in the middle of its imports."""
    for name, source in FUNCTIONS.items():
        (tmp_path / f"{name}.py").write_text(source)

    with started_python(PROGRAM, tmp_path, *FUNCTIONS) as (process, output):
        said = [output.readline().strip() for _ in FUNCTIONS]
        functions = descendants_of(process.pid)
        process.send_signal(signal.SIGKILL)

    assert sorted(said) == sorted(FUNCTIONS)
    assert len(functions) == 1 + len(FUNCTIONS)
    until(lambda: not any(map(alive, functions)))


def test_stopping_leaves_no_process(run: Start, project: Path, shared_aws: LocalAws, stage: str) -> None:
    """Nothing is left of a function in the middle of an event, nor of a second system whose port was taken."""
    with run() as system:
        send(system, {"id": "1", "until": {"1": "never"}})
        until(lambda: logged(system, "began") == ["1"])
        [running] = system.running_events()
        port = int(system.webhook_url.split(":")[2].partition("/")[0])
        with (
            pytest.raises(OSError, match="in use"),
            LocalSystem(project, shared_aws, NewStack({"Stage": f"{stage}b"}, port=port)),
        ):
            pass
        assert alive(running.process_id)

    assert not alive(running.process_id)
