"""The report book: what is recorded, what is refused in which words, and what nobody corrects."""

from typing import Any

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.findings.report import ANSWER, FINISH, REPORT, REPORT_TOOLS, EarlierAnswer, ReportedFinding, Summary
from kodiai.core.findings.report_book import ReportBook
from kodiai.core.findings.source import Source
from kodiai.core.model.tool import BadCall
from tests.builders import a_file, reading
from tests.tables import each_row

CODE = [
    "def total(values):",
    "    result = 0",
    "    for value in values:",
    "        result += value",
    "    return result",
]
CODE += [f"x{number} = {number}" for number in range(6, 41)]
PATH, ID, OTHER_ID = "src/app.py", "F-0123456789ab", "F-00000000000b"
CHANGED = [a_file(PATH, patch="@@ -2 +2 @@\n-    result = None\n+    result = 0")]
SOURCE = Source(reading({PATH: CODE, "logo.png": []}), CHANGED, (PATH, "logo.png"))
FINDING: dict[str, Any] = {
    "title": "The sum is wrong",
    "path": PATH,
    "start_line": 4,
    "end_line": 4,
    "severity": "MAJOR",
    "category": "correctness",
    "kind": "impact",
    "quote": "result += value",
    "mechanism": "One and two are four.",
    "fix": "",
}
ANSWERED = {"finding": ID, "answer": "NOT_ADDRESSED", "path": PATH, "quote": "result = 0", "why": "It is there."}
NEAREST = " It reads there:\n" + "\n".join(
    ['FILE "src/app.py" lines 1-17 of 40', *(f"{number:6} | {line}" for number, line in enumerate(CODE[:17], 1))]
)


def a_book(**given: Any) -> ReportBook:
    return ReportBook("behavior", SOURCE, ChangedLines(CHANGED), **given)


def take(book: ReportBook, name: str, **call: Any) -> str:
    """The answers to the reader, refusals included."""
    try:
        return str(book.take(name, call))
    except BadCall as why:
        return str(why)


def report(book: ReportBook, **more: Any) -> str:
    return take(book, REPORT, **FINDING | more)


def titles(book: ReportBook) -> list[str]:
    return [each.finding.title for each in book.findings]


def lines(first: int, last: int, text: str) -> dict[str, Any]:
    return {"start_line": first, "end_line": last, "text": text}


RECORDED = "Recorded as report 1, at src/app.py, lines 4."
ADDS, TWO_LINES = (lines(4, last, "        result += 2 * value") for last in (4, 5))
BACK, NO_CHANGE = {"start_line": 99, "end_line": 99}, {"path": PATH, "quote": "result += value"}
OFFER = "its replacement cannot be offered: "


@each_row(
    ("given", "told"),
    [
        ({}, RECORDED),
        ({"path": "a/src/app.py", "start_line": 9, "end_line": 9}, RECORDED),
        ({"quote": "result = None"}, "Recorded as report 1, at src/app.py, lines 2."),
        ({"cause": {"path": PATH, "quote": "result = 0"}}, RECORDED),
        ({"replacement": ADDS}, RECORDED),
        # A replacement may be for more lines than the quoted ones.
        ({"replacement": lines(3, 4, "    result = sum(values)")}, RECORDED),
        ({"severity": "SEVERE"}, "Input should be 'CRITICAL', 'MAJOR', 'MEDIUM' or 'MINOR'"),
        ({"title": None, "start_line": "one"}, "title: Input should be a valid string; start_line: Input should be a"),
        ({"path": "src/gone.py"}, "there is no file src/gone.py"),
        ({"path": "logo.png"}, "its quote does not stand in logo.png."),
        ({"quote": "result -= value"}, f"its quote does not stand in src/app.py.{NEAREST}"),
        ({"quote": "no"} | BACK, 'in src/app.py. It reads there:\nFILE "src/app.py" lines 40-40 of 40\n'),
        ({"cause": NO_CHANGE}, "the quote of its cause is on no changed line of src/app.py"),
        ({"replacement": lines(4, 4, "        result += value")}, f"{OFFER}it changes nothing.{NEAREST}"),
        ({"replacement": lines(4, 4, "        result += (")}, f"{OFFER}the file would not parse with it.{NEAREST}"),
        ({"replacement": lines(2, 2, "    result = 1")}, f"{OFFER}its lines are not those of the finding.{NEAREST}"),
        ({"replacement": lines(4, 99, "x")}, f"{OFFER}its lines are not in the file.{NEAREST}"),
        # Its lines were numbered by a reader who was elsewhere.
        (
            {"replacement": TWO_LINES} | BACK,
            "its quote is at lines 4: give its lines and those of its replacement again",
        ),
    ],
)
def test_a_report_is_recorded_or_refused_with_the_nearest_lines(given: dict[str, Any], told: str) -> None:
    """A refused one goes on all the same if it can be read: the judge decides."""
    book = a_book()

    answer = report(book, **given)

    assert told in answer
    is_recorded = told.startswith("Recorded")
    assert answer.startswith("Recorded as report 1" if is_recorded else "Report 1 is refused: ")
    is_readable = "Input should be" not in told
    assert len(book.findings) == is_readable
    assert [*book.lost] == ([] if is_readable else ["1 reported finding could not be read"])


