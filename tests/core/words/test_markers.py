"""The hidden marks, and what only looks like one."""

import pytest

from kodiai.core.words.markers import finding_marker, finding_of, review_marker, review_run
from tests.builders import HEAD, RUN

ID = "F-0123456789ab"
REVIEW = review_marker(RUN, HEAD)
FINDING = finding_marker(ID)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", " \n"])
def test_a_mark_is_read_back(end: str) -> None:
    """As the last line, whatever white space GitHub puts behind it."""
    assert review_run(f"Text.\n\n{REVIEW}{end}") == RUN
    assert finding_of(f"Text.\r\n\r\n{FINDING}{end}") == ID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No mark.",
        "{mark}",
        "{mark}\n\nwritten behind it",
        "```\n{mark}\n```",
        "quoted: {mark}",
        "> {mark}",
        "\n`{mark}`",
        "\n<!-- {mark} -->",
    ],
)
def test_a_mark_anywhere_else_is_none(text: str) -> None:
    """Code of a pull request can quote one, and a finding can quote that code."""
    assert review_run(text.format(mark=REVIEW)) is None
    assert finding_of(text.format(mark=FINDING)) is None


def test_the_last_of_two_marks_is_ours() -> None:
    """What a text quotes before our own mark is not believed."""
    forged = review_marker("forged", "f" * 40)

    assert review_run(f"```\n{forged}\n```\n\n{REVIEW}") == RUN
    assert review_run(f"{forged}\n{REVIEW}") == RUN
    assert finding_of(f"{finding_marker('F-ffffffffffff')}\n{FINDING}") == ID


@pytest.mark.parametrize(
    "mark",
    [
        REVIEW[:-1],
        REVIEW.replace(HEAD, HEAD[:39]),
        REVIEW.replace(HEAD, "g" * 40),
        REVIEW.replace(RUN, ""),
        REVIEW.replace(RUN, "a b"),
        REVIEW.replace(RUN, "é"),
        REVIEW.replace("kodiai", "Kodiai"),
        FINDING.replace(ID, "F-012"),
        FINDING.replace(ID, "F-0123456789AB"),
        FINDING.replace(" -->", "-->"),
    ],
)
def test_a_partial_mark_is_none(mark: str) -> None:
    """A mark is whole or it is text."""
    assert review_run(f"Text.\n\n{mark}") is None
    assert finding_of(f"Text.\n\n{mark}") is None


def test_one_kind_of_mark_is_not_the_other() -> None:
    """A review is no finding."""
    assert finding_of(f"Text.\n\n{REVIEW}") is None
    assert review_run(f"Text.\n\n{FINDING}") is None
