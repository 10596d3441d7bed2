"""Replies: have a model read those that parsing does not understand; each is paid for once."""

from collections.abc import Iterable, Sequence

from kodiai.core.config.settings import ChosenModel
from kodiai.core.conversation.reading import (
    Reading,
    believed,
    read_reading,
    reading_material,
    reading_name,
)
from kodiai.core.conversation.replies import Meaning
from kodiai.core.findings.finding import Finding
from kodiai.core.github.comment import Reply
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.flows.model.answers import ModelAnswers, OverBudget, kept_answer
from kodiai.ports.ledger import Ledger
from kodiai.prompts.load import load

_MOST_TOKENS = 1_000
_TRIES = 2


class UnreadReply(Exception):
    """No model could read a reply now; it may be asked again later."""


def reply_meaning(answers: ModelAnswers, finding: Finding, before: Sequence[Reply], reply: Reply) -> Meaning | None:
    """Have a model read a reply to a finding of ours; None if it decides nothing. `before` are the replies before it.

    Raises UnreadReply if the model declines, the budget is used up, or its answer cannot be read twice.
    Raises what `ModelAnswers.to` raises if it is busy, or the time is up.
    """
    question = reading_question(answers.models.role("replies"), finding, before, reply)
    name = reading_name(reply)
    for _ in range(_TRIES):
        try:
            answer = answers.to(question, usable=lambda answer: _reading(answer) is not None, name=name)
        except OverBudget as why:
            raise UnreadReply("there is no money left") from why
        reading = _reading(answer)
        if reading is not None:
            return believed(reading, reply.body)
    raise UnreadReply("the model's answer cannot be read")


def reading_question(reader: ChosenModel, finding: Finding, before: Sequence[Reply], reply: Reply) -> ModelRequest:
    """The question to the model that reads a reply."""
    material = reading_material(finding, before, reply)
    return ModelRequest(
        model=reader.model,
        system=load("reply"),
        messages=(user_message(material),),
        answer_tokens=_MOST_TOKENS,
        effort=reader.effort,
    )


def kept_meanings(ledger: Ledger, replies: Iterable[Reply]) -> dict[str, Meaning | None]:
    """The meanings that models read in these replies so far, by `reading_name`, in the conversation or for a review."""
    readings = {}
    for reply in replies:
        name = reading_name(reply)
        reading = _reading(kept_answer(ledger, name))
        if reading is not None:
            readings[name] = believed(reading, reply.body)
    return readings


def _reading(answer: ModelAnswer | None) -> Reading | None:
    """The meaning of a reply by an answer, None if that is not complete or cannot be read."""
    return read_reading(answer.text) if answer is not None and answer.stop_reason == "end_turn" else None
