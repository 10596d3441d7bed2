"""Prose that others wrote, before anybody reads it."""

import html
import random
import sys
import unicodedata

import pytest
from markdown_it import MarkdownIt

from kodiai.core.words.incoming import incoming, visible

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Plain *words*, a < b && c > d.\r\n\r\n- one\r\n- two",
         "Plain *words*, a < b && c > d.\r\n\r\n- one\r\n- two"),
        ("a <!-- x --> b `<!-- c -->` d", "a  b `<!-- c -->` d"),
        ("one<!-- x -->two", "one two"),
        ("<!-- a template\n\nof several\n\nparagraphs -->\nseen", "\n\n\n\n\nseen"),
        ("seen <!-- never closed", "seen "),
        ("<!-- never closed\n\nat all", "\n\n"),
        ("<!--> seen", "seen"),
        ("a <!---> b <!-- c --!> d", "a  b  d"),
        ("a <?php x ?> b <![CDATA[x]]> c <!DOCTYPE x> d", "a  b  c  d"),
        ("<!-<!-- x -->- y -->", ""),
        ("&amp;lt;!-- x --&amp;gt; y", "y"),
        ("&lt;!-- a `code` b --&gt; c", "`code` c"),
        ("Tom &amp; Jerry &copy; &#8364; &nosuch;", "Tom & Jerry © € & nosuch;"),
        ("List&lt;String&gt; of <foo bar>text", "List< String> of text"),
        ("a &lt;!-- b\n\nc", "a \n\nc"),
        ("&#96;&lt;!-- x --&gt;&#96; &#126;&#126;&#126;", "' ' ~~"),
        ("&Tab;&#32;&#32;&#32;text", "text"),
        ("&#91;x&#93;: /hidden", "(x): /hidden"),
        ("&gt; text\n&#45; text", "\\> text\n\\- text"),
        ('<a href="https://x.y" title="hidden" onclick=z>go</a>', '<a href="https://x.y">go</a>'),
        ("<img alt='hidden > too' src=x.png>", '<img src="x.png">'),
        ("<details open data-x='h'><summary>S</summary>\n\nin\n\n</details>",
         "<details><summary>S</summary>\n\nin\n\n</details>"),
        ("<div\ntitle='hidden'>seen</div>", "<div>\nseen</div>"),
        ("> <div\n> title='hidden'>seen</div>", "> <div>\n> seen</div>"),
        ("<div title='\n\nhidden, and all that follows", "\n"),
        ("<div>\n<!--\n\nhidden\n\n-->\n</div>\n\nhidden, as GitHub has it", "<div>\n\n"),
        ('[a](b "hidden") [c](<d> (hidden)) [e](f\n\'hidden\')', "[a](b) [c](d) [e](f)\n"),
        ("![hidden](src 'hidden') ![hidden][r]\n\n[r]: /x 'hidden'", "![](src) ![](/x)\n\n"),
        ("[//]: # (hidden)\n[comment]: <> (hidden)\n[unused]: /x\nseen", "\n\n\nseen"),
        ("see [a][hidden label], [b][], [b]\n\n[hidden label]: /x\n[b]: /y 'hidden'",
         "see [a](/x), [b](/y), [b](/y)\n\n\n"),
        ("<https://x.y> and <me@x.y>", "https://x.y and me@x.y"),
        ("```js hidden words\nx\r\n```\n", "```js\nx\r\n```\n"),
        ("```ignore-all-that-was-said-before\nx\n```", "```\nx\n```"),
        ("| a | b |\n|---|---|\n| `x\\|y` <!-- h --> | z | hidden |", "| a | b |\n|---|---|\n| `x\\|y` | z |"),
        ("- a\n  - b <!-- h -->\n\n    ```py\n    x  <!-- c -->\n    ```\n  c",
         "- a\n  - b \n\n    ```py\n    x  <!-- c -->\n    ```\n  c"),
        ("> `a  &lt;\r\n> b` <!-- x\n> y --> c", "> `a  &lt;\r\n> b` \n> c"),
        ("text\n\n    &lt;code&gt;\t<!-- c -->\r\n\nafter", "text\n\n    &lt;code&gt;\t<!-- c -->\r\n\nafter"),
        ("<!-- x --> y\n    code", "y\n\n    code"),
        ("|a|b|c|\n|-|-|-|\n|d|", "| a | b | c |\n|-|-|-|\n| d |"),
        ("[x](b)`[a]\\`![hidden](b 't')", "[x](b)`[a]\\`![](b)"),
        ("<div>\n</ hidden>seen<b c=>seen", "<div>\nseen<b>seen"),
        ("a ` b", "a ' b"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_hidden_goes_and_what_is_seen_stays(text: str, read: str) -> None:
    """Comments, attributes, titles, alternative texts, definitions and entities; code is as it was."""
    assert incoming(text) == read
    assert incoming(read) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a\u200bb\u202ec\u2066d\ufeffe\u00adf\U000e0041g\u2800h\u3164i\x00j\x1bk", "abcdefghijk"),
        ("<\u200b!-- x -->y", "y"),
        ("שלום, مرحبا", "שלום, مرحبا"),
        (
            "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈",
            "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈",
        ),
        ("a\u200db\ufe0f 👍\u200d", "ab 👍"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f"),
        ("a\u2028b", "a b"),
        ("tab\tand\n\nlines", "tab\tand\n\nlines"),
    ],
)
def test_signs_that_nobody_sees_go_and_emoji_stay_whole(text: str, read: str) -> None:
    """So do signs that turn the direction of a text; letters that are written from right to left stay."""
    assert incoming(text) == read