def test_everything_that_is_reported_becomes_the_finding() -> None:
    """With the replacement's own lines, and the title of the report that it depends on."""
    book = a_book()
    report(book, start_line=2, end_line=2, quote="result = 0", title="First")
    cause = {"path": PATH, "quote": "result = 0"}
    report(book, older=True, fix="Add once.", cause=cause, depends_on=1, replacement=lines(3, 4, "    pass"))

    first, second = book.findings
    found = second.finding
    assert (first.reviewer, first.depends_on, second.depends_on) == ("behavior", None, "First")
    assert (found.explanation, found.fix, found.pre_existing) == ("One and two are four.", "Add once.", True)
    assert (found.replacement, found.replaces, found.replaced_lines) == ("    pass", (3, 4), (3, 4))
    assert (found.cause and found.cause.quote, found.quote, found.reported_title) == (
        "result = 0",
        "        result += value",
        "The sum is wrong",
    )


@each_row(
    ("correction", "result", "found"),
    [
        ({"number": 1}, "Recorded as report 1", ["The sum is wrong"]),
        ({"number": 1, "title": "It adds twice"}, "Recorded as report 1", ["It adds twice"]),
        ({}, "Recorded as report 1", ["The sum is wrong"]),
        # Another title, or a number that was never given, is another report.
        ({"title": "It adds twice"}, "Recorded as report 2", ["The sum is wrong", "It adds twice"]),
        ({"number": 7, "title": "It adds twice"}, "Recorded as report 2", ["The sum is wrong", "It adds twice"]),
    ],
)
@each_row("refused", [{"quote": "nobody wrote this"}, {"severity": "SEVERE"}])
def test_a_refused_report_is_corrected_by_its_number_or_its_title(
    refused: dict[str, Any], correction: dict[str, Any], result: str, found: list[str]
) -> None:
    """The refused report is gone then, and nothing has been lost."""
    book = a_book()
    report(book, **refused)

    assert report(book, **correction).startswith(result)

    is_lost = "severity" in refused and len(found) == 2
    assert titles(book) == (found[1:] if is_lost else found)
    assert [*book.lost] == (["1 reported finding could not be read"] if is_lost else [])
    report(book, number=2 if is_lost else 1, severity="MINOR")
    report(book, number=2 if is_lost else 1, severity="SEVERE")  # what cannot be read takes nothing back
    assert book.findings[0].finding.severity == "MINOR"


def test_a_finding_that_was_reported_word_for_word_is_not_recorded_again() -> None:
    """By this reader or by an earlier one; its number goes to the next report. Another word makes it another."""
    first = a_book()
    report(first)
    book = a_book(already=[first.findings[0].finding])

    assert report(first, severity="CRITICAL") == "It is report 1 already: not recorded again."
    assert [each.finding.severity for each in first.findings] == ["CRITICAL"]  # of two, the more severe one counts
    assert report(book) == "It is a finding of a reader before you already: not recorded again."
    others = {"title": "Other"}, {"severity": "CRITICAL"}, {"quote": CODE[4], "start_line": 5, "end_line": 5}
    assert [report(book, **other).partition(",")[0] for other in others] == [
        f"Recorded as report {n}" for n in (1, 2, 3)
    ]
    assert (len(first.findings), len(book.findings)) == (1, 3)


