"""docs/agents.md connects programs with the lines that the commands print."""

from pathlib import Path

from cli.agents import connection_lines

ROOT = Path(__file__).resolve().parents[2]
MCP = "https://abc123.execute-api.eu-central-1.amazonaws.com/mcp"


def test_the_page_has_the_lines_that_the_commands_print() -> None:
    """Those of editors begin with the name of the file."""
    page = (ROOT / "docs" / "agents.md").read_text("utf-8").splitlines()
    lines = [line.partition(": ")[2].strip() for line in connection_lines(MCP)]

    missing = [line for line in lines if line not in page and line.partition(": ")[2] not in page]

    assert missing == []
    assert len(lines) == 5
