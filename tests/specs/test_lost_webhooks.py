"""A webhook that did not arrive is delivered again by the next sweep, once, and nothing is reviewed twice."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.specs.conftest import Stage, a_stage

FILES = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}


@pytest.fixture(scope="module")
def sweeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with a_stage(tmp_path_factory.mktemp("sweeping")) as stage:
        yield stage
        assert stage.github.violations == []


def swept(stage: Stage) -> Mapping[str, Any]:
    [result] = stage.machine.system.fire_schedules()
    assert not result.failed, result.payload
    stage.settle()
    lines = stage.machine.system.log_lines
    return [line for line in lines if line["function"] == "SweepFunction" and line.get("message") == "outcome"][-1]


def test_first(sweeping: Stage) -> None:
    stage = sweeping
    stage.github.webhook_secret = "wrong"
    opened = stage.open(FILES)
    assert opened.reviews == []
    stage.github.webhook_secret = "s3cret"
    line = swept(stage)
    print(line)
    assert len(opened.reviews) == 1
    print(swept(stage))
    assert 0
