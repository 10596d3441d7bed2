"""The cost of AWS against calculations by hand."""

from collections.abc import Mapping

import pytest

from bench.aws_cost import (
    Mix,
    Size,
    durations,
    event_costs,
    month_costs,
    pull_request_costs,
    service_costs,
    tables,
    template_sizes,
    vectors_cost,
    waiting_costs,
)
from bench.aws_events import Counted, EventName, Usage, count

GB = 1024**3
# A core for each function, no storage beyond what is free.
SIZES = {name: Size(1_769) for name in ("ingest", "review", "mention", "proposals")}
SMALL = {name: Size(512) for name in SIZES}


def counted(**more: object) -> Counted:
    given: dict[str, object] = {
        "webhooks": 8,
        "invocations": {"ingest": 8, "review": 1, "mention": 0, "proposals": 0},
        "cpu": {"ingest": 0.08, "review": 0.5},
        "requests": {"calls": 50, "SQS": 1, "DynamoDB writes": 100, "DynamoDB reads": 20, "KMS": 6},
        "questions": 5,
        "model_bytes": GB // 1000,
        "github_calls": 8,
        "log_lines": 10,
        "log_bytes": 5_000,
        "stored_bytes": 20_000,
    }
    return Counted(**{**given, **more})  # type: ignore[arg-type]


IGNORED = counted(
    webhooks=1,
    invocations={"ingest": 1},
    cpu={"ingest": 0.01},
    requests={"calls": 0},
    questions=0,
    model_bytes=0,
    github_calls=0,
    log_lines=1,
    log_bytes=500,
    stored_bytes=0,
)
WARM: Mapping[EventName, Counted] = {"full review": counted(), "ignored": IGNORED}
FIRST: Mapping[EventName, Counted] = {
    "full review": counted(cpu={"ingest": 0.68, "review": 3.9}),
    "ignored": counted(cpu={"ingest": 0.01}),
}
USAGE = Usage(FIRST, WARM)


def test_a_review_is_billed_while_it_computes_and_while_it_waits() -> None:
    """CPU, the model's time, 8 requests to GitHub and 50 to AWS; the first event also starts the process."""
    warm = durations("full review", USAGE, Mix(cold=0, waiting=60, github=0.3, aws=0.01), SIZES)
    cold = durations("full review", USAGE, Mix(cold=1, waiting=60, github=0.3, aws=0.01), SIZES)

    assert warm == pytest.approx({"ingest": 0.08 + 8 * 0.01, "review": 0.5 + 60 + 2.4 + 0.5})
    assert cold["review"] - warm["review"] == pytest.approx(3.4)


def test_less_memory_is_less_of_a_core() -> None:
    """Waiting takes no longer."""
    mix = Mix(cold=0, waiting=60)
    full, small = (durations("full review", USAGE, mix, sizes)["review"] for sizes in (SIZES, SMALL))

    assert small - full == pytest.approx(0.5 * (1_769 / 512 - 1))


def test_time_is_billed_by_memory_and_by_storage_beyond_the_free_one() -> None:
    """Ten seconds of 1 GB, and of 2 GB of storage."""
    assert Size(1_024).dollars(10) == pytest.approx(0.000133334)
    assert Size(1_024, 2_560).dollars(10) == pytest.approx(0.000133334 + 2 * 10 * 0.0000000309)


def test_each_service_costs_what_its_price_says() -> None:
    """Calculated by hand for one review."""
    costs = event_costs("full review", USAGE, Mix(cold=0, platform_bytes=900), SIZES)

    assert costs["Lambda requests"] == pytest.approx(9 * 0.0000002)
    assert costs["API Gateway"] == pytest.approx(8 * 0.000001)
    assert costs["SQS"] == pytest.approx((1 + 2) * 0.0000005)
    assert costs["DynamoDB writes"] == pytest.approx(0.0000625)
    assert costs["DynamoDB reads"] == pytest.approx(0.0000025)
    assert costs["DynamoDB storage"] == pytest.approx(20_000 / GB * 400 / 30.4 * 0.45)
    assert costs["CloudWatch Logs"] == pytest.approx((5_000 + 260 + 9 * 900) / GB * 0.53)
    assert costs["traffic to the model"] == pytest.approx(0.00009, rel=1e-3)
    assert costs["S3 Vectors"] == costs["Bedrock Titan"] == 0


