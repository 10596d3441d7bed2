"""We never answer ourselves: each guard alone is enough."""

from pathlib import Path

import pytest

from local.machine import MachineOptions
from tests.layers import changed_layer
from tests.specs.conftest import EVERYTHING, a_stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import ON_PUSH
from tests.specs.talking import answering, outcomes, say

pytestmark = pytest.mark.proof

GUARDS = {
    "bots are not answered": (
        "core/events/decide.py",
        'if author is None or author.type == "Bot" or event.sender.type == "Bot":',
        "if author is None:",
    ),
    "what carries our mark is not answered": (
        "core/events/decide.py",
        "if is_marked(text):",
        "if is_marked(text) and False:",
    ),
    "what we did ourselves is nothing": (
        "core/plan/eligibility.py",
        "if job.sender.lower() == bot_login.lower():",
        "if job.sender == bot_login.upper():",
    ),
    "our handles lose their @": (
        "flows/mention/reply.py",
        "cleaned = outgoing(text, context.handles, (*texts, question))",
        "cleaned = text",
    ),
}


@pytest.mark.parametrize("left", [*GUARDS, None])
def test_one_guard_is_enough_and_without_any_we_answer_ourselves(left: str | None, tmp_path: Path) -> None:
    """All others are taken out of the layer; a person asks once, and every answer calls us again."""
    layer = changed_layer(tmp_path, [change for name, change in GUARDS.items() if name != left])
    overrides = {"CommonLayer": {"ContentUri": str(layer)}}

    with a_stage(tmp_path, events=EVERYTHING, options=MachineOptions(overrides=overrides)) as stage:
        stage.model.answers = answering("I do not know. @kodiai, @Kodiai[bot], what do you say?")
        opened = stage.open(DISCOUNT, config=ON_PUSH)
        stage.github.set_role(stage.github.bot_login, "write")
        say(opened, "@kodiai is this right?")
        answers = [line for line in outcomes(opened) if line["outcome"] == "answered"]

    assert (len(answers) > 1) is (left is None)
