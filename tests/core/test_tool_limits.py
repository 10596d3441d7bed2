"""A conversation with tools ends before the money does, and is not paid for twice because of a limit."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.findings.report_book import ReportBook
from kodiai.core.findings.source import Source
from kodiai.core.model.messages import ModelAnswer, ModelRequest, Text, ToolResult, Usage, user_message
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.conversation import Reader, report
from kodiai.flows.model.tool_tokens import Subject
from kodiai.flows.pull_request_ports import Deadline, ModelPorts
from tests.builders import PARSER, FilesTree, reading
from tests.core.config.test_settings import DEPLOYMENT, PREFIX
from tests.core.panel import FINISH, Books, Clock, reads, turn

MODEL = "claude-sonnet-5-5"
LARGE = "\n".join(f"row_{number} = 'some words'" for number in range(700))
TREE = FilesTree({"large.py": LARGE, "small.py": "x = 1\n"}, searchable=True)
BATCH, OTHER = Subject("a batch", 1_000_000), Subject("another batch", 1_000_000)
TURN = 0.1
"""The cost of each question, in US dollars: 50,000 tokens."""


@dataclass
class Reading:
    """A model that reads these files until it is told that it may not, and ends, at the second try if it `errs`.

    `asked` are the questions.
    """

    asked: list[ModelRequest] = field(default_factory=list)
    model: str = MODEL
    paths: Sequence[str] = ("large.py",)
    errs: bool = False

    def answer(self, question: ModelRequest, _timeout_seconds: float) -> ModelAnswer:
        is_first = not any(map(is_short, self.asked))
        self.asked.append(question)
        ends = [("finish", {"strengths": 7}) if self.errs and is_first else FINISH]
        calls = ends if is_short(question) else map(reads, self.paths)
        return replace(turn(*calls), model=self.model, usage=Usage(calls=1, input_tokens=50_000))


def is_short(question: ModelRequest) -> bool:
    """Whether the model is told that it may look up nothing more."""
    blocks = [block for message in question.messages for block in message.blocks]
    return any(isinstance(block, Text) and block.text.startswith("Nothing more can") for block in blocks)


def answers(model: Reading, books: Books, budget: float | None = None, **parameters: str) -> ModelAnswers:
    named = {name.replace("__", "/").replace("_", "-"): value for name, value in parameters.items()}
    settings = DeploymentSettings.from_parameters(DEPLOYMENT | named, PREFIX)
    deadline = Deadline(DeliveryAttempt("me", 0.0, 600.0, 1, 5), Clock())
    ports = ModelPorts(cast(Any, books), model, settings, deadline)
    return ModelAnswers(ports, budget=BudgetConfig(per_pull_request=budget))


def talk(to: ModelAnswers, question: str = "Look.", about: Subject = BATCH) -> str:
    """Have the model report; why it has not finished, "" if it has."""
    reader = Reader(to, MODEL, "low", RepositoryView(TREE, PARSER), 24)
    book = ReportBook("generalist", Source(reading({}), (), ()), ChangedLines(()))
    return report(reader, [user_message(question)], book, (), about).failed


def shown(asked: Sequence[ModelRequest]) -> int:
    """The tokens that tools showed in the last question."""
    blocks = [block for message in asked[-1].messages for block in message.blocks]
    return sum(estimated_tokens(block.text) for block in blocks if isinstance(block, ToolResult))


def test_room_that_a_short_result_leaves_is_for_the_long_ones_and_no_turn_shows_hardly_anything() -> None:
    """Equal shares would leave almost half of the limit for turns that show ever less, each for a whole question."""
    model = Reading(paths=("small.py", "large.py"))

    talk(answers(model, Books(), limits__tool_tokens_per_batch="4000"))

    assert len(model.asked) == 2
    assert 3_900 < shown(model.asked) <= 4_000


@pytest.mark.parametrize(("limit", "asked"), [(10_000, 3), (7_800, 2)], ids=["reached", "almost reached"])
def test_one_conversation_shows_no_more_than_the_limit_of_its_batch(limit: int, asked: int) -> None:
    """The last result is cut, and then the report is asked for; the others about the batch get no tools."""
    model, books = Reading(), Books()
    to = answers(model, books, limits__tool_tokens_per_batch=str(limit))

    assert talk(to) == ""
    assert (len(model.asked), shown(model.asked) == limit) == (asked, asked == 3)
    assert shown(model.asked) <= limit
    assert talk(to, "Look again.") == ""
    assert len(model.asked) == asked + 1
    assert talk(to, about=OTHER) == ""
    assert to.use.reached == ("limits/tool-tokens-per-batch",)


def test_all_conversations_of_a_review_share_a_limit() -> None:
    """It ends the tools in the next batch too."""
    model = Reading()
    to = answers(model, Books(), limits__tool_tokens_per_batch="10000", limits__tool_tokens_per_review="12000")
    talk(to)
    talk(to, "Listen.", about=OTHER)
    before = len(model.asked)

    assert talk(to, "Read.", about=OTHER) == ""
    assert len(model.asked) == before + 1
    assert "limits/tool-tokens-per-review" in to.use.reached


def test_half_of_the_money_is_kept_for_reports() -> None:
    """A share of the rest at the first question, of either limit; the remainder pays for questions without look-ups."""
    model, books = Reading(), Books(spent=1)
    to = answers(model, books, budget=3)

    assert talk(to) == ""

    assert list(map(is_short, model.asked)) == [*[False] * 10, True]
    assert books.spent == pytest.approx(1 + 11 * TURN)
    assert to.use.reached == ("spending/tools-share",)


@pytest.mark.parametrize("given", [{"budget": 2}, {"limits__tool_tokens_per_review": "12000"}])
def test_a_short_question_is_the_answer_to_the_long_one_too(given: dict[str, Any]) -> None:
    """The kept answer says so: the next invocation finds other sums, asks nothing again and shows what was shown."""
    model, books = Reading(errs=True), Books()
    talk(answers(model, books, **given))
    asked, spent = len(model.asked), books.spent

    assert talk(answers(model, books)) == ""

    assert (len(model.asked), books.spent) == (asked, spent)
    assert list(map(is_short, model.asked)) == [*[False] * (asked - 2), True, True]


def test_a_question_under_way_counts_as_spent() -> None:
    """A second question of the same review that would go over the limit together with it is not asked."""
    books, refused = Books(), list[str]()

    class Twice(Reading):
        def answer(self, question: ModelRequest, _timeout_seconds: float) -> ModelAnswer:
            if not self.asked:
                self.asked.append(question)
                refused.append(talk(to, "Meanwhile."))
            return replace(turn(FINISH), usage=Usage(calls=1, input_tokens=10))

    model = Twice()
    to = answers(model, books, budget=0.05)

    assert talk(to) == ""
    assert refused == ["the budget `budget.perPullRequest` is used up"]
    assert talk(to, "Afterwards.") == ""


def test_an_answer_under_another_name_costs_what_the_model_costs_that_was_asked() -> None:
    """The API may name a model with its date; it would count as nothing."""
    books = Books()

    model = Reading(model=f"{MODEL}-20260101")

    talk(answers(model, books))

    assert books.spent == pytest.approx(len(model.asked) * TURN)
