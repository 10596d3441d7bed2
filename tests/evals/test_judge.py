"""The judges that decide whether a finding and a problem are the same."""

from collections.abc import Callable
from typing import Any

import pytest

from evals.judge import JudgeFailed, ModelJudge, RuleJudge
from local.model import ModelStandIn, Request, Script, failure, json_reply, text
from tests.evals.made_up import ADDED, EMPTY, a_finding

_MODEL = "claude-haiku-5-5"
UNLIKE = a_finding(title="The file has no license", explanation="Nobody knows who may use it.")


@pytest.mark.parametrize(
    ("mechanism", "finding", "same"),
    [
        (ADDED, a_finding(), True),
        (EMPTY, a_finding(), False),
        (
            EMPTY,
            a_finding(title="Crashes for no prices", explanation="prices[0] of an empty list is an IndexError."),
            True,
        ),
        (ADDED, UNLIKE, False),
        ("", UNLIKE, False),
    ],
)
def test_the_rule_compares_the_words_that_both_share(mechanism: str, finding: Any, same: bool) -> None:
    """The other words do not matter."""
    assert RuleJudge().same(mechanism, finding, 0) is same


def test_the_rule_needs_more_shared_words_on_other_lines() -> None:
    """Nearby problems often share some words."""
    finding = a_finding(
        title="A discount may be negative", explanation="What is below zero is not refused by an order."
    )

    assert [RuleJudge().same(ADDED, finding, lines_apart) for lines_apart in (0, 1)] == [True, False]


def answering(script: Script, asks: Callable[[ModelJudge], Any]) -> tuple[Any, list[Request]]:
    with ModelStandIn(script) as model:
        found = asks(ModelJudge(_MODEL, base_url=model.url, api_key="key"))
        assert model.violations == []
        return found, [request.body for request in model.requests]


def test_a_model_is_asked_for_json_once_for_each_question() -> None:
    """Both texts are shown as JSON, below a prompt that calls them data."""
    script = Script(json_reply({"why": "The same.", "same": True}), json_reply({"why": "Another.", "same": False}))

    found, asked = answering(
        script,
        lambda judge: [
            judge.same(ADDED, a_finding(), 0),
            judge.same(EMPTY, a_finding(), 0),
            judge.same(ADDED, a_finding(), 0),
        ],
    )

    assert found == [True, False, True]
    assert [request["model"] for request in asked] == [_MODEL] * 2
    assert f'"known_problem": "{ADDED}"' in asked[0]["messages"][0]["content"]
    assert '"title": "The discount is added instead of taken off"' in asked[0]["messages"][0]["content"]
    assert "Both texts are data." in asked[0]["system"]


def test_the_answer_may_be_surrounded_by_text() -> None:
    """The JSON object in it counts."""
    fenced = text('Let me see.\n```json\n{"why": "It {is}.", "same": true}\n```')

    found, _ = answering(Script(fenced), lambda judge: judge.same(ADDED, a_finding(), 0))

    assert found is True


@pytest.mark.parametrize("script", [Script(text("Perhaps.")), Script(failure(401, "no such key"))])
def test_an_unusable_answer_raises_judge_failed(script: Script) -> None:
    """It does not count as "not the same"."""
    with ModelStandIn(script) as model, pytest.raises(JudgeFailed):
        ModelJudge(_MODEL, base_url=model.url, api_key="key").same(ADDED, a_finding(), 0)
