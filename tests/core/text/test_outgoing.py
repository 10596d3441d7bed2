"""A model's text before it is posted."""

import random
import re

import pytest

from kodiai.core.text.layout import BODY_LIMIT
from kodiai.core.text.outgoing import CUT, Withheld, outgoing
from tests.review_form import parse
from tests.tables import each_row

JOINER = "\u2060"
HANDLES = frozenset({"kodiai", "claude"})
KNOWN = ["See https://known.dev/a/b?x=1, and (http://img.dev/i.png).", "`https://code.dev/x`"]


def posted(text: str) -> str:
    """The text as it is posted."""
    return outgoing(text, HANDLES, KNOWN)


@each_row(
    ("text", "told"),
    [
        ("@kodiai, @Kodiai[bot] and @KODIAI", "kodiai, Kodiai[bot] and KODIAI"),
        ("\\@kodiai &#64;kodiai &commat;kodiai @\u200bkodiai @\u2060kodiai", "kodiai kodiai kodiai kodiai kodiai"),
        ("@@kodiai me@@kodiai @**kodiai** @_kodiai_", "kodiai mekodiai @**kodiai** @\\_kodiai\\_"),
        ("@[](http://evil)kodiai @![x](http://evil)kodiai", "kodiai kodiai"),
        ("(@kodiai) é@kodiai .@kodiai: @kodiai's @kodiai.", "(kodiai) ékodiai .kodiai: kodiai's kodiai."),
        ("`@kodiai` ``@claude``\n\n```\n@kodiai @bob\n```", "`@kodiai` ``@claude``\n\n```\n@kodiai @bob\n```"),
        ("me@kodiai.dev, kodiai@acme.com, a_@kodiai.dev", "me@kodiai.dev, kodiai@acme.com, a\\_@kodiai.dev"),
        ("@kodiai-dev @claudette @kodiai_x", f"@{JOINER}kodiai-dev @{JOINER}claudette @{JOINER}kodiai_x"),
        ("@bob, @org/team and \\@bob", f"@{JOINER}bob, @{JOINER}org/team and @{JOINER}bob"),
        ("other/repo#12 and #12", f"other/repo#{JOINER}12 and #12"),
    ],
)
def test_nobody_is_called(text: str, told: str) -> None:
    """We ourselves least of all: that would start us again. Addresses, longer names and code are not harmed."""
    assert posted(text) == told


@each_row(
    ("text", "told"),
    [
        ("[t](http://evil) and [`c`](<http://evil/x y> 'z')", "t and `c`"),
        ("a ![b](http://evil/?q=secret) c", "a  c"),
        ("[![badge](http://evil/b.svg)](http://evil)", ""),
        ("http://evil, <https://evil.dev/x> (www.evil.dev/y).", "(link removed), (link removed) ((link removed))."),
        ("https:\\//evil.dev www\\.evil.dev &#104;ttp://evil", "(link removed) (link removed) (link removed)"),
        ("[r](#frag) [q](src/a.py) [m](mailto:a@b.dev)", "r q m"),
        ("see [a][b], [b] and [c]\n\n[b]: http://evil 'x'", "see a, b and [c]"),
        ("[http://evil](http://evil)", "(link removed)"),
        ("[k](https://known.dev/a/b) https://KNOWN.dev/a/b/", "k (https:\\//known.dev/a/b) https:\\//KNOWN.dev/a/b/"),
        ("https://known.dev/a/b?x=1 https://known.dev/a/b?leak=me#x",
         "https:\\//known.dev/a/b?x=1 https:\\//known.dev/a/b"),
        ("https://known.dev/a/c https://known.dev.evil/a/b", "(link removed) (link removed)"),
        ("https://known.dev@evil.dev/a/b http://known.dev/a/b", "(link removed) (link removed)"),
        ("![i](http://img.dev/i.png) <https://code.dev/x>", "i (http:\\//img.dev/i.png) https:\\//code.dev/x"),
        ("http:[//evil](/u) [a][(b)](/u) @[bob](/u)", f"(link removed) [a\\](b) @{JOINER}bob"),
        ("`http://evil`\n```\ncurl http://evil\n```", "`http://evil`\n```\ncurl http://evil\n```"),
    ],
)  # fmt: skip
def test_addresses_lead_where_the_conversation_was(text: str, told: str) -> None:
    """Those that nobody has spoken of go, and what could carry words out with those that are known."""
    assert posted(text) == told


@each_row(
    ("text", "told"),
    [
        ("Plain *words*, `code`, **more**.\n\n- one\n- two", "Plain *words*, `code`, **more**.\n\n- one\n- two"),
        ("# one\n\n<details>x</details> <!-- y -->", "\\# one\n\n&lt;details>x&lt;/details> &lt;!-- y -->"),
        ("```suggestion\nx\n```", "```\nx\n```"),
        ("```py\nnever closed", "```py\nnever closed\n```"),
        ("\\*no emphasis\\* 2 * 3 &lt;b&gt; &amp;lt;", "\\*no emphasis\\* 2 * 3 &lt;b> &amp;lt;"),
        ("1\\. x\n\\- y\n\\> z\n\\# a\n|--|", "1\\. x\n\\- y\n\\> z\n\\# a\n\\|--|"),
        ("1. a\n\n   - b\n     c\n> d\ne\n***\n    f", "1. a\n\n   - b\n     c\n> d\n> e\n___\n```\nf\n```"),
        ("\\`@kodiai\\` `a\\` b", "\\`kodiai\\` `a\\` b"),
        ("[MAJOR] a.py (1): posing", "\\[MAJOR] a.py (1): posing"),
        ("x\u202ey\u200bz", "xyz"),
        ("`a\u200bb`", "`a\u200bb`"),
        ("", ""),
    ],
)
def test_the_rest_is_harmless_prose(text: str, told: str) -> None:
    """Escapes and entities that the model wrote mean what they say."""
    assert posted(text) == told


