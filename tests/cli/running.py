"""Runs the `kodiai` command: as a process of its own, as a person does, or in this process, which is much faster."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.main import main

KODIAI = str(Path(sys.executable).with_name("kodiai"))
_FOREIGN = ("ANTHROPIC_", "GITHUB_", "KODIAI_", "AWS_")


@dataclass(frozen=True)
class Done:
    """The exit status of a command and its output."""

    status: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """The lines on stderr without the steps, of which there is at least one."""
        lines = self.err.splitlines()
        assert lines[0].startswith("… ")
        return [line for line in lines if not line.startswith("… ")]


def environment(**more: str) -> dict[str, str]:
    """The tests' environment without variables of other services, and without a way to find AWS credentials."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    no_aws = {"AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_CONFIG_FILE": os.devnull}
    return ours | no_aws | {"AWS_EC2_METADATA_DISABLED": "true"} | more


def run_process(*arguments: str | Path, cwd: Path | None = None, **env: str) -> Done:
    """Run the command as a process of its own."""
    command, given = [KODIAI, *map(str, arguments)], environment(**env)
    done = subprocess.run(command, capture_output=True, text=True, env=given, cwd=cwd, check=False, timeout=240)
    return Done(done.returncode, done.stdout, done.stderr)


def run_command(*arguments: str | Path, cwd: Path | None = None, answer: str | None = None, **env: str) -> Done:
    """Run the command in this process, in which everything is as before in the end; `answer` is what it reads."""
    out, err = io.StringIO(), io.StringIO()
    with (
        _environment(env, answer),
        _signals(),
        chdir(cwd or Path.cwd()),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Done(status, out.getvalue(), err.getvalue())


@contextmanager
def _environment(env: dict[str, str], answer: str | None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if answer is not None:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answer.encode())))
        for name in os.environ:
            if name.startswith(_FOREIGN):
                patch.delenv(name)
        for name, value in environment(**env).items():
            patch.setenv(name, value)
        yield


@contextmanager
def _signals() -> Iterator[None]:
    """Commands take over how they end."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
