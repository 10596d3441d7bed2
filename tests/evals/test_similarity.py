"""How alike the words of two findings are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.similarity import similarity


def said(title: str, explanation: str = "") -> tuple[str, str]:
    return title, explanation


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
        (
            ("The handle leaks", "The file stays open when parsing fails."),
            ("The file is never closed", "Where parsing fails nobody closes the file: its handle leaks."),
            0.6,
        ),
    ],
)
def test_the_same_in_other_words_is_alike(one: tuple[str, ...], other: tuple[str, ...], least: float) -> None:
    """The beginnings of words count, in any order; a judge that is a model reads scripts without spaces."""
    assert similarity(said(*one), said(*other)) >= least


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
    assert similarity(said(*one), said(*other)) < 0.12


_WORDS = st.lists(
    st.sampled_from(
        ["total", "totals", "unset", "is", "the", "7", "値", "値が", "検査なし", "проверка", "🔥", "`x`", ""]
    )
).map(" ".join)
_SAID = st.builds(said, _WORDS | st.text(max_size=20), _WORDS | st.text(max_size=20))


@given(one=_SAID, other=_SAID)
def test_likeness_is_the_same_either_way_and_whole_only_for_the_same_words(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    """From 0 to 1."""
    alike = similarity(one, other)

    assert 0 <= alike <= 1
    assert similarity(other, one) == alike
    assert similarity(one, one) in {0, 1}


def test_findings_without_a_word_are_not_alike() -> None:
    """Signs, and words that say nothing by themselves."""
    assert similarity(said("!?"), said("!?")) == 0
    assert similarity(said("It is"), said("It is")) == 0
