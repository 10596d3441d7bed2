"""Amounts, statuses and reasons as they are written for people."""

from collections.abc import Callable
from typing import Any

from kodiai.core.model.messages import Usage
from kodiai.core.words.details import scope_reason
from local.rendering.labels import counted, duration, money, status_label, token_counts
from tests.tables import each_row


@each_row(
    ("write", "value", "text"),
    [
        (duration, -1, "0 ms"),
        (duration, 0.4406, "441 ms"),
        (duration, 2.0, "2 s"),
        (duration, 59.94, "59.9 s"),
        (duration, 60, "1 min 0 s"),
        (duration, 3599, "59 min 59 s"),
        (duration, 7260, "2 h 1 min"),
        (money, 0, "$0.00"),
        (money, 0.00001, "under $0.0001"),
        (money, 0.0123, "$0.0123"),
        (money, 0.25, "$0.25"),
        (money, 12, "$12.00"),
        (money, None, "unknown"),
        (token_counts, Usage(), "0 tokens in, 0 out"),
        (
            token_counts,
            Usage(input_tokens=1_000, cache_read_tokens=200, cache_write_tokens=30, output_tokens=4),
            "1,230 tokens in (200 from cache), 4 out",
        ),
        (status_label, "fixed", "resolved"),
        (status_label, "wont_fix", "won't fix"),
        (status_label, "acknowledged", "acknowledged"),
        (scope_reason, "no-prior-review", "first review"),
        (scope_reason, "config-changed", "the settings changed"),
        (scope_reason, "since-abc1234", "since abc1234"),
        (scope_reason, "the pull request is a draft", "the pull request is a draft"),
    ],
)
def test_amounts_and_names_are_written_in_one_way(write: Callable[[Any], str], value: Any, text: str) -> None:
    """Small durations and amounts have more digits; what has no label of its own is shown as it is."""
    assert write(value) == text


def test_a_count_has_its_noun() -> None:
    assert [counted(number, "file") for number in (0, 1, 1_234)] == ["0 files", "1 file", "1,234 files"]
