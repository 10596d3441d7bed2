"""A Messages API stand-in: an offline reviewer, or scripted answers."""

from local.model.answers import (
    Answer,
    Answers,
    Failure,
    Reply,
    Request,
    failure,
    filled,
    refusal,
    text,
    tool_use,
    tools,
)
from local.model.cache import Usage
from local.model.messages_api import CONTEXT_WINDOW_TOKENS, OFFLINE_MODEL, Recorded
from local.model.offline.question import is_answer, is_extract, is_find, is_verdicts, is_verify, part, report, texts
from local.model.offline.reviewer import OfflineReviewer
from local.model.script import Script
from local.model.stand_in import ModelStandIn

__all__ = [
    "CONTEXT_WINDOW_TOKENS",
    "OFFLINE_MODEL",
    "Answer",
    "Answers",
    "Failure",
    "ModelStandIn",
    "OfflineReviewer",
    "Recorded",
    "Reply",
    "Request",
    "Script",
    "Usage",
    "failure",
    "filled",
    "is_answer",
    "is_extract",
    "is_find",
    "is_verdicts",
    "is_verify",
    "part",
    "refusal",
    "report",
    "text",
    "texts",
    "tool_use",
    "tools",
]
