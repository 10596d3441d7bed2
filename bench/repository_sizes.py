"""The cost of the same change in repositories of different sizes: it should follow the change, not the repository."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.aws_calls import AwsWire
from bench.cases import Work
from bench.made_code import made_files, one_line_more
from bench.processes import cpu
from bench.reader import Reader
from bench.system import System, a_system
from bench.table import Table
from local.machine import MachineOptions

SIZES = (300, 1_500, 6_000)
_CHANGED, _FUNCTIONS = 6, 6
_SETTINGS = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
_FUNCTION = "review"


@dataclass(frozen=True)
class EventCost:
    """A first review of six files, or a push of one hunk after it, by a warm function.

    `cpu_seconds` are those of the function's process with its children; `github_calls` and `github_kb` (answers before
    compression) do not count the installation token.
    """

    files: int
    event: str
    cpu_seconds: float
    github_calls: int
    github_kb: int
    aws_calls: int


def measured(quick: bool) -> list[Table]:
    """Two rows for each size."""
    rows = [row for files in (SIZES[:1] if quick else SIZES) for row in _of_size(files)]
    return [Table.of("The same change in repositories of different sizes", rows)]


def _of_size(files: int) -> list[EventCost]:
    """Measure the second of two pull requests: the first one warms up."""
    wire = AwsWire()
    with tempfile.TemporaryDirectory() as folder, wire.running():
        work = Work(Path(folder) / "repository")
        base = work.commit("Base", dict(made_files(files)))
        heads = []
        for version in (1, 2):
            work.git("checkout", "--quiet", "--detach", base)
            changed = dict(made_files(files, dict.fromkeys(range(_CHANGED), version), _FUNCTIONS))
            path = next(path for path in changed if path.endswith(".py"))
            opened = work.commit("Change", changed)
            heads.append((opened, work.commit("Log it", {path: one_line_more(changed[path])})))

        def through(service: str, address: str) -> str:
            return wire.before(address) if service == "aws" else address

        with a_system(Path(folder) / "repository", Reader(), options=MachineOptions(through=through)) as system:
            wire.aws = system.machine.aws
            system.github.trusting = True
            return [_life(system, wire, base, each, files) for each in heads][-1]


def _life(system: System, wire: AwsWire, base: str, heads: tuple[str, str], files: int) -> list[EventCost]:
    """Open a pull request, then push to it. Raises DeliveryFailed."""
    github = system.github
    rows = []
    number = 0
    for event, head in zip(("first review", "one-hunk push"), heads, strict=True):
        wire.take()
        calls, sent, before = len(github.requests), github.sent_bytes, cpu().get(_FUNCTION, 0.0)
        if number:
            github.push(number, head, base, base_files=_SETTINGS)
        else:
            number = github.open_pull_request(head, base, title="Change limits", base_files=_SETTINGS)
        system.outcome()
        seconds, kilobytes = cpu()[_FUNCTION] - before, (github.sent_bytes - sent) // 1_000
        ours = [each for each in wire.take() if each.role.startswith("Review")]
        rows.append(EventCost(files, event, seconds, system.github_calls(calls), kilobytes, len(ours)))
    return rows
