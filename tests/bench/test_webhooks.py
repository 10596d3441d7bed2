"""The benchmark of webhooks, at its smallest."""

import hashlib
import hmac
import json

import pytest

from bench.webhooks import PAYLOAD_BYTES, Deliveries, a_payload, measure, percentile, table


@pytest.mark.parametrize(
    ("numbers", "percent", "expected"),
    [
        ([1, 2, 3, 4], 50, 2),
        ([1, 2, 3, 4, 5], 50, 3),
        (list(range(1, 101)), 99, 99),
        (list(range(1, 201)), 99, 198),
        ([7], 99, 7),
    ],
)
def test_a_percentile_is_one_of_the_numbers(numbers: list[float], percent: int, expected: float) -> None:
    """The smallest that so many percent do not exceed."""
    assert percentile(numbers, percent) == expected


def test_deliveries_are_signed_and_of_a_real_size() -> None:
    """Each is of another pull request; they are opened or assigned in turn."""
    deliveries = Deliveries(a_payload(PAYLOAD_BYTES), "secret")

    taken = [deliveries.take() for _ in range(4)]

    for body, headers in taken:
        assert abs(len(body) - PAYLOAD_BYTES) < 100
        signature = hmac.new(b"secret", body, hashlib.sha256).hexdigest()
        assert headers["x-hub-signature-256"] == f"sha256={signature}"
    read = [json.loads(body) for body, _ in taken]
    assert [each["number"] for each in read] == [1, 2, 3, 4]
    assert [each["action"] for each in read] == ["assigned", "opened"] * 2
    assert len({headers["x-github-delivery"] for _, headers in taken}) == 4


@pytest.mark.slow  # it starts the whole system
def test_a_short_run_measures_every_concurrency() -> None:
    """All webhooks were taken, and computing took less time than waiting."""
    one, two = measure(0.3, (1, 2))

    assert (one.concurrency, two.concurrency) == (1, 2)
    for each in (one, two):
        assert each.webhooks > 0
        assert 0 < each.p50_ms <= each.p99_ms
        assert each.cpu_ms_each < each.p99_ms * each.concurrency
    assert len(table([one, two]).rows) == 2