REFUSED = f"The answer about {ID} is refused: "
VERDICTS = "'ADDRESSED', 'PARTIAL', 'NOT_ADDRESSED' or 'CANNOT_TELL'"


def why_not(answer: EarlierAnswer) -> str | None:
    return "nothing changed there" if answer.quote == "x6 = 6" else None


@each_row(
    ("given", "told", "is_taken"),
    [
        ({}, f"Recorded about {ID}.", True),
        ({"answer": "CANNOT_TELL", "quote": "nobody wrote this"}, f"Recorded about {ID}.", True),
        ({"answer": "NOT_ADDRESSED", "quote": "nobody wrote this"}, f"Recorded about {ID}.", True),
        ({"answer": "ADDRESSED"}, f"Recorded about {ID}.", True),
        ({"path": "src/gone.py", "quote": "x"}, f"Recorded about {ID}.", True),
        ({"answer": "ADDRESSED", "quote": "x6 = 6"}, f"{REFUSED}nothing changed there", True),
        (
            {"answer": "ADDRESSED", "quote": "nobody wrote this"},
            f"{REFUSED}its quote does not stand in src/app.py.{NEAREST}",
            True,
        ),
        ({"finding": "F-1"}, "F-1 is none of the earlier findings that you are asked about", False),
        ({"finding": None}, "finding: Input should be a valid string", False),
        ({"answer": "FIXED"}, f"answer: Input should be {VERDICTS}", False),
    ],
)
def test_an_answer_about_an_earlier_finding_is_checked_at_once(given: Any, told: str, is_taken: bool) -> None:
    """The last of two counts, a refused one too; one that nobody can read is lost until it is given again."""
    book = a_book(asked=[ID], why_not_resolved=why_not)

    assert take(book, ANSWER, **ANSWERED | given) == told
    assert [each.finding for each in book.answers] == ([ID] if is_taken else [])
    assert [*book.lost] == (["1 answer about earlier findings could not be read"] if "FIXED" in given.values() else [])
    take(book, ANSWER, **ANSWERED, severity="CRITICAL", concedes=True)
    assert (book.answers[0].severity, book.answers[0].concedes, [*book.lost]) == ("CRITICAL", True, [])


def test_the_first_end_with_something_open_is_refused_and_the_second_one_is_the_end() -> None:
    """All that is open is named; what is left as it is goes on."""
    book = a_book(asked=[OTHER_ID, ID])
    report(book)
    report(book, title="Another", quote="nobody wrote this")
    take(book, ANSWER, **ANSWERED | {"answer": "ADDRESSED", "quote": "nobody wrote this"})

    first = take(book, FINISH, what_changed="It adds.")
    was_finished = book.is_finished
    second = take(book, FINISH, what_changed="It adds.", strengths=["Short."])

    assert first == (
        f"Not finished: refused and not corrected: report 2; refused and not corrected: the answers about {ID}; "
        f"no answer about {OTHER_ID}. Correct that, or finish again to leave it as it is."
    )
    assert (was_finished, second, book.is_finished) == (False, "Finished.", True)
    assert book.summary == Summary(what_changed="It adds.", strengths=("Short.",))
    assert titles(book) == ["The sum is wrong", "Another"]
    assert take(a_book(), FINISH, strengths=7) == "strengths: Input should be a valid tuple"
    assert take(a_book(), FINISH) == "Finished."


def test_the_tools_say_what_they_take() -> None:
    """Each field with its choices, and nothing else: titles, defaults and docstrings tell the model nothing."""
    schema = REPORT_TOOLS[0].schema

    assert set(schema["properties"]) == set(ReportedFinding.model_fields)
    assert {*schema["required"]} == {*FINDING}
    assert schema["properties"]["severity"] == {"enum": ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"], "type": "string"}
    for each in (schema, schema["$defs"]["Cause"]):
        assert each["additionalProperties"] is False
        assert {"title", "default", "description"}.isdisjoint(each)
