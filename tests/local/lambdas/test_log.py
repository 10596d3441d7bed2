"""The functions' log lines are stored and passed on to listeners."""

from collections.abc import Mapping
from typing import Any

from local.lambdas.log import Log


def test_a_listener_that_fails_is_dropped_and_the_others_hear_on() -> None:
    """A broken progress display must not stop a function; the log says that it broke."""
    log = Log()
    heard: list[Mapping[str, Any]] = []

    def broken(line: Mapping[str, Any]) -> None:
        raise ValueError(line["text"])

    log.on_line(broken)
    log.on_line(heard.append)

    log.add("Review", "one")
    log.add("Review", '{"message": "two"}')

    assert heard == [{"function": "Review", "text": "one"}, {"function": "Review", "message": "two"}]
    assert log.lines == [
        {"function": "Review", "text": "one"},
        {"function": "Review", "text": "a log callback failed: ValueError('one')"},
        {"function": "Review", "message": "two"},
    ]
