"""Long lines are shown by their ends and by what changed in them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.long_lines import LONGEST, cut, cuts, shortened
from kodiai.core.changes.show import longest_in_part, show_file, token_size
from tests.builders import a_file, added

MINIFIED = "".join(f"function f{at}(a,b){{return a[{at}]+b}};" for at in range(10_000))
EVIL = "fetch('//evil.example');"


def changed(old: str, new: str, *between: str) -> tuple[str, bool]:
    """The rows of the new line, and whether something of it is hidden."""
    lines = [("-", old), *(("-", each) for each in between), *(("+", each) for each in between), ("+", new)]
    found = cuts(lines)[len(lines) - 1]
    return found.rows(new), found.hides


def edited(*places: int) -> str:
    """The minified line with a call at each of these places."""
    text = MINIFIED
    for place in sorted(places, reverse=True):
        text = text[:place] + EVIL + text[place:]
    return text


@pytest.mark.parametrize(
    "places", [(200_000,), (0,), (len(MINIFIED),), (1_000, 150_000, 300_000), tuple(range(50_000, 350_000, 20_000))]
)
def test_small_edits_of_a_minified_line_are_shown_whole(places: tuple[int, ...]) -> None:
    """At either end and in the middle, one or several."""
    shown, hides = changed(MINIFIED, edited(*places))

    assert shown.count(EVIL) == len(places)
    assert len(shown) < LONGEST + 1_000
    assert not hides


def test_a_removal_from_a_long_line_is_shown_in_it_and_around_the_place() -> None:
    """In the removed line it stands; the new line is shown where it stood."""
    old, new = edited(200_000), MINIFIED

    found = cuts([("-", old), ("+", new)])

    assert EVIL in found[0].rows(old)
    assert MINIFIED[199_900:200_100] in found[1].rows(new)
    assert not found[1].hides


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MINIFIED, MINIFIED[::-1]),
        (MINIFIED, "".join(f"{at}/*{EVIL}*/" for at in range(20_000))),
        ("x" * 300_000, "x" * 150_000 + EVIL * 1_000 + "x" * 150_000),
        ("short", edited(200_000)),
        (MINIFIED[:200_000], MINIFIED),
    ],
    ids=["another order", "other code", "more of the same", "a short line before", "a new end"],
)
def test_a_line_of_which_more_changed_than_is_shown_hides_it(old: str, new: str) -> None:
    """Beginning and end of what changed are shown."""
    shown, hides = changed(old, new)

    assert len(shown) < LONGEST + 1_000
    assert hides


def test_lines_are_compared_in_their_order_whatever_short_lines_are_between() -> None:
    """A banner that changes with a bundle is not taken for its counterpart."""
    lines = [("-", "/* 1.0 */"), ("-", MINIFIED), ("-", MINIFIED[::-1])]
    lines += [("+", "/* 1.1 */"), ("+", "// moved"), ("+", edited(9_999)), ("+", edited(99_999)[::-1])]

    found = cuts(lines)

    assert sorted(found) == [1, 2, 5, 6]
    assert not found[5].hides
    assert not found[6].hides


@given(old=st.text("ab", max_size=200), edits=st.lists(st.tuples(st.integers(0, 300), st.text("abc", max_size=40))))
def test_the_rest_of_a_long_line_is_as_it_was(old: str, edits: list[tuple[int, str]]) -> None:
    """Each part of the new line between two that are shown is in the old one, in the same order."""
    base = "".join(f"{at}{letter}" * 20 for at, letter in enumerate(old)) + "z" * LONGEST
    new = base
    for place, text in edits:
        new = new[: place * 40] + text + new[place * 40 + 20 :]
    new += "z" * LONGEST

    found = cuts([("-", base), ("+", new)])[1]

    gone = [new[before.stop : after.start] for before, after in zip(found.parts, found.parts[1:], strict=False)]
    at = 0
    for text in [] if found.hides else gone:
        assert text in base[at:]
        at = base.index(text, at) + len(text)


def test_a_line_over_the_limit_loses_its_middle() -> None:
    """Removed lines hide nothing, nor what is shown in another form; the file costs little."""
    whole, longer = "é" * LONGEST, "é" * (LONGEST + 1)
    new, gone = added("a.min.js", edited(200_000)), a_file(patch=f"@@ -1,2 +1 @@\n-{MINIFIED}\n b")

    assert shortened(f"a\n{whole}") == f"a\n{whole}"
    assert shortened(longer) == "é" * 200 + "\n… 7,601 characters left out … " + "é" * 200
    assert not cut(longer).hides
    assert (longest_in_part(new), EVIL in show_file(new)) == (len(edited(200_000)), False)
    assert token_size(new) < 3_000
    assert not longest_in_part(gone)
    assert not longest_in_part(replace(new, shown="1 package"))
