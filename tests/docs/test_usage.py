"""The table of commands in docs/usage.md is that of the code."""

from pathlib import Path

from kodiai.core.conversation.commands import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "usage.md").read_text(encoding="utf-8")
REQUIRES = {
    "read": "read access",
    "author": "write access, or authorship of the pull request",
    "decide": "permission to decide about the finding",
    "write": "write access",
}


def test_the_table_of_commands_is_that_of_the_code() -> None:
    """A question comes first, which is no command; then each command with its effect and what it requires."""
    listed = [line for line in PAGE.splitlines() if line.startswith("| `@kodiai ")]

    rows = [f"| `@kodiai {row.form}` | {row.help} | {REQUIRES[row.right]} |" for row in COMMANDS.values()]
    assert listed[1:] == rows, "\n".join(rows)
