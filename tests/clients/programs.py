"""The programs of coding agents, from the npm registry, each with a home of its own and a model on this machine."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / ".venvs" / "clients"
_SECONDS = 180
_FOREIGN = ("ANTHROPIC", "CLAUDE", "CODEX", "GEMINI", "GOOGLE", "OPENAI", "PYTHON")
_PROMPT = "Work through Kodiai's review."


@dataclass(frozen=True)
class Connection:
    """Where a program finds its model and our server, and the token for the latter."""

    model: str
    mcp: str
    token: str


@dataclass(frozen=True)
class Program:
    """A program: its package with the version, its command, and how it is set up in its home.

    `set_up` writes its settings, and gives its arguments and variables; the settings hold no token if that can be.
    """

    package: str
    version: str
    command: str
    set_up: Callable[[Path, Connection], tuple[list[str], Mapping[str, str]]]

    def run(self, home: Path, connection: Connection) -> subprocess.CompletedProcess[str]:
        """Run it without a person, in an empty repository of git."""
        work = home / "work"
        work.mkdir()
        subprocess.run(["git", "init", "--quiet"], cwd=work, check=True)
        arguments, variables = self.set_up(home, connection)
        inherited = {name: text for name, text in os.environ.items() if not name.startswith(_FOREIGN)}
        local = {
            "HOME": str(home),
            "NO_PROXY": "127.0.0.1",
            "KODIAI_MCP": connection.mcp,
            "KODIAI_TOKEN": connection.token,
        }
        return subprocess.run(
            [str(self._installed()), *arguments],
            cwd=work,
            env={**inherited, **local, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )

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


def _claude_code(home: Path, connection: Connection) -> tuple[list[str], Mapping[str, str]]:
    """Source: https://code.claude.com/docs/en/mcp."""
    server = {"type": "http", "url": "${KODIAI_MCP}", "headers": {"Authorization": "Bearer ${KODIAI_TOKEN}"}}
    (home / "work" / ".mcp.json").write_text(json.dumps({"mcpServers": {"kodiai": server}}))
    options = ("--mcp-config", ".mcp.json", "--strict-mcp-config", "--dangerously-skip-permissions")
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"}
    return ["-p", _PROMPT, *options], {"ANTHROPIC_BASE_URL": connection.model, "ANTHROPIC_API_KEY": "none", **quiet}


def _codex(home: Path, connection: Connection) -> tuple[list[str], Mapping[str, str]]:
    """Source: https://developers.openai.com/codex/mcp."""
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        f"""\
model = "scripted"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "{connection.model}/v1"
wire_api = "responses"
env_key = "NO_KEY"

[mcp_servers.kodiai]
url = "{connection.mcp}"
bearer_token_env_var = "KODIAI_TOKEN"
"""
    )
    return ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", _PROMPT], {"NO_KEY": "none"}


def _gemini_cli(home: Path, connection: Connection) -> tuple[list[str], Mapping[str, str]]:
    """Source: https://geminicli.com/docs/tools/mcp-server/."""
    server = {"httpUrl": "$KODIAI_MCP", "headers": {"Authorization": "Bearer $KODIAI_TOKEN"}, "trust": True}
    settings = {"mcpServers": {"kodiai": server}, "security": {"auth": {"selectedType": "gemini-api-key"}}}
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    variables = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": connection.model}
    return ["-p", _PROMPT, "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"], variables


PROGRAMS: Mapping[str, Program] = {
    "Claude Code": Program("@anthropic-ai/claude-code", "2.1.332", "claude", _claude_code),
    "Codex": Program("@openai/codex", "0.171.0", "codex", _codex),
    "Gemini CLI": Program("@google/gemini-cli", "0.61.0", "gemini", _gemini_cli),
}
