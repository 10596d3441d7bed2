"""Tests that must not run at the same time do not."""

import os

import pytest


@pytest.mark.xdist_group("faults")
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="here nothing runs side by side")
def test_a_group_of_tests_stays_on_one_worker(request: pytest.FixtureRequest) -> None:
    """A pytest that hides the groups from xdist would let systems that run against the clock run beside each other."""
    assert request.node.nodeid.endswith("@faults")
