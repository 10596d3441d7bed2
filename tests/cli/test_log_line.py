"""The lines of the functions' log as `kodiai serve` prints them."""

from collections.abc import Mapping
from typing import Any

import pytest

from cli.log_line import print_event

ASKED = {"message": "outcome", "function": "ProposalsFunction", "status": 200, "method": "POST", "route": "/mcp"}
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
        (
            {**ASKED, "tool": "get_proposal", "login": "ann", "proposal": "P-1", "seconds": 0.12},
            "Agent, ann: get_proposal P-1 (0.1 s)\n",
        ),
        ({**ASKED, "login": "ann", "seconds": 0.01}, ""),
        (
            {**ASKED, "route": "/proposals/{id}/claim", "status": 401, "seconds": 0.2},
            "API, somebody: POST /proposals/{id}/claim, refused with 401 (0.2 s)\n",
        ),
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
    """Requests to GitHub and between the functions are no events; trouble is always shown."""
    print_event(line)

    assert capsys.readouterr().out == printed
