"""The function for sweeps as a process of its own: what it loads, and what it says when it cannot do its work."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "functions" / "sweep", ROOT / "layers" / "common")
CONTEXT = "types.SimpleNamespace(aws_request_id='the invocation', get_remaining_time_in_millis=lambda: 60_000)"


def _run(program: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: text for name, text in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    variables = {**kept, "AWS_DEFAULT_REGION": "eu-west-1", "PYTHONPATH": os.pathsep.join(map(str, FOLDERS))}
    return subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)


def test_the_function_loads_no_model_and_no_memory() -> None:
    """It only looks at lists."""
    done = _run("import sweep, sys; print('\\n'.join(sys.modules))")

    loaded = set(done.stdout.split())
    assert "kodiai.flows.sweep" in loaded
    for other in ("anthropic", "kodiai.edges.claude", "kodiai.edges.vectors", "kodiai.flows.review", "kodiai.prompts"):
        assert other not in loaded


def test_a_sweep_that_cannot_work_is_an_error_with_its_reason() -> None:
    """Lambda counts it, which raises the alarm; the line says why."""
    done = _run(f"import sweep, types; sweep.handler({{}}, {CONTEXT})")

    line = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode != 0
    assert (line["message"], line["outcome"], line["level"]) == ("outcome", "broken", "ERROR")
    assert line["reason"] == "The function's environment lacks KODIAI_PARAMETERS."
    assert line["function_request_id"] == "the invocation"
