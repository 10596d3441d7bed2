"""Where a text that is too long is cut."""

import pytest

from kodiai.core.words.cut import cut


def test_a_text_that_fits_stays_as_it_is() -> None:
    """Nothing is said where nothing is missing."""
    assert cut("Write short functions.", 22) == "Write short functions."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("First rule of all.\n\nSecond\nrule.", "First rule of all."),
        ("First rule of all\nand its second line goes on", "First rule of all"),
        ("First rule of all and more words", "First rule of all and"),
        ("One.\n\nA second paragraph that goes on", "One.\n\nA second"),
        (
            "規則は短い関数を書くことですそして名前は長くしないでください",
            "規則は短い関数を書くことですそして名前は長くし",
        ),
    ],
)
def test_a_longer_text_ends_where_something_ends(text: str, kept: str) -> None:
    """A paragraph in the last third, else a line, else a word; only where there is no white space, a character."""
    assert cut(text, 23) == f"{kept}\n[cut here]"


def test_a_word_is_never_cut() -> None:
    """A reader would take half a word for another one, and half a rule for the whole."""
    text = "never merge unless every reviewer approves of the change"

    endings = {cut(text, room).removesuffix("\n[cut here]").rpartition(" ")[2] for room in range(15, len(text))}

    assert endings <= set(text.split())
