"""The time and cost of the first review of a pull request, by its size.

The whole local system runs with the template's parameters (but for the limits of files, tokens and money).
CPU seconds and memory are those of the review function's process with its children, after a first review has warmed it
up; GitHub, AWS and the model run elsewhere. Tokens and the cache are the stand-in's measure.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bench.cases import Work
from bench.made_code import made_files
from bench.processes import cpu, watching
from bench.reader import Reader
from bench.system import System, a_system
from bench.table import Table

SIZES = (6, 24, 93, 3_000)
_FEW = 100
_LEAST_REPOSITORY = 300
# Six functions of a made file in its patch are some 4 kB: 93 files are 400 kB.
_FUNCTIONS, _FUNCTIONS_OF_MANY = 6, 3
_OF_THE_TEMPLATE = ("models/reviewer", "models/replies", "models/fallback", "models/prices", "models/offline")
_MUCH, _ALL_TOKENS = "1000000", "100000000"
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


def measured(quick: bool) -> list[Table]:
    """A row for each size."""
    sizes, rounds = (SIZES[:1], 1) if quick else (SIZES, 3)
    return [Table.of("First reviews", [first_review(files, rounds if files <= _FEW else 1) for files in sizes])]


def first_review(files: int, rounds: int) -> ReviewCost:
    """Measure a pull request of `files` files in a made repository."""
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
        with a_system(Path(folder) / "repository", Reader(), _parameters(files)) as system:
            system.github.trusting = True
            costs = [_one(system, base, head) for head in heads]
            return _median(costs[1:])


def _parameters(files: int) -> dict[str, str]:
    """The template's parameters, but for money, and for the limits of a pull request of many files."""
    spending = ("per-pull-request-usd", "per-repository-per-day-usd", "per-owner-per-month-usd")
    parameters = dict.fromkeys(_OF_THE_TEMPLATE, "") | {f"spending/{name}": _MUCH for name in spending}
    many = {"limits/read-files": str(files), "limits/input-tokens-per-review": _ALL_TOKENS}
    return parameters | many if files > _FEW else parameters


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
        github_calls=system.github_calls(calls),
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
