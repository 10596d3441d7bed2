"""What is wrong with something that was read, in words for who wrote it."""

from collections.abc import Iterator

from pydantic import ValidationError


def complaints(error: ValidationError) -> Iterator[str]:
    """Each complaint, with its key where it is about one: "pushes.0.expected: Field required"."""
    for one in error.errors():
        key = ".".join(map(str, one["loc"]))
        words = one["msg"].removeprefix("Value error, ")
        yield f"{key}: {words}" if key else words
