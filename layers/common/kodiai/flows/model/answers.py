"""Answers: the models' answers, each paid for once, however often the work has to begin again."""

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import asdict, replace

from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.spending import Spending, SpendingLimit, lowest, spending_limits
from kodiai.core.errors import Broken, Overloaded
from kodiai.core.model.messages import (
    Block,
    ModelAnswer,
    ModelRequest,
    ModelUse,
    OpaqueBlock,
    Text,
    ToolResult,
    ToolUse,
    Usage,
    answer_from_json,
    answer_to_json,
    cost_usd,
    less,
    likely_thinking,
    weighted_input,
)
from kodiai.core.text.tokens import estimated_tokens
from kodiai.core.words.spending import used_up
from kodiai.flows.model.tool_tokens import Subject, ToolTokens
from kodiai.flows.pull_request_ports import ModelPorts
from kodiai.ports.ledger import Ledger

# For the estimate before a question: most answers are shorter, and their real cost is counted.
_LIKELY_ANSWER_TOKENS = 2_000


class OverBudget(Exception):
    """The next question would cost more than may still be spent; the text is the reason, `limit` says what ends it."""

    def __init__(self, limit: SpendingLimit) -> None:
        super().__init__(used_up(limit))
        self.limit = limit


class ModelAnswers:
    """Asks the models for one pull request, and adds up the usage by model, that of kept answers too.

    Several threads may ask at once. `has_new` is whether a question was asked whose answer is kept.
    `salt` distinguishes questions from the same ones of other runs, if a person wants them asked again.
    What was spent is read before each question: others spend at the same time, and count into the same limits. `spent`
    is what was read before, and counts until something is paid.
    `budget` are the repository's own limits, next to the deployment's caps; `is_for_commit` is whether there is no pull
    request to limit. Tools may be used until their share of what could be spent at the first question is gone, and
    while `tool_tokens` allow it: so a report can still be written.
    Raises Broken if an invocation is too short for the longest answer.
    """

    def __init__(
        self,
        ports: ModelPorts,
        *,
        budget: BudgetConfig,
        is_for_commit: bool = False,
        salt: str = "",
        spent: Spending | None = None,
    ) -> None:
        settings, limits, attempt = ports.settings, ports.settings.limits, ports.deadline.attempt
        self._model = ports.model
        self._ledger = ports.ledger
        self.models = settings.models
        self._deadline = ports.deadline
        self._salt = salt
        self._spent = spent
        self._limits = spending_limits(budget, settings.spending, is_for_commit=is_for_commit)
        self._tools_share = settings.spending.tools_share
        self._kept_from_tools: float | None = None
        self._under_way = 0.0
        self.tool_tokens = ToolTokens(limits)
        self._most_input = limits.input_tokens_per_review
        self._longest = limits.answer_seconds
        self._needed = limits.answer_seconds + limits.publish_seconds
        if attempt.deadline - attempt.started < self._needed:
            raise Broken("limits/answer-seconds and limits/publish-seconds are longer than the function may run")
        self._usage: dict[str, Usage] = {}
        self._largest: dict[str, int] = {}
        self.has_new = False
        self._lock = threading.Lock()
        self._sent: set[tuple[str, int]] = set()
        self._reached: set[str] = set()
        self._asking: dict[str, threading.Lock] = {}

    def to(
        self,
        question: ModelRequest,
        *,
        usable: Callable[[ModelAnswer], bool],
        name: str | None = None,
        about: Subject | None = None,
        short: ModelRequest | None = None,
    ) -> ModelAnswer:
        """Answer a question, with the kept answer if it was asked before; an answer that is not usable is not kept.

        An answer that was cut off before it was of use, such as by the thinking before it, is kept, and the question
        asked once more with less effort: so each attempt does not pay for it again.
        Two questions are the same if the model sees the same, or if they have the same `name`: then the answer is kept
        as long as everything about the pull request.
        If tools have shown too much `about` its subject, or cost too much, the `short` question is asked in its place,
        by which the model looks up nothing more. That answer says so, and is kept as the answer to the question as it
        was: a review that begins again finds other sums, and must not ask twice.
        Raises OutOfTime if the longest answer no longer fits: everything so far is kept.
        Raises OverBudget if it would cost too much.
        """
        answer = self._once(question, short, usable, name=name, about=about)
        lower = less(question.effort)
        if answer.stop_reason != "max_tokens" or usable(answer) or lower is None:
            return answer
        less_short = replace(short, effort=lower) if short is not None else None
        return self._once(replace(question, effort=lower), less_short, usable, name=name, about=about)

    def _once(
        self,
        question: ModelRequest,
        short: ModelRequest | None,
        usable: Callable[[ModelAnswer], bool],
        *,
        name: str | None,
        about: Subject | None,
    ) -> ModelAnswer:
        """Answer a question with its own effort."""
        key = name or _key(question, self._salt)
        with self._lock:
            asking = self._asking.setdefault(key, threading.Lock())
        with asking:  # who asks the same meanwhile waits for this answer, and pays nothing
            with self._lock:
                kept, spending = self._before(key)
                if kept is None:
                    reserved, is_short = self._reserve(question, about, spending, looks_up=short is not None)
            if kept is not None:
                return self._counted(kept)
            asked = short if is_short and short is not None else question
            return self._new(key, asked, usable, reserved, is_lasting=name is not None, is_short=is_short)

    def _before(self, key: str) -> tuple[ModelAnswer | None, Spending]:
        """The kept answer to a question, and what was spent: one request instead of two."""
        kept, spending = self._ledger.before_question(key)
        return (answer_from_json(kept) if kept else None), spending

    def _reserve(
        self, question: ModelRequest, about: Subject | None, spending: Spending, *, looks_up: bool
    ) -> tuple[float, bool]:
        """Count the likely cost of a question, in US dollars, as spent until its answer is counted.

        Gives it, and whether a limit ends the look-ups. Raises OverBudget.
        """
        cost = self._likely_cost(question)
        reached = self.tool_tokens.reached(about) if looks_up else None
        taken = sum(weighted_input(used, self.models.prices[model]) for model, used in self._usage.items())
        if looks_up and taken >= self._most_input:
            reached = "limits/input-tokens-per-review"
        if cost:
            limit, left = self._left(spending)
            if cost > left:
                self._reached.add(limit.name)
                raise OverBudget(limit)
            if self._kept_from_tools is None:
                self._kept_from_tools = left * (1 - self._tools_share)
            if looks_up and left - cost < self._kept_from_tools:
                reached = "spending/tools-share"
        self._reached.update({reached} if reached is not None else ())
        self._under_way += cost
        return cost, reached is not None

    def _new(
        self,
        key: str,
        question: ModelRequest,
        usable: Callable[[ModelAnswer], bool],
        reserved: float,
        *,
        is_lasting: bool,
        is_short: bool,
    ) -> ModelAnswer:
        """Ask, and keep the answer with its cost, which replaces what was reserved."""
        try:
            self._deadline.need(self._needed)
            answer = replace(self._counted(self._ask(question)), is_short=is_short)
        except BaseException:
            with self._lock:
                self._under_way -= reserved
            raise
        cost, used, paid = self._cost({answer.model: answer.usage}), answer.usage, self._deadline.attempt.paid
        with self._lock:
            paid.input_tokens += used.prompt_tokens
            paid.output_tokens += used.output_tokens
            paid.cost_usd += cost
            self._under_way -= reserved
            self._spent = None
            self._sent.update((answer.model, hash(part)) for part in _parts(question))
            # What is named is kept as long as everything about the pull request, so it has to be of use.
            if usable(answer) or (answer.stop_reason == "max_tokens" and not is_lasting):
                self._ledger.keep_answer(key, answer_to_json(answer), cost, lasting=is_lasting)
                self.has_new = True
            else:
                self._ledger.spend(cost)
        return answer

    def affords(self, usage: Usage, model: str) -> bool:
        """Whether what may still be spent covers this usage."""
        cost = self._cost({model: usage})
        with self._lock:
            return not cost or cost <= self._left(self._spent or self._ledger.spending())[1]

    def _left(self, spending: Spending) -> tuple[SpendingLimit, float]:
        """The limit that leaves the least, and what it leaves, in US dollars, without the questions under way."""
        limit, left = lowest(self._limits, spending)
        return limit, left - self._under_way

    @property
    def use(self) -> ModelUse:
        """The usage of the answers so far."""
        prices = self.models.prices
        shares = {model: tokens / prices[model].context for model, tokens in self._largest.items() if model in prices}
        crowded = {model: share for model, share in shares.items() if share > 1 / 2}
        return ModelUse(dict(self._usage), cost_usd(self._usage, prices), crowded, tuple(sorted(self._reached)))

    def _ask(self, question: ModelRequest) -> ModelAnswer:
        """Ask the model, from the second attempt on also the fallback while it is overloaded."""
        fallback = self.models.fallback
        try:
            answer = self._model.answer(question, self._longest)
        except Overloaded:
            if fallback is None or fallback == question.model or self._deadline.attempt.attempt == 1:
                raise
            self._deadline.need(self._needed)
            question = replace(question, model=fallback)
            answer = self._model.answer(question, self._longest)
        if not question.tools or not question.tools_allowed:  # the API should not let it use any
            answer = replace(answer, blocks=tuple(each for each in answer.blocks if not isinstance(each, ToolUse)))
        # A name that has no price is another name of the model that was asked, which has one.
        return answer if answer.model in self.models.prices else replace(answer, model=question.model)

    def _likely_cost(self, question: ModelRequest) -> float:
        """The likely cost of a question in US dollars; parts that the model was sent before are in its cache."""
        sizes = {part: estimated_tokens(part) for part in _parts(question)}
        known = sum(size for part, size in sizes.items() if (question.model, hash(part)) in self._sent)
        likely = Usage(
            cache_read_tokens=known,
            cache_write_tokens=sum(sizes.values()) - known,
            output_tokens=_LIKELY_ANSWER_TOKENS + likely_thinking(question.effort),
        )
        return self._cost({question.model: likely})

    def _cost(self, usage: dict[str, Usage]) -> float:
        return cost_usd(usage, self.models.prices) or 0

    def _counted(self, answer: ModelAnswer) -> ModelAnswer:
        used = answer.usage
        with self._lock:
            self._usage[answer.model] = self._usage.get(answer.model, Usage()) + used
            self._largest[answer.model] = max(used.prompt_tokens, self._largest.get(answer.model, 0))
        return answer


