"""What a finding is called, and what of its title and code makes the name, whatever the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.identity import finding_id, fingerprint, normalised_title, quote_key
from tests.builders import a_finding


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", "811c9dc5"),
        ("a", "e40c292c"),
        ("b", "e70c2de5"),
        ("c", "e60c2c52"),
        ("fo", "6222e842"),
        ("foo", "a9f37ed7"),
        ("foob", "3f5076ef"),
        ("fooba", "39aaa18a"),
        ("foobar", "bf9cf968"),
    ],
)
def test_the_fingerprint_is_fnv_1a_of_32_bits(text: str, value: str) -> None:
    """The vectors are those that its authors publish."""
    assert fingerprint(text) == f"fp-{value}"


@pytest.mark.parametrize(
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
    assert fingerprint(title) == fingerprint(other)


@pytest.mark.parametrize(
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
    assert fingerprint(title) != fingerprint(other)


@given(st.text())
def test_a_normalised_title_is_stable(title: str) -> None:
    """Neither the spaces around a title nor a second normalisation change it, and every title has a fingerprint."""
    normal = normalised_title(title)

    assert normalised_title(f"  {title}\n") == normal
    assert normalised_title(normal) == normal
    assert len(fingerprint(title)) == len("fp-00000000")


def test_a_quote_is_the_same_whatever_its_white_space() -> None:
    """Indentation, line ends and spaces inside do not count, characters do."""
    assert quote_key("  a = 1\r\n\tb") == quote_key("a=1 b")
    assert quote_key("a = 1") != quote_key("a = 2")


@pytest.mark.parametrize(
    "other",
    [
        {"path": "src/b.py"},
        {"category": "security"},
        {"quote": "return totals"},
        {"title": "Another concern"},
    ],
)
def test_an_id_follows_what_the_finding_is_about(other: dict[str, str]) -> None:
    """Path, category, code and title make it; lines, severity and wording of the explanation do not."""
    finding = a_finding()

    assert finding_id(a_finding(**other)) != finding_id(finding)
    assert finding_id(a_finding(start_line=99, severity="MINOR", explanation="In short: no.")) == finding_id(finding)
    assert finding_id(finding, 2) != finding_id(finding)
    assert finding_id(finding) == "F-" + finding_id(finding)[2:].lower()
    assert len(finding_id(finding)) == len("F-") + 12
