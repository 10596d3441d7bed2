"""A conversation with tools ends before the money does, and is not paid for twice because of a limit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.model.messages import ModelAnswer, ModelRequest, Text, ToolResult, ToolUse, Usage
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.flows.model.tool_tokens import Subject
from kodiai.flows.pull_request_ports import Deadline, ModelPorts
from tests.builders import PARSER, FilesTree
from tests.core.config.test_settings import DEPLOYMENT, PREFIX
from tests.core.panel import Books, Clock

MODEL = "claude-sonnet-5-5"
LARGE = "\n".join(f"row_{number} = 'some words'" for number in range(700))
TREE = FilesTree({"large.py": LARGE, "small.py": "x = 1\n"}, searchable=True)
BATCH, OTHER = Subject("a batch", 1_000_000), Subject("another batch", 1_000_000)
TURN = 0.1
"""The cost of each question, in US dollars: 50,000 tokens."""


@dataclass
class Reading:
    """A model that reads these files as often as it may, or even if it may not; `asked` are the questions."""

    asked: list[ModelRequest] = field(default_factory=list)
    model: str = MODEL
    paths: Sequence[str] = ("large.py",)
    obeys: bool = True

    def answer(self, question: ModelRequest, _timeout_seconds: float) -> ModelAnswer:
        self.asked.append(question)
        turn = len(self.asked)
        uses = tuple(ToolUse(f"t{turn} {path}", "read_files", {"files": [{"path": path}]}) for path in self.paths)
        blocks = uses if question.tools_allowed or not self.obeys else (Text("The report."),)
        return ModelAnswer(self.model, blocks, "end_turn", Usage(calls=1, input_tokens=50_000))


def answers(model: Reading, books: Books, budget: float | None = None, **parameters: str) -> ModelAnswers:
    named = {name.replace("__", "/").replace("_", "-"): value for name, value in parameters.items()}
    settings = DeploymentSettings.from_parameters(DEPLOYMENT | named, PREFIX)
    deadline = Deadline(DeliveryAttempt("me", 0.0, 600.0, 1, 5), Clock())
    ports = ModelPorts(cast(Any, books), model, settings, deadline)
    return ModelAnswers(ports, budget=BudgetConfig(per_pull_request=budget))


def talk(to: ModelAnswers, question: str = "Look.", about: Subject = BATCH) -> str:
    reader = Reader(to, MODEL, "low", RepositoryView(TREE, PARSER), 24)
    return converse(reader, [Text(question)], (), about=about).text


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

    assert talk(to) == "The report."
    assert (len(model.asked), shown(model.asked) == limit) == (asked, asked == 3)
    assert shown(model.asked) <= limit
    assert talk(to, "Look again.") == "The report."
    assert len(model.asked) == asked + 1
    assert talk(to, about=OTHER) == "The report."
    assert to.use.reached == ("limits/tool-tokens-per-batch",)


def test_all_conversations_of_a_review_share_a_limit() -> None:
    """It ends the tools in the next batch too."""
    model = Reading()
    to = answers(model, Books(), limits__tool_tokens_per_batch="10000", limits__tool_tokens_per_review="12000")
    talk(to)
    talk(to, "Listen.", about=OTHER)
    before = len(model.asked)

    assert talk(to, "Read.", about=OTHER) == "The report."
    assert len(model.asked) == before + 1
    assert "limits/tool-tokens-per-review" in to.use.reached


def test_half_of_the_money_is_kept_for_reports() -> None:
    """A share of the rest at the first question, of either limit; the remainder pays for questions without tools."""
    model, books = Reading(), Books(spent=1)
    to = answers(model, books, budget=3)

    assert talk(to) == "The report."

    assert [question.tools_allowed for question in model.asked].count(True) == 10
    assert books.spent == pytest.approx(1 + 11 * TURN)
    assert to.use.reached == ("spending/tools-share",)


def test_a_question_with_tools_is_not_asked_again_without_them() -> None:
    """The next invocation finds the money spent, by itself, and goes on where this one stopped."""
    model, books = Reading(), Books()
    talk(answers(model, books, budget=2))
    asked, spent = len(model.asked), books.spent

    assert talk(answers(model, books, budget=2)) == "The report."

    assert (len(model.asked), books.spent) == (asked, spent)


def test_a_question_under_way_counts_as_spent() -> None:
    """A second question of the same review that would go over the limit together with it is not asked."""
    books, refused = Books(), list[str]()

    class Twice(Reading):
        def answer(self, question: ModelRequest, _timeout_seconds: float) -> ModelAnswer:
            if not self.asked:
                self.asked.append(question)
                try:
                    talk(to, "Meanwhile.")
                except OverBudget as why:
                    refused.append(str(why))
            return ModelAnswer(MODEL, (Text("The report."),), "end_turn", Usage(calls=1, input_tokens=10))

    model = Twice()
    to = answers(model, books, budget=0.05)

    assert talk(to) == "The report."
    assert refused == ["the budget `budget.perPullRequest` is used up"]
    assert talk(to, "Afterwards.") == "The report."


def test_an_answer_under_another_name_costs_what_the_model_costs_that_was_asked() -> None:
    """The API may name a model with its date; it would count as nothing."""
    books = Books()

    model = Reading(model=f"{MODEL}-20260101")

    talk(answers(model, books))

    assert books.spent == pytest.approx(len(model.asked) * TURN)
