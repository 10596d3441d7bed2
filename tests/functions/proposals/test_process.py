"""The API's function as a process of its own: what it loads before the first request."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "functions" / "proposals", ROOT / "layers" / "common")


def test_the_function_loads_only_what_requests_need() -> None:
    """A person waits for a cold start. What only reviews need, and what describes the API, is not loaded."""
    kept = {name: text for name, text in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    variables = {**kept, "AWS_DEFAULT_REGION": "eu-west-1", "PYTHONPATH": os.pathsep.join(map(str, FOLDERS))}
    program = [sys.executable, "-c", "import proposals, sys; print('\\n'.join(sys.modules))"]

    done = subprocess.run(program, env=variables, capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())
    assert {"kodiai.edges.github_code", "kodiai.edges.proposal_store", "mcp_endpoint"} <= loaded
    for heavy in (
        "anthropic",
        "mcp",
        "starlette",
        "jsonschema",
        "aws_lambda_powertools.event_handler.openapi.models",
        "kodiai.edges.claude",
        "kodiai.edges.github",
        "kodiai.edges.vectors",
        "kodiai.flows.review",
        "kodiai.prompts",
    ):
        assert heavy not in loaded
    assert {name for name in loaded if name.startswith("githubkit.versions.")} == set()
