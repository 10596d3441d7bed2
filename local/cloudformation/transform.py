"""The transforms of a template: AWS's own translator for SAM, and nothing else."""

import json
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from local.aws.protocol import REGION

SAM_PYTHON = Path(__file__).resolve().parents[2] / ".venvs" / "sam" / "bin" / "python"
_PROGRAM = Path(__file__).with_name("sam_translation.py")
# The second needs no translation: a stack resolves the functions in policies of resources as those anywhere else.
_KNOWN = {"AWS::Serverless-2016-10-31", "AWS::LanguageExtensions"}


def transform(template: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template that CloudFormation makes of one with transforms, with functions in their long form.

    It takes a second, once for the same template and parameters. Raises ValueError for another transform, and for
    what the translator refuses.
    """
    asked = template.get("Transform", [])
    transforms = {asked} if isinstance(asked, str) else {*asked}
    if unknown := sorted(transforms - _KNOWN):
        raise ValueError(f"the transform {', '.join(unknown)} is not here")
    if not transforms:
        return dict(template)
    if not SAM_PYTHON.exists():
        raise ValueError("the translator of SAM templates is not installed; `make build` installs it with the SAM CLI")
    answer = json.loads(
        _translated(
            json.dumps({"template": {**template, "Transform": sorted(transforms)}, "parameters": {**parameters}})
        )
    )
    if "error" in answer:
        raise ValueError(answer["error"])
    translated: dict[str, Any] = answer["template"]
    translated.pop("Transform", None)
    return translated


@lru_cache(maxsize=32)
def _translated(given: str) -> str:
    """The program's answer; a change set, and the stage that is deployed again, repeat an earlier request."""
    run = subprocess.run(
        [SAM_PYTHON, "-P", _PROGRAM],
        input=given,
        env={"AWS_DEFAULT_REGION": REGION},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        raise ValueError(f"the template cannot be translated: {run.stderr[-2000:]}")
    return run.stdout
