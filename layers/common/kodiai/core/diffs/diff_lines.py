"""The lines of a diff."""


class UnreadableDiff(Exception):
    """A part of a diff that cannot be read: `at` counts the lines of the diff from 0, `hunk` the file's from 1."""

    def __init__(self, text: str, at: int, hunk: int | None = None) -> None:
        super().__init__(text)
        self.at = at
        self.hunk = hunk


class DiffLines:
    """The lines of a diff, each with its newline, counted from 0."""

    def __init__(self, diff: bytes) -> None:
        lines = [line + b"\n" for line in diff.split(b"\n")]
        last = lines.pop()[:-1]
        self._lines = [*lines, last] if last else lines
        self._left = [0]
        for line in reversed(self._lines):
            self._left.append(self._left[-1] + len(line))
        self._left.reverse()

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: int) -> bytes:
        """A line, empty after the end."""
        return self._lines[at] if at < len(self._lines) else b""

    def left(self, at: int) -> int:
        """The number of bytes from a line on."""
        return self._left[at] if at < len(self._left) else 0
