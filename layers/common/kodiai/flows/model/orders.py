"""Orders: have a model name the rules and instructions that order the reviewer about."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, Field

from kodiai.core.config.settings import ChosenModel
from kodiai.core.errors import Retry
from kodiai.core.model.messages import ModelAnswer, ModelRequest, user_message
from kodiai.core.model.tool import BadCall, read_call, tool
from kodiai.core.plan.material import json_rows
from kodiai.ports.models import Model
from kodiai.prompts.load import load

_MOST_TOKENS = 4_000
_TIMEOUT_SECONDS = 60.0


class _Order(BaseModel):
    """A text that orders the reviewer about."""

    model_config = ConfigDict(frozen=True)

    id: str
    why: str = Field(description="What it orders, in at most 12 words.")


_NAME_ORDER = tool("name_order", "Name one text that orders the reviewer about.", _Order)


def orders(model: Model, reader: ChosenModel, texts: Mapping[str, str]) -> dict[str, str]:
    """The reasons of those texts that order the reviewer about, by their ids. Raises Retry and Broken."""
    rows = ({"id": name, "text": text} for name, text in texts.items())
    question = ModelRequest(
        model=reader.model,
        system=load("orders"),
        messages=(user_message(json_rows(rows)),),
        answer_tokens=_MOST_TOKENS,
        effort=reader.effort,
        tools=(_NAME_ORDER,),
    )
    answer = model.answer(question, _TIMEOUT_SECONDS)
    if answer.stop_reason not in ("end_turn", "tool_use"):
        raise Retry(f"the model gave no whole answer ({answer.stop_reason})")
    named = {each.id: " ".join(each.why.split()) for each in _named(answer)}
    return {name: named[name] for name in texts if name in named}


def _named(answer: ModelAnswer) -> Iterator[_Order]:
    for use in answer.tool_uses:
        with suppress(BadCall):
            if use.name == _NAME_ORDER.name:
                yield read_call(_Order, use.input)
