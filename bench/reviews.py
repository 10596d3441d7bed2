"""What the first review of a pull request costs, by its size: `python -m bench.reviews [FILES …]`.

`--repo CLONE BASE HEAD` measures a change of a real repository instead, `--hunks N` files of so many hunks each within
the template's tokens of input. The whole local system runs with the template's parameters (but for the limits of files,
tokens and money), and a model that reads one file in each conversation and reports a problem in every third file.
CPU seconds and memory are those of the review function's process with its children, after a first review has warmed it
up; GitHub, AWS and the model run elsewhere. Tokens and the cache are the stand-in's measure.
"""

import argparse
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from bench.cases import Work
from bench.large import large_file
from bench.made_code import made_files
from bench.processes import cpu, watching
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

SIZES = (6, 24, 93, 3_000)
_FEW = 100
_LEAST_REPOSITORY = 300
# Six functions of a made file in its patch are some 4 kB: 93 files are 400 kB.
_FUNCTIONS, _FUNCTIONS_OF_MANY = 6, 3
_REPORTED_FILES = 3
_OF_THE_TEMPLATE = ("models/reviewer", "models/extractor", "models/fallback", "models/prices", "models/offline")
_MUCH, _ALL_TOKENS = "1000000", "100000000"
_TOKEN_ROUTE = "access_tokens"
_FUNCTION = "review"


@dataclass(frozen=True)
class ReviewCost:
    """The first review of a pull request, by a warm function; medians where several were measured.

    `cpu_seconds` and `peak_mb` (2^20 bytes; pages that a fork shares count twice) are of the function's process with
    its children.
    `github_calls` and `github_bytes` (answers before compression) do not count the installation token.
    `input_tokens` include those that the cache served, of which `cached_share` is the share. `messages` is how many
    invocations it took, `seconds` how long from the webhook to the outcome.
    """

    files: int
    patch_bytes: int
    cpu_seconds: float
    peak_mb: float
    github_calls: int
    github_bytes: int
    model_requests: int
    input_tokens: int
    cached_share: float
    messages: int
    seconds: float
    outcome: str


def measured(files: int, *, rounds: int = 3) -> ReviewCost:
    """Measure a pull request of so many files in a made repository; over 100 of them only once."""
    rounds = rounds if files <= _FEW else 1
    count = max(_LEAST_REPOSITORY, files + files // 5)
    changed = _FUNCTIONS if files <= _FEW else _FUNCTIONS_OF_MANY
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "repository")
        base = work.commit("Base", dict(made_files(count)))
        heads = []
        for version in range(1, rounds + 2):
            some = range(min(files, _FEW) if version == 1 else files)  # the first one warms up
            work.git("checkout", "--quiet", "--detach", base)
            heads.append(work.commit("Change", dict(made_files(count, dict.fromkeys(some, version), changed))))
        with _system(Path(folder) / "repository", files) as system:
            return _first_reviews(system, [(base, head) for head in heads])


def measured_change(
    repository: Path, base: str, head: str, *, files: int = 3_000, timeout: int | None = None
) -> ReviewCost:
    """Measure the change between two commits of a local repository, read up to so many files.

    `timeout` is the function's in seconds, if it is not the template's: a short one takes several messages.
    """
    with _system(repository, files, timeout) as system:
        return _first_reviews(system, [(f"{base}~1", base), (base, head)])


def measured_hunks(files: int, hunks: int, *, timeout: int | None = None) -> ReviewCost:
    """Measure a pull request of so many files, each with so many hunks, within the template's tokens of input."""
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "repository")
        made = [large_file(hunks, f"src/part_{at}/app.py", suffix=f" + {at}") for at in range(files)]
        base = work.commit("Base", {each.changed.path: _text(each.then) for each in made})
        first = work.commit("First", {"src/first.py": "first = 1\n"})
        work.git("checkout", "--quiet", "--detach", base)
        head = work.commit("Change", {each.changed.path: _text(each.now) for each in made})
        with _system(Path(folder) / "repository", files, timeout, tokens=None) as system:
            return _first_reviews(system, [(base, first), (base, head)])


def _text(lines: Sequence[str]) -> str:
    return "\n".join(["def total(row):", *lines, ""])


class Reader:
    """Reads one file in each conversation, then reports a problem in every third file; the judge keeps all.

    No two findings have the same text: texts that an earlier review embedded are not embedded again.
    """

    def __init__(self) -> None:
        self._others = OfflineReviewer()
        self._numbers = itertools.count(1)

    def answer(self, request: Request) -> Answer | None:
        """Answer the request."""
        asked = ModelRequest(request)
        if asked.kind == "judge":
            return json_reply(approve_all(request))
        if asked.kind != "find":
            return self._others.answer(request)
        changes = [change for change in asked.changes if change.is_text_at_head and change.added]
        if asked.may_read and asked.turns_taken == 0 and changes:
            return tools(tool_use("read_file", path=changes[0].path))
        if not asked.sums_up:
            return text("NOTHING TO REPORT")
        found = [_finding(change.path, change.added, next(self._numbers)) for change in changes[::_REPORTED_FILES]]
        return text(write_report(a_report("It changes limits.", found)))


