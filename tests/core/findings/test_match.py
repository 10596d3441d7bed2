"""Which of the reported findings were told before, and which are others."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.match import Matches, Told, match, sameness
from tests.builders import a_finding

UNSET = a_finding()
SQL: dict[str, Any] = {
    "category": "security",
    "title": "SQL is built from user input",
    "explanation": "A name with a quote in it ends the string, and anyone runs statements.",
}
UNSET_AGAIN: dict[str, Any] = {
    "title": "`total` may be unbound for an empty list",
    "explanation": "When `values` is empty nothing sets `total`, and the report fails.",
}
ZH = a_finding(title="列表为空时 total 未赋值", explanation="空列表会使 total 未定义，第一次报告失败。")
JA = a_finding(title="値がない場合に例外が発生する", explanation="空の一覧では合計が未設定になる。")
RU = a_finding(title="Итог читается до установки", explanation="Для пустого списка итог не определён.")
LONG = a_finding(quote="for value in values:\n    total += value\nreturn total", start_line=10, end_line=12)
EXCEPT = a_finding(
    category="reliability", title="Bare except", explanation="It hides every error.", quote="except:", start_line=10
)


def told(finding: Finding = UNSET, name: str = "T", **given: Any) -> Told:
    return Told(name, finding, **{"stands": True, **given})


def like(finding: Finding, **given: Any) -> Finding:
    return finding.model_copy(update=given)


@pytest.mark.parametrize(
    ("case", "before", "reported"),
    [
        ("word by word", told(), UNSET),
        ("on other lines", told(), a_finding(start_line=912)),
        ("under another title", told(), a_finding(**UNSET_AGAIN)),
        ("in Chinese, in other words", told(ZH), like(ZH, title="空列表导致 total 未初始化", explanation="")),
        ("in Japanese, in other words", told(JA), like(JA, title="値が存在しないと例外になる", explanation="")),
        ("in Russian, in other words", told(RU), like(RU, title="Итоговая сумма не установлена", explanation="")),
        ("with other white space in its quote", told(), a_finding(quote="\treturn   total\r\n")),
        ("graver, and as a preference", told(), a_finding(severity="CRITICAL", kind="preference")),
        ("called another category", told(), a_finding(category="reliability")),
        ("with a part of its quote, in other words", told(LONG), a_finding(**UNSET_AGAIN, start_line=12)),
        ("with more than its quote, in other words", told(), like(LONG, **UNSET_AGAIN)),
        ("with a part of its quote, as another category", told(LONG), a_finding(category="tests", start_line=12)),
        ("its code was edited", told(stands=False), a_finding(quote="return summe or None")),
        (
            "its code was edited, and it was said in other words",
            told(stands=False),
            a_finding(quote="return summe", title="The total is read though never set", explanation="An empty list."),
        ),
        (
            "its code was edited, and its title is the same in another alphabet",
            told(like(RU, explanation=""), stands=False),
            like(RU, explanation="", quote="return summe"),
        ),
        (
            "its code was edited, and its title has short words only",
            told(a_finding(title="No-op", explanation="It does nothing."), stands=False),
            a_finding(title="no op", explanation="Called for its effect, without any.", quote="return summe"),
        ),
        ("mended, and back at its place", told(is_mended=True), a_finding(start_line=15)),
        ("mended by an edit, and back at its place", told(stands=False, is_mended=True), a_finding(start_line=9)),
    ],
)
def test_the_same_finding_is_recognised(case: str, before: Told, reported: Finding) -> None:
    """A new title, other lines, edited code: identity is path, category, code and words, and one may differ."""
    assert sameness(before, reported) is not None, case
    assert match([before], [reported]) == Matches({0: "T"}, {}), case


@pytest.mark.parametrize(
    ("case", "before", "reported"),
    [
        ("in another file", told(), a_finding(path="src/b.py")),
        ("another problem on the same line", told(), a_finding(**SQL)),
        ("another problem in a part of the code", told(LONG), a_finding(**{**SQL, "category": "correctness"})),
        ("another problem in edited code", told(stands=False), a_finding(**SQL, quote="return summe")),
        (
            "another problem of the same category in edited code",
            told(stands=False),
            a_finding(**{**SQL, "category": "correctness"}, quote="return summe"),
        ),
        ("the same title elsewhere, while the told code stands", told(), a_finding(quote="return count")),
        (
            "the same words as another category, in edited code",
            told(stands=False),
            a_finding(category="style", quote="return summe"),
        ),
        (
            "other code at the place of one that is mended by an edit",
            told(stands=False, is_mended=True),
            a_finding(quote="count"),
        ),
        ("a part that is too short to tell", told(EXCEPT), like(EXCEPT, quote="except: pass", start_line=40)),
        (
            "the same code elsewhere, once the told one is mended",
            told(EXCEPT, is_mended=True),
            like(EXCEPT, start_line=14),
        ),
        (
            "the same code elsewhere, once the told one is mended by an edit",
            told(EXCEPT, stands=False, is_mended=True),
            like(EXCEPT, start_line=6),
        ),
    ],
)
def test_another_finding_is_told_apart(case: str, before: Told, reported: Finding) -> None:
    """The same line, the same words or the same code alone do not make it the same."""
    assert sameness(before, reported) is None, case
    assert match([before], [reported]) == Matches({}, {}), case


def at(line: int, quote: str, title: str = "Unused import", **given: Any) -> Finding:
    return a_finding(**{"start_line": line, "quote": quote, "title": title, "explanation": "", **given})


UNUSED = [at(1, "import os"), at(2, "import sys"), at(3, "import re")]
ON_ONE_LINE = [
    a_finding(category="correctness", title="The division fails for an empty list", quote="return a / b"),
    a_finding(
        category="correctness", title="Whole numbers lose their fraction", quote="return a / b", explanation="1 / 2"
    ),
]


@pytest.mark.parametrize(
    ("case", "before", "reported", "expected"),
    [
        ("nothing was told", [], UNUSED, Matches({}, {})),
        ("nothing is reported", UNUSED, [], Matches({}, {})),
        ("the same lint title at several places", UNUSED, UNUSED[::-1], Matches({0: "2", 1: "1", 2: "0"}, {})),
        ("at fewer places than before", UNUSED, [at(9, "import re")], Matches({0: "2"}, {})),
        ("at one more place", UNUSED, [*UNUSED, at(4, "import json")], Matches({0: "0", 1: "1", 2: "2"}, {})),
        ("two on one line, the other way round", ON_ONE_LINE, ON_ONE_LINE[::-1], Matches({0: "1", 1: "0"}, {})),
        ("two on one line, the first again", ON_ONE_LINE, ON_ONE_LINE[:1], Matches({0: "0"}, {})),
        ("two on one line, the second again", ON_ONE_LINE, ON_ONE_LINE[1:], Matches({0: "1"}, {})),
        ("one of a line again, and another one there", ON_ONE_LINE[:1], ON_ONE_LINE[::-1], Matches({1: "0"}, {})),
        (
            "the same code twice in a file, both moved by what was put above",
            [EXCEPT, like(EXCEPT, start_line=40, end_line=40)],
            [like(EXCEPT, start_line=43, end_line=43), like(EXCEPT, start_line=13, end_line=13)],
            Matches({0: "1", 1: "0"}, {}),
        ),
        (
            "said twice in one report: the second is an echo",
            [UNSET],
            [a_finding(**UNSET_AGAIN), UNSET],
            Matches({1: "0"}, {0: "0"}),
        ),
        (
            "said of a part and of the whole: the surer one is it",
            [UNSET],
            [like(LONG, **UNSET_AGAIN), a_finding(start_line=80)],
            Matches({1: "0"}, {0: "0"}),
        ),
    ],
)
def test_findings_are_matched_one_to_one(
    case: str, before: list[Finding], reported: list[Finding], expected: Matches
) -> None:
    """The surest pairs first, then the nearest; each told finding is at most one of the reported."""
    assert match([told(each, str(number)) for number, each in enumerate(before)], reported) == expected, case


def test_one_that_is_mended_leaves_its_place_to_the_same_code_elsewhere() -> None:
    """Of two alike the one that is mended is gone, and the one that is reported is the other."""
    before = [told(EXCEPT, "first", is_mended=True), told(like(EXCEPT, start_line=40), "second")]

    assert match(before, [like(EXCEPT, start_line=31)]) == Matches({0: "second"}, {})


_TITLES = ["The total is unset", "Unset total", "SQL is injected", "缺少空值检查", "未检查空值", ""]
_CODE = ["return total", "return total, count", "except:", "x = 1", "return total\nexcept:"]
_FINDING = st.builds(
    a_finding,
    path=st.sampled_from(["a.py", "a.py", "b.py"]),
    category=st.sampled_from(["correctness", "correctness", "style"]),
    title=st.sampled_from(_TITLES),
    explanation=st.sampled_from(["", "An empty list leaves it unset."]),
    quote=st.sampled_from(_CODE),
    start_line=st.integers(1, 400),
)
_TOLD = st.lists(st.tuples(_FINDING, st.booleans(), st.booleans()), max_size=5).map(
    lambda drawn: [
        Told(f"F-{number}", finding, stands, is_mended=mended) for number, (finding, stands, mended) in enumerate(drawn)
    ]
)


@settings(max_examples=60, deadline=None)
@given(before=_TOLD, reported=st.lists(_FINDING, max_size=5), data=st.data())
def test_the_order_of_findings_decides_nothing(
    before: list[Told], reported: list[Finding], data: st.DataObject
) -> None:
    """Each is matched once, an echo only where there is one; the outcome is open only between pairs equally near."""
    pairs = [
        (each.id, at, sameness(each, finding), abs(each.finding.start_line - finding.start_line))
        for each in before
        for at, finding in enumerate(reported)
    ]
    possible = [pair for pair in pairs if pair[2] is not None]
    assume(len({pair[2:] for pair in possible}) == len(possible))
    order = data.draw(st.permutations(range(len(reported))))

    found = match(before, reported)
    again = match(data.draw(st.permutations(before)), [reported[at] for at in order])

    assert {order[at]: name for at, name in again.same.items()} == found.same
    assert {order[at]: name for at, name in again.echoes.items()} == found.echoes
    assert len(set(found.same.values())) == len(found.same)
    assert not found.same.keys() & found.echoes.keys()
    assert set(found.echoes.values()) <= set(found.same.values())
    assert {(name, at) for at, name in (*found.same.items(), *found.echoes.items())} <= {pair[:2] for pair in possible}


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["x = 1", "except:", "return total", "🔥", "if a:\n b"]), _FINDING),
    st.integers(0, 900),
)
def test_what_is_reported_again_word_by_word_is_all_known(drawn: dict[str, Finding], moved: int) -> None:
    """Each by its own code, wherever it moved; nothing is left over and nothing is an echo."""
    findings = [like(each, quote=quote) for quote, each in drawn.items()]
    again = [like(each, start_line=each.start_line + moved) for each in findings]

    found = match([told(each, str(number)) for number, each in enumerate(findings)], again)

    assert found == Matches({number: str(number) for number in range(len(findings))}, {})


@pytest.mark.parametrize(
    ("case", "before", "reported", "same"),
    [
        ("where it stands", told(EXCEPT, lines=(10, 10)), EXCEPT, True),
        ("the same code elsewhere", told(EXCEPT, lines=(10, 10)), like(EXCEPT, start_line=42, end_line=42), False),
        ("a place that cannot be told", told(EXCEPT), like(EXCEPT, start_line=42, end_line=42), True),
        ("mended, and the same code elsewhere", told(EXCEPT, is_mended=True), like(EXCEPT, start_line=42), False),
        ("mended, and told at its own place", told(EXCEPT, is_mended=True), EXCEPT, True),
    ],
)
def test_the_same_code_elsewhere_in_the_file_is_another_finding(
    case: str, before: Told, reported: Finding, same: bool
) -> None:
    """A bare `except:` that was told does not swallow the next one."""
    assert (sameness(before, reported) is not None) is same, case


def test_who_has_just_answered_about_a_finding_means_another_one_by_other_words() -> None:
    """On the same line, of the same category; as long as nobody answered, it is the same in other words."""
    other = a_finding(title="Race between writers", explanation="Two threads may enter at once.")

    assert sameness(told(is_answered=True), other) is None
    assert sameness(told(), other) is not None
    assert sameness(told(is_answered=True), a_finding(**UNSET_AGAIN)) is not None
