"""Read `.kodiai.yml`: what is right is followed, what is wrong is named, and what restricts fails closed."""

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from kodiai.core.config.keys import Config, SettingsFile
from kodiai.core.config.known import KEYS, SECTIONS, Path, may_restrict, nearest, restricting
from kodiai.core.config.parse import EMPTY, Unreadable, parse_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_PATH = ".kodiai.yml"
"""Where a repository keeps its settings."""

_MOST_PROBLEMS = 20
_SHOWN_CHARACTERS = 40
_REFUSAL = "`.kodiai.yml` on the base branch cannot be followed, so nothing is done until it is fixed"

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


def read_config(content: bytes | None) -> Config:
    """Read the file's content; None, where there is no file, gives the defaults.

    A bad value falls back to its key's default and becomes a problem; an unknown key becomes one too.
    Where the key restricts, or an unknown one may have been meant to, everything is refused;
    only a bad `enabled` is no refusal but reads as false.
    """
    try:
        values = {} if content is None else parse_yaml(content)
    except Unreadable as why:
        return Config(refusal=f"{_REFUSAL}: {why}.")
    problems: list[str] = []
    refusals: list[str] = []
    try:
        file = SettingsFile.model_validate(values, by_alias=True, by_name=False)
    except ValidationError as invalid:
        for path, error in {_key_path(each["loc"]): each for each in reversed(invalid.errors())}.items():
            _fall_back(values, path)
            if path not in SECTIONS or error["input"] is not EMPTY:
                problem, refuses = _problem(path, error)
                problems.insert(0, problem)
                refusals[:0] = [problem] if refuses else []
        file = SettingsFile.model_validate(values, by_alias=True, by_name=False)
    return Config(
        **dict(file),
        problems=tuple(f".kodiai.yml: {problem}." for problem in _bounded(problems)),
        refusal=f"{_REFUSAL}: {'; '.join(_bounded(refusals))}." if refusals else None,
    )


def _key_path(location: Sequence[str | int]) -> Path:
    """Cut what pydantic adds after a key: the place in a list."""
    path = tuple(map(str, location))
    return next((key for key in KEYS if path[: len(key)] == key), path)


def _fall_back(values: dict[str, Any], path: Path) -> None:
    """Remove a bad value, and switch off what it should have switched."""
    section = reduce(dict.__getitem__, path[:-1], values)
    del section[path[-1]]
    if path in KEYS and KEYS[path].switches:
        section[path[-1]] = False


def _problem(path: Path, error: "ErrorDetails") -> tuple[str, bool]:
    """What is wrong with a key, as part of a sentence, and whether nothing of the file is followed because of it."""
    name, value = _code(".".join(path), _SHOWN_CHARACTERS * 2), error["input"]
    if path in SECTIONS:
        return f"{name} must be a mapping of keys, not {_shown(value)}", any(restricting(path))
    if path not in KEYS:
        meant = nearest(path)
        perhaps = f"; perhaps {_code('.'.join(meant), _SHOWN_CHARACTERS * 2)} is meant" if meant is not None else ""
        if may_restrict(path, value):
            return f"{name} is not a known key, and may be meant to restrict{perhaps}", True
        return f"{name} is not a known key and is ignored{perhaps}", False
    if value is EMPTY:
        text = f"{name} has no value"
    else:
        wanted = _WANTED.get(error["type"], "a value of another kind").format(**error.get("ctx", {})).replace("'", "")
        item = f" (item {int(error['loc'][-1]) + 1})" if len(error["loc"]) > len(path) else ""
        text = f"{name}{item} must be {wanted}, not {_shown(value)}"
    known = KEYS[path]
    if known.restricts is not None and not known.switches:
        return text, True
    return f"{text}; {_shown(False if known.switches else known.default)} is used", False


def _bounded(problems: Sequence[str]) -> list[str]:
    """The first problems, and how many more there are."""
    rest = len(problems) - _MOST_PROBLEMS
    return [*problems[:_MOST_PROBLEMS], *([f"{rest} more of its keys are wrong"] if rest > 0 else [])]


def _shown(value: Any) -> str:
    return _code(json.dumps(value, ensure_ascii=False, default=str), _SHOWN_CHARACTERS)


def _code(text: str, characters: int) -> str:
    """Show a text that we did not write as code that it cannot leave."""
    printable = "".join("'" if each == "`" else each if each.isprintable() else "�" for each in text)
    return f"`{printable[:characters]}…`" if len(printable) > characters else f"`{printable}`"
