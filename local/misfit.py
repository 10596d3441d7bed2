"""Finds where JSON strays from its schema, and says why."""

from collections.abc import Sequence

from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

_TAGS = ("type", "role", "status")
"""The keys that tell the alternatives of a union from each other."""


def gist(errors: Sequence[ValidationError]) -> ValidationError:
    """The outermost error; where no alternative of a union fits, that of the one that is meant."""
    return _within(min(errors, key=lambda each: len(each.instance_path)))


def reason(error: ValidationError) -> str:
    """The error in words, with all values that would be allowed."""
    if isinstance(error.kind, Kind.Enum):
        return f"{error.instance!r} is not one of {error.kind.options!r}"
    return error.message


def _within(error: ValidationError) -> ValidationError:
    """The error of the first alternative of a union whose tags and whose own type fit, instead of that none fits."""
    if isinstance(error.kind, Kind.AnyOf | Kind.OneOfNotValid):
        for alternative in error.kind.context:
            is_other = any(each.instance_path[-1:] and each.instance_path[-1] in _TAGS for each in alternative)
            for each in alternative:
                if not is_other and (each.instance_path != error.instance_path or not isinstance(each.kind, Kind.Type)):
                    return _within(each)
    return error
