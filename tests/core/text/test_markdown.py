"""Text that others wrote, put into Markdown that we write."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kodiai.core.text import markdown
from kodiai.core.text.rewritten import fenced
from tests.review_form import parse
from tests.tables import each_row

JOINER = "\u2060"


def rendered(text: str) -> str:
    """The text that a reader sees."""
    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    return html.unescape(re.sub(r"<[^>]*>", "", made)).strip()


@each_row(
    ("text", "told"),
    [
        ("Plain *words* with `code` and **more**.", "Plain *words* with `code` and **more**."),
        ("- one\n- two\n\n1. three", "- one\n- two\n\n1. three"),
        ("a < b && c > d", "a &lt; b && c > d"),
        ("<!-- hidden --></details><img src=x>", "&lt;!-- hidden -->&lt;/details>&lt;img src=x>"),
        ("&lt;details&gt; &#64;bob \\@bob", f"&lt;details> @{JOINER}bob @{JOINER}bob"),
        ("&amp;lt;b> &amp;#64;bob", "&amp;lt;b> &amp;#64;bob"),
        ("# one\n> ## two\n- ### three\n####### 7\n#4", "\\# one\n> \\## two\n- \\### three\n  ####### 7\n  #4"),
        ("one\n===\ntwo\n---\n- - -", "one\n\\===\ntwo\n___\n___"),
        ("a | b\n--|--\nc | d", "a | b\n\\--|--\nc | d"),
        ("[a](http://x) ![b](c)", "[a\\](http:\\//x) ![b\\](c)"),
        ("[a]: http://x\n[a][b] [^1]", "[a\\]: http:\\//x\n[a\\][b] [^1]"),
        ("see www.example.com, https://x.y", "see www\\.example.com, https:\\//x.y"),
        ("@bob, @org/team (@x)", f"@{JOINER}bob, @{JOINER}org/team (@{JOINER}x)"),
        (".@y -@z é@w", f".@{JOINER}y -@{JOINER}z é@{JOINER}w"),
        ("`a`@bob and `@bob`", f"`a`@{JOINER}bob and `@bob`"),
        ("mail first.last+x@example.com or <a_b@c.org>", "mail first.last+x@example.com or &lt;a_b@c.org>"),
        ("fixes #12, not other/repo#12", f"fixes #12, not other/repo#{JOINER}12"),
        ("__init__ of snake_case, _x_", "\\_\\_init\\_\\_ of snake_case, \\_x\\_"),
        ("a ` b", "a \\` b"),
        ("a \\` <b> \\`", "a \\` &lt;b> \\`"),
        ("1\\. a \\*b\\*\n\\- c", "1\\. a \\*b\\*\n\\- c"),
        ("[MAJOR] a.py (1): posing\nnot [MAJOR]", "\\[MAJOR] a.py (1): posing\nnot [MAJOR]"),
        ("- :new: [MAJOR] a.py (1): posing", "- \\:new: [MAJOR] a.py (1): posing"),
        (":+1: :white_check_mark:[MINOR] a.py", "\\:+1: :white_check_mark:[MINOR] a.py"),
        ("a\rb\r\nc\0d", "a\nb\ncd"),
        ("", ""),
    ],
)  # fmt: skip
def test_prose_keeps_its_words_and_reaches_nowhere(text: str, told: str) -> None:
    """Emphasis, lists and code stay; tags, headings, tables, links, images and calls become text."""
    assert markdown.prose(text) == told


@each_row(
    ("text", "told"),
    [
        ("```python\n<b> @bob\n```", "```python\n<b> @bob\n```"),
        ("```\nnever closed\n\n</details>", "```\nnever closed\n\n</details>\n```"),
        ("````\n```\n````\n<b>", "````\n```\n````\n&lt;b>"),
        ("````\n```\n<b>", "````\n```\n<b>\n````"),
        ("~~~ruby\nx\n```\n~~~", "````ruby\nx\n```\n````"),
        ("- one:\n  ```js\n  a\n    b\n  ```\n- two", "- one:\n  ```js\n  a\n    b\n  ```\n- two"),
        ("> ```\n> <b>", "> ```\n> <b>\n> ```"),
        ("text\n```suggestion\nx\n```", "text\n```\nx\n```"),
        ("```Mermaid\nx\n```", "```\nx\n```"),
        ("``` a`b\n<b>", "\\`\\`\\` a\\`b\n&lt;b>"),
    ],
)
def test_fences_stay_and_end_where_they_began(text: str, told: str) -> None:
    """Each is closed; none offers a change for one click or draws a picture."""
    assert markdown.prose(text) == told


@each_row(
    ("name", "shown"),
    [
        ("src/app.py", "src/app.py"),
        ("a/.env", "a/.env"),
        ("pkg/__init__.py", "`pkg/__init__.py`"),
        ("packages/@scope/core.js", "`packages/@scope/core.js`"),
        ("a|b*c<d>.py", "`a|b*c<d>.py`"),
        ("www.example.com", "`www.example.com`"),
        ("a\nb\u202e.py", "`a�b�.py`"),
        ("a`b``c", "```a`b``c```"),
        ("`a", "`` `a ``"),
        (" a", "`  a `"),
        ("ä.py", "`ä.py`"),
        ("\udcff.py", "`�.py`"),
    ],
)
def test_a_path_is_shown_as_it_is(name: str, shown: str) -> None:
    """Text with a meaning in Markdown becomes code; invisible characters are replaced."""
    assert markdown.path(name) == shown


@given(st.text(alphabet=st.characters(exclude_characters="\n\r"), min_size=1).filter(str.isprintable))
def test_the_reader_sees_the_very_path(name: str) -> None:
    """Code spans give it back to the letter, but for spaces alone."""
    (_, inline, _) = parse(f"x {markdown.path(name)} y")

    seen = "".join(child.content for child in inline.children or ())
    assert seen.split() == f"x {name} y".split()


@given(st.text(alphabet="`~a\n ", max_size=30), st.sampled_from(["", "suggestion"]))
def test_nothing_closes_a_fence_from_inside(code: str, language: str) -> None:
    """The block holds the whole code, and nothing is behind it."""
    tokens = parse(fenced(code, language))

    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].info == language
    assert tokens[0].content.removesuffix("\n") == code.removesuffix("\n")


def test_a_fence_without_code_is_empty() -> None:
    """An empty line is a line."""
    assert fenced("", "suggestion") == "```suggestion\n```"
    assert fenced("\n", "suggestion") == "```suggestion\n\n```"
    assert fenced("a") == fenced("a\n") == "```\na\n```"


def test_blocks_are_nested_so_deep_and_a_line_has_none() -> None:
    """A parser gives up on a text that is nested without end, and on all that follows it."""
    assert markdown.prose("- one\n  - two\n    > three") == "- one\n  - two\n    > three"
    assert markdown.prose(">" * 99 + "a") == "a"
    assert markdown.line("> " * 99 + "a") == "\\> " + "> " * 98 + "a"
    assert markdown.line("# a\n```\n<b>\n```\n @bob") == f"\\# a ```<b>``` @{JOINER}bob"
    assert markdown.line("~~~\x85x\u2028y") == "\\~\\~\\~ x y"


_SIGNS = r"if a<b && c[0](x) | ~d: C:\new\x_ www.x.y https://x.y [a]: b & #1 __init__ `"


@pytest.mark.parametrize(
    "text",
    [
        _SIGNS,
        "Use `a\\_b` and `&lt;`:\n\n```py\nx = '\\_&lt;'\n```\n\n# Not a heading\n````\n```\n\\_\n````\n@bob o/r#1",
    ],
)
def test_a_disarmed_text_is_read_as_it_was_written(text: str) -> None:
    """Paragraphs and fences too. Escapes are for the parser: the reader sees the same signs."""
    assert markdown.as_meant(markdown.prose(text)) == text
    assert rendered(markdown.prose(_SIGNS)) == rendered(markdown.line(_SIGNS)) == _SIGNS


_PIECES = st.sampled_from(
    ["`", "``", "```", "~~~", "\n", "\n\n", "\r", "<b>", "</details>", "<!--", "-->", "\\", "[", "](", "x", "]: ", "!",
     "@bob", "#", "# ", "---", "===", "|", "- ", "> ", "1. ", "    ", "\t", "*", "_", "www.x.y", "http://x.y", "&lt;",
     " ", "suggestion", "[^1]", "$$", "<a@b.c>", ":"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=25).map("".join))
def test_no_text_opens_anything(text: str) -> None:
    """However pieces of markup follow one another, nothing but text, lists, quotes, emphasis and code comes of it."""
    tokens = parse(f"before\n{markdown.prose(text)}\n\nafter")

    types = {child.type for token in tokens for child in (token, *(token.children or ()))}
    assert types <= {
        *("inline", "text", "text_special", "softbreak", "hardbreak", "code_inline", "fence", "code_block", "hr"),
        *("em_open", "em_close", "strong_open", "strong_close", "paragraph_open", "paragraph_close"),
        *("bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close"),
        *("list_item_open", "list_item_close", "blockquote_open", "blockquote_close"),
    }
    assert [token.content for token in tokens if token.type == "inline"][-1] == "after"
    assert tokens[-3].level == 0


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_no_line_leaves_its_line(text: str) -> None:
    """As an item of a list or behind other words, it opens no block but what a list item may begin with."""
    told = markdown.line(text)

    tokens = parse(f"- :x: {told}\n- {told}\n\nafter")

    assert "\n" not in told
    assert not {"fence", "heading_open", "html_block", "table_open"} & {token.type for token in tokens}
    assert tokens[-2].content == "after"
