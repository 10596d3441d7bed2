"""The questions of `kodiai setup`: an option answers one beforehand, and nothing is asked twice."""

import sys
from getpass import getpass

from cli.errors import CommandError


class Questions:
    """Asks in the terminal, or reads the answers from a pipe, and counts."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, question: str, option: str) -> str:
        """Ask for a line, which may be empty; `option` is what gives it beforehand. Raises CommandError at the end."""
        return self._answer(question, option, hidden=False)

    def ask_hidden(self, question: str, option: str) -> str:
        """Ask for a secret, which is not shown while it is typed."""
        return self._answer(question, option, hidden=True)

    def _answer(self, question: str, option: str, *, hidden: bool) -> str:
        self.asked += 1
        try:
            if hidden and sys.stdin.isatty():
                return getpass(f"{question}: ").strip()
            print(f"{question}: ", end="" if sys.stdin.isatty() else "\n", flush=True)
            return input().strip()
        except EOFError as end:
            raise CommandError(f"The question was not answered: {option}.") from end
