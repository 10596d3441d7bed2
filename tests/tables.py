"""Tables of many small cases, each as one test: what pytest does for a test takes longer than such a case."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

_LONGEST_LABEL = 120

Test = Callable[..., None]


def each_row(
    columns: str | Sequence[str], rows: Iterable[Any], ids: Iterable[str] | None = None
) -> Callable[[Test], Test]:
    """Try every row of a table as `pytest.mark.parametrize` does, but as one test.

    It fails with all rows that fail: the label of each, and what it raised. Fixtures are the same for all rows.
    """
    names = columns.replace(",", " ").split() if isinstance(columns, str) else list(columns)
    table = list(rows)
    labels = [ascii(row)[:_LONGEST_LABEL] for row in table] if ids is None else list(ids)
    assert table, "a table without rows tests nothing"

    def decorate(test: Test) -> Test:
        @wraps(test)
        def try_all(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for label, row in zip(labels, table, strict=True):
                values = row if len(names) > 1 else (row,)
                try:
                    test(**fixtures, **dict(zip(names, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"The row is {label}.")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(table)} rows", failed)

        kept = [each for each in inspect.signature(test).parameters.values() if each.name not in names]
        vars(try_all)["__signature__"] = inspect.Signature(kept)
        return try_all

    return decorate
