"""Answers: what the models say, each paid for once, however often the work has to begin again."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace

from kodiai.core.errors import Broken, Overloaded
from kodiai.flows.review.cost import cost_usd
from kodiai.flows.world import World
from kodiai.ports import Answer, JsonObject, Question, Usage


class Answers:
    """Asks the models for one pull request, and adds up by model what the answers cost, those kept from before too.

    `salt` sets questions apart from the same ones of other runs, where a person wants them asked anew.
    Raises Broken where an invocation is too short for the longest answer.
    """

    def __init__(self, world: World, salt: str = "") -> None:
        limits = world.settings.limits
        self._world = world
        self._salt = salt
        self._longest = limits.answer_seconds
        self._needed = limits.answer_seconds + limits.publish_seconds
        if world.turn.deadline - world.turn.started < self._needed:
            raise Broken("limits/answer-seconds and limits/publish-seconds are longer than the function may run")
        self.usage: dict[str, Usage] = {}

    def to(self, question: Question, *, usable: Callable[[Answer], bool]) -> Answer:
        """Answer a question, from what is kept if it was asked before; an answer that is not usable is not kept.

        A question is the same only where all that the model sees is the same.
        Raises OutOfTime where the longest answer no longer fits: everything so far is kept.
        """
        key = _key(question, self._salt)
        kept = self._world.ledger.kept_answer(key)
        if kept is not None:
            return self._counted(_from_json(kept))
        self._world.need(self._needed)
        answer = self._counted(self._ask(question))
        cost = cost_usd({answer.model: answer.usage}, self._world.settings.models.prices) or 0
        if usable(answer):
            self._world.ledger.keep_answer(key, _to_json(answer), cost)
        else:
            self._world.ledger.spend(cost)
        return answer

    def _ask(self, question: Question) -> Answer:
        """Ask the model, from the second try on also the one that stands in while it is overloaded."""
        fallback = self._world.settings.models.fallback
        try:
            return self._world.model.answer(question, self._longest)
        except Overloaded:
            if fallback is None or fallback == question.model or self._world.turn.attempt == 1:
                raise
        self._world.need(self._needed)
        return self._world.model.answer(replace(question, model=fallback), self._longest)

    def _counted(self, answer: Answer) -> Answer:
        self.usage[answer.model] = self.usage.get(answer.model, Usage()) + answer.usage
        return answer


def _key(question: Question, salt: str) -> str:
    asked = json.dumps(asdict(question), sort_keys=True) + salt
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def _to_json(answer: Answer) -> JsonObject:
    return asdict(answer)


def _from_json(data: JsonObject) -> Answer:
    return Answer(data["model"], data["content"], data["stop_reason"], Usage(**data["usage"]))
