"""A deployment that `kodiai setup` made, in a local account and on a local GitHub."""

import json
import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cli.setup.parameters import ROOT
from local.aws.protocol import REGION
from local.cloud import LocalCloud
from local.github import LocalGitHub
from local.model import ModelStandIn
from tests.cli.browsing import press_buttons
from tests.cli.running import KODIAI, Done, environment, run_command

_PAGE = re.compile(r"(?:in your browser|that it is to review): (\S+)")


@dataclass
class Run:
    """One run of the command: its lines and its exit status."""

    lines: list[str] = field(default_factory=list)
    status: int | None = None

    @property
    def text(self) -> str:
        """All that was printed."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Account:
    """What there is before the setup: AWS, GitHub, and a model."""

    cloud: LocalCloud
    github: LocalGitHub
    model: ModelStandIn
    home: Path
    region: str = REGION

    def __post_init__(self) -> None:
        """Let the deployer do what the documented policy allows."""
        policy = json.loads((ROOT / "docs" / "deployer-policy.json").read_text("utf-8"))
        self.cloud.aws.permissions.give("deployer", policy["Statement"])

    @property
    def address(self) -> str:
        """The address of AWS with the deployer's key."""
        return self.cloud.aws.access_url_of("deployer")

    def run(self, command: str, *arguments: str, stage: str = "prod") -> Done:
        """Run another command for the stage, in this process."""
        place = ("--stage", stage, "--endpoint-url", self.address)
        return run_command(
            command, *arguments, *place, cwd=None, **self.cloud.environment | {"AWS_REGION": self.region}
        )

    def set_up(self, *answers: str, options: tuple[str, ...] = (), stop_at: str | None = None) -> Run:
        """Run `kodiai setup`, answer its questions, and press the buttons on the pages that it names.

        It is killed when it prints a line that holds `stop_at`.
        """
        place = ("--stage", "prod", "--endpoint-url", self.address)
        run, env = Run(), environment(**self.cloud.environment, HOME=str(self.home))
        with subprocess.Popen(
            [KODIAI, "setup", *place, "--no-browser", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(f"{answer}\n" for answer in answers))
            process.stdin.close()
            for line in process.stdout:
                run.lines.append(line.rstrip())
                if stop_at is not None and stop_at in line:
                    process.kill()
                elif found := _PAGE.search(line):
                    _in_background(partial(press_buttons, found[1]))
        run.status = process.returncode
        return run


def _in_background(act: Callable[[], object]) -> None:
    threading.Thread(target=act, daemon=True).start()
