"""The SAM CLI against a local account."""

import os
import subprocess
from pathlib import Path

from local.cloud import LocalCloud
from scripts.build import ensure_sam, find_uv

ROOT = Path(__file__).resolve().parent.parent


class Sam:
    """Runs the SAM CLI in a folder, with nothing in its environment but what makes it find the account."""

    def __init__(self, cloud: LocalCloud, folder: Path, role: str = "operator") -> None:
        self._program = ensure_sam(find_uv())
        self._folder = folder
        self._environment = {
            **cloud.environment,
            "AWS_ACCESS_KEY_ID": cloud.aws.access_key(role),
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
        }

    def run(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            [self._program, *arguments],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def deploy(
        self, stage: str, *parameters: str, template: Path = ROOT / "template.yaml"
    ) -> "subprocess.CompletedProcess[str]":
        """Deploy a template as it is, with sources instead of what `sam build` makes of them."""
        stack = f"kodiai-{stage}"
        where = ("--template-file", template, "--stack-name", stack, "--resolve-s3", "--s3-prefix", stack)
        how = ("--no-confirm-changeset", "--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")
        return self.run("deploy", *where, *how, "--parameter-overrides", f"Stage={stage}", *parameters)

    def delete(self, stage: str) -> "subprocess.CompletedProcess[str]":
        """Delete a stack and what was uploaded for it."""
        return self.run("delete", "--stack-name", f"kodiai-{stage}", "--no-prompts", "--region", "us-east-1")
