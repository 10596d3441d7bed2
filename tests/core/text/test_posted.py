"""Every text as it is posted."""

from hypothesis import given, settings
from markdown_it import MarkdownIt

from kodiai.core.findings.markers import review_marker, review_run
from kodiai.core.text import markdown
from kodiai.core.text.deception import new_deception
from kodiai.core.text.layout import bullets, joined
from kodiai.core.text.posted import cleaned, posted, posted_line
from kodiai.core.text.secrets import masked, masked_random, secret_in
from local.github.harmless import harm_in
from tests.core.words.hostile import TEXT
from tests.tables import each_row

_GLUED = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
_RENDERED = MarkdownIt("commonmark")


@each_row(
    ("text", "expected"),
    [
        ("/merge", "\\/merge"),
        ("  /lgtm cancel", "  \\/lgtm cancel"),
        ("bors r+", "&#98;ors r+"),
        ("rebase!", "&#114;ebase!"),
        ("retest this please", "&#114;etest this please"),
        ("@mergifyio queue", "\\@mergifyio queue"),
        ("It is wrong.", "It is wrong."),
        ("The total is wrong where a discount is given", "The total is wrong where a discount is given"),
        ("- /merge", "- /merge"),
        ("It is a / b.", "It is a / b."),
        ("```\n/lgtm\n\nx = 1\n```", " ```\n /lgtm\n\n x = 1\n ```"),
        ("- ```\n  /lgtm\n  ```\n- b\n\n/merge", "- ```\n  /lgtm\n  ```\n- b\n\n\\/merge"),
        ("1. > ```\n   > x\n   > ```\n\n/merge", "1. > ```\n   > x\n   > ```\n\n\\/merge"),
        ("```py\nreturn f(x)\n```", "```py\nreturn f(x)\n```"),
        ("```suggestion\nreturn x\n```", "```suggestion\nreturn x\n```"),
        ("a\u202eb \u200bc `d\u202ee`.", "ab c `d\\u202ee`."),
        ("`@\u2060kodiai apply` commits it.", "`@\u2060kodiai apply` commits it."),
        ("@\u2060bob, #\u206012.", "@\u2060bob, #\u206012."),
        ("👩\u200d💻 and ❤\ufe0f.", "👩\u200d💻 and ❤\ufe0f."),
        ("Ends.\n\n<!-- kodiai:answer to=thread-1 -->", "Ends.\n\n<!-- kodiai:answer to=thread-1 -->"),
        ("<!-- kodiai:findings\n{}\n-->\n\nIt is.", "<!-- kodiai:findings\n{}\n-->\n\nIt is."),
    ],
)
def test_a_text_is_posted_so_that_only_people_read_it(text: str, expected: str) -> None:
    """Posting it twice changes nothing more."""
    assert posted(text) == expected
    assert posted(expected) == expected


@each_row(
    "text",
    ["/merge", "bors r+", "rebase!", "x\n/lgtm\ny", "```\n/lgtm\nx\n```", "- a\n- /b", "- ```\n  /a\n  ```\n\n/b"],
)
def test_it_is_rendered_as_it_was(text: str) -> None:
    """Only the raw text differs, which bots read."""
    assert _RENDERED.render(posted(text)) == _RENDERED.render(text)


@settings(max_examples=150)
@given(TEXT)
def test_nothing_harmful_is_left_of_any_text(text: str) -> None:
    """By what the local GitHub looks for; the text of a model is disarmed before it is posted. Our mark stays last."""
    marker = review_marker("run1", "a" * 40)
    body = posted(joined("Text.", bullets([markdown.prose(text)]), markdown.prose(text), marker))

    assert list(harm_in({"body": body, "title": posted_line(text)})) == []
    assert review_run(body) == "run1"


def test_only_texts_of_a_request_are_cleaned() -> None:
    """Not paths, code and ids."""
    code = {"path": "/a\u202e", "content": "/merge"}
    given_body = {**code, "body": "/merge", "comments": [{"body": "/a"}], "title": "b\u200b"}

    assert cleaned(given_body) == {**code, "body": "\\/merge", "comments": [{"body": "\\/a"}], "title": "b"}


def test_a_random_word_is_masked_but_not_in_an_address() -> None:
    """Addresses hold ids; a name that begins like a token is none."""
    word = "q7Zp2Lk9Xw4Vb8Nm3Tr6Hs1Yd5Gf0JcAeRuQz"
    said = "The key {} is in https://a.example/" + word

    assert masked(f"x{_GLUED} and key_{_GLUED}") == "xghp_… and key_ghp_…"
    assert masked_random(said.format(word)) == said.format("q7Zp…")
    for name in ("my_npm_configuration_of_the_registry_2_url", "async_ghs_handler_for_installations_v2_all"):
        assert secret_in(name) is None


@each_row(
    ("text", "before", "is_new"),
    [
        ("x = 1\r\n", "", False),
        ("path = 2", "", False),
        ("p\u0430th = 2", "", True),
        ("p\u0430th = 2", "p\u0430th = 1", False),
        ("путь = 2  # path", "", False),
        ("Δt = 1", "", True),
        ("if a\u202e: # b", "", True),
        ("s = '👩\u200d💻'", "", False),
        ("a\u200bb", "a\u200bc", False),
    ],
)
def test_code_that_is_not_what_it_looks_like_is_known(text: str, before: str, is_new: bool) -> None:
    """A secret that was there before is not brought in by the change."""
    assert (new_deception(text, before) is not None) == is_new
