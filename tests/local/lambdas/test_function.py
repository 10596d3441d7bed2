"""A function runs in a process of its own under the real Lambda runtime client."""

import json
import os
import threading
from collections.abc import Callable
from typing import Any

from local.lambdas.function import Function
from local.lambdas.log import Log
from tests.local.lambdas.running import alive, until

MakeFunction = Callable[..., Function]


def run(function: Function, event: Any = None) -> Any:
    result = function.invoke(json.dumps(event).encode())
    return json.loads(result.payload)


def test_the_handler_is_called_with_the_event_and_a_context(make_function: MakeFunction) -> None:
    """Event, request id, ARN and the time that is left arrive as on Lambda."""
    function = make_function(
        """
        def handler(event, context):
            left = context.get_remaining_time_in_millis()
            return [event, context.aws_request_id, context.invoked_function_arn, context.function_name, left]
        """,
        timeout=9,
    )

    event, request_id, arn, name, left = run(function, {"a": "ü"})

    assert event == {"a": "ü"}
    assert len(request_id) == 36
    assert arn == "arn:aws:lambda:eu-central-1:123456789012:function:tiny"
    assert name == "Tiny"
    assert 0 < left <= 9000


def test_an_exception_is_the_functions_error(make_function: MakeFunction, log: Log) -> None:
    """The error carries type and message, its stack is in the log, and the process lives on."""
    function = make_function(
        """
        def handler(event, context):
            if event == "bad":
                raise ValueError("no good")
            return "fine"
        """,
        log_format="JSON",
    )

    failure = function.invoke(b'"bad"')

    assert failure.failed
    assert json.loads(failure.payload)["errorType"] == "ValueError"
    assert json.loads(failure.payload)["errorMessage"] == "no good"
    assert [(line["level"], line["errorType"], line["function"]) for line in log.lines] == [
        ("ERROR", "ValueError", "Tiny")
    ]
    assert run(function, "good") == "fine"


def test_a_function_over_its_timeout_is_killed_with_its_children(make_function: MakeFunction, log: Log) -> None:
    """The kill comes at the deadline; the log does not wait for a child, and the next event gets a fresh process."""
    function = make_function(
        """
        import os, subprocess, time
        def handler(event, context):
            if event:
                print(subprocess.Popen(["sleep", "600"]).pid)
            time.sleep(event)
            return os.getpid()
        """,
        timeout=1,
    )
    first = run(function, 0)

    late = function.invoke(b"60")

    child, timed_out = [line["text"] for line in log.lines]
    assert late.timed_out
    assert timed_out.endswith("Task timed out after 1.00 seconds")
    assert timed_out == json.loads(late.payload)["errorMessage"]
    assert not alive(first)
    until(lambda: not alive(int(child)))
    assert run(function, 0) != first


def test_a_crash_is_an_error_and_the_process_is_replaced(make_function: MakeFunction, log: Log) -> None:
    """A process that ends by itself fails the event it was working on, and no other. The log says how it ended."""
    function = make_function(
        """
        import os
        def handler(event, context):
            return os._exit(3) if event == "crash" else "fine"
        """
    )

    crash = function.invoke(b'"crash"')

    assert crash.failed
    assert json.loads(crash.payload) == {
        "errorType": "Runtime.ExitError",
        "errorMessage": "Runtime exited with error: exit status 3",
    }
    [line] = log.lines
    assert line["text"].endswith(" Error: Runtime exited with error: exit status 3\nRuntime.ExitError")
    assert run(function, "again") == "fine"


def test_a_result_that_was_cut_off_is_none(make_function: MakeFunction) -> None:
    """A process that ends while it sends its answer has failed: half an answer is not taken for a whole one."""
    function = make_function(
        """
        import os, socket
        def handler(event, context):
            host, port = os.environ["AWS_LAMBDA_RUNTIME_API"].split(":")
            head = f"POST /2018-06-01/runtime/invocation/{context.aws_request_id}/response HTTP/1.1"
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(f"{head}\\r\\nHost: lambda\\r\\nContent-Length: 100\\r\\n\\r\\n".encode())
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)
            os._exit(3)
        """
    )

    assert run(function)["errorMessage"] == "Runtime exited with error: exit status 3"


def test_a_function_that_cannot_be_imported_says_so_every_time(make_function: MakeFunction) -> None:
    """The import error is the answer to each event; no caller waits for ever."""
    function = make_function("import a_module_that_is_not_there")

    failures = [function.invoke(b"null") for _ in range(2)]

    assert all(failure.failed for failure in failures)
    assert {json.loads(failure.payload)["errorType"] for failure in failures} == {"Runtime.ImportModuleError"}


def test_an_import_that_never_ends_is_given_up(make_function: MakeFunction) -> None:
    """The time for imports is bounded too."""
    function = make_function("import time\ntime.sleep(600)", init_timeout=1)

    assert function.invoke(b"null").timed_out


def test_everything_a_function_wrote_is_in_the_log_when_it_has_answered(make_function: MakeFunction, log: Log) -> None:
    """Output and errors, JSON and text, unfinished and long lines: nothing comes late, nothing is torn."""
    function = make_function(
        """
        import json, sys
        def handler(event, context):
            print(json.dumps({"message": "outcome", "long": "x" * 100_000}))
            sys.stderr.write("a warning\\n")
            print([1, 2])
            print("ä unfinished", end="")
        """
    )

    run(function)

    assert log.lines == [
        {"function": "Tiny", "message": "outcome", "long": "x" * 100_000},
        {"function": "Tiny", "text": "a warning"},
        {"function": "Tiny", "text": "[1, 2]"},
        {"function": "Tiny", "text": "ä unfinished"},
    ]


def test_a_function_sees_its_environment_and_nothing_of_ours(make_function: MakeFunction) -> None:
    """The deployed code cannot lean on the local system, on the command, or on variables of the person's shell."""
    os.environ["KODIAI_TEST_OF_THE_SHELL"] = "seen"
    function = make_function(
        """
        import importlib.util, os
        def handler(event, context):
            found = {name: importlib.util.find_spec(name) is not None for name in event}
            return [found, os.environ.get("KODIAI_TABLE"), os.environ.get("KODIAI_TEST_OF_THE_SHELL"), os.getcwd()]
        """,
        variables={"KODIAI_TABLE": "ledger"},
    )

    found, table, of_the_shell, folder = run(function, ["local", "cli", "tests", "kodiai", "boto3", "tiny"])
    del os.environ["KODIAI_TEST_OF_THE_SHELL"]

    assert found == {"local": False, "cli": False, "tests": False, "kodiai": False, "boto3": True, "tiny": True}
    assert table == "ledger"
    assert of_the_shell is None
    assert folder == str(function.description.folders[0])


def test_events_at_the_same_time_get_processes_of_their_own_up_to_the_limit(make_function: MakeFunction) -> None:
    """Two run side by side, the third waits for one of their processes."""
    function = make_function(
        """
        import os, pathlib, time
        def handler(event, context):
            here = pathlib.Path("here")
            here.mkdir(exist_ok=True)
            mine = here / str(os.getpid())
            mine.touch()
            seen = 0
            for _ in range(30):
                seen = max(seen, len(list(here.iterdir())))
                time.sleep(0.02)
            mine.unlink()
            return [os.getpid(), seen]
        """,
        concurrency=2,
    )
    answers: list[Any] = []
    callers = [threading.Thread(target=lambda: answers.append(run(function))) for _ in range(4)]

    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    assert len({process for process, _ in answers}) == 2
    assert max(seen for _, seen in answers) == 2
