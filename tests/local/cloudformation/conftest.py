"""A local account for each test."""

from collections.abc import Iterator

import pytest

from local.cloud import LocalCloud
from scripts.build import ensure_sam, find_uv
from tests.local.cloudformation.deploying import Account


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Install the SAM CLI, whose translator of templates all of these need, once and not once for each worker."""
    for item in items:
        if item.path.is_relative_to(__file__.rpartition("/")[0]):
            item.add_marker(pytest.mark.xdist_group("sam"))


@pytest.fixture(scope="session", autouse=True)
def sam() -> str:
    """The SAM CLI, installed unless it is."""
    return ensure_sam(find_uv())


@pytest.fixture
def account() -> Iterator[Account]:
    with LocalCloud() as cloud:
        yield Account(cloud)


@pytest.fixture
def new_account() -> Iterator[Account]:
    """An account that may run ten functions at a time, as new ones are."""
    with LocalCloud(account_concurrency=10) as cloud:
        yield Account(cloud)
