"""What a pull request costs with a model that obeys "use your tools": each turn it reads large files, and never stops.

`python -m bench.obedient [--files 10 30] [--json FILE]`: for each number of changed files, the whole local system with
the template's default parameters; then the same person pushes, closes and reopens that pull request again and again.
The tokens are the stand-in's measure, a quarter of the bytes; the prices are the template's.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.cases import Work
from bench.system import System, a_system
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
        parameters = {**dict.fromkeys(_OF_THE_TEMPLATE, ""), "embeddings/model": "off"}
        with a_system(Path(folder) / "repository", Obedient(), parameters) as system:
            return list(_events(system, base, heads))


def _events(system: System, base: str, heads: Sequence[str]) -> Iterator[Spent]:
    """Open it with the first head; push, close and reopen it for each further one."""
    github, asked, usd = system.github, 0, 0.0
    number = github.open_pull_request(heads[0], base, title="Tables")

    def spent(event: str) -> Spent:
        nonlocal asked, usd
        outcome, before = system.outcome(), (asked, usd)
        asked, usd = len(system.asked), system.ledger(number).spending().pull_request_usd
        return Spent(event, f"{outcome['outcome']}: {outcome['reason']}", asked - before[0], usd - before[1])

    yield spent("open")
    for head in heads[1:]:
        github.push(number, head)
        yield spent("push")
        github.close(number)
        yield spent("close")
        github.reopen(number)
        yield spent("reopen")


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
    """Measure, print, and write the figures to the file of `--json`."""
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
