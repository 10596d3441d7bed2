"""The errors of the commands, and messages for files that do not fit their model."""

from collections.abc import Iterator

from pydantic import ValidationError


class CommandFailed(Exception):
    """A command cannot go on; the text says why, in one or more lines."""


def validation_messages(error: ValidationError) -> Iterator[str]:
    """One message for each error, with its key if it has one: "pushes.0.expected: Field required"."""
    for one in error.errors():
        key = ".".join(map(str, one["loc"]))
        words = one["msg"].removeprefix("Value error, ")
        yield f"{key}: {words}" if key else words
