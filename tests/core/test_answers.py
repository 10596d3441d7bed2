"""An answer of a model is asked and paid for once, within the time that there is."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.config.spending import Spending
from kodiai.core.errors import Broken, OutOfTime, Overloaded, Retry
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.model.messages import Message, ModelAnswer, ModelRequest, OpaqueBlock, Text, Usage, user_message
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.pull_request_ports import Deadline, ModelPorts
from tests.core.config.test_settings import DEPLOYMENT, PREFIX
from tests.core.panel import Books, Clock, Panel
from tests.tables import each_row

PRICE = {"input": 2, "output": 10, "cache_read": 1, "cache_write": 1}
MODELS = ("claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5")
PRICES = json.dumps(dict.fromkeys(MODELS, PRICE))
QUESTION = ModelRequest("claude-sonnet-5-5", "", (user_message("What is wrong?"),), 1_000, "high")
USAGE = Usage(calls=1, input_tokens=1_000_000)
NOTHING = ModelAnswer("claude-sonnet-5-5", (Text("Nothing."),), "end_turn", USAGE)


@dataclass
class Scene:
    """An invocation of ten minutes, unless told otherwise."""

    books: Books = field(default_factory=Books)
    speaker: Panel = field(default_factory=lambda: Panel({"What is wrong?": [NOTHING]}))
    clock: Clock = field(default_factory=Clock)
    attempt: int = 1
    deadline: float = 600.0
    parameters: dict[str, str] = field(default_factory=dict)

    def answers(self, salt: str = "", spent: Spending | None = None) -> ModelAnswers:
        values = DEPLOYMENT | {"models/prices": PRICES} | self.parameters
        settings = DeploymentSettings.from_parameters(values, PREFIX)
        deadline = Deadline(DeliveryAttempt("me", 0.0, self.deadline, self.attempt, 5), self.clock)
        ports = ModelPorts(cast(Any, self.books), self.speaker, settings, deadline)
        return ModelAnswers(ports, budget=BudgetConfig(), salt=salt, spent=spent)

    @property
    def asked(self) -> list[str]:
        """The models that were asked."""
        return [question.model for question in self.speaker.asked]


def to(answers: ModelAnswers, usable: Callable[[ModelAnswer], bool] = lambda _: True) -> ModelAnswer:
    return answers.to(QUESTION, usable=usable)


def test_the_same_question_is_asked_once_by_several_threads_and_by_the_next_invocation() -> None:
    """The second thread waits for the answer of the first; each invocation counts it, and it is paid for once."""
    scene = Scene()
    scene.speaker.meanwhile = lambda _: time.sleep(0.05)
    first, second, third = scene.answers(), scene.answers(), scene.answers()

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(to, [first, first]))

    assert [*found, to(second), to(third)] == [NOTHING] * 4
    assert scene.asked == ["claude-sonnet-5-5"]
    assert second.use.by_model == third.use.by_model == {"claude-sonnet-5-5": USAGE}
    assert scene.books.spent == 2.0


def test_questions_of_one_name_are_one_question_and_so_are_those_that_differ_in_thinking() -> None:
    """Whatever else they show and whoever asks; a named answer lasts.

    Thinking is left out where something before it has changed, and the answer to the rest is paid for already.
    """
    named, scene = Scene(), Scene()
    thought = Message("assistant", (OpaqueBlock({"type": "thinking"}, "before"), Text("Hm.")))
    without = replace(thought, blocks=thought.blocks[1:])

    for question in (QUESTION, replace(QUESTION, answer_tokens=17)):
        named.answers("salt").to(question, usable=lambda _: True, name="reply-7")
    for turn in (thought, without):
        messages = (*QUESTION.messages, turn, user_message("Go on."))
        scene.answers().to(replace(QUESTION, messages=messages), usable=lambda _: True)

    assert named.asked == scene.asked == ["claude-sonnet-5-5"]
    assert set(named.books.kept) == named.books.lasting == {"reply-7"}


def test_the_spending_is_read_again_only_after_something_was_paid() -> None:
    """And before each question, in any case."""
    scene = Scene()
    answers = scene.answers(spent=Spending(4.0, 4.0, 4.0, 4.0))

    before = [answers.affords(USAGE, "claude-sonnet-5-5")]
    to(answers)
    before.append(answers.affords(USAGE, "claude-sonnet-5-5"))

    assert (before, scene.books.spent) == ([False, True], 2.0)


def test_a_question_with_salt_is_another_one() -> None:
    """A person wants it asked again: once for each salt, and the answer kept without one stays for the others."""
    scene = Scene()

    for salt in ("", "run2", "run2", "run3", ""):
        to(scene.answers(salt))

    assert len(scene.asked) == len(scene.books.kept) == 3
    assert scene.books.spent == 6.0


@pytest.mark.parametrize(("stop_reason", "is_usable", "asked"), [("end_turn", False, 2), ("max_tokens", True, 1)])
def test_an_answer_is_asked_for_again_only_if_it_leads_nowhere(stop_reason: Any, is_usable: bool, asked: int) -> None:
    """A refusal may be another one next time, and both are paid; a cut answer that is of use is continued."""
    scene = Scene()
    scene.speaker.steps = {"What is wrong?": [replace(NOTHING, stop_reason=stop_reason)]}

    for _ in range(2):
        to(scene.answers(), usable=lambda _: is_usable)

    assert (len(scene.asked), scene.books.spent) == (asked, 2.0 * asked)


CUT = replace(NOTHING, blocks=(), stop_reason="max_tokens", usage=Usage(calls=1, output_tokens=100_000))


def has_text(answer: ModelAnswer) -> bool:
    return bool(answer.text)


def test_a_question_whose_answer_ends_in_its_thinking_is_asked_once_more_with_less_effort() -> None:
    """Both are paid, once: the next invocation has the cut answer and the other one."""
    scene = Scene()
    scene.speaker.steps = {"What is wrong?": [CUT, NOTHING]}
    first, second = scene.answers(), scene.answers()

    assert to(first, has_text) == to(second, has_text) == NOTHING

    assert [each.effort for each in scene.speaker.asked] == ["high", "medium"]
    assert first.use.total == second.use.total == CUT.usage + USAGE
    assert scene.books.spent == 3.0


def test_an_answer_that_is_cut_with_less_effort_too_is_paid_for_no_more() -> None:
    """Nor is one that was asked for with the least; what lasts longer than the review is asked for again."""
    scene = Scene(parameters={"spending/per-pull-request-usd": "50"})
    scene.speaker.steps = {"What is wrong?": [CUT]}
    low = replace(QUESTION, effort="low")

    for _ in range(3):
        assert to(scene.answers(), has_text) == CUT
        assert scene.answers().to(low, usable=has_text) == CUT

    assert [each.effort for each in scene.speaker.asked] == ["high", "medium", "low"]
    for _ in range(2):
        scene.answers().to(low, usable=has_text, name="reply-7")
    assert len(scene.speaker.asked) == 5
    assert scene.books.lasting == set()


def test_no_question_is_begun_whose_longest_answer_no_longer_fits() -> None:
    """240 seconds for the answer and 30 for telling; what is kept can be had at any time."""
    scene = Scene()
    to(scene.answers())
    scene.clock.time = 600 - 269

    to(scene.answers())
    scene.books.kept.clear()
    with pytest.raises(OutOfTime):
        to(scene.answers())

    scene.clock.time = 600 - 270
    to(scene.answers())
    assert len(scene.asked) == 2


def test_a_function_that_may_never_run_long_enough_is_broken_at_once() -> None:
    """It would be continued for ever."""
    with pytest.raises(Broken, match=r"^limits/answer-seconds and limits/publish-seconds are longer than"):
        Scene(deadline=269).answers()


ASKED, FALLBACK = "claude-sonnet-5-5", "claude-opus-5-5"


@each_row(
    ("fallback", "has_room_again", "answers"),
    [(FALLBACK, False, FALLBACK), (FALLBACK, True, ASKED), ("", False, None), (ASKED, False, None)],
)
def test_an_overloaded_model_is_waited_for_first_and_replaced_then(
    fallback: str, has_room_again: bool, answers: str | None
) -> None:
    """The next attempt asks it first. The fallback's answer is kept, and paid at the price of who answered.

    Without another model there is only waiting.
    """
    scene = Scene(parameters={"models/fallback": fallback})
    scene.speaker.overloaded = {ASKED}
    with pytest.raises(Overloaded):
        to(scene.answers())

    scene.attempt, scene.speaker.overloaded = 2, set() if has_room_again else {ASKED}

    if answers is None:
        with pytest.raises(Retry):
            to(scene.answers())
    else:
        second = scene.answers()
        assert to(second).model == to(scene.answers()).model == answers
        assert second.use.by_model == {answers: USAGE}
    assert scene.asked == [ASKED, ASKED, *([FALLBACK] if answers == FALLBACK else [])]


def test_another_model_reads_nothing_of_the_cache_that_one_has_filled() -> None:
    """So its question may cost too much where one to the same model would not."""
    free_reads = dict.fromkeys(MODELS, PRICE | {"cache_read": 0})
    cap = {"models/prices": json.dumps(free_reads), "spending/per-pull-request-usd": "2.5"}
    scene = Scene(parameters=cap, speaker=Panel({"What is wrong?": [NOTHING] * 2}))
    answers, long = scene.answers(), replace(QUESTION, system="a" * 3_000_000)
    answers.to(long, usable=lambda _: True)

    with pytest.raises(OverBudget):
        answers.to(replace(long, model="claude-opus-5-5"), usable=lambda _: True)
    answers.to(replace(long, answer_tokens=17), usable=lambda _: True)

    assert scene.asked == ["claude-sonnet-5-5"] * 2
