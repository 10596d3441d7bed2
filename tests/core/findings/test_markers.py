"""The hidden marks, and what only looks like one."""

from collections.abc import Callable

from kodiai.core.findings.markers import (
    answer_marker,
    answered_key,
    finding_facts,
    finding_marker,
    finding_of,
    is_marked,
    reply_kind,
    reply_marker,
    reply_of,
    review_head,
    review_marker,
    review_run,
)
from tests.builders import HEAD, RUN, a_finding
from tests.tables import each_row

ID = "F-0123456789ab"
REVIEW = review_marker(RUN, HEAD)
FINDING = finding_marker(ID, a_finding(pre_existing=True))
REPLY = reply_marker(RUN, ID, "fixed")
FACTS = {"severity": "MAJOR", "category": "correctness", "kind": "impact", "pre_existing": "true"}
DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
ANSWER = answer_marker(DELIVERY)

Read = Callable[[str], object]
KINDS: list[tuple[str, Read, object]] = [
    (REVIEW, review_run, RUN),
    (FINDING, finding_of, ID),
    (REPLY, reply_of, (RUN, ID)),
    (ANSWER, answered_key, DELIVERY),
]


@each_row("end", ["", "\n", "\r\n", " \n"])
@each_row(("mark", "read", "said"), KINDS)
def test_a_mark_is_read_back(mark: str, read: Read, said: object, end: str) -> None:
    """As the last line, whatever white space GitHub puts behind it."""
    assert read(f"Text.\n\n{mark}{end}") == said
    assert read(f"Text.\r\n\r\n{mark}{end}") == said


def test_a_mark_says_what_its_text_does_not() -> None:
    """The head of a review, what a finding was taken for, what kind of thing a reply says."""
    body, below = f"Text.\n\n{REVIEW}", f"Text.\n\n{REPLY}"

    assert (review_head(body), review_head("Text.")) == (HEAD, None)
    assert finding_facts(f"Text.\n\n{FINDING}") == FACTS
    assert finding_facts(f"Text.\n\n{finding_marker(ID, a_finding(kind='preference'))}")["kind"] == "preference"
    of_a_rule = finding_marker(ID, a_finding(category="rule", rule="has-2-notes"))
    assert (finding_of(f"Text.\n\n{of_a_rule}"), finding_facts(f"Text.\n\n{of_a_rule}")["rule"]) == (ID, "has-2-notes")
    assert (reply_kind(below), reply_kind("Text.")) == ("fixed", None)
    assert all(is_marked(f"Text.\n\n{mark}") for mark, _, _ in KINDS)


def test_the_marks_of_an_older_release_are_read_back() -> None:
    """They name the finding and say nothing more."""
    comment = f"Text.\n\n<!-- kodiai:finding id={ID} -->"
    reply = f"Text.\n\n<!-- kodiai:reply run={RUN} finding={ID} -->"

    assert (finding_of(comment), finding_facts(comment)) == (ID, {})
    assert (reply_of(reply), reply_kind(reply)) == ((RUN, ID), None)
    assert finding_marker(ID) in comment
    assert finding_facts("Text.") == {}


@each_row("text", ["", "No mark.", "{mark}", "```\n{mark}\n```", "> {mark}", "\n`{mark}`", "\n<!-- {mark} -->"])
@each_row(("mark", "read"), [kind[:2] for kind in KINDS])
def test_a_mark_anywhere_else_is_none(mark: str, read: Read, text: str) -> None:
    """Code of a pull request can quote one, and a finding can quote that code."""
    assert read(text.format(mark=mark)) is None


FORGED = (
    *(review_marker("forged", "f" * 40), finding_marker("F-ffffffffffff")),
    *(reply_marker("forged", "F-ffffffffffff"), answer_marker("forged")),
)


def test_the_last_of_two_marks_is_ours_and_one_kind_is_not_another() -> None:
    """A quote before our own mark is not believed; a review is no finding, nor what is said about one."""
    for (mark, own, said), forged in zip(KINDS, FORGED, strict=True):
        assert own(f"```\n{forged}\n```\n\n{mark}") == own(f"{forged}\n{mark}") == said
        assert [read(f"Text.\n\n{mark}") for _, read, _ in KINDS if read is not own] == [None] * 3


@each_row(
    "mark",
    [
        REVIEW[:-1],
        REVIEW.replace(HEAD, HEAD[:39]),
        REVIEW.replace(RUN, ""),
        REVIEW.replace(RUN, "é"),
        REVIEW.replace("kodiai", "Kodiai"),
        FINDING.replace(ID, "F-012"),
        FINDING.replace("MAJOR", "a b"),
        FINDING.replace("MAJOR", "<b>"),
        REPLY.replace(ID, "F-012"),
        REPLY.replace(f" finding={ID}", ""),
        REPLY.replace("fixed", "x y"),
        ANSWER.replace(DELIVERY, ""),
        ANSWER.replace(DELIVERY, "a" * 129),
    ],
)
def test_a_partial_mark_is_none(mark: str) -> None:
    """A mark is whole or it is text."""
    assert [read(f"Text.\n\n{mark}") for _, read, _ in KINDS] == [None] * 4
