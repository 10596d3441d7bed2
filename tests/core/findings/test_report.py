"""Reading the model's structured answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.report import Report, UnreadableReport, read_report
from tests.builders import a_finding

FINDING = a_finding().model_dump()
ANSWER = {"what_changed": "It streams.", "strengths": ["Short."], "suggestions": ["Measure."], "findings": [FINDING]}


def test_a_whole_answer_is_taken_over() -> None:
    """Nothing is lost or changed."""
    read = read_report(json.dumps(ANSWER))

    assert read.unreadable == 0
    assert read.report == Report(
        what_changed="It streams.", strengths=("Short.",), suggestions=("Measure.",), findings=(a_finding(),)
    )


@pytest.mark.parametrize(
    "bad",
    [
        {"severity": "SEVERE"},
        {"kind": None},
        {"start_line": "twelve"},
        {"start_line": 1e999},
        {"start_line": 1.5},
        {"path": 7},
        {"title": None},
    ],
)
def test_one_bad_finding_costs_no_other(bad: dict[str, object]) -> None:
    """It is counted, so that the review can say so."""
    answer = {**ANSWER, "findings": [{**FINDING, **bad}, FINDING, "nonsense", None]}

    read = read_report(json.dumps(answer))

    assert (len(read.report.findings), read.unreadable) == (1, 3)


def test_texts_that_are_missing_or_none_are_passed_over() -> None:
    """The findings are what matters."""
    read = read_report(json.dumps({"what_changed": 7, "strengths": ["", " ", 3, "Short."], "findings": []}))

    assert read.report == Report(what_changed="", strengths=("Short.",), suggestions=(), findings=())


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    """JSON can name one, but no request to GitHub can carry it."""
    answer = json.dumps({**ANSWER, "what_changed": "a\ud800b", "findings": [{**FINDING, "title": "\udfff"}]})

    read = read_report(answer)

    assert (read.report.what_changed, read.report.findings[0].title) == ("a?b", "?")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I found nothing.",
        "[]",
        "null",
        "{}",
        '{"findings": {}}',
        '{"findings": [',
        '{"findings": []} and more',
        "[" * 100_000,
        '{"findings": [' + "9" * 5_000 + "]}",
    ],
)
def test_what_is_not_the_object_that_was_asked_for_is_unreadable(text: str) -> None:
    """Prose, other JSON, an answer that was cut, one that is nested without end."""
    with pytest.raises(UnreadableReport):
        read_report(text)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*ANSWER, *FINDING]), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_is_read_or_refused(value: object) -> None:
    """Nothing but the one error ever comes out of it."""
    text = json.dumps(value)

    try:
        read = read_report(text)
    except UnreadableReport:
        return

    assert isinstance(value, dict)
    assert len(read.report.findings) + read.unreadable == len(value["findings"])
