"""A webhook that did not arrive is delivered again by the next sweep, once, and nothing is reviewed twice."""

import time
from collections.abc import Iterator

import pytest

from local.aws.failures import server_error
from tests.specs.conftest import EVERYTHING, Opened, Stage, a_stage
from tests.specs.moods import DISCOUNT
from tests.specs.sweeping import OTHER, sweep, triggers, wrong_secret
from tests.specs.talking import conversation, say

ATTEMPTS = "POST /app/hook/deliveries/{delivery_id}/attempts"
NOTHING = {"failed": 0, "redelivered": 0, "arrived": 0, "given_up": {}, "left": 0}


@pytest.fixture(scope="module")
def delivering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system whose sweeps look at GitHub's log only: what they review they were told by a webhook."""
    with a_stage(
        tmp_path_factory.mktemp("delivering"), events=EVERYTHING, parameters={"sweep/pull-request-hours": "0"}
    ) as stage:
        yield stage
        assert stage.github.violations == []


@pytest.fixture
def lossy(delivering: Stage) -> Stage:
    """The system after a sweep, so that only what fails from now on is looked at."""
    sweep(delivering)
    time.sleep(1)  # GitHub's log tells times by the second: what arrived in this one says nothing about the next
    return delivering


def opened(stage: Stage) -> Opened:
    number = len(stage.github.state.pulls)
    return stage.open({**DISCOUNT, f"{number}.txt": "1\n"})


def statuses(stage: Stage, since: int) -> list[tuple[int | None, bool]]:
    """The status of each delivery that opened a pull request, and whether it was a redelivery, oldest first."""
    later = stage.github.deliveries[since:]
    return [(each.status, each.redelivery) for each in later if each.action == "opened"]


def test_a_webhook_that_a_wrong_secret_had_refused_is_delivered_again(lossy: Stage) -> None:
    """Once the secret is right: all that failed in one sweep, and none of it by the next one."""
    since = len(lossy.github.deliveries)
    with wrong_secret(lossy):
        pulls = [opened(lossy) for _ in range(3)]
    assert [each.reviews for each in pulls] == [[], [], []]

    first, second = sweep(lossy), sweep(lossy)

    assert [len(each.reviews) for each in pulls] == [1, 1, 1]
    assert statuses(lossy, since) == [(401, False)] * 3 + [(202, True)] * 3
    looked_at = {"looked_at": first["deliveries"]["looked_at"]}
    assert first["deliveries"] == {**NOTHING, **looked_at, "failed": 3, "redelivered": 3, "arrived": 3}
    assert "pull_requests" not in first
    assert (second["outcome"], second["deliveries"]["failed"], second["deliveries"]["redelivered"]) == (
        "completed",
        0,
        0,
    )


def test_a_webhook_that_the_queue_did_not_take_is_delivered_again(lossy: Stage) -> None:
    """It was answered 503; another one arrived since, so none has to be tried first."""
    since = len(lossy.github.deliveries)
    lossy.machine.aws.fail_next("SQS SendMessage", server_error(), times=2)
    lost = opened(lossy)
    time.sleep(1)
    arrived = opened(lossy)

    line = sweep(lossy)

    assert statuses(lossy, since) == [(503, False), (202, False), (202, True)]
    assert triggers(lost) == [("opened", "completed")]
    assert (len(lost.reviews), len(arrived.reviews)) == (1, 1)
    assert (line["deliveries"]["redelivered"], line["deliveries"]["arrived"]) == (1, 1)


def test_a_webhook_that_nobody_answered_is_delivered_again(lossy: Stage) -> None:
    """The API was down, or its address was another one; what a person said is answered too."""
    with lossy.sent_to(OTHER):
        lost = opened(lossy)
        say(lost, "@kodiai help")
    assert [each.status for each in lossy.github.deliveries[-2:]] == [0, 0]

    line = sweep(lossy)

    assert (len(lost.reviews), len(conversation(lost))) == (1, 1)
    assert (line["deliveries"]["redelivered"], line["deliveries"]["arrived"]) == (2, 2)


def test_an_outage_uses_up_one_redelivery_for_each_sweep(lossy: Stage) -> None:
    """The oldest one is tried, and lost if it fails again; the others wait until one arrives."""
    since = len(lossy.github.deliveries)
    with wrong_secret(lossy):
        pulls = [opened(lossy) for _ in range(3)]
        first = sweep(lossy)
    second, third = sweep(lossy), sweep(lossy)

    assert statuses(lossy, since) == [(401, False)] * 3 + [(401, True), (202, True), (202, True)]
    assert [len(each.reviews) for each in pulls] == [0, 1, 1]
    assert (first["deliveries"]["redelivered"], first["deliveries"]["arrived"], first["deliveries"]["left"]) == (
        1,
        0,
        2,
    )
    assert first["deliveries"]["given_up"] == {"failed again": 1}
    assert (second["deliveries"]["redelivered"], second["deliveries"]["arrived"]) == (2, 2)
    assert third["deliveries"]["redelivered"] == 0


def test_a_delivery_that_cannot_arrive_or_is_not_used_is_left_alone(lossy: Stage) -> None:
    """A payload that is too large stays so, and of a repository that was added nothing is stored."""
    lossy.github.remove_repository()
    lossy.settle()
    before = lossy.sent(ATTEMPTS)
    with wrong_secret(lossy):
        lossy.github.install()
    delivered = opened(lossy)
    with lossy.sent_to(f"{lossy.machine.system.api_url}/elsewhere"):
        lossy.github.close(delivered.number)
    lossy.github.deliveries[-1].status = 413

    line = sweep(lossy)

    assert lossy.sent(ATTEMPTS) == before
    given_up = line["deliveries"]["given_up"]  # what earlier tests lost within a minute counts too
    assert (given_up["not used"], given_up["refused for good"]) == (1, 1)


def test_a_sweep_that_github_keeps_from_working_says_so_and_the_next_one_goes_on(lossy: Stage) -> None:
    """Nothing is forgotten."""
    with wrong_secret(lossy):
        lost = opened(lossy)
    lossy.github.fail_next("GET /app/hook/deliveries", 500, times=3)

    unlisted, done = sweep(lossy), sweep(lossy)

    assert unlisted["deliveries"]["problems"] == ["GitHub is busy: 500 Server Error"]
    assert (unlisted["deliveries"]["redelivered"], done["deliveries"]["redelivered"]) == (0, 1)
    assert len(lost.reviews) == 1


def test_only_one_sweep_is_at_work(lossy: Stage) -> None:
    """A schedule may fire twice; the lease of one that died ends by itself."""
    table = lossy.table
    key = {"pk": "SWEEP", "sk": "STATE"}
    held = {**table.get_item(Key=key)["Item"], "lease_owner": "another", "lease_until": int(time.time()) + 60}
    table.put_item(Item=held)
    busy = sweep(lossy)
    table.put_item(Item={**held, "lease_until": int(time.time()) - 1})
    free = sweep(lossy)

    assert (busy["outcome"], busy["reason"]) == ("skipped", "another sweep is at work")
    assert free["outcome"] == "completed"
    assert "lease_owner" not in table.get_item(Key=key)["Item"]
