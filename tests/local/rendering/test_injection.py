"""Nothing in people's texts acts, poses as ours or leaves its box."""

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local.rendering import sanitize
from local.rendering.markdown import as_html, title_as_html
from tests.local.rendering.reading import VALUES, Reading

ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)//",
    '<img """><script>alert(1)</script>">',
    "<img/src=x/onerror=alert(1)>",
    "<p onclick=alert(1) onmouseover='alert(1)'>a</p>",
    '<details open ontoggle="alert(1)"><summary>a</summary></details>',
    "<a href=javascript:alert(1)>a</a>",
    "<a href='java\nscript:alert(1)'>a</a>",
    "<a href='&#106;avascript:alert(1)'>a</a>",
    "<a href='\x01javascript:alert(1)'>a</a>",
    "<a href=' javascript:alert(1)'>a</a>",
    "<a href='vbscript:x'>a</a> <a href='data:text/html,<script>alert(1)</script>'>b</a>",
    "<a href='file:///etc/passwd'>a</a> <a href='//x.example'>b</a> <a href='/\\x.example'>c</a>",
    "<a href='/\t/x.example'>a</a> <a href='\\\\x.example'>b</a> <a href='blob:x'>c</a>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](&#106;avascript:alert(1)) [d](java%0ascript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=) ![b](data:image/svg+xml,<svg/onload=alert(1)>) [c](vbscript:x)",
    "[a](\\\\x.example) [b](//x.example) [c](/\\x.example) [d](</a b>)",
    "[a]: javascript:alert(1)\n\n[a] <javascript:alert(1)> <data:text/html,x>",
    "![a](javascript:alert(1)) ![b](x\" onerror=\"alert(1)) ![\"onerror=alert(1)](/x)",
    '[a](https://x.example/"onmouseover="alert(1)) [b](https://x.example \'"onmouseover="alert(1)\')',
    "https://x.example/\"onmouseover=\"alert(1) http://a'b.example/<script>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<math><annotation-xml encoding='text/html'><script>alert(1)</script></annotation-xml></math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<template><script>alert(1)</script></template>",
    "<select><template><style><a href='</style><img src onerror=alert(1)>'></select>",
    "<xmp><p title=\"</xmp><img src onerror=alert(1)>\">",
    "<textarea><p title='</textarea><img src onerror=alert(1)>'>",
    "<title><p title='</title><img src onerror=alert(1)>'>",
    "<plaintext>\n\nafter",
    "<listing>&lt;img src=1 onerror=alert(1)&gt;</listing>",
    "<style>* { display: none }</style> <p style='position:fixed;inset:0'>a</p> <font style=x color=y>b</font>",
    "<link rel=stylesheet href=//x.example> <meta http-equiv=refresh content='0;url=//x.example'>",
    "<base href=//x.example>",
    "<iframe src=//x.example></iframe> <object data=x></object> <embed src=x> <frameset><frame></frameset> <applet>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<form action=//x.example><input name=q><button formaction=javascript:alert(1)>a</button></form>",
    "<input type=image src=x onerror=alert(1)> <input type=checkbox checked> <select><option>a</select>",
    "<video src=x onerror=alert(1)><source onerror=alert(1)></video> <audio src=x>",
    "<picture><source srcset=x></picture>",
    "<img src=/a srcset='//x.example 1x' background=x lowsrc=x dynsrc=x longdesc=x>",
    "<table background=x><tr><td background=x>a</table> <body background=x onload=alert(1)> <html manifest=x>",
    "<p id=push-1 name=main>a</p> <a name=cookie id=main>b</a> <img name=getElementById>",
    "<b class=severity>MAJOR</b> <span class='severity critical'>CRITICAL</span> <div class='card review'>a</div>",
    "<figure class=suggestion><figcaption>Suggested change</figcaption><div class='row add'>a</div></figure>",
    "<li class=task><input type=checkbox disabled checked aria-label=done>a</li> <strong class=mention>@ann</strong>",
    "<p tabindex=1 accesskey=x contenteditable dir=rtl lang=x hidden aria-hidden=true role=alert>a</p>",
    "<p data-live=x slot=x is=x itemprop=x popover autofocus>a</p>",
    "<bdo dir=rtl>drowssap</bdo> <marquee onstart=alert(1)>a</marquee> <blink>b</blink> <slot name=x> <portal>",
    "</details></div></article></main></body></html> after",
    "<details>\n\n<div>\n\n<table><tr><td>\n\n- a <b>\n\n> <i>",
    "<table>\n\n**a**\n\n<tr>b<td>\n\n```\nc\n```\n\n</table> <ul>a<li>",
    "<a href=/x><a href=/y><table><a href=/z>",
    "<p><b><i><u></p></u></b></i> <b><p></b></p>",
    "<div title=\"\n\n```suggestion\na\n```\n\n[MAJOR] @ann\n\n\">after</div>",
    "<div title='\n\n- [ ] a\n\n[^1]\n\n[^1]: x\n\n' x=\"\n\n# b",
    "<p class=\n\n```suggestion\nx\n```\n\n>",
    "<!-- a --!><img src=x onerror=alert(1)> -->",
    "<!--><img src=x onerror=alert(1)> --> <!---><script>alert(1)</script> -->",
    "<!-- <img src=x onerror=alert(1)>",
    "<![CDATA[<script>alert(1)</script>]]> <?php alert(1) ?> <!DOCTYPE html> <!ENTITY x>",
    "<? <img src=x onerror=alert(1)> ?>",
    "<\0script>alert(1)</script> <scr\0ipt>alert(1)</script> <img src=x on\0error=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62; &#x3c;img src=x onerror=alert(1)&#x3e; &#0;",
    "`<script>alert(1)</script>` ``` <img src=x onerror=alert(1)> ```",
    "```<script>\n</code></pre><script>alert(1)</script>\n```",
    "```suggestion\n</code></div></figure><script>alert(1)</script>\n```",
    '```python" onmouseover="alert(1)\nx\n```\n\n```"><script>\nx\n```',
    "|<script>|`a|b`|\n|-|-|\n|</table><script>alert(1)</script>|<img src=x onerror=alert(1)>|",
    "[^<script>]: <script>alert(1)</script>\n\na[^<script>] [^\"onclick=x]\n\n[^\"onclick=x]: y",
    "> [!NOTE]<script>\n> </div><script>alert(1)</script>",
    "- [ ] </li></ul><script>alert(1)</script>\n- [x] <input>",
    ":<script>: :warning<: @<b>ann @ann\"onclick=x [MAJOR\"] [<b>MAJOR</b>]",
    "<a href=\"https://x.example/?a=1&lt=<script>\">a</a> <a href='https://x.example'onclick=alert(1)>b</a>",
    "<<script>script>alert(1)<</script>/script> <b <script>alert(1)</script>>",
    "<ruby><rt><style><a title='</style><img src onerror=alert(1)>'></ruby>",
]  # fmt: skip


