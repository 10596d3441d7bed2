"""The similarity of two findings by their words."""

from evals.similarity import similarity
from tests.tables import each_row


def finding_text(title: str, explanation: str = "") -> tuple[str, str]:
    return title, explanation


@each_row(
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
    """The beginnings of words count, in any order and either way; a model judges scripts without spaces."""
    assert (
        1
        >= similarity(finding_text(*one), finding_text(*other))
        == similarity(finding_text(*other), finding_text(*one))
        >= least
    )


@each_row(
    ("one", "other"),
    [
        (
            ("The total is read before it is set", "An empty list leaves `total` unset, so the first report fails."),
            ("SQL is built from user input", "A name with a quote in it ends the string, and anyone runs statements."),
        ),
        (("All of this may be stale by then",), ("Some of these may never be closed by it",)),
        (("缺少空值检查",), ("数据库连接未关闭",)),
        (("Проверка пропущена",), ("Соединение остаётся открытым",)),
        (("It is",), ("It is",)),
        (("!?",), ("!?",)),
    ],
)
def test_another_problem_is_not_alike(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Signs, and words that any two findings share, say nothing."""
    assert similarity(finding_text(*one), finding_text(*other)) < 0.12
