"""The reading of a reply by a model: the form that it fills in, and as far as it is believed."""

import hashlib
import json
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from kodiai.core.conversation.replies import Meaning
from kodiai.core.findings.finding import Finding
from kodiai.core.github.comment import Reply
from kodiai.core.github.names import MOST_SAID
from kodiai.core.model.json_answer import object_in
from kodiai.core.text.comment_text import own_words
from kodiai.core.text.incoming import cut, incoming

ReplyDecision = Literal["wont_fix", "by_design", "acknowledged", "done", "disagrees", "none"]
Doubt = Literal["none", "question", "condition", "plan", "quotation", "irony", "partial", "about_something_else"]
_MOST_TURNS = 4
_LONGEST_TURN = 600
_LONGEST_REPLY = 4_000
_MARKS = frozenset("*_~`\\")


class Reading(BaseModel):
    """The decision in a reply about a finding, with the words that express it, copied, and what speaks against it."""

    model_config = ConfigDict(frozen=True)

    words: str
    doubt: Doubt
    decision: ReplyDecision


def read_reading(text: str) -> Reading | None:
    """The reading in a model's answer, None if there is none that can be read."""
    try:
        return Reading.model_validate_json(object_in(text))
    except ValidationError:
        return None


def believed(reading: Reading, reply: str) -> Meaning | None:
    """The decision of a reading: none where there is any doubt, or where its words are not the author's own.

    `reply` is the comment as it was written; what it quotes or shows as a code block are not its author's words.
    """
    words = _squeezed(reading.words)
    if reading.decision == "none" or reading.doubt != "none" or not words:
        return None
    return reading.decision if words in _squeezed(own_words(reply)) else None


def reading_name(reply: Reply) -> str:
    """Name the reading of a reply: by its comment and its text, so that an edited one is read again."""
    return f"reply-{reply.id}-{hashlib.sha256(reply.body[:MOST_SAID].encode()).hexdigest()[:16]}"


def reading_material(finding: Finding, before: Sequence[Reply], reply: Reply) -> str:
    """Show a reply with the finding that it answers, and the last comments before it (oldest first)."""
    turns = [
        _json({"by": "you" if turn.is_ours else turn.author, "said": cut(incoming(turn.body), _LONGEST_TURN)})
        for turn in before[-_MOST_TURNS:]
    ]
    shown = {"severity": finding.severity, "title": finding.title, "problem": finding.problem_text}
    answer = _json({"by": reply.author, "said": cut(incoming(reply.body), _LONGEST_REPLY)})
    parts = (("The finding", _json(shown)), ("Said before", "\n".join(turns) or "Nothing."), ("The reply", answer))
    return "\n\n".join(f"# {title}\n\n{part}" for title, part in parts)


def _squeezed(text: str) -> str:
    """A text in lowercase, without white space and the marks of Markdown."""
    return "".join(char for char in text.casefold() if not char.isspace() and char not in _MARKS)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