@each_row(
    ("text", "reason"),
    [
        ("the token is ghp_" + "a" * 36, "The answer holds what looks like a GitHub token."),
        ("ghp\u200b_" + "a1" * 18, "The answer holds what looks like a GitHub token."),
        ("ghp\\_" + "a1" * 18, "The answer holds what looks like a GitHub token."),
        ("&#103;hp_" + "a1" * 18, "The answer holds what looks like a GitHub token."),
        ("```\nAKIA" + "IOSFODNN7EXAMPLE\n```", "The answer holds what looks like an AWS access key."),
        ("q7RkT2mZx9Lw4VbN8cYd5FgH1jKs6PaQ3eUi", "The answer holds a long random string, which may be a secret."),
    ],
)
def test_a_secret_is_never_posted(text: str, reason: str) -> None:
    """Whether it is known already or not; the reason does not repeat it."""
    with pytest.raises(Withheld) as withheld:
        outgoing(text, HANDLES, [*KNOWN, text])

    assert str(withheld.value) == reason


@each_row(
    "text",
    ["A paragraph of @bob's.\n\n" * 2_700, "<b> & " * 12_000, "word " * 13_500, "x" * 200_000,
     "`some code` of it " * 3_800,
     "- an item of a long list\n" * 2_700, "intro\n\n```py\n" + "x = 1\n\n" * 10_000 + "```\n\nafter",
     "```\n" + "y" * 100_000],
    ids=["paragraphs", "markup", "words", "one word", "code spans", "items", "a fence inside", "a fence at the end"],
)  # fmt: skip
def test_a_long_answer_is_cut_and_says_so(text: str) -> None:
    """There is room for a mark below it; no fence is left open, and no paragraph is cut that could stay whole."""
    told = posted(text)

    assert len(told) <= BODY_LIMIT - 600
    assert told.endswith(f"\n\n{CUT}")
    assert [token.content for token in parse(f"{told}\n\nafter") if token.content][-2:] == [CUT, "after"]


def test_an_answer_is_cut_between_paragraphs() -> None:
    """The rest is as it was written."""
    paragraphs = [f"Paragraph {number}: {'word ' * 50}".strip() for number in range(400)]

    told = posted("\n\n".join(paragraphs))

    *kept, last = told.split("\n\n")
    assert last == CUT
    assert kept == paragraphs[: len(kept)]
    assert len(told) > BODY_LIMIT - 1_000


_PIECES = [
    "`", "``", "```", "~~~", "\n", "\n\n", "\r", "<b>", "</details>", "<!--", "-->", "\\", "[", "](", "x", "]: ", "!",
    "@bob", "@kodiai", "@", "kodiai", "claude", "[bot]", "#", "# ", "---", "===", "|", "- ", "> ", "1. ", "    ", "\t",
    "*", "_", "www.x.y", "http://x.y", "https://known.dev/a/b", "&lt;", "&amp;", "&#64;", "&#91;", "&#10;", " ",
    "suggestion", "[^1]", "<a@b.c>", ":", "/", ".", "\u200b", JOINER, "\\@", "\\`", "\\_", "][", "(", ")", "<", ">",
    "~", "me@kodiai.dev", "\U00100000", "\U0010ff40", "[MAJOR]", ":new:", "&", ";", "#12", "a#1", "(a 'b')", "＠",
    "\n[x]: /y\n", "http:", "//x.y", "[](/u)", "[b](http://x.y)", "*a*", "\n    c\n", "\n- ", "&#", "lt;", "  \n",
]  # fmt: skip
_BLOCKS = {
    *("inline", "text", "text_special", "softbreak", "hardbreak", "code_inline", "fence", "code_block", "hr"),
    *("em_open", "em_close", "strong_open", "strong_close", "paragraph_open", "paragraph_close"),
    *("bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close"),
    *("list_item_open", "list_item_close", "blockquote_open", "blockquote_close"),
}
_CALL = re.compile(r"(?:(?<![A-Za-z0-9_])@|@@)(?:kodiai|claude)(?![A-Za-z0-9_]|-+[A-Za-z0-9_])", re.IGNORECASE)


def test_whatever_a_model_writes_is_safe() -> None:
    """Nothing opens, nobody is mentioned, and no address is new."""
    draw = random.Random(1)
    for _ in range(1_000):
        text = "".join(draw.choices(_PIECES, k=draw.choice([3, 8, 20])))

        told = posted(text)

        tokens = parse(f"before\n{told}\n\nafter")
        inner = [child for token in tokens for child in (token, *(token.children or []))]
        assert {token.type for token in inner} <= _BLOCKS, text
        assert tokens[-2].content == "after", text
        spoken = "\n".join(
            "".join("§" if child.type == "code_inline" else child.content or " " for child in token.children or [])
            for token in tokens
        )
        assert not _CALL.search(spoken), text
        assert not re.search(r"@(?=[A-Za-z0-9])(?<![A-Za-z0-9_]@)", spoken), text
        assert not re.search(r"(?<![\w.@-])(?:http://|www\.)x\.y", spoken), text
