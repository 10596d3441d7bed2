"""The ruling books: each ruling is checked when it comes, and the judge is reminded once of what it owes."""

from typing import Any

from kodiai.core.findings.report import FINISH
from kodiai.core.findings.source import Source
from kodiai.core.judge.enforce import JudgeContext
from kodiai.core.judge.ruling import CONFIRM, RESOLVE, RULE
from kodiai.core.judge.ruling_book import RulingBook, SecondRulingBook
from kodiai.core.model.tool import BadCall
from kodiai.core.plan.candidate import Candidate
from tests.builders import a_finding, reading
from tests.core.examining import KEEP
from tests.tables import each_row

ID = "F-0123456789ab"
FATES = "'keep', 'wrong', 'not-from-this-change', 'not-worth-it', 'same-as', 'known' or 'unwanted'"
FOLLOWED = {**KEEP, "number": 1, "path": "a.py", "quote": "return total"}
NOT_FOUND = "the quote does not stand in the code at that path, or has no two letters or digits to find it by"


def take(book: RulingBook | SecondRulingBook, name: str, **call: Any) -> str | None:
    try:
        return book.take(name, call)
    except BadCall as why:
        return str(why)


def a_book() -> RulingBook:
    source = Source(reading({"a.py": ["total = 1", "return total"]}), (), ("a.py",))
    found = [a_finding(path="a.py", start_line=2, quote="return total", title=f"Case {number}") for number in (1, 2)]
    candidates = [Candidate(number, "behavior", each) for number, each in enumerate(found, 1)]
    return RulingBook(candidates, [ID], JudgeContext(source))


@each_row(
    ("name", "call", "told", "owed"),
    [
        (RULE, FOLLOWED, "Recorded.", "no ruling on 2"),
        (RULE, {**FOLLOWED, "number": 7}, "there is no candidate 7", "no ruling on 1, 2"),
        (RULE, {**FOLLOWED, "fate": "fine"}, f"fate: Input should be {FATES}", "no ruling on 1, 2"),
        (
            RULE,
            {**FOLLOWED, "quote": "return 7", "title": "x" * 81},
            f"The ruling on 1 cannot be followed: {NOT_FOUND}; title over 80 characters.",
            "no ruling on 2; no ruling that can be followed on 1",
        ),
        (RESOLVE, {"finding": ID, "resolved": False}, "Recorded.", "no ruling on 1, 2"),
        (RESOLVE, {"finding": "F-1", "resolved": True}, "F-1 is not said to be resolved", "no ruling on 1, 2"),
        (CONFIRM, {"number": 1, "confirmed": True}, None, "no ruling on 1, 2"),
    ],
)
def test_a_ruling_is_recorded_or_refused_and_the_first_end_names_what_is_owed(
    name: str, call: dict[str, Any], told: str | None, owed: str
) -> None:
    """The second end is the end: without a ruling a finding stands, as not verified."""
    book = a_book()

    assert take(book, name, **call) == told

    resolved = "" if book.resolutions else f"; no word on whether {ID} is resolved"
    assert take(book, FINISH) == f"Not finished: {owed}{resolved}. Rule on that, then finish."
    assert (book.is_finished, take(book, FINISH), book.is_finished) == (False, "Finished.", True)


def test_the_last_of_two_rulings_counts_and_settles_what_was_refused() -> None:
    """With everything ruled on, the first end is the end."""
    book = a_book()
    take(book, RULE, **FOLLOWED | {"fate": "wrong"})
    for number in (1, 2):
        take(book, RULE, **FOLLOWED | {"number": number, "different_from": "F-2", "unwanted": None})
    take(book, RESOLVE, finding=ID, resolved=False)
    take(book, RESOLVE, finding=ID, resolved=True)

    assert take(book, FINISH) == "Finished."
    assert {number: each.fate for number, each in book.rulings.items()} == {1: "keep", 2: "keep"}
    assert (book.rulings[1].different_from, book.rulings[1].unwanted) == (("F-2",), ())
    assert book.resolutions[ID].resolved


@each_row(
    ("said", "told", "confirmed"),
    [
        ([True], ["Recorded.", "Finished."], True),
        # One that does not agree is not taken back.
        ([True, False], ["Recorded.", "Recorded.", "Finished."], False),
        ([False, True], ["Recorded.", "Recorded.", "Finished."], False),
        ([], ["Not finished: no word on 3. Rule on that, then finish.", "Finished."], None),
    ],
)
def test_a_second_ruling_agrees_or_nothing_is_let_go(said: list[bool], told: list[str], confirmed: bool | None) -> None:
    """Only what is let go can be confirmed."""
    book = SecondRulingBook([3])
    assert take(book, CONFIRM, number=1, confirmed=True) == "candidate 1 is not let go"
    assert take(book, RULE, **FOLLOWED) is None

    results = [take(book, CONFIRM, number=3, confirmed=each) for each in said]
    while not book.is_finished:
        results.append(take(book, FINISH))

    assert results == told
    assert [each.confirmed for each in book.confirmations.values()] == ([] if confirmed is None else [confirmed])