def test_every_format_character_is_known() -> None:
    """Unicode's category Cf, whole, and the fillers; only what joins emoji may stay."""
    format_characters = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]

    assert visible("".join(format_characters)) == ""
    assert visible("\u115f\u1160\u3164\uffa0\u2800\u180b\u180f\ufe00\ufe0e\U000e0100\U000e01ef\x7f\x85") == ""


_PIECES = [
    "`", "``", "```", "~~~", "\n", "\n\n", "\r\n", "\r", "<b>", "</details>", "<!--", "-->", "--!>", "<!-->", "\\", "[",
    "](", "x", "]: ", "!", "@bob", "#", "# ", "---", "===", "|", "- ", "> ", "1. ", "    ", "\t", "*", "_", "&lt;",
    "&amp;", "&#96;", "&#10;", "&#91;", " ", "<a@b.c>", ":", "<div>", "<a title='", '<a title="h" href=x>', "'", '"',
    ">", "<?", "?>", "<![CDATA[", "]]>", "<!A", "\u200b", "\ufe0f", "👩", "\u200d", "\u2028", "\x0b", "\xa0", "\x00",
    "&gt;", "&quot;", "\n|-|-|\n", "a|b", "[a]", "[a]: /u 't'\n", "\n    ", "<http://x.y>", "![a](b 't')",
    "[a](b 't')", "-   ", "\U00100001", "\U0010fff0", "<foo bar>", "&Tab;", "&bsol;", "\\`", "<pre>", "\n```js x\n",
]  # fmt: skip


def _drawn(seed: int, times: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(_PIECES, k=draw.choice([3, 8, 20]))) for _ in range(times)]


def test_a_clean_text_is_left_alone() -> None:
    """However pieces of markup follow one another, cleaning what was cleaned changes nothing, and adds little."""
    for text in _drawn(seed=1, times=1_200):
        read = incoming(text)

        assert incoming(read) == read, text
        assert len(read) <= 4 * len(text) + 40, text


def test_a_reader_of_the_result_meets_nothing_hidden() -> None:
    """No comment, title, alternative text, definition or attribute is left for a parser to find."""
    for text in _drawn(seed=2, times=900):
        env: dict[str, object] = {}
        tokens = [each for token in _MARKDOWN.parse(incoming(text), env) for each in (token, *(token.children or []))]

        assert not env.get("references"), text
        for token in tokens:
            assert not token.attrs.get("title"), text
            assert token.type != "image" or not token.content, text
            assert token.type != "html_inline" or token.content in {
                *("<b>", "</details>", "<div>", "<pre>", "<a>", '<a href="x">')
            }, text
            assert token.type != "html_block" or "<!" not in token.content, text


_HIDDEN = "xyzzy"
_HIDING = [
    f"<!-- {_HIDDEN} -->", f"<!--{_HIDDEN}", f"<!-- a\n{_HIDDEN} b -->", f"<a title='{_HIDDEN}'>t</a>",
    f'<img alt="a > {_HIDDEN}" src=x>', f"<b {_HIDDEN}>", f"<div data-x={_HIDDEN}>t</div>", f'<p title="a\n{_HIDDEN}">',
    f'[a](b "{_HIDDEN}")', f"[a](b ({_HIDDEN}))", f"[a](b\n'{_HIDDEN}')", f"![{_HIDDEN}](x)", f"<?{_HIDDEN}?>",
    f"<!X {_HIDDEN}>", f"<details {_HIDDEN}=1>",
]  # fmt: skip
_HIDING_IN_MARKDOWN = [
    f"[{_HIDDEN}]: x", f"[//]: # ({_HIDDEN})", f"[d]: /u\n  '{_HIDDEN}'", f"```js {_HIDDEN}\nx\n```",
    f"|a|b|\n|-|-|\n|c|d|{_HIDDEN}|", f"<div>\n<!-- \n\n{_HIDDEN}\n\n-->\n</div>",
    f"<!-- a\n\n```\n{_HIDDEN}\n```\n-->",
    f"[a][{_HIDDEN} 1]\n\n[{_HIDDEN} 1]: /x", f"![a `{_HIDDEN}` b][q]\n\n[q]: /x", f"<a title='`{_HIDDEN}`'>t</a>",
    f"a <!-- `{_HIDDEN}` -->", f"<!-- [a]({_HIDDEN}) ```\n{_HIDDEN} -->",
]  # fmt: skip


