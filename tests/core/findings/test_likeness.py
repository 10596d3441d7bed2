"""How alike the words of two findings are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.likeness import likeness
from kodiai.core.findings.match import UNLIKE
from tests.builders import a_finding


def said(title: str, explanation: str = "") -> Finding:
    return a_finding(title=title, explanation=explanation)


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        (("Unset total",), ("unset TOTAL!",), 1.0),
        (("The totals are compared",), ("A total compares",), 1.0),
        (("Unused import",), ("Unused variable",), 0.5),
        (("Line 7 is too long",), ("Line 8 is too long",), 0.5),
        (("Der Wert wird nie gelesen",), ("Nie gelesener Wert",), 0.6),
        (("Проверка отсутствует",), ("Отсутствует проверка",), 1.0),
        (("Итог читается до установки",), ("Итоговая сумма не установлена перед чтением",), 0.25),
        (("缺少空值检查",), ("未检查空值",), 0.4),
        (("列表为空时 total 未赋值",), ("空列表导致 total 未初始化",), 0.2),
        (("値がない場合に例外が発生する",), ("値が存在しないと例外になる",), 0.2),
        (("합계가 설정되기 전에 읽힙니다",), ("합계를 설정하기 전에 읽습니다",), 0.4),
        (("ไม่มีการตรวจสอบค่าว่าง",), ("ขาดการตรวจสอบค่าว่าง",), 0.6),
        (
            ("The handle leaks", "The file stays open when parsing fails."),
            ("The file is never closed", "Where parsing fails nobody closes the file: its handle leaks."),
            0.6,
        ),
    ],
)
def test_the_same_in_other_words_is_alike(one: tuple[str, ...], other: tuple[str, ...], least: float) -> None:
    """The beginnings of words count, in any order; of scripts without spaces, pairs of letters."""
    assert likeness(said(*one), said(*other)) >= least


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("The total is read before it is set", "An empty list leaves `total` unset, so the first report fails."),
            ("SQL is built from user input", "A name with a quote in it ends the string, and anyone runs statements."),
        ),
        (("All of this may be stale by then",), ("Some of these may never be closed by it",)),
        (("缺少空值检查",), ("数据库连接未关闭",)),
        (("Проверка пропущена",), ("Соединение остаётся открытым",)),
        (("合計が未設定",), ("接続が閉じられない",)),
    ],
)
def test_another_problem_is_not_alike(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Words that any two findings share say nothing."""
    assert likeness(said(*one), said(*other)) < UNLIKE


_WORDS = st.lists(
    st.sampled_from(
        ["total", "totals", "unset", "is", "the", "7", "値", "値が", "検査なし", "проверка", "🔥", "`x`", ""]
    )
).map(" ".join)
_SAID = st.builds(said, _WORDS | st.text(max_size=20), _WORDS | st.text(max_size=20))


@given(one=_SAID, other=_SAID)
def test_likeness_is_the_same_either_way_and_whole_only_for_the_same_words(one: Finding, other: Finding) -> None:
    """From 0 to 1; nothing but the words counts."""
    alike = likeness(one, other)

    assert 0 <= alike <= 1
    assert likeness(other, one) == alike
    assert likeness(one, one) in {0, 1}
    assert likeness(one.model_copy(update={"path": "b.py", "quote": "", "start_line": 99}), other) == alike


def test_findings_without_a_word_are_not_alike() -> None:
    """Signs, and words that say nothing by themselves."""
    assert likeness(said("!?"), said("!?")) == 0
    assert likeness(said("It is"), said("It is")) == 0
