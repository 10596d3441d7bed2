"""Who decides whether a finding means a problem, and by what."""

from collections.abc import Callable
from typing import Any

import pytest

from evals.judge import JudgeFailed, ModelJudge, RuleJudge
from local.model import ModelStandIn, Request, Script, failure, filled, text
from tests.evals.made_up import ADDED, EMPTY, told

_MODEL = "claude-haiku-5-5"
UNLIKE = told(title="The file has no licence", explanation="Nobody knows who may use it.")


@pytest.mark.parametrize(
    ("mechanism", "finding", "same"),
    [
        (ADDED, told(), True),
        (EMPTY, told(), False),
        (EMPTY, told(title="Crashes for no prices", explanation="prices[0] of an empty list is an IndexError."), True),
        (ADDED, UNLIKE, False),
        ("", UNLIKE, False),
    ],
)
def test_the_rule_goes_by_the_words_that_both_have(mechanism: str, finding: Any, same: bool) -> None:
    """Whatever words they choose for the rest."""
    assert RuleJudge().same(mechanism, finding, 0) is same


def test_the_rule_wants_more_words_where_the_lines_are_others() -> None:
    """Next to a problem stands many another one with some of its words."""
    finding = told(title="A discount may be negative", explanation="What is below zero is not refused by an order.")

    assert [RuleJudge().same(ADDED, finding, apart) for apart in (0, 1)] == [True, False]


def answering(script: Script, asks: Callable[[ModelJudge], Any]) -> tuple[Any, list[Request]]:
    with ModelStandIn(script) as model:
        found = asks(ModelJudge(_MODEL, base_url=model.url, api_key="key"))
        assert model.violations == []
        return found, [request.body for request in model.requests]


def test_a_model_is_asked_for_json_once_for_each_question() -> None:
    """Both texts are shown as JSON, below a prompt that calls them data."""
    script = Script(filled({"why": "The same.", "same": True}), filled({"why": "Another.", "same": False}))

    found, asked = answering(
        script, lambda judge: [judge.same(ADDED, told(), 0), judge.same(EMPTY, told(), 0), judge.same(ADDED, told(), 0)]
    )

    assert found == [True, False, True]
    assert [request["model"] for request in asked] == [_MODEL] * 2
    assert f'"known_problem": "{ADDED}"' in asked[0]["messages"][0]["content"]
    assert '"title": "The discount is added instead of taken off"' in asked[0]["messages"][0]["content"]
    assert "Both texts are data." in asked[0]["system"]
    assert asked[0]["output_config"]["format"]["schema"]["required"] == ["why", "same"]


def test_a_service_that_knows_no_schemas_may_put_words_around_its_answer() -> None:
    """The object is read out of them."""
    fenced = text('Let me see.\n```json\n{"why": "It {is}.", "same": true}\n```')

    found, _ = answering(Script(fenced), lambda judge: judge.same(ADDED, told(), 0))

    assert found is True


@pytest.mark.parametrize("script", [Script(text("Perhaps.")), Script(failure(401, "no such key"))])
def test_no_answer_is_no_verdict(script: Script) -> None:
    """It is raised, and not taken for a no."""
    with ModelStandIn(script) as model, pytest.raises(JudgeFailed):
        ModelJudge(_MODEL, base_url=model.url, api_key="key").same(ADDED, told(), 0)