def test_a_process_reads_its_parameters_when_it_starts_and_every_five_minutes() -> None:
    """A review of 60 seconds is a fifth of that; each secret is decrypted by a request."""
    cold = event_costs("ignored", USAGE, Mix(cold=1), SIZES)["KMS (parameters)"]
    busy = event_costs("full review", USAGE, Mix(cold=0, waiting=150, github=0, aws=0), SIZES)["KMS (parameters)"]

    assert cold == pytest.approx(2 * 0.000003)
    assert busy == pytest.approx(6 * 150.5 / 300 * 0.000003, rel=0.01)


def test_a_pull_request_is_the_sum_of_its_events() -> None:
    """Each event counts as often as it happens."""
    mix = Mix(ignored=10)
    one, ignored = (sum(event_costs(event, USAGE, mix, SIZES).values()) for event in WARM)

    assert sum(pull_request_costs(USAGE, mix, SIZES).values()) == pytest.approx(one + 10 * ignored)


def test_the_model_takes_less_time_for_less() -> None:
    """A re-review half, an answer a quarter, all else none."""
    mix = Mix(waiting=60)

    assert [mix.waits(event) for event in ("full review", "re-review", "answer", "look")] == [60, 30, 15, 0]


def test_a_month_costs_alarms_a_dashboard_metrics_and_polling() -> None:
    """Sixteen alarms, a dashboard and a metric of the template, twelve metrics of the functions; two queues."""
    costs = {"alarms": 1.6, "dashboard": 3.0, "metrics": 3.9, "polling": 0.65664}

    assert month_costs(Mix(polls=0.5)) == pytest.approx(costs)


def test_rows_add_up() -> None:
    """The last row is the sum of the others, for events, for thousand pull requests and for a million."""
    *rows, together = service_costs(USAGE, Mix(), SIZES)

    assert together.thousand_pull_requests == pytest.approx(sum(row.thousand_pull_requests for row in rows))
    assert together.million_a_month == pytest.approx(sum(row.million_a_month for row in rows))
    assert together.thousand["full review"] == pytest.approx(sum(row.thousand["full review"] or 0 for row in rows))


def test_waiting_is_the_difference_to_a_model_that_takes_no_time() -> None:
    """Its share grows with the time."""
    none, some, much = waiting_costs(USAGE, Mix(), SIZES, (0, 60, 120))

    assert none.of_it_waiting == "0%"
    gained = [much.aws_for_1000 - some.aws_for_1000, some.aws_for_1000 - none.aws_for_1000]
    assert gained[0] == pytest.approx(gained[1], rel=0.05)
    assert gained[1] == pytest.approx(1_000 * Size(1_769).dollars(60), rel=0.05)


def test_the_memory_is_paid_by_query_by_comparison_by_put_and_by_month() -> None:
    """Calculated by hand for 100,000 vectors; a put is billed as 128 KB at least."""
    compared, month = 100_000 * 4_271 / 1024**4 * 0.004, 4_671 / GB * 12 * 0.06

    assert vectors_cost(7, 0, 0) == pytest.approx(7 * (0.0000025 + compared))
    assert vectors_cost(0, 3, 2) == pytest.approx(2 * 128 * 1024 / GB * 0.20 + 3 * month)
    assert vectors_cost(0, 100, 1) == pytest.approx(100 * 4_671 / GB * 0.20 + 100 * month)


@pytest.mark.slow  # two reviews by the whole system
def test_a_run_counts_what_an_event_uses() -> None:
    """A review writes, asks the model and GitHub, is logged and kept; it is the price of something."""
    kinds: tuple[EventName, ...] = ("full review", "ignored")
    usage = count(kinds)

    review = usage.warm["full review"]
    assert review.invocations["review"] == 1
    assert review.invocations["ingest"] == review.webhooks > 1
    assert 0 < review.cpu["review"] < usage.first["full review"].cpu["review"]
    assert review.requests["SQS"] == 1
    assert review.requests["DynamoDB writes"] > review.requests["DynamoDB reads"] > 0
    assert review.requests["S3Vectors QueryVectors"] > 0
    # One to read what was spent and one to keep the answer for each question, and 25 for all the rest.
    assert review.requests["calls"] <= 2 * review.questions + 25
    assert min(review.questions, review.model_bytes, review.github_calls, review.log_bytes, review.stored_bytes) > 0
    assert 0 < usage.warm["ignored"].cpu["ingest"] < 0.01
    assert min(usage.cold_cpu("review"), usage.cold_cpu("ingest")) > 0.05
    services, waiting = tables(usage, Mix(), template_sizes())
    assert services.rows[-1][0] == "together"
    assert len(waiting.rows) > 1
