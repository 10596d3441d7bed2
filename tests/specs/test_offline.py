"""Without a model only checks run: they report what they find, and come to no verdict."""

from collections.abc import Iterator

import pytest

from tests.specs.conftest import Stage, a_stage

CONFIG = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
CLEAN = {"src/orders.py": "def total(prices):\n    return sum(prices, start=0)\n"}
NO_VERDICT = "Offline checks only: no verdict"


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system that says of itself that no model answers."""
    with a_stage(tmp_path_factory.mktemp("repository"), parameters={"models/offline": "true"}) as running:
        yield running


def test_a_clean_change_is_neither_approved_nor_called_ready(keyless: Stage) -> None:
    """Checks that find nothing say nothing of a change, whatever the repository lets a verdict do."""
    opened = keyless.open(CLEAN, config=CONFIG)

    [review] = opened.reviews
    assert review["state"] == "COMMENTED"
    assert review["body"].startswith(f":white_circle: **{NO_VERDICT}** · nothing found in 1 file\n")
    assert "Ready to merge" not in review["body"]
    assert "- Model: none (offline checks)\n" in review["body"]
    check = opened.check
    assert check["conclusion"] == "neutral"
    assert check["output"]["title"].startswith(NO_VERDICT)


def test_a_push_that_changes_nothing_keeps_the_check_without_a_verdict(keyless: Stage) -> None:
    """Every line was checked before, which is not that anybody has reviewed them."""
    opened = keyless.open(CLEAN, config=CONFIG)

    opened.push(keyless.repository.commit(CLEAN, keyless.base, message="the same lines"))

    check = opened.check
    assert check["conclusion"] == "neutral"
    assert check["output"]["title"].startswith(NO_VERDICT)
    assert len(opened.reviews) == 1


def test_a_blocker_is_reported_and_does_not_request_changes(keyless: Stage) -> None:
    """Its comment stands on its line; only a reviewer may ask for changes."""
    opened = keyless.open({"src/a.py": "def total():\n    return vat\n"}, config=CONFIG)

    assert [comment["line"] for comment in opened.comments] == [2]
    assert [review["state"] for review in opened.reviews] == ["COMMENTED"]
    assert opened.check["output"]["title"] == f"{NO_VERDICT} · 1 major"
