"""The function for sweeps as a process of its own: what it loads, and what it says when it cannot do its work."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "functions" / "sweep", ROOT / "layers" / "common")
CONTEXT = "types.SimpleNamespace(aws_request_id='the invocation', get_remaining_time_in_millis=lambda: 60_000)"


@pytest.fixture(scope="module")
def done() -> "subprocess.CompletedProcess[str]":
    """The output of a process that imports the function, lists its modules, and calls it without its environment."""
    kept = {name: text for name, text in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    variables = {**kept, "AWS_DEFAULT_REGION": "eu-west-1", "PYTHONPATH": os.pathsep.join(map(str, FOLDERS))}
    program = f"import sweep, sys, types; print(*sys.modules, sep='\\n'); sweep.handler({{}}, {CONTEXT})"
    return subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)


def test_the_function_loads_no_model_and_no_memory(done: "subprocess.CompletedProcess[str]") -> None:
    """It only looks at lists."""
    loaded = set(done.stdout.splitlines())
    assert "kodiai.flows.sweep" in loaded
    for other in ("anthropic", "kodiai.edges.claude", "kodiai.edges.vectors", "kodiai.flows.review", "kodiai.prompts"):
        assert other not in loaded


def test_a_sweep_that_cannot_work_is_an_error_with_its_reason(done: "subprocess.CompletedProcess[str]") -> None:
    """Lambda counts it, which raises the alarm; the line says why."""
    line = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode != 0
    assert (line["message"], line["outcome"], line["level"]) == ("outcome", "broken", "ERROR")
    assert line["reason"] == "The function's environment lacks KODIAI_PARAMETERS."
    assert line["function_request_id"] == "the invocation"
