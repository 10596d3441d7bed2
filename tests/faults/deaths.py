"""The ways in which a run may die, or a call may fail, at one call to the outside."""

import json
from enum import StrEnum

from tests.faults.calls import Service

Response = tuple[int, dict[str, str], bytes]


class Death(StrEnum):
    """A fault at a call."""

    KILLED_BEFORE = "killed before the call"
    KILLED_AFTER = "killed after its effect"
    ANSWER_LOST = "answer lost once"
    ANSWERS_LOST = "answers lost until it gives up"
    ERRORS = "5xx until it gives up"
    LIMITED = "rate-limited with retry-after"
    OUT_OF_TIME = "killed by time"
    OVERTAKEN = "held until its message was delivered again"
    KILLED_EVERY_TIME = "killed before the call, however often it is tried"

    @property
    def kills(self) -> bool:
        """Whether the process is killed at once."""
        return self in (Death.KILLED_BEFORE, Death.KILLED_AFTER, Death.KILLED_EVERY_TIME)

    @property
    def takes_effect(self) -> bool:
        """Whether the call does its work all the same."""
        return self in (Death.KILLED_AFTER, Death.ANSWER_LOST, Death.ANSWERS_LOST, Death.OUT_OF_TIME)

    @property
    def lasts(self) -> bool:
        """Whether the same call fails again when this try at the message makes it again."""
        return self in (Death.ANSWERS_LOST, Death.ERRORS, Death.LIMITED, Death.OUT_OF_TIME)


def error_answer(service: Service, death: Death) -> Response:
    """The error of the service in place of an answer."""
    limited = death is Death.LIMITED
    match service:
        case "github":
            status, said = (403, "You have exceeded a secondary rate limit.") if limited else (502, "Server Error")
            return _json(status, {"message": said}, {"Retry-After": "1"} if limited else {})
        case "model":
            status, kind = (429, "rate_limit_error") if limited else (500, "api_error")
            body = {"type": "error", "error": {"type": kind, "message": "Not now."}}
            return _json(status, body, {"retry-after": "1"} if limited else {})
        case "aws":
            status, code = (400, "ThrottlingException") if limited else (500, "InternalServerError")
            return _json(status, {"__type": code, "message": "Not now."}, {})


def _json(status: int, body: object, headers: dict[str, str]) -> Response:
    return status, {"Content-Type": "application/json", **headers}, json.dumps(body).encode()
