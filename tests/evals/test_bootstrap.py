"""Properties of the intervals for any counts."""

from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.bootstrap import Estimate, differences, estimates
from evals.metrics import METRICS, Counts

_ALL = list(METRICS.values())
_NUMBERS = st.integers(0, 5)
_COUNTS = st.builds(
    lambda true, false, missed, clean: Counts(
        1, posted=true + false, true=true, false=false, missed=missed, clean=clean
    ),
    _NUMBERS,
    _NUMBERS,
    _NUMBERS,
    st.integers(0, 1),
)
_CASES = st.dictionaries(st.text(min_size=1, max_size=3), _COUNTS, max_size=6)


@given(_CASES)
@settings(max_examples=8, deadline=None)
def test_intervals_are_in_order_and_the_same_for_the_same_cases(cases: dict[str, Counts]) -> None:
    """A share stays between 0 and 1; the order of the cases does not matter, and no run differs from itself."""
    found = estimates(cases, _ALL)

    assert found == estimates(dict(reversed(cases.items())), _ALL)
    for metric in _ALL:
        one = found[metric.name]
        assert (one.low is None) == (one.high is None)
        if one.low is not None and one.high is not None:
            assert one.low <= one.high
            assert not metric.is_share or (one.low >= 0 and one.high <= 1)
    for one in differences(cases, cases, _ALL).values():
        assert one in (Estimate(0, 0, 0), Estimate(None, None, None), Estimate(None, 0, 0))


def test_equal_cases_give_a_narrow_interval_and_different_cases_a_wide_one() -> None:
    """The interval shows how much the figure depends on the choice of cases."""
    right, wrong = Counts(1, posted=1, true=1), Counts(1, posted=1, false=1)

    alike = estimates({f"{number}": right for number in range(20)}, _ALL)["precision"]
    mixed = estimates({f"{number}": (right, wrong)[number % 2] for number in range(20)}, _ALL)["precision"]
    more = estimates({f"{number}": (right, wrong)[number % 2] for number in range(200)}, _ALL)["precision"]

    assert alike == Estimate(1, 1, 1)
    assert mixed.value == more.value == 0.5
    assert mixed.low is not None
    assert more.low is not None
    assert 0.2 < mixed.low < 0.4 < more.low < 0.5


def test_a_difference_is_taken_over_the_cases_that_both_runs_have() -> None:
    """Pairs are drawn: if each case improves by the same amount, the interval has no width."""
    before = {f"{number}": Counts(1, posted=4, true=number % 3, false=4 - number % 3) for number in range(12)}
    after = {name: Counts(1, posted=4, true=one.true + 1, false=one.false - 1) for name, one in before.items()}

    found = differences(before | {"gone": Counts(1, false=9)}, after | {"new": Counts(1, true=9)}, _ALL)

    assert astuple(found["precision"]) == pytest.approx((0.25, 0.25, 0.25))
    assert found["recall"].value == 0
    assert found["cost_usd"] == Estimate(None, None, None)
