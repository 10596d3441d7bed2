"""What is wrong with one key of `.kodiai.yml`, in words, and whether it can be passed over."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kodiai.core.config.known import KNOWN, Key, Path, Section, may_restrict, nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SHOWN_CHARACTERS = 40

_WANTED: Mapping[str, str] = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
    "literal_error": "{expected}",
    "tuple_type": "a list",
    "string_type": "a text",
    "string_unicode": "a text",
    "value_error": "{error}",
}
"""What pydantic misses, in words, by its name for it; https://docs.pydantic.dev/latest/errors/validation_errors/."""


@dataclass(frozen=True)
class Complaint:
    """One thing that is wrong, as part of a sentence; with one that `refuses` nothing of the file is followed."""

    text: str
    refuses: bool


def of_unknown(path: Path, value: Any) -> Complaint:
    """Complain of a key that we do not know, and name the one that was probably meant."""
    meant = nearest(path)
    perhaps = f"; perhaps {_name(meant)} is meant" if meant is not None else ""
    if may_restrict(path, value):
        return Complaint(f"{_name(path)} is not a known key, and may be meant to restrict{perhaps}", refuses=True)
    return Complaint(f"{_name(path)} is not a known key and is ignored{perhaps}", refuses=False)


def of_section(path: Path, value: Any, section: Section) -> Complaint:
    """Complain of a value where keys should be."""
    return Complaint(f"{_name(path)} must be a mapping of keys, not {_shown(value)}", refuses=section.restricts)


def of_value(path: Path, error: "ErrorDetails") -> Complaint:
    """Complain of a value that its key cannot have, by what pydantic found; `path` is the key's."""
    wanted = _WANTED.get(error["type"], "a value of another kind").format(**error.get("ctx", {})).replace("'", "")
    item = f" (item {int(error['loc'][-1]) + 1})" if len(error["loc"]) > len(path) else ""
    return _complaint(path, f"{_name(path)}{item} must be {wanted}, not {_shown(error['input'])}")


def of_empty(path: Path) -> Complaint:
    """Complain of a key without a value: what was meant cannot be known."""
    return _complaint(path, f"{_name(path)} has no value")


def _complaint(path: Path, text: str) -> Complaint:
    key = KNOWN[path]
    if not isinstance(key, Key) or (key.restricts is not None and not key.switches):
        return Complaint(text, refuses=True)
    instead = False if key.switches else key.default
    return Complaint(f"{text}; {_shown(instead)} is used", refuses=False)


def _name(path: Path) -> str:
    return _code(".".join(path), _SHOWN_CHARACTERS * 2)


def _shown(value: Any) -> str:
    return _code(json.dumps(value, ensure_ascii=False, default=str), _SHOWN_CHARACTERS)


def _code(text: str, characters: int) -> str:
    """Show a text that we did not write as code that it cannot leave."""
    printable = "".join("'" if each == "`" else each if each.isprintable() else "�" for each in text)
    return f"`{printable[:characters]}…`" if len(printable) > characters else f"`{printable}`"
