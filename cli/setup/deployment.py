"""Building and deploying the stack with the SAM CLI, which this project installs for itself."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from cli.errors import CommandError
from cli.stage import Stage
from kodiai.core.errors import KodiaiError

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the project, with the template."""

_SAM = ROOT / ".venvs" / "sam" / "bin" / "sam"
_BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"


def build() -> None:
    """Build the layer and the functions. Raises CommandError if that fails; the reasons are printed before."""
    if not (ROOT / "template.yaml").exists():
        raise CommandError(f"{ROOT} has no template.yaml: use the command of a copy of the project.")
    _run([sys.executable, "-m", "scripts.build"], "The build failed")


def deploy(stage: Stage, values: Mapping[str, str]) -> None:
    """Create or update the stack with these values for the template's parameters; all others get its defaults.

    Raises CommandError if that fails; the events of the stack are printed before.
    """
    command = [
        *(str(_SAM), "deploy", "--template-file", str(_BUILT), "--stack-name", stage.stack_name),
        *("--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"),
        *("--resolve-s3", "--s3-prefix", stage.stack_name, "--region", stage.region),
        *("--no-confirm-changeset", "--no-fail-on-empty-changeset"),
        *("--config-file", str(ROOT / "samconfig.toml"), "--config-env", "none"),
        *("--parameter-overrides", *(f"{name}={value}" for name, value in values.items())),
    ]
    try:
        _run(command, f"The deployment of {stage.stack_name} failed", stage.environment())
    except CommandError as failed:
        raise CommandError(f"{failed}{_why(stage)}") from failed


def _why(stage: Stage) -> str:
    """The first resource that failed, in CloudFormation's words."""
    try:
        reason = stage.first_failure()
    except KodiaiError:
        return ""
    return f" {reason}" if reason else ""


def _run(command: list[str], failed: str, environment: Mapping[str, str] | None = None) -> None:
    variables = None if environment is None else {**environment, "SAM_CLI_TELEMETRY": "0"}
    done = subprocess.run(command, cwd=ROOT, env=variables, check=False)  # noqa: S603 -- our own programs
    if done.returncode != 0:
        raise CommandError(f"{failed}.")
