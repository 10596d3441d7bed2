"""Files are parsed in a process of their own: it may die, and the review goes on."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kodiai.core.code.outline import guessed_outline
from kodiai.core.code.references import Reference
from kodiai.edges.child_parser import ChildParser
from kodiai.edges.parser_server import ParserServer
from tests.builders import PARSER
from tests.core.code import sources

CALM = ("calm.py", ["import os", "def f(a):", "    return a  # one"])
# Ten kilobytes that take more than a gigabyte.
HOSTILE = ("a.cpp", ["/aa=>" * 2_000])


def children(of: int | str = "self") -> set[int]:
    """The processes that one has started, this one if no other is named."""
    found: set[int] = set()
    for task in Path(f"/proc/{of}/task").iterdir():
        with suppress(OSError):  # the thread has ended since
            found |= set(map(int, (task / "children").read_text().split()))
    return found


def parsing() -> set[int]:
    """The processes that parse: what this one has started forks them."""
    return {fork for server in children() for fork in children(server)}


@pytest.fixture(scope="module")
def server() -> Iterator[ParserServer]:
    """The process that forks, as a function keeps it."""
    started = ParserServer()
    yield started
    started.close()


@pytest.fixture(scope="module")
def parser() -> Iterator[ChildParser]:
    """One process for the tests that leave it alive."""
    own = ParserServer()
    with ChildParser(own) as started:
        yield started
    own.close()


def test_the_process_answers_as_the_grammars_do(parser: ChildParser) -> None:
    """Each question, in each language: plain data gets through whole."""
    known = [each for each in vars(sources).values() if isinstance(each, sources.Source)]
    for source in known:
        file, rows, names = (source.path, source.lines), range(1, len(source.lines) + 1), source.bound.split()

        assert parser.outline(*file) == PARSER.outline(*file)
        assert parser.first_error(*file) is None
        assert not parser.has_new_error(*file, source.lines[1:])
        assert parser.identifiers(*file, rows) == PARSER.identifiers(*file, rows)
        called = parser.identifiers(*file, rows, only_called=True)
        assert called == PARSER.identifiers(*file, rows, only_called=True)
        assert parser.bound_names(*file, names) == PARSER.bound_names(*file, names)
        changed = source.lines[1:]
        assert parser.changed_code(*file, changed) == PARSER.changed_code(*file, changed)
        assert parser.references(*file) == PARSER.references(*file)
        assert parser.comment_spans(*file, docstrings=True) == PARSER.comment_spans(*file, docstrings=True)
    assert len(known) > 5


def test_links_of_markdown_are_found_there_too(parser: ChildParser) -> None:
    """It has no grammar, and a parser of its own; no other text has references."""
    assert parser.references("a.md", ["[b](./b.md)"]) == (Reference(1, "./b.md", "./b.md"),)
    assert parser.references("a.txt", ["[b](./b.md)"]) == ()


def test_data_files_are_checked_there_too(parser: ChildParser) -> None:
    """With the reason where one cannot be read; what nothing can check has no shape."""
    assert parser.shape("a.yml", ["a:", "  - b"]) == PARSER.shape("a.yml", ["a:", "  - b"])
    assert parser.shape("a.swift", ["let a = 1"]) is None
    with pytest.raises(ValueError, match="it is not of its format"):
        parser.shape("a.json", ["{"])


@pytest.mark.parametrize("path", ["a.md", "a.swift", "a"])
def test_a_file_without_a_grammar_starts_no_process(server: ParserServer, path: str) -> None:
    """It is outlined where it is."""
    before = parsing()

    with ChildParser(server) as parser:
        assert parser.outline(path, ["func f() {", "  a()", "}"]) == PARSER.outline(path, ["func f() {", "  a()", "}"])
        assert parser.identifiers(path, ["a"], [1]) is None
        assert parser.bound_names(path, ["a"], ["a"]) is None
        assert parser.changed_code(path, ["a"], []) is None
        assert parsing() == before


def test_a_hostile_file_ends_the_process_and_the_next_file_has_another(
    server: ParserServer, caplog: pytest.LogCaptureFixture
) -> None:
    """It is outlined by its indentation, nothing is said about errors, and no second question about it is tried."""
    with ChildParser(server) as parser:
        began = time.monotonic()
        seen = parser.outline(*HOSTILE)
        tried = time.monotonic() - began

        assert seen == guessed_outline(*HOSTILE)
        with pytest.raises(ValueError, match="no grammar reads it"):
            parser.first_error(*HOSTILE)
        with pytest.raises(ValueError, match="no grammar reads it"):
            parser.has_new_error(*HOSTILE, CALM[1])
        assert parser.bound_names(*HOSTILE, ["aa"]) is None
        assert parser.identifiers(*HOSTILE, [1]) is None
        assert parser.comment_spans(*HOSTILE, docstrings=False) == ()
        assert parser.changed_code(*HOSTILE, []) is None
        assert parser.outline(*CALM).has_grammar
        assert tried < 15
    logged = [vars(line) for line in caplog.records if line.message == "not parsed"]
    assert [(line["path"], line["why"]) for line in logged] == [("a.cpp", "ConnectionError")]


def test_all_files_together_have_a_limit_of_time(server: ParserServer) -> None:
    """Four hundred hostile files cannot take four hundred times the limit of one."""
    with ChildParser(server, all_seconds=1) as parser:
        began = time.monotonic()
        seen = [parser.outline("a.cpp", [f"x{number}", *HOSTILE[1]]) for number in range(400)]

        assert time.monotonic() - began < 20
        assert not any(each.has_grammar for each in seen)
        assert not parser.outline(*CALM).has_grammar


def test_a_process_that_says_nothing_is_not_waited_for(server: ParserServer) -> None:
    """It is stopped here, as a parser that does not end would be."""
    with ChildParser(server, seconds=2) as parser:
        before = parsing()
        parser.outline(*CALM)
        (started,) = parsing() - before
        os.kill(started, signal.SIGSTOP)

        assert not parser.outline("b.py", CALM[1]).has_grammar
        assert parser.outline("c.py", CALM[1]).has_grammar
        assert started not in parsing()


def test_the_process_knows_no_secret_and_ends_with_the_invocation(
    server: ParserServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its environment has only where its modules are: what reads hostile files has no keys of AWS."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    server.close()
    before = parsing()
    with ChildParser(server) as parser:
        parser.outline(*CALM)
        (started,) = parsing() - before
        known = Path(f"/proc/{started}/environ").read_bytes().split(b"\0")

        assert {each.partition(b"=")[0] for each in known if each} <= {b"PYTHONPATH", b"LD_LIBRARY_PATH", b"LC_CTYPE"}
    assert started not in parsing()


def test_each_invocation_has_a_process_of_its_own_and_the_one_that_forks_stays(server: ParserServer) -> None:
    """Nothing of one repository is left for the next, and only the first invocation waits for a start."""
    server.close()
    seen, forking = set[int](), set[int]()
    for _ in range(2):
        with ChildParser(server) as parser:
            before, already = parsing(), children()
            parser.outline(*CALM)
            seen |= parsing() - before
            forking |= children() - already

    assert (len(seen), len(forking)) == (2, 1)
    assert parsing().isdisjoint(seen)


def test_no_file_is_lost_where_the_process_that_forks_was_killed(server: ParserServer) -> None:
    """It is started again, as the machine may have ended it for its memory."""
    with ChildParser(server) as parser:
        parser.outline(*CALM)
    for killed in children():
        if Path(f"/proc/{killed}/cmdline").read_bytes().count(b"parser_process.py"):
            os.kill(killed, signal.SIGKILL)

    with ChildParser(server) as parser:
        assert parser.outline(*CALM).has_grammar


def test_several_threads_may_ask(parser: ChildParser) -> None:
    """Each gets the answer to its own question."""
    answers: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        names = [f"f{number}_{at}" for at in range(20)]
        for name in names:
            seen = parser.outline("a.py", [f"def {name}():", "    pass"])
            answers.setdefault(number, []).extend(each.name for each in seen.definitions)

    threads = [threading.Thread(target=ask, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == {number: [f"f{number}_{at}" for at in range(20)] for number in range(4)}


def test_a_file_that_no_parser_reads_is_not_sent(server: ParserServer) -> None:
    """Two megabytes are the limit of the parser itself."""
    with ChildParser(server) as parser:
        before = parsing()

        assert not parser.outline("a.py", ["x" * 99] * 20_001).has_grammar
        assert parsing() == before
