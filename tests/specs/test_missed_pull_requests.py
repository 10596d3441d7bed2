"""An open pull request of which no webhook came is reviewed, as if one had come, and no other is."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.specs.conftest import Opened, Stage, a_stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import ON_PUSH
from tests.specs.sweeping import sweep, triggers

NOT_ON_PUSH = "review: {triggers: {onSynchronize: false}}\n"
DAY = 86_400


@pytest.fixture(scope="module")
def missing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system for all tests here."""
    with a_stage(tmp_path_factory.mktemp("missing")) as stage:
        yield stage
        assert stage.github.violations == []


@pytest.fixture
def deaf(missing: Stage) -> Iterator[Stage]:
    """The system after a sweep, while no webhook is sent at all: GitHub's log has nothing either."""
    sweep(missing)
    with missing.sent_to(None):
        yield missing


def opened(stage: Stage, config: str = ON_PUSH, **more: Any) -> Opened:
    return stage.open({**DISCOUNT, f"{len(stage.github.state.pulls)}.txt": "1\n"}, config=config, **more)


def test_a_pull_request_whose_opening_nobody_told_is_reviewed_once(deaf: Stage) -> None:
    """The next sweeps find its run."""
    missed = opened(deaf)

    first, second = sweep(deaf), sweep(deaf)

    assert triggers(missed) == [("opened", "completed")]
    assert len(missed.reviews) == 1
    assert missed.check["status"] == "completed"
    counts = first["pull_requests"]
    assert (counts["installations"], counts["repositories"]) == (1, 1)
    assert (counts["without_run"], counts["queued"]) == (1, 1)
    assert first["deliveries"]["failed"] == 0
    assert (second["pull_requests"]["without_run"], second["pull_requests"]["queued"]) == (0, 0)


def test_a_push_that_nobody_told_is_reviewed_where_pushes_are(deaf: Stage) -> None:
    """The settings decide as for the webhook: where onSynchronize is off, nothing comes of it."""
    pulls = [opened(deaf), opened(deaf, config=NOT_ON_PUSH)]
    sweep(deaf)
    for each in pulls:
        each.push(deaf.commit({"src/more.py": f"n = {each.number}\n"}, each.head, at=time.time()))

    first, second = sweep(deaf), sweep(deaf)

    assert triggers(pulls[0])[1:] == [("synchronize", "completed")]
    assert triggers(pulls[1])[1:] == [("synchronize", "skipped")]
    assert pulls[1].outcomes[-1]["reason"] == "onSynchronize is off"
    assert (first["pull_requests"]["queued"], second["pull_requests"]["queued"]) == (2, 0)


def test_a_draft_waits_and_is_reviewed_when_nobody_told_that_it_is_ready(deaf: Stage) -> None:
    """It is queued once as a draft, and once more for the same head when it is none."""
    draft = opened(deaf, draft=True)
    waiting = [sweep(deaf) for _ in range(2)]
    deaf.github.ready(draft.number)

    done = [sweep(deaf) for _ in range(2)]

    assert [each["pull_requests"]["queued"] for each in (*waiting, *done)] == [1, 0, 1, 0]
    assert triggers(draft) == [("opened", "skipped"), ("ready_for_review", "completed")]
    assert len(draft.reviews) == 1


def test_bots_and_outsiders_are_not_reviewed_by_a_sweep(deaf: Stage) -> None:
    """Bots and authors without write access, as in their webhooks; each head is queued once."""
    deaf.github.set_private(False)
    deaf.github.set_role("stranger", "read")
    bot, outsider = opened(deaf, author="renovate[bot]"), opened(deaf, author="stranger")

    first, second = sweep(deaf), sweep(deaf)
    deaf.github.set_private(True)

    assert bot.outcomes[0]["reason"] == "renovate[bot] is a bot that review.bots does not include"
    assert "nobody with write access asked for this review" in outsider.outcomes[0]["reason"]
    assert [each.reviews for each in (bot, outsider)] == [[], []]
    assert (first["pull_requests"]["queued"], second["pull_requests"]["queued"]) == (2, 0)


def test_pull_requests_from_before_the_installation_are_left_alone(deaf: Stage) -> None:
    """Also where somebody comments on it. What is pushed after that is new."""
    deaf.github.uninstall()
    before, pushed = opened(deaf), opened(deaf)
    time.sleep(1)  # GitHub tells times by the second
    deaf.github.install()
    deaf.github.comment(before.number, "Why is this still open?")
    pushed.push(deaf.commit({"src/more.py": "n = 1\n"}, pushed.head, at=time.time()))

    line = sweep(deaf)

    assert triggers(before) == []
    assert triggers(pushed) == [("synchronize", "completed")]
    assert (line["pull_requests"]["without_run"], line["pull_requests"]["queued"]) == (2, 1)


def test_a_head_that_was_pushed_long_ago_is_left_alone(deaf: Stage) -> None:
    """A comment makes no pull request new. GitHub does not say when a head was pushed: its commit does."""
    old = opened(deaf)
    sweep(deaf)
    old.push(deaf.commit({"src/more.py": "n = 1\n"}, old.head, at=time.time() - 2 * DAY))

    line = sweep(deaf)

    assert triggers(old) == [("opened", "completed")]
    assert line["pull_requests"]["queued"] == 0


def test_a_review_that_a_webhook_and_a_sweep_ask_for_is_done_once(missing: Stage) -> None:
    """Webhooks come while the sweep looks."""
    with missing.sent_to(None):
        both = opened(missing)
    [delivery] = [each for each in missing.github.deliveries if each.payload.get("number") == both.number]

    missing.machine.system.fire_schedules()
    missing.github.redeliver(delivery.guid)
    missing.settle()

    assert len(both.reviews) == 1
    assert sorted(triggers(both)) == [("opened", "completed"), ("opened", "skipped")]


def test_a_review_that_was_refused_is_not_begun_again(deaf: Stage) -> None:
    """Its head has a run."""
    refused = opened(deaf, config="review: {maxComments: many}\nmention: 3\nnonsense\n")
    first, second = sweep(deaf), sweep(deaf)

    assert refused.outcomes[0]["outcome"] == "refused"
    assert (first["pull_requests"]["queued"], second["pull_requests"]["queued"]) == (1, 0)
    assert len(refused.outcomes) == 1
