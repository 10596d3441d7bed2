"""Our verdict on a proposal, as a model writes it."""

import json

import pytest

from kodiai.core.proposals.ruling import UnusableRuling, is_usable, read_ruling


def answer(**more: object) -> str:
    """A model's answer, with words around it."""
    return f"I looked.\n{json.dumps({'checks': ['src/a.py:1 holds'], 'decision': 'approve', 'notes': '', **more})}\n"


def test_an_approval_needs_no_notes() -> None:
    """The checks are read too."""
    ruling = read_ruling(answer())

    assert (ruling.decision, ruling.notes, ruling.checks) == ("approve", "", ("src/a.py:1 holds",))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            answer(decision="request_changes", notes=" "),
            "`request_changes` requires `notes` that say what has to be different.",
        ),
        (answer(notes="word " * 251), "`notes` has more than 250 words."),
        (answer(decision="comment"), "The answer is not the object that is described."),
        ("LGTM", "The answer is not the object that is described."),
    ],
)
def test_a_ruling_that_cannot_be_followed_says_what_is_wrong(text: str, complaint: str) -> None:
    """Nobody has to act on a refusal without a reason."""
    with pytest.raises(UnusableRuling) as raised:
        read_ruling(text)

    assert str(raised.value) == complaint
    assert not is_usable(text)
