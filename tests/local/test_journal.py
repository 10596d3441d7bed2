"""The journal keeps what the functions said about each delivery, over restarts, within bounds."""

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from local.journal import Journal

Open = Callable[..., Journal]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens journals, which are closed in the end."""
    with ExitStack() as stack:
        yield lambda *given, **more: stack.enter_context(closing(Journal(*given, **more)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def a_call(delivery: str, what: str, **more: Any) -> dict[str, Any]:
    return {"level": "DEBUG", "message": "call", "delivery": delivery, "to": "sqs", "what": what, "status": 200, **more}


def an_outcome(delivery: str, request: str = "r1") -> dict[str, Any]:
    return {"level": "INFO", "message": "outcome", "delivery": delivery, "function_request_id": request}


def logged_calls(journal: Journal, delivery: str) -> list[Any]:
    return [line.get("what", line.get("message")) for line in journal.of(delivery)]


@pytest.mark.parametrize("kept", [True, False])
def test_a_deliverys_lines_are_given_with_those_of_what_continues_it(opened: Open, file: Path, *, kept: bool) -> None:
    """Oldest first, as they were logged; another delivery's are not among them."""
    journal = opened(file if kept else None)
    lines = [a_call("g", "Send"), an_outcome("g"), a_call("g.1", "Get"), an_outcome("g.1"), an_outcome("g.2")]

    for line in [*lines[:2], a_call("other", "Put"), *lines[2:]]:
        journal.add(line)

    assert journal.of("g") == journal.of("g.1") == lines
    assert logged_calls(journal, "other") == ["Put"]
    assert journal.of("nobody") == []
    assert file.exists() is kept


def test_only_calls_outcomes_and_failures_are_kept(opened: Open, file: Path) -> None:
    """The status of an unanswered call is None; the log leaves it out."""
    journal = opened(file)
    unanswered = {name: value for name, value in a_call("g", "Get").items() if name != "status"}
    crashed = {"level": "ERROR", "message": "crashed", "delivery": "g"}

    lines: list[Mapping[str, Any]] = [{"message": "hello", "level": "INFO", "delivery": "g"}, {"text": "plain"}]
    for line in [*lines, unanswered, crashed, an_outcome("")]:
        journal.add(line)

    assert journal.of("g") == [{**unanswered, "status": None}, crashed]
    assert len(file.read_text().splitlines()) == 2


def test_a_crash_that_names_only_its_invocation_belongs_to_that_ones_delivery(opened: Open) -> None:
    """Lambda logs the end of a killed function so."""
    journal = opened(None)
    crash = {"errorType": "MemoryError", "requestId": "r1"}

    for line in [a_call("g", "Get", function_request_id="r1"), crash, {**crash, "requestId": "r2"}]:
        journal.add(line)

    assert journal.of("g")[1:] == [crash]


def test_it_goes_on_where_it_stopped(opened: Open, file: Path) -> None:
    """Each line is in the file once it was added: nothing waits for the end."""
    stopped, line = opened(file), a_call("g", "Get\u2028", error="\ud800")
    stopped.add(line)
    stopped.add(an_outcome("other"))
    before = file.read_bytes()

    again = opened(file)

    assert file.read_bytes() == before
    again.add(an_outcome("g"))
    again.close()
    again.add(a_call("g", "too late for the file"))
    assert opened(file).of("g") == [line, an_outcome("g")]


@pytest.mark.parametrize("torn", ['{"message": "call", "deliv', json.dumps(an_outcome("g")), "\0\0\0\n", "[]\n", "7\n"])
def test_a_torn_line_is_dropped(opened: Open, file: Path, torn: str) -> None:
    """The writer was killed; a line without its end would swallow the next one."""
    opened(file).add(a_call("g", "Get"))
    with file.open("a") as lines:
        lines.write(torn)

    opened(file).add(a_call("g", "Put"))

    assert logged_calls(opened(file), "g") == ["Get", "Put"]
    assert [json.loads(line)["what"] for line in file.read_text().splitlines()] == ["Get", "Put"]


def test_the_oldest_deliveries_are_forgotten_whole(opened: Open, file: Path) -> None:
    """The one that was silent longest is the oldest; the newest stays whole. The file loses them at the next start."""
    journal = opened(file, most=5)
    for delivery in ("a", "b", "a", "c", "b", "b.1"):
        journal.add(a_call(delivery, f"of {delivery}"))

    assert [logged_calls(journal, delivery) for delivery in "abc"] == [[], ["of b", "of b", "of b.1"], ["of c"]]
    assert len(file.read_text().splitlines()) == 6
    again = opened(file, most=5)
    assert [logged_calls(again, delivery) for delivery in "abc"] == [[], ["of b", "of b", "of b.1"], ["of c"]]
    assert len(file.read_text().splitlines()) == 4
    for number in range(9):
        again.add(a_call("d", str(number)))
    assert logged_calls(again, "d") == [*"012345678"]


def test_lines_that_come_at_once_are_all_kept(opened: Open, file: Path) -> None:
    """Each function's process has a thread that reads it."""
    journal = opened(file)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: journal.add(a_call(f"g{number % 4}", str(number))), range(400)))

    for journal_now in (journal, opened(file)):
        assert sorted(int(what) for at in range(4) for what in logged_calls(journal_now, f"g{at}")) == list(range(400))
