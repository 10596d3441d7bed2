"""The rulings of a reader on the team's rules: evidence that code finds, and criteria that keep their ids."""

from collections.abc import Mapping
from typing import Any

from kodiai.core.changes.team_ruling import MOST_CRITERIA, TeamRuling
from kodiai.core.findings.source import Source
from kodiai.core.findings.team_rulings import NOT_RULED, TeamRulings
from kodiai.core.model.tool import BadCall
from tests.builders import a_file, reading
from tests.tables import each_row

PATH, OTHER = "src/app.py", "notes/one.md"
CODE = ["def total(values):", "    return sum(values)"]
PATCH = "@@ -1,2 +1,2 @@\n def total(values):\n-    return 0\n+    return sum(values)"
SOURCE = Source(reading({PATH: CODE, OTHER: ["A note."]}), [a_file(PATH, patch=PATCH)], (PATH, OTHER))
SHOWN = {"path": PATH, "quote": "return sum(values)"}
LOOKED = {"looked_at": [PATH]}


def a_book(criteria: Mapping[str, str] | None = None) -> TeamRulings:
    return TeamRulings(SOURCE, frozenset({"no-sum", "has-notes"}), criteria)


def take(book: TeamRulings, **call: Any) -> str:
    """The answer to the reader, also where it is a refusal."""
    try:
        return book.take({"rule": "no-sum", "result": "fail", "why": "It is a sum", **call})
    except BadCall as why:
        return str(why)


def recorded(book: TeamRulings) -> list[TeamRuling]:
    """Its rulings, without those that nobody has made."""
    return [each for each in book.rulings if each.why != NOT_RULED]


def ask_for(book: TeamRulings, criterion: str, **call: Any) -> str:
    return take(book, **{"rule": "issue", "criterion": criterion, "result": "pass", **LOOKED, **call})


REFUSED = "The ruling on no-sum is refused: "


@each_row(
    ("call", "answer"),
    [
        (SHOWN, "Recorded about no-sum."),
        ({**SHOWN, "path": "app.py"}, "Recorded about no-sum."),
        (LOOKED, "Recorded about no-sum."),
        ({"looked_at": ["notes", "/src/", "description"]}, "Recorded about no-sum."),
        ({"result": "cannot_tell"}, "Recorded about no-sum."),
        ({**SHOWN, "quote": "return 0", "path": OTHER}, f"{REFUSED}its quote does not stand in {OTHER}"),
        (
            {"looked_at": [PATH, "tests"]},
            f"{REFUSED}there is no file or folder tests, and it is none of commits, description, linked issues, title",
        ),
        ({**SHOWN, "why": "\\n"}, "Recorded about no-sum."),
        ({**SHOWN, "why": " \n"}, f"{REFUSED}it has no reason"),
        ({**SHOWN, "rule": "yes-sum"}, "yes-sum is none of the rules that you are asked about"),
        ({**SHOWN, "rule": "issue", "criterion": "A sum"}, "issue is none of the rules that you are asked about"),
    ],
)
def test_a_ruling_needs_evidence_that_is_there(call: Mapping[str, Any], answer: str) -> None:
    """A line of code, or what was looked at; only what decides nothing needs none."""
    assert take(a_book(), **call) == answer


def test_evidence_is_recorded_as_it_is_in_the_repository() -> None:
    """The code of the file and not that of the model, whole paths, and folders with their slash."""
    shown, looked, undecided = a_book(), a_book(), a_book()

    take(shown, path="app.py", quote="return   sum( values )", looked_at=["app.py"])
    take(looked, looked_at=["app.py", "/notes", "title", PATH], path="made/up.py")
    take(undecided, result="not_applicable", **SHOWN, **LOOKED)

    assert recorded(shown) == [
        TeamRuling(rule="no-sum", result="fail", why="It is a sum", path=PATH, quote=CODE[1], looked_at=(PATH,))
    ]
    [found] = recorded(looked)
    assert (found.looked_at, found.path, found.quote) == ((PATH, "notes/", "title"), "", "")
    assert [(each.path, each.looked_at) for each in recorded(undecided)] == [("", ())]


def test_the_last_ruling_on_a_rule_counts_and_what_is_missing_is_named() -> None:
    """A refused one counts neither for nor against it."""
    book = a_book()
    take(book, **SHOWN)
    take(book, result="pass", **LOOKED)
    take(book, rule="has-notes")

    assert {each.rule: each.result for each in book.rulings} == {"no-sum": "pass", "has-notes": "cannot_tell"}
    assert [*book.missing()] == ["refused and not corrected: the rulings on has-notes"]
    take(book, rule="has-notes", **LOOKED)
    assert [*book.missing()] == []
    assert [*a_book({"issue-1": "A sum"}).missing()] == [
        "no ruling on has-notes, issue-1, no-sum",
        "no ruling on what the linked issues ask for (issue)",
    ]


def test_criteria_are_numbered_and_keep_their_ids_and_words() -> None:
    """The same words are the same criterion, and no later ruling gives one other words."""
    book = a_book({"issue-2": "An invoice shows it"})

    assert ask_for(book, " An INVOICE\nshows it ") == "Recorded about issue-2."
    assert ask_for(book, "A sum") == "Recorded about issue-3."
    assert ask_for(book, "Anything at all", rule="issue-2") == "Recorded about issue-2."
    assert ask_for(book, " ") == "name what the issue asks for as its criterion"
    assert ask_for(book, "A sum", rule="issue-4") == "issue-4 is none of the rules that you are asked about"
    assert {each.rule: each.criterion for each in recorded(book)} == {
        "issue-2": "An invoice shows it",
        "issue-3": "A sum",
    }


def test_there_are_eight_criteria_at_most() -> None:
    """Those of earlier reviews count; one that is known can be ruled on again."""
    book = a_book({"issue-1": "First"})
    told = [ask_for(book, f"Criterion {number}") for number in range(2, MOST_CRITERIA + 2)]

    assert told[:-1] == [f"Recorded about issue-{number}." for number in range(2, MOST_CRITERIA + 1)]
    assert told[-1] == "there are 8 criteria already: rule on the ones that matter most"
    assert ask_for(book, "first") == "Recorded about issue-1."


def test_a_ruling_is_as_long_as_a_line_may_be() -> None:
    """A model that talks on cannot push anything else out of a review; a rule has no name but its id."""
    book, endless = a_book({}), "word " * 5_000
    ask_for(book, endless, why="x" * 50_000, looked_at=[PATH, OTHER] * 500)
    take(book, criterion="Another name", **SHOWN)

    criterion, rule = recorded(book)
    assert (len(criterion.criterion), len(criterion.why), criterion.looked_at) == (125, 601, (PATH, OTHER))
    assert ask_for(book, endless) == "Recorded about issue-1."
    assert rule.criterion == ""
