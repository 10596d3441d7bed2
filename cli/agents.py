"""Lines to paste that connect the programs of coding agents; the token is a variable in them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

COMMANDS: Mapping[str, str] = {
    # Single quotes keep the variable; a file with its value would hold the token.
    "Claude Code": "claude mcp add --transport http kodiai {mcp} --header 'Authorization: Bearer ${KODIAI_TOKEN}'",
    "Codex": "codex mcp add kodiai --url {mcp} --bearer-token-env-var KODIAI_TOKEN",
    "Gemini CLI": (
        "gemini mcp add --scope user --transport http kodiai {mcp} --header 'Authorization: Bearer $KODIAI_TOKEN'"
    ),
}
"""The command for a shell, by program; `{mcp}` stands for the address. The real programs are tested with them.

Sources: https://code.claude.com/docs/en/mcp, https://developers.openai.com/codex/mcp and
https://geminicli.com/docs/tools/mcp-server/
"""


def connection_lines(mcp: str) -> Sequence[str]:
    """Lines to paste for each program, for the MCP server at the address `mcp`.

    They read the token from KODIAI_TOKEN; VS Code asks for it, and keeps it with its secrets.
    """
    lines = {name: command.replace("{mcp}", mcp) for name, command in COMMANDS.items()} | {
        "Cursor": f".cursor/mcp.json: {json.dumps(_cursor(mcp))}",
        "VS Code": f".vscode/mcp.json: {json.dumps(_vs_code(mcp))}",
    }
    width = max(map(len, lines)) + 1
    return [f"  {f'{name}:':{width}} {line}" for name, line in lines.items()]


def _cursor(mcp: str) -> Mapping[str, Any]:
    """Source: https://cursor.com/docs/context/mcp."""
    return {"mcpServers": {"kodiai": {"url": mcp, "headers": {"Authorization": "Bearer ${env:KODIAI_TOKEN}"}}}}


def _vs_code(mcp: str) -> Mapping[str, Any]:
    """Source: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration."""
    token = {"type": "promptString", "id": "kodiai", "description": "GitHub token", "password": True}
    server = {"type": "http", "url": mcp, "headers": {"Authorization": "Bearer ${input:kodiai}"}}
    return {"inputs": [token], "servers": {"kodiai": server}}
