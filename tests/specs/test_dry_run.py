"""A deployment that only shows what it would post: it reads and asks as ever, and writes nothing to GitHub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.specs.conftest import EVERYTHING, Stage, a_stage
from tests.specs.talking import answering, say
from tests.specs.test_outsiders import WAITS, last, open_as

DISCOUNT = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}
# A query is a POST, and so is the request for a token.
_READS = {"POST /graphql", "POST /app/installations/{installation_id}/access_tokens"}


@pytest.fixture(scope="module")
def dry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The system with a public repository."""
    folder: Path = tmp_path_factory.mktemp("dry")
    with a_stage(folder, events=EVERYTHING, parameters={"github/publish": "dry-run"}) as stage:
        stage.github.set_private(False)
        stage.model.answers = answering()
        yield stage
        assert stage.github.violations == []


def writes(stage: Stage) -> list[str]:
    """The routes of the requests that change something on GitHub."""
    routes = [seen.route for seen in stage.github.requests]
    return [route for route in routes if not route.startswith("GET ") and route not in _READS]


def test_a_review_is_made_and_not_posted(dry: Stage) -> None:
    """The line `outcome` has its figures."""
    asked = dry.asked

    opened = open_as(dry, "ann", "write")

    assert last(opened)[0] == "completed"
    assert dry.asked > asked
    assert (opened.reviews, opened.checks(opened.head), writes(dry)) == ([], [], [])


def test_a_review_that_waits_shows_nothing(dry: Stage) -> None:
    """What somebody says is not answered either: the log has the reason."""
    opened = open_as(dry, "stranger")
    say(opened, "@kodiai why?", "ann", "write")

    assert last(opened) == ("skipped", WAITS)
    assert (opened.checks(opened.head), writes(dry)) == ([], [])
