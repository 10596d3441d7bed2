"""A diff as a suggestion of GitHub."""

from collections.abc import Sequence


def suggestion_for(diff: str, path: str, lines: tuple[int, int], text: Sequence[str]) -> str | None:
    """What the lines of a review comment read after a diff that changes nothing else, None if it does not fit."""
    raise NotImplementedError
