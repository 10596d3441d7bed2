"""The distribution of tests among workers."""

import pytest


def test_a_file_stays_in_one_worker(request: pytest.FixtureRequest) -> None:
    """Its fixtures are made once."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("the tests are not shared out among workers by group")

    assert request.node.nodeid.endswith("@tests/test_workers.py")