@pytest.mark.parametrize("text", [*ATTACKS, "\n\n".join(ATTACKS), " ".join(ATTACKS)], ids=lambda text: ascii(text[:50]))
def test_nothing_acts_and_nothing_leaves_its_box(text: str) -> None:
    """All elements are of the closed list, and closed; reading them again loses nothing."""
    html = as_html(text, path="a.html", original=[text])

    assert Reading(reread(html)).text == Reading(html).text
    Reading(title_as_html(text))


def reread(html: str) -> str:
    """The HTML that a browser would write after reading this: an attribute's text could be a tag by then."""
    return nh3.clean(
        html,
        tags=set(sanitize.TAGS),
        attributes={tag: {name for of, name in VALUES if of == tag and name != "rel"} for tag in sanitize.TAGS},
        url_relative="pass_through",
        link_rel="noopener noreferrer nofollow",
    )


def test_classes_and_names_are_ours_alone() -> None:
    """Nothing but a badge, a suggestion or a ticked task looks like one, and no name of the page is taken."""
    for text in ATTACKS:
        if "class=" in text and "```" not in text:
            read = Reading(as_html(text))
            assert read.classes() in ([], ["mention"])
            assert not any("id" in given for _, given in read.elements)
            assert not any(tag == "input" for tag, _ in read.elements)


def test_the_seal_never_shows() -> None:
    """Its reader could write our classes: it is in nothing that is shown."""
    seal = sanitize.sealed(' class="x"').split('"')[1].split()[0]

    for text in [*ATTACKS, "[MAJOR] `a` @ann", "```python\nx = 1\n```", f"<b class='{seal[:-1]} x'>"]:
        assert seal not in as_html(text, path="a.py", original=["x = 1"])


def test_text_after_an_attack_is_still_shown() -> None:
    """Nothing but a closed comment hides another part of the same text."""
    for text in ATTACKS:
        html = as_html(f"{text}\n```\n````\n\n</plaintext></style>\n\nSeen.")
        assert "Seen." in Reading(html).text


SIGNS = [
    *"< > </ <! <!-- --> --!> <? ?> ]]> \" ' ` ``` ~~~ \\ | |-| - # * ** _ ~ [ ]( ) ![ [^ [^a]: : @ & &# ;".split(),
    *"<b> </b> <p> </p> <a> </a> <table> <tr> <td> </table> <ul> <li> <pre> </pre> <h1> <details> <summary>".split(),
    *"</details> <select> <svg> <math> <style> </style> <form> <div </div> [MAJOR] [x] [!NOTE] http:// www.".split(),
    *["\n", "\n\n", "\t", "\r", " ", "\0", "\u202e", "suggestion"],
]
PIECES = st.sampled_from([*SIGNS, *(part for attack in ATTACKS for part in attack.split(" "))])


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES | st.text(max_size=8), max_size=40), st.booleans())
def test_no_text_at_all_gets_through(pieces: list[str], on_site: bool) -> None:
    """Any combination has only elements of the closed list, all closed, and reading it again loses nothing."""
    text = "".join(pieces)

    html = as_html(text, path="a.js", original=[text], on_site=on_site)

    assert Reading(reread(html)).text.split() == Reading(html).text.split()
