"""The time until each function is ready.

It runs what is deployed, built for this machine, and compares it with a bare program that has the AWS SDK as it is
published, with clients of SSM and SQS: every function behind a webhook needs them. Each round runs everything once, in
fresh processes. Linux only.
"""

import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.deployed import FUNCTIONS, Deployed, build
from bench.table import Table
from local.model import ModelStandIn

Figures = tuple[float, float, float]
"""Milliseconds of CPU and of the clock, and the process's peak in MB."""

ROUNDS = 7
REFERENCE = "bare Python with clients of SSM and SQS"
_REFERENCE = """
import hashlib, hmac, json
import botocore.session
session = botocore.session.get_session()
session.create_client("ssm"), session.create_client("sqs")
"""
_QUESTION = """
from pydantic import SecretStr
from kodiai.core.model.messages import ModelRequest, user_message
from kodiai.edges.claude import Claude
with Claude(SecretStr("key"), {url!r}) as model:
    model.answer(ModelRequest("claude-sonnet-5-5", "Review.", (user_message("Here is the change."),), 100, "low"), 60)
"""
_MEASURED = """
import sys, time
sys.path[:0] = {paths!r}
cpu, wall = time.process_time(), time.perf_counter()
{code}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(cpu * 1000, wall * 1000, int(peak.split()[1]) / 1024)
"""
_ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "KODIAI_RECEIVES": "6",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    **{
        f"KODIAI_{name}": "none"
        for name in (
            "PARAMETERS",
            "TABLE",
            "VECTOR_BUCKET",
            *(f"{each}_QUEUE_URL" for each in ("REVIEWS", "MENTIONS", "DEAD")),
        )
    },
}


@dataclass(frozen=True)
class ColdStart:
    """One way to start: milliseconds of CPU and of the clock, the process's peak in MB, medians of all rounds.

    `ratio` is its CPU by that of the reference in the same round, the median again.
    """

    start: str
    cpu_ms: float
    wall_ms: float
    peak_mb: float
    ratio: float


def measured(quick: bool) -> list[Table]:
    """Build what is deployed and measure it in interleaved rounds, the reference first.

    Ready are processes that have imported a function and built its clients, and some that then asked the model once.
    """
    with tempfile.TemporaryDirectory() as folder, ModelStandIn() as model:
        deployed = build(Path(folder))
        question = _QUESTION.format(url=model.url)
        codes = {REFERENCE: _REFERENCE}
        for name in FUNCTIONS:
            codes[name] = f"import {name}"
            if name in ("review", "mention"):
                codes[f"{name}, with a question to the model"] = f"import {name}\n{question}"

        def once() -> dict[str, Figures]:
            return {name: _ready(deployed, code) for name, code in codes.items()}

        rows = list(_rows([once() for _ in range(1 if quick else ROUNDS)]))
    return [Table.of(f"Cold start, Python {deployed.version}", rows)]


def _ready(deployed: Deployed, code: str) -> Figures:
    """Run once in a fresh process; milliseconds of CPU, of the clock, megabytes."""
    is_ours = code != _REFERENCE
    paths = [
        str(each) for each in ((deployed.layer, *deployed.functions.values()) if is_ours else [deployed.published])
    ]
    program = [str(deployed.python), "-I", "-S", "-c", _MEASURED.format(paths=paths, code=code)]
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=_ENVIRONMENT)
    cpu, wall, peak = map(float, done.stdout.split())
    return cpu, wall, peak


def _rows(rounds: Sequence[Mapping[str, Figures]]) -> Iterator[ColdStart]:
    for name in rounds[0]:
        cpu, wall, peak = (statistics.median(values) for values in zip(*(each[name] for each in rounds), strict=True))
        yield ColdStart(name, cpu, wall, peak, statistics.median(each[name][0] / each[REFERENCE][0] for each in rounds))
