"""A Messages API stand-in that answers from scripts, recordings or rules: the offline reviewer is one set of rules."""

from local.model.answers import (
    Answer,
    Answers,
    Failure,
    Reply,
    Request,
    failure,
    json_reply,
    refusal,
    replayed,
    text,
    tool_use,
    tools,
)
from local.model.cache import Usage
from local.model.messages_api import CONTEXT_WINDOW_TOKENS, OFFLINE_MODEL, RecordedRequest
from local.model.model_request import (
    ModelRequest,
    is_answer,
    is_find,
    is_judge,
    is_reading,
    is_second_ruling,
)
from local.model.offline.reviewer import OfflineReviewer
from local.model.report import a_report, finding_call, reporting, ruling
from local.model.rulings import a_ruling, approve_all, confirmations
from local.model.script import Script, Step
from local.model.stand_in import ModelStandIn

__all__ = [
    "CONTEXT_WINDOW_TOKENS",
    "OFFLINE_MODEL",
    "Answer",
    "Answers",
    "Failure",
    "ModelRequest",
    "ModelStandIn",
    "OfflineReviewer",
    "RecordedRequest",
    "Reply",
    "Request",
    "Script",
    "Step",
    "Usage",
    "a_report",
    "a_ruling",
    "approve_all",
    "confirmations",
    "failure",
    "finding_call",
    "is_answer",
    "is_find",
    "is_judge",
    "is_reading",
    "is_second_ruling",
    "json_reply",
    "refusal",
    "replayed",
    "reporting",
    "ruling",
    "text",
    "tool_use",
    "tools",
]
