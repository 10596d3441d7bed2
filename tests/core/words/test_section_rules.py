"""The rules about sections: which there are, in which order, and none of the other form."""

import itertools

import pytest

from tests.core.words.good_reviews import AGAIN, FIRST, FIXED, OPEN
from tests.review_form import review_faults
from tests.tables import each_row


def _parts(body: str) -> tuple[str, list[str], str]:
    """The fold's beginning, its sections, and everything from its end on."""
    summary, end, rest = body.partition("\n\n</details>\n\n<details><summary>Review Details")
    beginning, *sections = summary.split("\n\n## ")
    return beginning, sections, end + rest


def _whole(beginning: str, sections: list[str], rest: str) -> str:
    return "\n\n## ".join([beginning, *sections]) + rest


@pytest.mark.parametrize("body", [FIRST, AGAIN])
def test_sections_stand_once_and_in_their_order(body: str) -> None:
    """No two change places, and none is there twice."""
    beginning, sections, rest = _parts(body)
    assert _whole(beginning, sections, rest) == body

    for one, other in itertools.combinations(range(len(sections)), 2):
        swapped = list(sections)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        assert "the order [" in "\n".join(review_faults(_whole(beginning, swapped, rest)))
    for at, section in enumerate(sections):
        doubled = [*sections[:at], section, *sections[at:]]
        assert "stands twice" in "\n".join(review_faults(_whole(beginning, doubled, rest)))


@each_row(
    ("body", "at", "fault"),
    [
        (FIRST, 0, "“What Changed” is missing"),
        (FIRST, 4, "“Verdict” is missing"),
        (AGAIN, 0, "“Re-review” is missing"),
        (AGAIN, 5, "“Verdict Update” is missing"),
        (FIXED, 2, "nothing new, nothing resolved, nothing open"),
        (OPEN, 3, "the verdict"),
    ],
)
def test_a_section_that_is_needed_is_missed(body: str, at: int, fault: str) -> None:
    """The others are there only where they have something to say."""
    beginning, sections, rest = _parts(body)

    del sections[at]

    assert fault in "\n".join(review_faults(_whole(beginning, sections, rest)))


def test_no_section_of_one_form_stands_in_the_other() -> None:
    """Wherever it is put."""
    theirs = {FIRST: _parts(AGAIN)[1], AGAIN: _parts(FIRST)[1]}

    for body, strangers in theirs.items():
        beginning, sections, rest = _parts(body)
        for at, stranger in itertools.product(range(len(sections) + 1), strangers):
            title = stranger.partition("\n")[0]
            mixed = _whole(beginning, [*sections[:at], stranger, *sections[at:]], rest)
            expected = "“What Changed” stands twice" if title == "What Changed" else f"“{title}” is no section"
            assert expected in "\n".join(review_faults(mixed))
