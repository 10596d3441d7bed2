"""Helpers of the specs about sweeps: the schedule fires, and the function logs its outcome."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.specs.conftest import Opened, Stage

OTHER = "http://127.0.0.1:9/webhook"
"""An address at which nobody answers."""


def sweep(stage: Stage) -> Mapping[str, Any]:
    """Let the time of the schedule come; what the function says it found and did, once that has been dealt with."""
    [result] = stage.machine.system.fire_schedules()
    assert not result.failed, result.payload
    stage.settle()
    return sweeps(stage)[-1]


def sweeps(stage: Stage) -> list[Mapping[str, Any]]:
    """The outcomes of all sweeps, oldest first."""
    lines = stage.machine.system.log_lines
    return [line for line in lines if line.get("message") == "outcome" and line["function"] == "SweepFunction"]


def triggers(opened: Opened) -> list[tuple[str, str]]:
    """The trigger and the outcome of every try at a job of a pull request, oldest first."""
    return [(line["trigger"], line["outcome"]) for line in opened.outcomes]


@contextmanager
def wrong_secret(stage: Stage) -> Iterator[None]:
    """Within, webhooks are signed with another secret than the functions know."""
    right, stage.github.webhook_secret = stage.github.webhook_secret, "wrong"
    yield
    assert stage.github.settle()
    stage.github.webhook_secret = right