def _finding(path: str, added: Mapping[int, str], number: int) -> Mapping[str, Any]:
    line = max(added, key=lambda number: len(added[number].strip()))
    return {
        "severity": "MEDIUM",
        "category": "correctness",
        "kind": "impact",
        "path": path,
        "start_line": line,
        "end_line": line,
        "title": f"The limit of {path} is off by one in case {number}",
        "explanation": "The first value over the limit is let through, because the limit grows before it is compared.",
        "quote": added[line].strip(),
        "replacement": None,
        "pre_existing": False,
    }


@contextmanager
def _system(
    repository: Path, files: int, timeout: int | None = None, tokens: str | None = _ALL_TOKENS
) -> Iterator[System]:
    """A system that reads so many files; `tokens` is its budget of input, None if it is the template's."""
    spending = ("per-pull-request-usd", "per-repository-per-day-usd", "per-owner-per-month-usd")
    parameters = dict.fromkeys(_OF_THE_TEMPLATE, "") | {f"spending/{name}": _MUCH for name in spending}
    if files > _FEW:
        parameters |= {"limits/read-files": str(files), "limits/input-tokens-per-review": tokens or ""}
    overrides: dict[str, dict[str, int]] = {}
    if timeout is not None:
        overrides["ReviewFunction"] = {"Timeout": timeout}
        parameters |= {"limits/answer-seconds": str(timeout // 4), "limits/publish-seconds": str(timeout // 20)}
    with a_system(repository, Reader(), parameters, overrides=overrides) as system:
        system.github.trusting = True
        yield system


def _first_reviews(system: System, changes: Sequence[tuple[str, str]]) -> ReviewCost:
    """Review each change, of which the first one warms up. Raises DeliveryFailed."""
    costs = [_one(system, base, head) for base, head in changes]
    return _median(costs[1:])


def _one(system: System, base: str, head: str) -> ReviewCost:
    """Open a pull request and wait for its review. Raises DeliveryFailed."""
    github, hosted, asked = system.github, system.github.repository, len(system.asked)
    calls, sent = len(github.requests), github.sent_bytes
    lines, began = len(system.machine.system.log_lines), time.monotonic()
    before = cpu().get(_FUNCTION, 0.0)
    with watching() as peaks:
        number = github.open_pull_request(head, base, title="Change limits", base_files={".kodiai.yml": b""})
        outcome = system.outcome()
    seconds = time.monotonic() - began
    facts = getattr(system.ledger(number).run(outcome["run"]), "facts", {}) if "run" in outcome else {}
    usages = [each.usage for each in system.asked[asked:] if each.usage is not None]
    read = sum(each.cache_read_input_tokens for each in usages)
    tokens = read + sum(each.input_tokens + each.cache_creation_input_tokens for each in usages)
    done = [line for line in system.machine.system.log_lines[lines:] if line.get("message") == "outcome"]
    return ReviewCost(
        files=len(facts.get("changed_files", ())),
        patch_bytes=sum(len(file.patch or "") for file in hosted.files(hosted.pull(number))),
        cpu_seconds=cpu()[_FUNCTION] - before,
        peak_mb=peaks.megabytes[_FUNCTION],
        github_calls=sum(_TOKEN_ROUTE not in call.route for call in github.requests[calls:]),
        github_bytes=github.sent_bytes - sent,
        model_requests=len(usages),
        input_tokens=tokens,
        cached_share=read / tokens if tokens else 0.0,
        messages=sum(line.get("function") == "ReviewFunction" for line in done),
        seconds=seconds,
        outcome=f"{outcome['outcome']}: {outcome['reason']}",
    )


def _median(costs: Sequence[ReviewCost]) -> ReviewCost:
    """Each figure's own median, the lower one of two."""
    middle: dict[str, Any] = {
        each.name: statistics.median_low(getattr(cost, each.name) for cost in costs) for each in fields(ReviewCost)
    }
    return ReviewCost(**middle)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table, and write the figures to the file of `--json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=int, nargs="*", default=SIZES)
    parser.add_argument("--repo", nargs=3, metavar=("CLONE", "BASE", "HEAD"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hunks", type=int, help="of each file, which is made of little else")
    parser.add_argument("--timeout", type=int, help="the function's, in seconds, for --repo and --hunks")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    heads = {"files": 6, "kB": 7, "CPU s": 8, "MB": 6, "calls": 7, "MB got": 8, "asked": 7, "tokens": 12}
    heads |= {"cached": 8, "messages": 10, "s": 7}
    print("".join(f"{head:>{width}}" for head, width in heads.items()))
    costs = []
    if options.repo:
        clone, base, head = options.repo
        costs.append(_printed(measured_change(Path(clone), base, head, timeout=options.timeout)))
    elif options.hunks:
        costs += [_printed(measured_hunks(files, options.hunks, timeout=options.timeout)) for files in options.files]
    else:
        costs += [_printed(measured(files, rounds=options.rounds)) for files in options.files]
    if options.json:
        options.json.write_text(json.dumps([asdict(cost) for cost in costs], indent=1) + "\n", encoding="utf-8")


def _printed(cost: ReviewCost) -> ReviewCost:
    row = f"{cost.files:6,}{cost.patch_bytes / 1e3:7,.0f}{cost.cpu_seconds:8.2f}{cost.peak_mb:6.0f}"
    row += f"{cost.github_calls:7}{cost.github_bytes / 1e6:8.2f}{cost.model_requests:7}{cost.input_tokens:12,}"
    row += f"{cost.cached_share:8.0%}{cost.messages:10}{cost.seconds:7.1f}  {cost.outcome}"
    print(row, flush=True)
    return cost


if __name__ == "__main__":
    main()
