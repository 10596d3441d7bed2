"""The texts of a finding: its inline comment, and what is said in its thread."""

from dataclasses import replace

from kodiai.core.findings.markers import reply_marker
from kodiai.core.judge.judgement import Anchor
from kodiai.core.text.layout import BODY_LIMIT, short_text
from kodiai.core.words import finding as words
from kodiai.core.words.finding import comment_body
from tests.builders import HEAD, LINKS, RUN, a_finding, kept
from tests.review_form import comment_faults, reply_faults
from tests.tables import each_row

ID = "F-0123456789ab"
NO_PROOF = "what was quoted against it is no line of code that prevents it"


def test_an_inline_comment_with_everything_in_it() -> None:
    """Title, problem, suggestion, then what is left of the fix, and what was not checked; the steps are folded away."""
    finding = a_finding(
        problem="An empty list leaves `total` unset.",
        fix="Generate the client again.",
        caveat="the quoted code was not found",
        explanation="`load` returns an empty list. The loop does not run. `return total` raises.",
        end_line=13,
    )
    told = replace(kept(finding), suggestion="    total = 0\n    return total\n")

    body = comment_body(told, LINKS)

    assert (
        body
        == f"""\
**[MAJOR] The total is read before it is set**

An empty list leaves `total` unset.

```suggestion
    total = 0
    return total
```

Generate the client again.

Caveat: the quoted code was not found.

<details><summary>How it happens</summary>

`load` returns an empty list. The loop does not run. `return total` raises.

</details>

<!-- kodiai:finding id={told.id} severity=MAJOR category=correctness kind=impact -->"""
    )
    assert comment_faults(body) == []


def test_an_inline_comment_with_little_in_it() -> None:
    """A preference says that it is one; a mechanism that the text has already is not folded below."""
    told = kept(a_finding(kind="preference", severity="MINOR"))

    body = comment_body(told, LINKS)

    assert (
        body
        == f"""\
**[MINOR] The total is read before it is set**

Optional: An empty list leaves `total` unset, so the first report fails.

<!-- kodiai:finding id={told.id} severity=MINOR category=correctness kind=preference -->"""
    )
    assert comment_faults(body) == []


def test_a_comment_on_the_cause_names_the_place_that_goes_wrong() -> None:
    """With a link: the reader is on another line, perhaps of another file."""
    anchors = (Anchor("src/settings.py", 3, 3), Anchor("src/app.py", 15, 20))

    at_cause, own = (comment_body(replace(kept(a_finding(end_line=20)), anchor=each), LINKS) for each in anchors)

    said = "An empty list leaves `total` unset, so"
    assert f"\n\nIn [src/app.py (12-20)]({LINKS.code('src/app.py', 12, 20)}): {said}" in at_cause
    assert f"\n\n{said}" in own
    assert comment_faults(at_cause) == comment_faults(own) == []


def test_the_part_of_a_comment_that_is_read_is_short() -> None:
    """However much was written: 50 words besides the title, and 80 in the fold. A caveat stands whole."""
    sentence = "The loop reads the next page before the last one was written. "
    finding = a_finding(
        title="x " * 100,
        problem=sentence * 20,
        fix=sentence * 20,
        explanation=f"First. {sentence * 40}",
        caveat=f"not verified: {NO_PROOF}",
        pre_existing=True,
    )

    body = comment_body(kept(finding), LINKS)

    visible, _, folded = body.partition("\n\n<details>")
    heading, _, text = visible.partition("\n\n")
    mechanism = folded.partition("</summary>\n\n")[2].partition("\n\n</details>")[0]
    assert len(heading) <= 80 + len("**[MAJOR] **")
    assert 40 <= len(text.split()) <= 50
    assert text.endswith(f"\n\nCaveat: not verified: {NO_PROOF}.")
    assert 40 < len(mechanism.split()) <= 60
    assert mechanism.endswith("was written.")
    assert comment_faults(body) == []


@each_row(
    ("suggestion", "block"),
    [
        ("", "\n\n```suggestion\n```\n\n"),
        ("\n", "\n\n```suggestion\n\n```\n\n"),
        ("x = 1\n" * 12_000, None),  # GitHub refuses the whole review for one comment that is too long
    ],
)
def test_a_suggestion_is_a_block_of_its_lines_where_there_is_room(suggestion: str, block: str | None) -> None:
    """With an empty line in it GitHub would put an empty line where lines are taken away."""
    body = comment_body(replace(kept(a_finding()), suggestion=suggestion), LINKS)

    assert len(body) <= BODY_LIMIT
    assert block in body if block else "suggestion" not in body
    assert comment_faults(body) == []


@each_row(
    ("kind", "explanation", "text"),
    [
        ("preference", "Optional: It is lazy.", "Optional: It is lazy."),
        ("impact", "Optional: It is lazy.", "Optional\\: It is lazy."),
        ("preference", "It is lazy.", "Optional: It is lazy."),
        ("preference", "```\nx\n```", "Optional:\n```\nx\n```"),
        ("preference", "- It is lazy.\n- It is slow.", "Optional:\n\n- It is lazy.\n- It is slow."),
        ("preference", "3. It is lazy.", "Optional:\n\n3. It is lazy."),
        ("preference", "- ```\n  x\n  ```", "Optional:\n\n- ```\n  x\n  ```"),
    ],
)
def test_a_text_says_once_that_it_is_optional_where_it_is(kind: str, explanation: str, text: str) -> None:
    """The label takes no block's first line: a list would be text, and its code would never begin."""
    assert words.text(a_finding(kind=kind, explanation=explanation)) == text


@each_row(
    ("text", "words", "cut"),
    [
        ("One two. Three four.", 4, "One two. Three four."),
        ("One two. Three four.", 3, "One two."),
        ("One two.\n\n- a\n- b. Three four.", 7, "One two.\n\n- a\n- b."),
        ("One two three four.", 3, "One two three…"),
        ("One two. Three", 0, "…"),
        ("漢" * 100, 2, f"{'漢' * 30}…"),
    ],
)
def test_a_text_is_cut_at_a_sentence(text: str, words: int, cut: str) -> None:
    """Its paragraphs and lists stay; without a sentence that fits it is cut at a word, and shows it."""
    assert short_text(text, words) == cut


@each_row(
    ("said", "text"),
    [
        (words.fixed(HEAD), "Fixed in a1b2c3d."),
        (words.conceded("The caller checks it."), "You are right, and this is settled.\n\nThe caller checks it."),
        (
            words.conceded("@ann: see <b>https://example.com</b>"),
            "You are right, and this is settled.\n\n@\u2060ann: see &lt;b>https:\\//example.com&lt;/b>",
        ),
        (words.conceded(""), "You are right, and this is settled."),
        (
            words.disputed("`load` is called with no values, too."),
            "It still stands, as far as the code shows:\n\n`load` is called with no values, too.",
        ),
        (
            words.worse(a_finding(severity="CRITICAL"), "It is logged now:\n\n- once in `load`\n- once in `save`"),
            "This is **CRITICAL** now.\n\nIt is logged now:\n\n- once in `load`\n- once in `save`",
        ),
        (words.worse(a_finding(), ""), "This is **MAJOR** now."),
        (words.disputed("x" * 9_000), f"It still stands, as far as the code shows:\n\n{'x' * 4_000}…"),
    ],
)  # fmt: skip
def test_a_reply_in_a_thread_has_its_sentence(said: str, text: str) -> None:
    """One sentence of ours, then the reason, disarmed like any text and cut where it is too long."""
    assert said == text
    assert reply_faults(f"{said}\n\n{reply_marker(RUN, ID)}") == []
