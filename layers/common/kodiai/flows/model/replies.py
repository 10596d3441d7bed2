"""Replies: what a model reads in them, where the table does not know them; each is paid for once, whoever asks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from kodiai.core.conversation.comment import Reply
from kodiai.core.conversation.reading import (
    Reading,
    believed,
    reading_material,
    reading_name,
)
from kodiai.core.conversation.replies import Meaning
from kodiai.core.findings.finding import Finding
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.flows.model.answers import ModelAnswers, OverBudget, kept_answer
from kodiai.ports import Ledger
from kodiai.prompts.load import load

_MOST_TOKENS = 1_000
_TRIES = 2


class NotRead(Exception):
    """Nobody could say what a reply means; it may be asked again later."""


@dataclass(frozen=True)
class ReplyReader:
    """The model that reads replies."""

    answers: ModelAnswers
    model: str

    def meaning(self, finding: Finding, before: Sequence[Reply], reply: Reply) -> Meaning | None:
        """Read a reply to a finding of ours, None where it decides nothing. `before` are the turns before it.

        Raises NotRead where the model declines, there is no money for it, or its answer cannot be read twice.
        Raises what `ModelAnswers.to` raises where it is busy, or the time is up.
        """
        question = reading_question(self.model, finding, before, reply)
        name = reading_name(reply)
        for _ in range(_TRIES):
            try:
                answer = self.answers.to(question, usable=_is_readable, name=name)
            except OverBudget as why:
                raise NotRead("there is no money left") from why
            if _is_readable(answer):
                return believed(Reading.model_validate_json(answer.text), reply.body)
        raise NotRead("the model's answer cannot be read")


def reading_question(model: str, finding: Finding, before: Sequence[Reply], reply: Reply) -> ModelRequest:
    """What a model is asked about a reply."""
    material = reading_material(finding, before, reply)
    return ModelRequest(
        model=model,
        system=load("reply"),
        messages=(user_message(material),),
        max_tokens=_MOST_TOKENS,
        schema=Reading.model_json_schema(),
    )


def read_before(ledger: Ledger, replies: Iterable[Reply]) -> dict[str, Meaning | None]:
    """What a model has read in replies so far, by `reading_name`, in the conversation or in a review."""
    readings = {}
    for reply in replies:
        name = reading_name(reply)
        answer = kept_answer(ledger, name)
        if answer is not None:
            readings[name] = believed(Reading.model_validate_json(answer.text), reply.body)
    return readings


def _is_readable(answer: ModelAnswer) -> bool:
    if answer.stop_reason != "end_turn":
        return False
    try:
        Reading.model_validate_json(answer.text)
    except ValidationError:
        return False
    return True
