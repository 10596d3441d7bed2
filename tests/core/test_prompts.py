"""The prompts and their strict loader."""

from importlib.resources import files
from typing import get_args

import pytest

from kodiai.core.reviewers import Reviewer
from kodiai.prompts.load import load

REVIEWERS = get_args(Reviewer)
NAMES = sorted(
    path.removesuffix(".md")
    for folder in ("", "reviewers/")
    for file in files("kodiai.prompts").joinpath(folder).iterdir()
    if (path := folder + file.name).endswith(".md")
)


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_without_slots_is_its_file(name: str) -> None:
    """Nothing is added and nothing is lost."""
    text = files("kodiai.prompts").joinpath(f"{name}.md").read_text("utf-8")

    assert load(name) == text
    assert text.strip()


def test_every_reviewer_has_a_prompt_and_no_prompt_is_left_over() -> None:
    """One for each reviewer beside what all of them share; those who are asked to report find the form there."""
    reviewing = {"brief", "extract", "extract_verdicts", "look_back", "sum_up", "verify", "verify_again"}
    shared = reviewing | {"answer", "answer_part"}

    assert set(NAMES) == {f"reviewers/{name}" for name in REVIEWERS} | shared
    assert "### Finding 1" in load("brief")


@pytest.mark.parametrize("name", REVIEWERS)
def test_a_reviewer_is_told_what_to_look_for_what_not_and_what_evidence_it_takes(name: str) -> None:
    """And which traps there are."""
    headings = [line for line in load(f"reviewers/{name}").split("\n") if line.startswith("# ")]

    assert headings[:3] == ["# What to look for", "# What not to flag", "# What your evidence is"]
    assert len(headings) == 3 or headings[3].startswith("# Traps")


def test_a_slot_that_a_prompt_does_not_have_is_refused() -> None:
    """A text that is given and not used would be missed by nobody else; a slot may have any name."""
    with pytest.raises(ValueError, match=r"^prompt brief has the slots \[\], given were \['name', 'repository'\]$"):
        load("brief", repository="a/b", name="x")


def test_a_prompt_that_does_not_exist_is_an_error() -> None:
    """A misspelt name does not become an empty prompt."""
    with pytest.raises(FileNotFoundError):
        load("fnid")
