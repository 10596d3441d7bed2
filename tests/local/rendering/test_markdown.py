"""Markdown is shown as GitHub shows it in comments."""

import re
import time

from local.rendering.markdown import as_html, title_as_html
from tests.local.rendering.reading import Reading
from tests.tables import each_row

REL = ' rel="noopener noreferrer nofollow"'
MENTION = '<strong class="mention">'
PRE = '<pre tabindex="0"><code>'


def flat(text: str) -> str:
    """The HTML on one line, without the one attribute that every link has."""
    html = as_html(text)
    Reading(html)
    return html.replace("\n", "").replace(REL, "")


@each_row(
    ("text", "html"),
    [
        ("a\nb", "<p>a<br>b</p>"),
        ("**a** *b* ~~c~~ ~d~ `e`", "<p><strong>a</strong> <em>b</em> <s>c</s> <s>d</s> <code>e</code></p>"),
        ("# a\n## b\n###### c", "<h3>a</h3><h4>b</h4><h6>c</h6>"),
        ("> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("---", "<hr>"),
        (
            "|a|b|c|\n|:-|:-:|-:|\n|1|2|3|",
            (
                '<table><thead><tr><th align="left">a</th><th align="center">b</th>'
                '<th align="right">c</th></tr></thead><tbody><tr><td align="left">1</td>'
                '<td align="center">2</td><td align="right">3</td></tr></tbody></table>'
            ),
        ),
        ("[a](https://x.example 'b')", '<p><a href="https://x.example">a</a></p>'),
        ("[a]\n\n[a]: /b", '<p><a href="/b">a</a></p>'),
        ("<https://x.example> <a@b.example>",
         '<p><a href="https://x.example">https://x.example</a> <a href="mailto:a@b.example">a@b.example</a></p>'),
        ("![a *cat*](https://x.example/c.png)",
         '<p><a class="image" href="https://x.example/c.png">a cat</a></p>'),
        ("![](https://x.example/c.png)", '<p><a class="image" href="https://x.example/c.png">c.png</a></p>'),
        ("[![b](/b.svg)](/c)", '<p><a href="/c">b</a></p>'),
        ("```python\nx = 1\n```", f'{PRE}x = <span class="nu">1</span></code></pre>'),
        ("```diff\n-a\n+b\n```", f'{PRE}<span class="kw">-a</span><span class="st">+b</span></code></pre>'),
        ("```\n<b>\n```", f"{PRE}&lt;b&gt;</code></pre>"),
        ("    <b>", f"{PRE}&lt;b&gt;</code></pre>"),
        ("```mermaid\na\n```",
         f'<figure class="diagram"><figcaption>Mermaid, as code</figcaption>{PRE}a</code></pre></figure>'),
        ("1 < 2 && 3 > 2 &amp; \"it's\"", "<p>1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp; \"it's\"</p>"),
        ("a5c3785 and #12", "<p>a5c3785 and #12</p>"),
        # Emoji in words, also in those within HTML, never in code or in addresses.
        (":warning: :+1::-1: :large_blue_circle:", "<p>⚠️ 👍👎 🔵</p>"),
        (":no_such_thing: 10:20:30", "<p>:no_such_thing: 10:20:30</p>"),
        ("`:x:` \\:x:", "<p><code>:x:</code> :x:</p>"),
        ("# :tada:", "<h3>🎉</h3>"),
        ("<p>:x: <code>:x:</code> :x:</p>", "<p>❌ <code>:x:</code> ❌</p>"),
        ("<b>:x:</b> www.x.example/:x:/a",
         '<p><b>❌</b> <a href="http://www.x.example/:x:/a">www.x.example/:x:/a</a></p>'),
        # Mentions in words; not in addresses, code, links or where they are escaped.
        ("@ann, @org/team. (@b-c)",
         f"<p>{MENTION}@ann</strong>, {MENTION}@org/team</strong>. ({MENTION}@b-c</strong>)</p>"),
        ("a@ann @ann- @-x @@y `@z` \\@q", "<p>a@ann @ann- @-x @@y <code>@z</code> @q</p>"),
        ("[@ann](/x)", '<p><a href="/x">@ann</a></p>'),
        # Details are open where their text says so.
        ("<details><summary>a</summary></details>\n\n<details open></details>",
         '<details><summary>a</summary></details><details open=""></details>'),
    ],
)  # fmt: skip
def test_markdown_becomes_html(text: str, html: str) -> None:
    """Paragraphs, lists, tables, links, code: with GitHub's line breaks, and pictures as links to them."""
    assert flat(text) == html


@each_row(
    ("text", "linked"),
    [
        ("see https://x.example/a_b_c, or", "https://x.example/a_b_c"),
        ("(http://x.example/a(b))", "http://x.example/a(b)"),
        ("http://x.example/__init__.py.", "http://x.example/__init__.py"),
        ("http://x.example?a=1&amp;b=&quot;", "http://x.example?a=1&amp;b="),
        ("http://x.example/&copy;", "http://x.example/"),
        ("*http://localhost:8080/a*", "http://localhost:8080/a"),
        ("www.x.example!", "www.x.example"),
    ],
)
def test_bare_addresses_are_links_up_to_the_end_of_the_sentence(text: str, linked: str) -> None:
    """GitHub's rules for signs and brackets after an address."""
    found = re.findall(r'<a href="([^"]*)">(.*?)</a>', flat(text))

    assert [shown for _, shown in found] == [linked]
    assert found[0][0] == (linked if linked.startswith("http") else f"http://{linked}")


@each_row("text", ["xhttp://a.example", "http://", "https:// a", "`http://a.example`", "http:/a", "wwww.a.b"])
def test_a_text_that_is_no_address_is_no_link(text: str) -> None:
    """An address needs a host, and begins a word."""
    assert Reading(as_html(text)).links() == []


def test_task_lists_have_boxes_that_nobody_can_tick() -> None:
    """Ticked or not, each with a name for those who do not see it."""
    html = as_html("- [x] a\n- [ ] b\n- c\n\n1. [X] d")

    assert [given for tag, given in Reading(html).elements if tag == "input"] == [
        {"type": "checkbox", "disabled": "", "checked": "", "aria-label": "done"},
        {"type": "checkbox", "disabled": "", "aria-label": "to do"},
        {"type": "checkbox", "disabled": "", "checked": "", "aria-label": "done"},
    ]
    assert html.count('<li class="task">') == 3


@each_row("kind", ["note", "tip", "important", "warning", "caution"])
def test_alerts_are_headed_by_their_kind(kind: str) -> None:
    """The five of GitHub; any other is a quote."""
    assert flat(f"> [!{kind.upper()}]\n> a") == (
        f'<div class="markdown-alert markdown-alert-{kind}"><p class="markdown-alert-title">{kind.capitalize()}</p>'
        "<p>a</p></div>"
    )
    assert "alert" not in flat("> [!OTHER]\n> a")


def test_footnotes_lead_there_and_back() -> None:
    """Every link has its end; two texts on one page do not share names."""
    first, second = (Reading(as_html(f"{word}[^a] b[^a] c[^b]\n\n[^a]: A\n[^b]: B")) for word in ("x", "y"))

    names = [given["id"] for _, given in first.elements if "id" in given]
    assert len(names) == len(set(names)) == 5
    assert sorted(href[1:] for href in first.links()) == sorted([*names, names[3]])
    assert not set(names) & {given["id"] for _, given in second.elements if "id" in given}


@each_row(
    ("text", "html"),
    [
        ("H<sub>2</sub>O <sup>x</sup> <kbd>a</kbd><br><ins>b</ins>", None),
        ("<details open><summary>a <b>b</b></summary>\n\n**c**\n\n</details>",
         "<details open=\"\"><summary>a <b>b</b></summary><p><strong>c</strong></p></details>"),
        ("<summary>:eyes: [MAJOR] @ann</summary>",
         '<summary>👀 <span class="severity major">MAJOR</span> <strong class="mention">@ann</strong></summary>'),
        ('<table><tr><td align="right" colspan="2" style="x" width=9>a</td></tr></table>',
         '<table><tbody><tr><td align="right" colspan="2">a</td></tr></tbody></table>'),
        ('<p align="center"><img src="https://x.example/a.png" alt="A" width="9"></p>',
         '<p align="center"><a class="image" href="https://x.example/a.png">A</a></p>'),
        ("<picture><source srcset=x><img src=/a.png></picture>",
         '<p><a class="image" href="/a.png">a.png</a></p>'),
        ('<a href="/x"><img src="/a.png" alt="A &amp; B"></a>', '<p><a href="/x">A &amp; B</a></p>'),
        ("<h1>a</h1>\n\n<h6>b</h6>", "<h3>a</h3><h6>b</h6>"),
        ("<dl><dt>a</dt><dd>b</dd></dl>", None),
        ("a <!-- b --> c\n\n<!-- d\n\ne -->\nf", "<p>a  c</p><p>f</p>"),
        ("<!-- a --> **b** <!-- c -->", " **b** "),
        ("a <!-- b", "<p>a &lt;!-- b</p>"),
        ("<!-- a <b>c</b>", "&lt;!-- a &lt;b&gt;c&lt;/b&gt;"),
        ("<font color=red>a</font> <center>b</center> run <path> all", "<p>a b run  all</p>"),
    ],
)  # fmt: skip
def test_html_stands_as_github_lets_it(text: str, html: str | None) -> None:
    """Tags that people use in descriptions stay (None: just so), comments vanish, unknown tags leave their words."""
    assert flat(text).removeprefix("<p>").removesuffix("</p>") == (html or text).removeprefix("<p>").removesuffix(
        "</p>"
    )


@each_row("tag", ["script", "style", "textarea", "title", "xmp", "plaintext", "iframe"])
def test_tags_that_would_swallow_what_follows_are_shown(tag: str) -> None:
    """A reader sees that somebody tried, and loses no word of what comes after."""
    read = Reading(as_html(f"<{tag} a=b>\nx\n\ny\n\na</{tag}> <{tag}>"))

    assert read.text.split() == [f"<{tag}", "a=b>", "x", "y", f"a</{tag}>", f"<{tag}>"]


def test_tags_within_tags_without_end_are_shown() -> None:
    """A browser gives up on what is nested deeper, or takes very long."""
    read = Reading(as_html("<div>" * 100 + "x"))

    assert 20 < len(read.elements) < 80
    assert read.text.strip().endswith("<div>x")


def test_severities_are_badges() -> None:
    """Severities in code and escaped ones are not."""
    read = Reading(as_html("[CRITICAL] a [MAJOR]\n- [MEDIUM] **[MINOR]** `[MAJOR]` \\[MAJOR] [major] [MAJORS]"))

    assert read.classes() == [f"severity {name}" for name in ("critical", "major", "medium", "minor")]


def test_headings_come_below_the_pages_own() -> None:
    """Headings of Markdown and of HTML alike; h6 is the deepest."""
    assert as_html("# a\n\n<h2>b</h2>\n\n##### c", below=4).replace("\n", "") == "<h4>a</h4><h5>b</h5><h6>c</h6>"


def test_a_suggestion_is_a_diff_of_the_lines_that_it_replaces() -> None:
    """The lines have the file's colors; an empty suggestion only deletes; HTML in it is text."""
    html = as_html("```suggestion\nx = 2\n<b>\n```", path="a.py", original=["x = 1"])

    assert html == (
        '<figure class="suggestion"><figcaption>Suggested change</figcaption><div class="code">'
        '<div class="row del"><span class="mark">-</span><code>x = <span class="nu">1</span></code></div>'
        '<div class="row add"><span class="mark">+</span><code>x = <span class="nu">2</span></code></div>'
        '<div class="row add"><span class="mark">+</span><code>&lt;b&gt;</code></div></div></figure>\n'
    )
    assert "row add" not in as_html("```suggestion\n```", path="a.py", original=["x = 1"])
    assert "row del" not in as_html("```suggestion\nx\n```")


@each_row(("text", "on_site", "alone"), [
    ('[a](/b) [c](#d) [e](https://x.example) <a href="/f">g</a> <img src="/h">',
     ["/b", "#d", "https://x.example", "/f", "/h"], ["#d", "https://x.example"]),
    ("[a](http://127.0.0.1:4000/b) [b](http://localhost:1/x) [c](https://127.0.0.1.example/x)",
     ["http://127.0.0.1:4000/b", "http://localhost:1/x", "https://127.0.0.1.example/x"],
     ["https://127.0.0.1.example/x"]),
])  # fmt: skip
def test_a_page_that_stands_alone_has_no_links_to_a_site_or_this_machine(
    text: str, on_site: list[str], alone: list[str]
) -> None:
    """Links in a file would lead to the reader's own files, or to a server that is gone."""
    assert Reading(as_html(text)).links() == on_site
    assert Reading(as_html(text, on_site=False)).links() == alone


def test_a_title_is_one_line_of_words_and_code() -> None:
    """Emoji and code spans mean something, everything else is text."""
    assert title_as_html(":bug: **a** `:x: <b>` <i>\n\u202e") == (
        "🐛 **a** <code>:x: &lt;b&gt;</code> &lt;i&gt;␊⟨U+202E⟩"
    )


@each_row(
    ("text", "shown"),
    [
        ("a\u202eb\x1b[31m\0\r", "a⟨U+202E⟩b␛[31m␀␍"),
        ("&#x202e; &#x2028;", "⟨U+202E⟩ ⟨U+2028⟩"),
        ("<p>&#x202e; &#27;</p>", "⟨U+202E⟩ ␛"),
        ("```\n\u202e\n```", "⟨U+202E⟩"),
        ("a\ud800b", "a�b"),
        ("a\r\nb", "a\nb"),
    ],
)
def test_characters_that_act_are_shown(text: str, shown: str) -> None:
    """Turns of direction and control characters, also those that entities mean."""
    assert Reading(as_html(text)).text.strip() == shown


SIZE = 10_000
NASTY = {
    "brackets": "<" * SIZE,
    "quotes": ">" * SIZE,
    "emphasis": "**a_b" * (SIZE // 5),
    "square brackets": "![[a](" * (SIZE // 6),
    "footnotes": "[^a]: x\n\n" + "[^" * (SIZE // 2),
    "colons": ":" * 4 * SIZE,
    "emoji": ":+1: " * (SIZE // 5),
    "addresses": "http://" * (SIZE // 7),
    "an address of brackets": "http://x.example/" + ")" * SIZE,
    "table": f"{'|a' * 5}|\n{'|-' * 5}|\n" + "|\n" * (SIZE // 4),
    "comments": "x " + "<!--" * (SIZE // 4),
    "open tags": "<div\n" + "<a b=" * (SIZE // 5),
    "boxes": "<div>" * (SIZE // 5),
    "bold that opens again": (
        f"<div>{''.join(f'<b title={n}><table><tr><td></b></table>' for n in range(500))}</div>{'<p>x</p>' * 900}"
    ),
}


@each_row("text", NASTY.values(), ids=NASTY)
def test_no_text_takes_long(text: str) -> None:
    """A page holds up everybody while it is made: what takes quadratic time here takes minutes, not a second."""
    begin = time.process_time()

    html = as_html(text)

    assert time.process_time() - begin < 3
    assert len(html) < 100 * len(text)
