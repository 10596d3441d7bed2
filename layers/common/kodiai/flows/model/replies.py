"""Replies: have a model read those that parsing does not understand; each is paid for once, whoever asks."""

from collections.abc import Iterable, Sequence

from kodiai.core.conversation.reading import (
    Reading,
    UnreadableReading,
    believed,
    read_reading,
    reading_material,
    reading_name,
)
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import Read
from kodiai.core.conversation.thread import Reply
from kodiai.core.findings.finding import Finding
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.flows.model.answers import ModelAnswers, OverBudget, kept_answer
from kodiai.ports import Ledger
from kodiai.prompts.load import load

_MOST_TOKENS = 1_000
_TRIES = 2


class NotRead(Exception):
    """No model could read a reply now; it may be asked again later."""


def reply_meaning(answers: ModelAnswers, finding: Finding, before: Sequence[Reply], reply: Reply) -> Meaning | None:
    """Have a model read a reply to a finding of ours; None if it decides nothing. `before` are the replies before it.

    Raises NotRead if the model declines, the budget is used up, or its answer cannot be read twice.
    Raises what `ModelAnswers.to` raises if it is busy, or the time is up.
    """
    question = reading_question(answers.models.extractor, finding, before, reply)
    name = reading_name(reply.id, reply.body)
    for _ in range(_TRIES):
        try:
            answer = answers.to(question, usable=_is_readable, name=name)
        except OverBudget as why:
            raise NotRead("there is no money left") from why
        if _is_readable(answer):
            return believed(read_reading(answer.text), reply.body)
    raise NotRead("the model's answer cannot be read")


def reading_question(model: str, finding: Finding, before: Sequence[Reply], reply: Reply) -> ModelRequest:
    """The question to a model about a reply."""
    material = reading_material(finding, before, reply.author, reply.body)
    return ModelRequest(
        model=model,
        system=load("reply"),
        messages=(user_message(material),),
        max_tokens=_MOST_TOKENS,
        schema=Reading.model_json_schema(),
    )


def read_before(ledger: Ledger, replies: Iterable[Reply]) -> Read:
    """What models read in these replies so far, in the conversation or for a review."""
    meanings = {}
    for reply in replies:
        name = reading_name(reply.id, reply.body)
        answer = kept_answer(ledger, name)
        if answer is not None:
            meanings[name] = believed(read_reading(answer.text), reply.body)
    return Read(meanings)


def _is_readable(answer: ModelAnswer) -> bool:
    if answer.stop_reason != "end_turn":
        return False
    try:
        read_reading(answer.text)
    except UnreadableReading:
        return False
    return True
