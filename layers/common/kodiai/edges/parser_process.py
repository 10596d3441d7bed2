"""The processes in which files are parsed: one is prepared, and forks one for each invocation, which answers questions.

`parser_server` starts the first one as a file. It reads nothing of a repository: whatever a hostile file does is gone
with the fork. Neither knows a secret.
"""

import contextlib
import dataclasses
import gc
import json
import math
import os
import resource
import signal
import socket
import sys
import time
from importlib import import_module
from io import BufferedRWPair
from pathlib import Path
from typing import Any

_MODULES = {
    "outline": "outline",
    "first_error": "outline",
    "has_new_error": "new_errors",
    "identifiers": "identifiers",
    "bound_names": "names",
    "references": "references",
    "comment_spans": "comments",
    "changed_code": "statements",
    "shape": "data",
}
LENGTH_BYTES = 4
"""The size of the number that says the length of a question or an answer."""


LONGEST_ORDER = 4_096
"""The most bytes of an order."""


def main() -> None:
    """Take orders from standard input, a socket, and answer each with one byte.

    An order is a list of languages to be ready for. It ends the fork that is there, and begins one that answers on the
    socket that comes with it, if one does. The limits of a fork are on the command line: bytes of memory beyond what it
    begins with, and seconds of CPU for each question.
    """
    memory, seconds = map(int, sys.argv[1:])
    for name in _MODULES.values():
        import_module(f"kodiai.core.code.{name}")
    fork = 0
    with socket.socket(fileno=sys.stdin.fileno()) as orders:
        while True:
            languages, connections, *_ = socket.recv_fds(orders, LONGEST_ORDER, 1)
            if fork:
                os.kill(fork, signal.SIGKILL)
                os.waitpid(fork, 0)
            if not languages:
                return
            for language in json.loads(languages):
                _prepare(language)
            fork = _fork(orders, connections[0], memory, seconds) if connections else 0
            orders.sendall(b".")


def _prepare(language: str) -> None:
    grammar = import_module("kodiai.core.code.grammar")
    for name in ("outline", "names", "checked"):
        grammar.query(language, name)


def _fork(orders: socket.socket, connection: int, memory: int, seconds: int) -> int:
    gc.freeze()
    fork = os.fork()
    if fork == 0:
        orders.close()
        with contextlib.suppress(BaseException), socket.socket(fileno=connection) as opened:
            _answer_all(opened.makefile("rwb"), memory, seconds)
        os._exit(0)
    os.close(connection)
    return fork


def _answer_all(stream: BufferedRWPair, memory: int, seconds: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while question := _read(stream):
        # The limit counts all CPU time of the process; it also ends one that nobody waits for any more.
        limit = math.ceil(time.process_time()) + seconds
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        text = json.dumps(_answer(question), default=_plain, separators=(",", ":")).encode()
        stream.write(len(text).to_bytes(LENGTH_BYTES) + text)
        stream.flush()


def _read(stream: BufferedRWPair) -> dict[str, Any] | None:
    length = int.from_bytes(stream.read(LENGTH_BYTES))
    question: dict[str, Any] | None = json.loads(stream.read(length)) if length else None
    return question


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    name = question.pop("question")
    ask = getattr(import_module(f"kodiai.core.code.{_MODULES[name]}"), name)
    try:
        return {"answer": ask(**question)}
    except ValueError as error:
        return {"error": str(error)}


def _plain(value: Any) -> Any:
    """A dataclass or a set as JSON has it."""
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return list(value)


if __name__ == "__main__":
    main()
