"""The prompts and their strict loader."""

from importlib.resources import files

import pytest

from kodiai.prompts.load import load

NAMES = sorted(file.name.removesuffix(".md") for file in files("kodiai.prompts").iterdir() if file.name.endswith(".md"))


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_without_slots_is_its_file(name: str) -> None:
    """Nothing is added and nothing is lost."""
    text = files("kodiai.prompts").joinpath(f"{name}.md").read_text("utf-8")

    assert load(name) == text
    assert text.strip()


def test_both_steps_have_a_prompt() -> None:
    """Find freely, then extract."""
    assert {"extract", "find"} <= set(NAMES)


def test_a_slot_that_a_prompt_does_not_have_is_refused() -> None:
    """A text that is given and not used would be missed by nobody else; a slot may have any name."""
    with pytest.raises(ValueError, match=r"^prompt find has the slots \[\], given were \['name', 'repository'\]$"):
        load("find", repository="a/b", name="x")


def test_a_prompt_that_does_not_exist_is_an_error() -> None:
    """A misspelt name does not become an empty prompt."""
    with pytest.raises(FileNotFoundError):
        load("fnid")
