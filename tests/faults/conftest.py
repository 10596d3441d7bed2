"""The machines on which the trials can run."""

import pytest

from tests.faults.wire import KERNEL_TABLE


@pytest.fixture(autouse=True)
def kernel_table() -> None:
    """The trials find out from the kernel which process speaks."""
    if not KERNEL_TABLE.exists():
        pytest.skip(f"there is no {KERNEL_TABLE} here: the trials run on Linux only")
