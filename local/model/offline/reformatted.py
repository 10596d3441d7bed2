"""Which added lines say the same as before: re-indented, re-wrapped, or with other quotation marks."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local.model.offline.changes import Row

_TOKEN = re.compile(r"\w+|[^\w\s]")
_CLOSING = frozenset(")]}")
_END = "\n"


def only_reformatted(rows: "Sequence[Row]") -> frozenset[int]:
    """The numbers of a hunk's added lines whose tokens stood in the removed ones, in the same company.

    A line counts if a removed line has the same tokens, or if its tokens, with the one before and the one after, follow
    each other in removed lines. In doubt a line is not counted: what is dropped or put beside it makes it a new one.
    """
    removed = Counter(tuple(_tokens(row.text)) for row in rows if row.marker == "-")
    if not removed:
        return frozenset()
    before = [_joined(tokens) for tokens in _removed_runs(rows)]
    found = set()
    for number, tokens, inside in _placed([row for row in rows if row.marker != "-"]):
        if removed[tokens] > 0:
            removed[tokens] -= 1
            found.add(number)
        elif any(_joined(inside) in run for run in before):
            found.add(number)
    return frozenset(found)


def _removed_runs(rows: "Sequence[Row]") -> Iterator[list[str]]:
    """The tokens of each run of removed lines, with the one before and the one after."""
    old = [row for row in rows if row.marker != "+"]
    runs = [(removed, list(run)) for removed, run in groupby(old, key=lambda row: row.marker == "-")]
    for at, (removed, run) in enumerate(runs):
        if removed:
            before = _stream(runs[at - 1][1])[-1:] if at else []
            after = _stream(runs[at + 1][1])[:1] if at + 1 < len(runs) else []
            tokens = [token for token, _ in [*(before or [(_END, 0)]), *_stream(run), *(after or [(_END, 0)])]]
            yield tokens


def _placed(rows: "Sequence[Row]") -> Iterator[tuple[int, tuple[str, ...], list[str]]]:
    """Each added line that says anything: its number, its tokens, and these with the one before and the one after."""
    stream = _stream(rows)
    for at, run in groupby(range(len(stream)), key=lambda index: stream[index][1]):
        indexes = list(run)
        row = rows[at]
        if row.marker == "+" and row.number is not None:
            first, last = indexes[0], indexes[-1]
            before = stream[first - 1][0] if first else _END
            after = stream[last + 1][0] if last + 1 < len(stream) else _END
            inside = [stream[index][0] for index in indexes]
            yield row.number, tuple(_tokens(row.text)), [before, *inside, after]


def _stream(rows: "Sequence[Row]") -> list[tuple[str, int]]:
    """Every token with the index of its row; a comma that only wrapping put before a closing bracket is left out."""
    all_tokens = [(token, at) for at, row in enumerate(rows) for token in _tokens(row.text)]
    wrapped = {
        at
        for at, ((mark, row), (following, next_row)) in enumerate(pairwise(all_tokens))
        if mark == "," and following in _CLOSING and next_row > row
    }
    return [each for at, each in enumerate(all_tokens) if at not in wrapped]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.rstrip().removesuffix("\\").replace("'", '"'))


def _joined(tokens: Sequence[str]) -> str:
    return "\0" + "\0".join(tokens) + "\0"
