"""Long texts are compared line by line."""

from difflib import SequenceMatcher
from itertools import pairwise
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.line_matcher import LineMatcher

TEXTS = st.lists(st.sampled_from("abcdef "), max_size=30)


@given(old=TEXTS, new=TEXTS)
def test_texts_that_are_not_long_are_compared_as_difflib_does(old: list[str], new: list[str]) -> None:
    """The part of them that is shown stays as it was."""
    assert LineMatcher(old, new).get_opcodes() == SequenceMatcher(None, old, new).get_opcodes()


def test_in_a_long_text_each_change_is_found() -> None:
    """Lines that are unique, lines that are in both as often, and lines that are everywhere."""
    old, new = [], []
    for number in range(1_500):
        old += [f"first {number}", "", "}", f"was {number}", "}"]
        new += [f"first {number}", "", "}", *([f"now {number}"] * (number % 3)), "}"]

    changes = [code for code in LineMatcher(old, new).get_opcodes() if code[0] != "equal"]

    assert changes[:3] == [("delete", 3, 4, 3, 3), ("replace", 8, 9, 7, 8), ("replace", 13, 14, 12, 14)]
    assert len(changes) == 1_500


@pytest.mark.parametrize("kinds", [1, 2, 40, 5_000])
def test_a_long_text_can_be_made_of_the_other_one(kinds: int) -> None:
    """However alike its lines are: only lines that are the same are called equal."""
    old = [f"{at * at % kinds}" for at in range(6_000)]
    new = [f"{(at + at // 7) * at % (kinds + 1)}" for at in range(6_500)]

    codes = LineMatcher(old, new).get_opcodes()

    assert codes[0][1:5] == (0, ANY, 0, ANY)
    assert codes[-1][1:5] == (ANY, 6_000, ANY, 6_500)
    assert all(before[2] == after[1] and before[4] == after[3] for before, after in pairwise(codes))
    assert all(old[first:last] == new[start:end] for tag, first, last, start, end in codes if tag == "equal")
