"""Every review, comment and reply has its form, whatever it says."""

from dataclasses import replace

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.markers import answer_marker, finding_of, reply_marker, reply_of, review_run
from kodiai.core.judge.delta import Delta
from kodiai.core.words import finding as words
from kodiai.core.words.review import first_review, re_review
from tests.builders import HEAD, LINKS, RUN, a_delta, a_finding, a_scope, kept, some_details
from tests.core.words.hostile import TEXT, Told, deltas, failures, findings, told
from tests.review_form import comment_faults, parse, reply_faults, review_faults

ID = "F-0123456789ab"


@settings(max_examples=60)
@given(delta=deltas(), rest=told())
@example(delta=a_delta([]), rest=Told(a_scope([]), [], some_details(what_changed=["* " * 30] * 3)))
def test_every_first_review_has_its_form(delta: Delta, rest: Told) -> None:
    """No text of the model's, of the code's or of a path's breaks a rule, and the marker is whole and ours."""
    body = first_review(rest.scope, delta, rest.dropped, rest.details)

    assert review_faults(body) == []
    assert review_run(body) == RUN


@settings(max_examples=90)
@given(delta=deltas(), rest=told())
def test_every_re_review_has_its_form(delta: Delta, rest: Told) -> None:
    """The same, where it tells what has changed; one that would tell nothing is never composed."""
    assume(delta.new or delta.resolved or delta.still_open)

    body = re_review(rest.scope, delta, rest.dropped, rest.details, HEAD)

    assert review_faults(body) == []
    assert review_run(body) == RUN


@settings(max_examples=80)
@given(
    finding=st.one_of(findings(), failures()),
    suggestion=st.one_of(st.none(), TEXT),
    length=st.sampled_from([1, 1, 1, 1_000]),
)
@example(finding=a_finding(explanation="1. </details>", fix="Optional: "), suggestion=None, length=1)
def test_every_comment_has_its_form(finding: Finding, suggestion: str | None, length: int) -> None:
    """One marker, one suggestion at most, holding what is suggested and nothing else; rules suggest nothing."""
    suggestion = suggestion if finding.rule is None else None
    one = kept(finding.model_copy(update={"explanation": finding.explanation * length}))

    body = words.comment_body(replace(one, suggestion=suggestion), LINKS)

    assert comment_faults(body) == []
    assert finding_of(body) == one.id
    offered = [token.content for token in parse(body) if token.info == "suggestion"]
    assert offered == ([] if suggestion is None else [_as_parsed(suggestion)])


@settings(max_examples=40)
@given(finding=st.one_of(findings(), failures()), why=TEXT, length=st.sampled_from([1, 1, 1_000]))
def test_every_reply_has_its_form(finding: Finding, why: str, length: int) -> None:
    """It reaches nobody and nothing beyond its thread, and its mark is read back."""
    for said in (words.conceded(why * length), words.disputed(why * length), words.worse(finding, why * length)):
        body = f"{said}\n\n{reply_marker(RUN, ID)}"

        assert reply_faults(body) == []
        assert reply_faults(f"{said}\n\n{answer_marker('d-1')}") == []
        assert reply_of(body) == (RUN, ID)


def _as_parsed(code: str) -> str:
    """The code in a fence, as a parser of Markdown reads it."""
    text = code.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "�")
    return text if text.endswith("\n") or not text else f"{text}\n"
