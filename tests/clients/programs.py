"""The programs of coding agents, from the npm registry, each with a home of its own and a model on this machine."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from cli.agents import COMMANDS

_ROOT = Path(__file__).resolve().parents[2]
FOLDER = _ROOT / ".venvs" / "clients"
_SKILL = _ROOT / "docs" / "skills" / "kodiai-review"
_SKILL_FOLDERS = (".claude/skills", ".agents/skills")
_SECONDS = 180
_FOREIGN = ("ANTHROPIC", "CLAUDE", "CODEX", "GEMINI", "GOOGLE", "OPENAI", "PYTHON")
_USE_SKILL = "kodiai-review octo/widgets#7"


@dataclass(frozen=True)
class Connection:
    """Where a program finds its model and our server, and the token for the latter."""

    model: str
    mcp: str
    token: str


@dataclass(frozen=True)
class Program:
    """A program: its package with the version, its command, the line that connects it, and how it finds its model.

    `set_up` writes its settings, and gives its arguments and variables.
    """

    package: str
    version: str
    command: str
    connect: str
    set_up: Callable[[Path, str], tuple[list[str], Mapping[str, str]]]

    def run(self, home: Path, connection: Connection) -> subprocess.CompletedProcess[str]:
        """Connect it with our line, and run it without a person, in a repository with our skill and nothing else."""
        work = home / "work"
        for folder in _SKILL_FOLDERS:
            shutil.copytree(_SKILL, work / folder / _SKILL.name)
        arguments, variables = self.set_up(home, connection.model)
        inherited = {name: text for name, text in os.environ.items() if not name.startswith(_FOREIGN)}
        own = {"HOME": str(home), "NO_PROXY": "127.0.0.1", "KODIAI_TOKEN": connection.token}
        program = self._installed()
        path = f"{program.parent}{os.pathsep}{inherited['PATH']}"
        environment = {**inherited, **own, **variables, "PATH": path}

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                words,
                cwd=work,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=_SECONDS,
                stdin=subprocess.DEVNULL,
            )

        run("git", "init", "--quiet")
        connected = run("sh", "-c", self.connect.replace("{mcp}", connection.mcp))
        assert connected.returncode == 0, connected
        files = [path for path in home.rglob("*") if path.is_file()]
        assert [path for path in files if connection.token.encode() in path.read_bytes()] == []
        return run(str(program), *arguments)

    def _installed(self) -> Path:
        """The program, installed where it is not there yet; without Node.js the test is skipped, in CI it fails."""
        folder = FOLDER / f"{self.command}-{self.version}"
        program = folder / "node_modules" / ".bin" / self.command
        if program.exists():
            return program
        npm = shutil.which("npm")
        if npm is None:
            missing = "there is no npm on this machine: nobody has tried the programs of coding agents"
            if os.environ.get("CI"):
                pytest.fail(missing)
            pytest.skip(missing)
        folder.mkdir(parents=True, exist_ok=True)
        quietly = ("--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error")
        subprocess.run(
            [npm, "install", "--prefix", str(folder), *quietly, f"{self.package}@{self.version}"], check=True
        )
        return program


def _claude_code(_: Path, model: str) -> tuple[list[str], Mapping[str, str]]:
    """Source: https://code.claude.com/docs/en/cli-reference."""
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"}
    variables = {"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "none", **quiet}
    return ["-p", f"/{_USE_SKILL}", "--dangerously-skip-permissions"], variables


def _codex(home: Path, model: str) -> tuple[list[str], Mapping[str, str]]:
    """Source: https://developers.openai.com/codex/config-reference."""
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        f"""\
model = "scripted"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "{model}/v1"
wire_api = "responses"
env_key = "NO_KEY"
"""
    )
    return ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", f"${_USE_SKILL}"], {
        "NO_KEY": "none"
    }


def _gemini_cli(home: Path, model: str) -> tuple[list[str], Mapping[str, str]]:
    """Source: https://geminicli.com/docs/reference/configuration/."""
    (home / ".gemini").mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    variables = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model}
    return ["-p", f"Use the skill {_USE_SKILL}", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"], variables


_claude = partial(
    Program, "@anthropic-ai/claude-code", command="claude", connect=COMMANDS["Claude Code"], set_up=_claude_code
)

PROGRAMS: Mapping[str, Program] = {
    "Claude Code": _claude(version="2.1.332"),
    # It speaks an older revision of the protocol.
    "Claude Code before": _claude(version="2.1.197"),
    "Codex": Program("@openai/codex", "0.171.0", "codex", COMMANDS["Codex"], _codex),
    "Gemini CLI": Program("@google/gemini-cli", "0.61.0", "gemini", COMMANDS["Gemini CLI"], _gemini_cli),
}
