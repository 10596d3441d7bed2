"""Reading the model's structured answer."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.finding import Category, Cause, Kind, Severity
from kodiai.core.findings.report import (
    EarlierAnswer,
    EarlierVerdict,
    ParsedReport,
    Report,
    ReportedFinding,
    UnreadableReport,
    read_report,
)
from kodiai.prompts.load import load
from tests.builders import a_finding, reported
from tests.tables import each_row

FINDING = a_finding().model_dump()
ANSWER = {"what_changed": "It streams.", "strengths": ["Short."], "suggestions": ["Measure."], "findings": [FINDING]}


def unreadable(read: ParsedReport) -> int:
    return read.unreadable_findings + read.unreadable_answers


def test_a_whole_answer_is_taken_over() -> None:
    """Nothing is lost or changed."""
    read = read_report(json.dumps(ANSWER))

    assert unreadable(read) == 0
    assert read.report == Report(
        what_changed="It streams.", strengths=("Short.",), suggestions=("Measure.",), findings=(reported(a_finding()),)
    )


EARLIER = {
    "finding": "F-0123456789ab",
    "answer": "PARTIAL",
    "path": "src/app.py",
    "quote": "return total",
    "why": "One of two ways is guarded.",
    "severity": "CRITICAL",
    "concedes": True,
}


def test_answers_about_earlier_findings_are_read_with_the_report() -> None:
    """An answer may have only the finding and the verdict."""
    short = {"finding": "F-1", "answer": "CANNOT_TELL"}
    silent = {"path": "", "quote": "", "why": "", "severity": None, "concedes": False}

    read = read_report(json.dumps({**ANSWER, "earlier": [EARLIER, short]}))

    assert read.earlier == tuple(map(EarlierAnswer.model_validate, (EARLIER, {**short, **silent})))
    assert (read.report.findings, unreadable(read)) == ((reported(a_finding()),), 0)


@each_row(
    ("finding", "answer"),
    [
        ({"severity": "SEVERE"}, {"answer": "FIXED"}),
        ({"kind": None}, {"answer": "addressed"}),
        ({"start_line": "twelve"}, {"finding": None}),
        ({"start_line": 1e999}, {"severity": "GRAVE"}),
        ({"start_line": 1.5}, {"quote": None}),
        ({"path": 7}, {"concedes": "perhaps"}),
        ({"title": None}, {"why": 7}),
    ],
)
def test_one_bad_entry_costs_no_other(finding: dict[str, object], answer: dict[str, object]) -> None:
    """It is counted, so that the review can say so; an answer that names no finding is a bad one."""
    nameless = {name: value for name, value in EARLIER.items() if name != "finding"}
    findings = [{**FINDING, **finding}, FINDING, "nonsense", None]
    answers = [{**EARLIER, **answer}, EARLIER, nameless, "ADDRESSED", None]

    read = read_report(json.dumps({"findings": findings, "earlier": answers}))

    assert (len(read.report.findings), read.unreadable_findings) == (1, 3)
    assert (len(read.earlier), read.unreadable_answers) == (1, 4)


@pytest.mark.parametrize("earlier", [None, {}, "F-1", 7])
def test_without_a_list_of_answers_there_are_none(earlier: object) -> None:
    """Nobody was asked, or the model did not answer: the findings are read all the same."""
    read = read_report(json.dumps({**ANSWER, "earlier": earlier}))

    assert (read.earlier, len(read.report.findings), unreadable(read)) == ((), 1, 0)


def test_further_text_of_a_model_costs_no_finding() -> None:
    """Words or a fence around the object, texts that are none, and half a surrogate pair."""
    wrapped = read_report(f"Here it is:\n```json\n{json.dumps({'findings': [FINDING]})}\n```\nThat is all.")
    odd = read_report(json.dumps({"what_changed": 7, "strengths": ["", " ", 3, "Short."], "findings": []}))
    halves = read_report(json.dumps({"what_changed": "a\ud800b", "findings": [{**FINDING, "title": "\udfff"}]}))

    assert len(wrapped.report.findings) == 1
    assert odd.report == Report(what_changed="", strengths=("Short.",), suggestions=(), findings=())
    assert (halves.report.what_changed, halves.report.findings[0].title) == ("a?b", "?")


def test_the_prompt_for_the_data_names_every_field_and_every_value_of_it() -> None:
    """A model makes up whatever it does not name, and the finding is lost."""
    prompt = "".join(map(load, ["extract", "extract_summary", "extract_earlier"]))

    for form in (Report, ReportedFinding, EarlierAnswer, Cause):
        assert all(f"`{name}`" in prompt for name in form.model_fields), form
    for values in (Severity, Category, Kind, EarlierVerdict):
        assert all(value in prompt for value in get_args(values))


@pytest.mark.parametrize("given", [{"pre_existing": True}, {"pre_existing": False}, {}])
def test_a_problem_that_was_there_before_is_read_as_one(given: dict[str, bool]) -> None:
    """It is one only if the reviewer says so."""
    entry = {name: value for name, value in FINDING.items() if name != "pre_existing"} | given

    [finding] = read_report(json.dumps({"findings": [entry]})).report.findings

    assert finding.finding.pre_existing is given.get("pre_existing", False)


@each_row(
    "text",
    [
        *("", "I found nothing.", "[]", "null", "{}", '{"findings": {}}', '{"findings": [', '[{"findings": []}]'),
        *("[" * 100_000, '{"findings": [' + "9" * 5_000 + "]}"),
    ],
)
def test_any_other_text_is_unreadable(text: str) -> None:
    """Prose, other JSON, an answer that was cut, one that is nested without end."""
    with pytest.raises(UnreadableReport):
        read_report(text)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*ANSWER, *FINDING, *EARLIER, "earlier"]), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_is_read_or_refused(value: object) -> None:
    """No other error is raised."""
    text = json.dumps(value)

    try:
        read = read_report(text)
    except UnreadableReport:
        return

    assert isinstance(value, dict)
    answers = value["earlier"] if isinstance(value.get("earlier"), list) else []
    assert len(read.report.findings) + len(read.earlier) + unreadable(read) == len(value["findings"]) + len(answers)
