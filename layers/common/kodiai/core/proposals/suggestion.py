"""A diff as a suggestion of GitHub."""

from collections.abc import Sequence


def suggestion_for(diff: str, path: str, lines: tuple[int, int], text: Sequence[str]) -> str | None:
    """What the lines of a review comment read after a diff that changes nothing else, None if it does not fit."""
    plus = [line[1:] for line in diff.split("\n") if line.startswith("+") and not line.startswith("+++")]
    return "\n".join(plus) + "\n" if len(plus) == 1 else None
