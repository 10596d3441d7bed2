"""What all tests share: short names for cases whose values are long."""

_LONGEST_ID = 80


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case by the beginning of a long text: reports and the terminal show the name."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_ID:
        return ascii(val[:_LONGEST_ID]).strip("b'\"")
    return None