def kept_answer(ledger: Ledger, key: str) -> ModelAnswer | None:
    """The answer to a question that was asked before, None if none is kept."""
    kept = ledger.kept_answer(key)
    return answer_from_json(kept) if kept else None


def _parts(question: ModelRequest) -> list[str]:
    """The texts of a question's blocks; what is no text, as JSON."""
    blocks = (block for message in question.messages for block in message.blocks)
    return [question.system, *map(_text, blocks)]


def _text(block: Block) -> str:
    return block.text if isinstance(block, Text | ToolResult) else json.dumps(asdict(block), ensure_ascii=False)


def _key(question: ModelRequest, salt: str) -> str:
    """A name for everything that the model sees, except for what is not in the key.

    What only the API understands is not: it is left out where something before it has changed.
    """

    def is_in_key(block: Block, at: int) -> bool:
        is_text_apart = at == 0 and isinstance(block, Text) and block.text in question.not_in_key
        return not isinstance(block, OpaqueBlock) and not is_text_apart

    messages = tuple(
        replace(message, blocks=tuple(each for each in message.blocks if is_in_key(each, at)))
        for at, message in enumerate(question.messages)
    )
    lasting = replace(question, messages=messages, not_in_key=(), cached_for="5m")
    asked = json.dumps(asdict(lasting), sort_keys=True) + salt
    return hashlib.sha256(asked.encode()).hexdigest()[:32]
