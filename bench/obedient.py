"""What a pull request costs with a model that obeys "use your tools": each turn it reads large files, and never stops.

`python -m bench.obedient [--files 10 30] [--json FILE]`: for each number of changed files, the whole local system with
the template's default parameters; then the same person pushes, closes and reopens that pull request again and again.
The tokens are the stand-in's measure, a quarter of the bytes; the prices are the template's.
"""

import argparse
import json
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.cases import Work
from local.follower import Follower
from local.github import LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import (
    Answer,
    ModelRequest,
    OfflineReviewer,
    Request,
    a_report,
    approve_all,
    json_reply,
    text,
    tool_use,
    tools,
    write_report,
)

_LARGE_FILES = 120
_LINES = 790
_READ_EACH_TURN = 2
_CHANGED_LINES = 250
_ROUNDS = 8
_LONGEST_SECONDS = 600.0
# Left out here, so that the template's default is used.
_OF_THE_TEMPLATE = ("models/reviewer", "models/extractor", "models/fallback", "models/prices", "models/offline")


class Obedient:
    """Reads two large files each turn as long as it may, and then reports a finding in each file that it was shown."""

    def __init__(self) -> None:
        self._others = OfflineReviewer()

    def answer(self, request: Request) -> Answer | None:
        """Answer the request."""
        asked = ModelRequest(request)
        if asked.may_read:
            first = asked.turns_taken * _READ_EACH_TURN
            return tools(*(tool_use("read_file", path=_large(first + at)) for at in range(_READ_EACH_TURN)))
        if asked.kind == "find":
            return text(write_report(a_report("It adds tables.", [_finding(each.path) for each in asked.changes])))
        if asked.kind == "judge":
            return json_reply(approve_all(request))
        return self._others.answer(request)


@dataclass(frozen=True)
class Spent:
    """The questions and dollars (US) of one event: what was done, and how it ended."""

    event: str
    outcome: str
    questions: int
    usd: float


def measure(files: int, rounds: int = _ROUNDS) -> list[Spent]:
    """Open a pull request of so many files, then push, close and reopen it so many times."""
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "repository")
        base = work.commit("Base", {_large(at): _table(f"large_{at}", _LINES) for at in range(_LARGE_FILES)})
        heads = [
            work.commit("Change", {f"src/part_{at}.py": _table(f"part_{at}", _CHANGED_LINES) for at in range(files)})
        ]
        again = [_table(f"again_{at}", _CHANGED_LINES) for at in range(rounds)]
        heads += [work.commit("Again", {"src/part_0.py": table}) for table in again]
        with _System(Path(folder) / "repository").running() as system:
            return list(system.events(base, heads))


class _System:
    """A running system in front of one repository."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository

    @contextmanager
    def running(self) -> Iterator["_System"]:
        secret = secrets.token_hex(16)
        with LocalGitHub(self._repository, webhook_secret=secret) as self._github:
            credentials = {"github/app-id": self._github.app_id, "github/private-key": self._github.private_key}
            access = GitHubAccess(self._github.url, credentials)
            parameters = {**dict.fromkeys(_OF_THE_TEMPLATE, ""), "embeddings/model": "off"}
            with LocalMachine(
                access, webhook_secret=secret, answers=Obedient(), parameters=parameters, warm=False
            ) as self._machine:
                self._github.webhook_url = self._machine.system.webhook_url
                self._follower = Follower(self._machine.system.on_log)
                yield self

    def events(self, base: str, heads: Sequence[str]) -> Iterator[Spent]:
        """Open it with the first head; push, close and reopen it for each further one."""
        self._number = self._github.open_pull_request(heads[0], base, title="Tables")
        yield self._spent("open")
        for head in heads[1:]:
            self._github.push(self._number, head)
            yield self._spent("push")
            self._github.close(self._number)
            yield self._spent("close")
            self._github.reopen(self._number)
            yield self._spent("reopen")

    _asked = 0
    _usd = 0.0

    def _spent(self, event: str) -> Spent:
        """Wait for the end of the last event, and say what it took."""
        assert self._machine.model is not None  # for the type checker: there are always answers
        guid = next(sent.guid for sent in reversed(self._github.deliveries) if sent.event == "pull_request")
        outcome: Mapping[str, Any] = self._follower.outcome(guid, _LONGEST_SECONDS, lambda _: None)
        asked = len(self._machine.model.requests)
        usd = self._machine.ledger(self._github.repository.ref, self._number).spending().pull_request_usd
        spent = Spent(event, f"{outcome['outcome']}: {outcome['reason']}", asked - self._asked, usd - self._usd)
        self._asked, self._usd = asked, usd
        return spent


def _large(number: int) -> str:
    return f"library/large_{number % _LARGE_FILES:03}.py"


def _table(name: str, rows: int) -> str:
    return "".join(f"{name}_row_{at:04} = ({at}, 'a row of a table that somebody has to read')\n" for at in range(rows))


def _finding(path: str) -> Mapping[str, Any]:
    return {
        "severity": "MEDIUM",
        "category": "correctness",
        "kind": "impact",
        "path": path,
        "start_line": 1,
        "end_line": 1,
        "title": f"The first row of {path} is wrong",
        "explanation": "It begins with 0.",
        "quote": "a row of a table that somebody has to read",
        "replacement": None,
        "pre_existing": False,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write the figures where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[10, 30])
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    measured = {files: measure(files, options.rounds) for files in options.files}
    for files, events in measured.items():
        print(f"{files} files")
        for each in events:
            print(f"  {each.event:<7} {each.questions:>5} questions  ${each.usd:>7.2f}  {each.outcome}")
        questions, usd = sum(each.questions for each in events), sum(each.usd for each in events)
        print(f"  in all  {questions:>5} questions  ${usd:>7.2f}")
    if options.json:
        rows = {str(files): [asdict(each) for each in events] for files, events in measured.items()}
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
