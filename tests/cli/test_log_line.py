"""The lines of the functions' log as `kodiai serve` prints them."""

from collections.abc import Mapping
from typing import Any

import pytest

from cli.log_line import print_event

DONE = {"message": "outcome", "function": "ReviewFunction", "pull_request": 1, "trigger": "opened"}


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        (
            {**DONE, "outcome": "completed", "reason": "no-prior-review", "seconds": 1.313},
            "Review #1, opened: completed, first review (1.3 s)\n",
        ),
        (
            {**DONE, "function": "MentionFunction", "trigger": None, "outcome": "answered"},
            "Comment #1: answered\n",
        ),
        ({**DONE, "function": "IngestFunction", "outcome": "queued"}, ""),
        ({**DONE, "outcome": "nothing"}, ""),
        ({"message": "request", "route": "POST /webhook", "status": "202"}, ""),
        ({"message": "call", "service": "dynamodb"}, ""),
        ({"text": "Traceback"}, "Traceback\n"),
        ({"level": "ERROR", "message": "lost"}, '{"level": "ERROR", "message": "lost"}\n'),
    ],
)
def test_an_event_is_one_line_once_it_is_done(
    line: Mapping[str, Any], printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Requests to the API are no events; trouble is always shown."""
    print_event(line)

    assert capsys.readouterr().out == printed
