"""Building and deploying the stack with the SAM CLI, which this project installs for itself."""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from cli.errors import CommandError
from cli.progress import Progress
from cli.setup.parameters import ROOT, sam_file
from cli.stage import Stage
from local.rendering.labels import counted

_DONE = "_COMPLETE "
_SHOWN_LINES = 30
_SAM = ROOT / ".venvs" / "sam" / "bin" / "sam"
_BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"


def build(progress: Progress) -> None:
    """Build the layer and the functions, unless that is done, and print its warnings.

    Raises CommandError if that fails, with the end of the output.
    """

    def warn(line: str) -> None:
        if line.startswith("Warning: "):
            print(line, end="", flush=True)

    progress.step("building")
    _run([sys.executable, "-m", "scripts.build"], "The build failed", dict(os.environ), warn)


def deploy(stage: Stage, values: Mapping[str, str], progress: Progress) -> None:
    """Create or update the stack with these values for the template's parameters; all others get its defaults.

    Raises CommandError if that fails, with the first resource that did.
    """
    done = 0

    def count(line: str) -> None:
        nonlocal done
        done += _DONE in line
        if done and progress.is_terminal:
            progress.step("deploying", f"{counted(done, 'resource')}")

    progress.step("deploying")
    before = stage.newest_event()
    environment = {**stage.environment(), "SAM_CLI_TELEMETRY": "0"}
    with TemporaryDirectory() as folder:
        file = Path(folder, "parameters.yaml")
        file.write_text(sam_file(values))
        try:
            _run(_command(stage, file), f"The deployment of {stage.stack_name} failed", environment, count)
        except CommandError as failed:
            if reason := stage.first_failure(before):
                raise CommandError(f"{stage.stack_name} was not deployed: {reason}") from failed
            raise  # the deployment did not begin: the program's output is all there is


def _command(stage: Stage, parameters: Path) -> list[str]:
    """A first deployment that fails is rolled back, and the next one deletes its empty stack.

    RetainExceptOnCreate is documented for a roll-back, which deletes what was just made, and not for SAM's DELETE.
    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
    """
    return [
        *(str(_SAM), "deploy", "--template-file", str(_BUILT), "--stack-name", stage.stack_name),
        *("--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"),
        *("--resolve-s3", "--s3-prefix", stage.stack_name, "--region", stage.region),
        *("--on-failure", "ROLLBACK", "--no-confirm-changeset", "--no-fail-on-empty-changeset", "--no-progressbar"),
        *("--config-file", str(ROOT / "samconfig.toml"), "--config-env", "none"),
        *("--parameter-overrides", f"file://{parameters}"),
    ]


def _run(command: list[str], failed: str, environment: Mapping[str, str], on_line: Callable[[str], None]) -> None:
    """Run one of our programs. What it says is shown only if it fails: SAM prints hundreds of lines."""
    output = deque[str](maxlen=_SHOWN_LINES)
    with subprocess.Popen(  # noqa: S603 -- our own programs
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout or ():
            output.append(line)
            on_line(line)
    if running.returncode != 0:
        print("".join(output), file=sys.stderr)
        raise CommandError(f"{failed}.")
