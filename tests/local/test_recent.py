"""Records are kept as long as there is room for them, and a dropped one is missed by nobody in silence."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.github import LocalGitHub
from local.lambdas.log import Log
from local.model import OfflineReviewer
from local.model.messages_api import MessagesApi
from local.recent import Dropped, Recent
from tests.git_repository import GitRepository

MANY = 51_000
LARGE = 10_000_000


def of_numbers(count: int, most: int = 3, most_bytes: int = 100, size: int = 1) -> Recent[int]:
    records: Recent[int] = Recent(most, most_bytes)
    for number in range(count):
        records.append(number, size)
    return records


@pytest.mark.parametrize(
    ("limits", "kept"),
    [({}, [2, 3, 4]), ({"most_bytes": 25, "size": 10}, [3, 4]), ({"most_bytes": 25, "size": 30}, [4])],
    ids=["too many", "too large", "the newest stays, however large it is"],
)
def test_the_oldest_are_dropped(limits: dict[str, int], kept: list[int]) -> None:
    """The length counts them too, and the others keep their places."""
    records = of_numbers(5, **limits)

    assert (records.kept, len(records)) == (kept, 5)
    assert (records[kept[0]], records[-1], records[4:], records[5:]) == (kept[0], 4, [4], [])


def test_a_dropped_record_is_not_passed_over_in_silence() -> None:
    """Every read reports it: by place, from a mark on, and of all, forwards or backwards."""
    records = of_numbers(5)

    for read in (lambda: records[1], lambda: records[-4], lambda: records[1:], lambda: [*records]):
        with pytest.raises(Dropped, match="there are only those from 2 on"):
            read()
    backwards = reversed(records)
    assert [next(backwards) for _ in range(3)] == [4, 3, 2]
    with pytest.raises(Dropped):
        next(backwards)


def test_records_that_are_all_there_are_like_a_list() -> None:
    """One that was cleared is like an empty one."""
    records = of_numbers(3)

    assert records == [0, 1, 2]
    assert records != [0, 1]
    assert (2 in records, list(records), bool(records)) == (True, [0, 1, 2], True)
    records.clear()
    assert records == []
    assert not records


@pytest.fixture
def recorders(tmp_path: Path) -> Iterator[dict[str, Recent[Any]]]:
    """Everything that the local system records."""
    model, repository = MessagesApi(OfflineReviewer()), GitRepository(tmp_path / "widgets.git")
    with LocalGitHub(repository.path) as github:
        github.trusting = True
        yield {
            "log lines": Log().lines,
            "questions": model.requests,
            "faults of questions": model.violations,
            "requests to GitHub": github.requests,
            "faults of requests": github.violations,
            "deliveries": github.deliveries,
        }


def test_nothing_that_is_recorded_grows_without_end(recorders: dict[str, Recent[Any]]) -> None:
    """Log lines, questions, requests and deliveries all have a limit."""
    for records in recorders.values():
        for number in range(MANY):
            records.append(number)

    kept = {name: len(records.kept) for name, records in recorders.items()}
    assert kept == {
        "log lines": 50_000,
        "questions": 10_000,
        "faults of questions": 1_000,
        "requests to GitHub": 20_000,
        "faults of requests": 1_000,
        "deliveries": 20_000,
    }


def test_a_large_record_is_dropped_by_its_size(recorders: dict[str, Recent[Any]]) -> None:
    """Log lines, questions and payloads count by size; requests do not, because only their lines are recorded."""
    for name in ("log lines", "questions", "deliveries"):
        for number in range(10):
            recorders[name].append(number, LARGE)

    assert {name: len(records.kept) for name, records in recorders.items() if records} == {
        "log lines": 1,
        "questions": 1,
        "deliveries": 6,
    }
