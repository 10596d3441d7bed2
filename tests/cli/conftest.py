"""What the tests of several commands use."""

from collections.abc import Iterator

import pytest

from local.aws import LocalAws


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running
