"""Finds where JSON strays from its schema, and says why."""

from collections.abc import Sequence

from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

_TAGS = ("type", "role", "status")
"""What tells the alternatives of a union from each other."""


def gist(errors: Sequence[ValidationError]) -> ValidationError:
    """The outermost error; where no alternative of a union fits, that of the alternative that was meant by its tag."""
    error = min(errors, key=lambda each: len(each.instance_path))
    if not isinstance(error.kind, Kind.AnyOf | Kind.OneOfNotValid):
        return error
    place = error.instance_path
    meant = [
        each
        for alternative in error.kind.context
        if not any(each.instance_path[-1:] and each.instance_path[-1] in _TAGS for each in alternative)
        for each in alternative
        if each.instance_path != place or not isinstance(each.kind, Kind.Type)
    ]
    return gist(meant) if meant else error


def reason(error: ValidationError) -> str:
    """The error in words, with all values that would be allowed."""
    if isinstance(error.kind, Kind.Enum):
        return f"{error.instance!r} is not one of {error.kind.options!r}"
    return error.message
