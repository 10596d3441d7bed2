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
from local.model.limits import LONGEST_TITLE, MOST_FIX_WORDS, MOST_PROBLEM_WORDS, cut_text, cut_title
from local.model.messages_api import CONTEXT_WINDOW_TOKENS, OFFLINE_MODEL, Recorded
from local.model.offline.question import (
    is_answer,
    is_extract,
    is_find,
    is_judge,
    is_reading,
    part,
    replied,
    report,
    rows,
    texts,
)
from local.model.offline.reviewer import OfflineReviewer
from local.model.script import Script
from local.model.shape import shaped
from local.model.stand_in import ModelStandIn

__all__ = [
    "CONTEXT_WINDOW_TOKENS",
    "LONGEST_TITLE",
    "MOST_FIX_WORDS",
    "MOST_PROBLEM_WORDS",
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
    "cut_text",
    "cut_title",
    "failure",
    "filled",
    "is_answer",
    "is_extract",
    "is_find",
    "is_judge",
    "is_reading",
    "part",
    "refusal",
    "replied",
    "report",
    "rows",
    "shaped",
    "text",
    "texts",
    "tool_use",
    "tools",
]
