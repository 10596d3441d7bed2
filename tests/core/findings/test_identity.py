"""The identity of findings: normalized titles in any script, keys of code, ids, earlier findings."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.identity import (
    PriorFinding,
    finding_id,
    finding_ids,
    normalized_title,
    on_same_lines,
    quote_key,
    same_by_code,
)
from kodiai.core.findings.known import KnownFinding
from tests.builders import a_finding
from tests.tables import each_row


@each_row(
    ("title", "other"),
    [
        ("Off by one", "off  by-one!"),
        ("`total` is unset", "Total is unset."),
        ("⚠️ Unset total", "⚠ Unset total"),
        ("🔥 Unset total 🔥", "unset total"),
        ("Ｕｎｓｅｔ ｔｏｔａｌ", "unset total"),
        ("Straße fehlt", "STRASSE fehlt"),
        ("café", "cafe\u0301"),
        ("Проверка ПРОПУЩЕНА", "проверка пропущена"),
        ("un\u200bset", "unset"),
        ("un\u00adset", "unset"),
        ("1️⃣ first", "1 first"),
    ],
)
def test_titles_that_read_alike_are_alike(title: str, other: str) -> None:
    """Case, punctuation, emoji, width, composition and invisible signs do not count."""
    assert normalized_title(title) == normalized_title(other)


@each_row(
    ("title", "other"),
    [
        ("Отсутствует проверка", "Отсутствует обработка"),
        ("المجموع غير مهيأ", "المجموع مهيأ"),
        ("कि", "की"),
        ("काम", "कम"),
        ("검사가 없다", "검사가 있다"),
        ("ขาดการตรวจสอบ", "ขาดการทดสอบ"),
        ("Λείπει έλεγχος", "Λείπει χειρισμός"),
        ("หมายเลข", "หมายเลิข"),
        ("缺少空值检查", "缺少边界检查"),
        ("値がない", "鍵がない"),
        ("naïve", "naive"),
        ("Line 1 is wrong", "Line 2 is wrong"),
        ("<=", ">="),
        ("🔥", "💥"),
        ("not set", "notset"),
    ],
)
def test_titles_that_differ_in_any_script_differ(title: str, other: str) -> None:
    """Letters, the marks on them and digits all count; a title of signs alone is its signs."""
    assert normalized_title(title) != normalized_title(other)


@given(st.text())
def test_a_normalized_title_is_stable(title: str) -> None:
    """Neither the spaces around a title nor a second normalization change it."""
    normal = normalized_title(title)

    assert normalized_title(f"  {title}\n") == normal
    assert normalized_title(normal) == normal


def test_a_quote_is_the_same_whatever_its_white_space() -> None:
    """Indentation, line ends and spaces inside do not count, characters do."""
    assert quote_key("  a = 1\r\n\tb") == quote_key("a=1 b")
    assert quote_key("a = 1") != quote_key("a = 2")


def test_an_id_follows_what_the_finding_is_about() -> None:
    """Path, category, code and title make it; lines, severity and wording of the explanation do not.

    Findings that are alike in all but their lines are counted in order, and never take the id of an earlier one.
    """
    finding, name = a_finding(), finding_id(a_finding())
    about = {"path": "src/b.py", "category": "security", "quote": "return totals", "title": "Another concern"}

    assert name not in [finding_id(a_finding(**{key: value})) for key, value in about.items()]
    assert finding_id(a_finding(start_line=99, severity="MINOR", explanation="In short: no.")) == name
    assert (name, len(name)) == (f"F-{name[2:].lower()}", len("F-") + 12)
    assert finding_ids([a_finding(start_line=30), finding], taken=[name]) == [
        finding_id(finding, 3),
        finding_id(finding, 2),
    ]


def prior(place: tuple[int, int] | None = (12, 12), **more: Any) -> PriorFinding:
    return PriorFinding(KnownFinding("F-000000000001", a_finding(**more), "open", "7"), place)


@each_row(
    ("place", "reported", "same"),
    [
        ((12, 12), {}, True),
        ((40, 40), {"start_line": 40}, True),
        ((12, 12), {"start_line": 13, "quote": "print(total)"}, True),
        ((12, 12), {"start_line": 13}, False),
        ((12, 12), {"start_line": 30, "quote": "print(total)"}, False),
        ((12, 12), {"title": "Another problem"}, False),
        ((12, 12), {"path": "src/b.py"}, False),
        ((12, 12), {"category": "security"}, True),
        (None, {"start_line": 90, "quote": "return total_of(orders)"}, True),
        (None, {"start_line": 90, "quote": "return total_of(orders)", "category": "security"}, False),
    ],
)
def test_code_tells_an_earlier_finding_by_path_place_and_title(
    place: tuple[int, int] | None, reported: dict[str, Any], same: bool
) -> None:
    """A quote one line further, and edited code, make no other finding of it; another place does."""
    assert same_by_code(prior(place), a_finding(**reported)) is same


def test_the_title_that_a_reviewer_gave_counts_too() -> None:
    """The judge words it for people; the same reviewer says it as before."""
    known = prior(title="An empty list fails", reported_title="The total is read before it is set")

    assert same_by_code(known, a_finding())


@each_row(
    ("place", "reported", "same"),
    [
        ((12, 12), {"title": "Another problem", "category": "security"}, True),
        ((10, 14), {"start_line": 12, "quote": "x"}, True),
        ((12, 12), {"start_line": 13, "quote": "print(total)"}, False),
        (None, {"start_line": 90, "quote": "if x: return total"}, True),
        (None, {"start_line": 90, "quote": "print(x)"}, False),
        ((12, 12), {"path": "src/b.py"}, False),
    ],
)
def test_findings_on_the_same_lines(place: tuple[int, int] | None, reported: dict[str, Any], same: bool) -> None:
    """Lines that overlap, or a quote that holds the other where the code was edited."""
    assert on_same_lines(prior(place), a_finding(**reported)) is same
