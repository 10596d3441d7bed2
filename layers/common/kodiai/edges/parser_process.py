"""The process in which files are parsed: one question in, one answer out, until its input ends.

`child_parser` starts it as a file. It imports only what a question needs, and knows no secret.
"""

import dataclasses
import json
import math
import resource
import sys
import time
from importlib import import_module
from typing import Any, BinaryIO

_MODULES = {
    "outline": "outline",
    "identifiers": "identifiers",
    "bound_names": "names",
    "comment_spans": "comments",
    "shape": "data",
}
LENGTH_BYTES = 4
"""How long the number is that says the length of a question or an answer."""


def main() -> None:
    """Answer questions within the limits of the command line: bytes of memory, and seconds of CPU for each."""
    memory, seconds = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    while question := _read(questions):
        # The limit counts all CPU time of the process; it also ends one that nobody waits for any more.
        limit = math.ceil(time.process_time()) + seconds
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        text = json.dumps(_answer(question), default=_plain, separators=(",", ":")).encode()
        answers.write(len(text).to_bytes(LENGTH_BYTES) + text)
        answers.flush()


def _read(questions: BinaryIO) -> dict[str, Any] | None:
    length = int.from_bytes(questions.read(LENGTH_BYTES))
    question: dict[str, Any] | None = json.loads(questions.read(length)) if length else None
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
