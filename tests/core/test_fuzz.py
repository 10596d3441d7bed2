"""Everything that reads what others wrote, on broken versions of real inputs; `make fuzz` runs a million of them."""

import pytest

from tests.fuzz.fuzzing import fuzz
from tests.fuzz.targets import Target, targets


@pytest.mark.parametrize("target", targets(), ids=lambda target: str(target.name))
def test_nothing_but_documented_errors_comes_out(target: Target) -> None:
    """And no input takes longer than a few seconds of the processor."""
    found = fuzz(target, 150, seed=2)

    assert found.inputs == 150
    assert found.failures == {}
    assert found.refused < found.inputs


def test_an_undocumented_error_is_found() -> None:
    """The fuzzer's own check: a reader that breaks on a sign is caught within a few hundred inputs."""

    def fragile(text: str) -> None:
        if "\0" in text:
            raise KeyError(text)

    found = fuzz(Target("fragile", fragile, ("a b",)), 500, seed=1)

    assert list(found.failures) != []
