"""How the files of earlier findings changed since those were reviewed."""

import difflib
from collections.abc import Sequence

from kodiai.core.findings.known import KnownFinding
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.input import ReviewInput

_MOST_SHOWN = 160


def change_since(review_input: ReviewInput, known: KnownFinding, view: RepositoryView) -> str:
    """How a finding's file changed since its code was last reviewed, as a diff; "" where that cannot be told."""
    head, path = known.stood_at or review_input.previous_head, known.finding.path
    now = view.lines(path)
    then = view.read_at(review_input.path_then(path), head) if head and now is not None else None
    return diff_of(path, then, now) if then is not None and now is not None else ""


def diff_of(path: str, then: Sequence[str], now: Sequence[str]) -> str:
    """How a file changed since then, as a diff."""
    rows = list(difflib.unified_diff(then, now, path, path, lineterm="", n=5))
    return "\n".join([*rows[:_MOST_SHOWN], *(["(cut here)"] if len(rows) > _MOST_SHOWN else [])])
