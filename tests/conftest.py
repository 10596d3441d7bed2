"""What all tests share: their order, and short names for cases whose values are long."""

import gc

import pytest

_LONGEST_ID = 80


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with whole systems: in the end short tests keep all workers busy."""
    items.sort(key=lambda item: item.path.parent.name != "specs")


def pytest_collection_finish() -> None:
    """Look for garbage less often: nearly all objects belong to imported modules, and stay."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case by the beginning of a long text: reports and the terminal show the name."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_ID:
        return ascii(val[:_LONGEST_ID]).strip("b'\"")
    return None