def _hiding(draw: random.Random) -> str:
    """A word in some hiding place, encoded any number of times, with signs between that nobody sees."""
    if draw.random() < 0.3:
        return draw.choice(_HIDING_IN_MARKDOWN)
    text = draw.choice(_HIDING)
    for _ in range(draw.choice([0, 0, 1, 2, 3, 6])):
        text = html.escape(text, quote=draw.random() < 0.7)
    if draw.random() < 0.3:
        text = "".join(f"{char}\u200b" if draw.random() < 0.1 else char for char in text)
    before, further = draw.choice([("", ""), ("a ", ""), ("> ", "> "), ("- ", "  "), ("1. ", "   "), ("*", "")])
    return before + text.replace("\n", f"\n{further}") + draw.choice(["", " t"])


def test_no_hidden_word_enters() -> None:
    """Wherever it is hidden, and however often that is encoded."""
    draw = random.Random(3)
    for _ in range(1_500):
        text = "\n\n".join(_hiding(draw) for _ in range(draw.choice([1, 1, 2])))

        assert _HIDDEN not in incoming(text), text


_CODE = [
    "```\n<!-- x -->  &lt;b&gt;\r\n\u200b`\n```", "~~~~js\n&amp;\n```\n~~~~",
    "    indented &lt;!-- x --&gt;\r\n\n    more",
    "`` a ` <!-- b --> ``", "`&lt;\u202e&gt;`", "`two\nlines  <b t=1>`", "- ```py\n  [a](b 'c')\n  ```",
    "> ```\n> ![x](y 'z')\n> ```", "`<!--`", "`[a]: b`",
]  # fmt: skip
_AROUND = [
    "words", "<!-- gone -->", "a <b title='x'> b", "&lt;!-- gone --&gt;", "[x]: /y", "&#96;&#96;&#96;", "~~", "text",
    "![a](b 'c')", "a &amp;lt; b", "<details>", "\u200b", "> quote <!-- gone -->", "`", "# heading <!-- gone -->",
]  # fmt: skip


def test_code_is_as_it_was_to_the_letter() -> None:
    """Whatever stands around it is cleaned, and comes and goes."""
    draw = random.Random(4)
    for _ in range(500):
        codes = draw.choices(_CODE, k=draw.choice([1, 2, 3]))
        parts = [part for code in codes for part in (*draw.choices(_AROUND, k=2), "words", code)]

        read = incoming("\n\n".join([*parts, draw.choice(_AROUND)]))

        at = 0
        for code in codes:
            at = read.find(code, at) + len(code)
            assert at >= len(code), parts


@pytest.mark.parametrize(
    "piece",
    ["<!--", "&amp;", "`", "` ``", "[", "![", "[a](", "![a](b&", "](a \"", "<a b='", "<", "<?", "<![CDATA[", "&", "> ",
     "- ", "\u200b", "<div title='\n\n", "[a]: b\n", "*", "|", "\\", "<!-<!-- -->-"],
)  # fmt: skip
def test_a_text_made_to_take_long_does_not(piece: str) -> None:
    """As long as GitHub lets a comment be; a pattern that starts anew at each sign would take minutes."""
    text = (piece * 65_536)[:65_536]

    assert len(incoming(text)) <= 4 * len(text)


def test_what_many_links_refer_to_makes_a_text_no_longer_than_a_few_times() -> None:
    """Each says where it leads only as long as there is room for that."""
    text = "[a] " * 300 + f"\n\n[a]: /{'x' * 1_000}"

    assert f"/{'x' * 1_000}" in incoming(text)
    assert len(incoming(text)) < 4 * len(text)


def test_a_text_that_is_nested_beyond_reason_loses_its_markup() -> None:
    """The parser gives up on it; its words stay."""
    assert incoming(">" * 20 + " `a` <b>\n- b [c](d 'e')") == "a\nb"
