"""Read `.kodiai.yml`: what is right is followed, what is wrong is named, and what restricts fails closed."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from kodiai.core.config.keys import Config, Restricts, SettingsFile
from kodiai.core.config.parse import EMPTY, Unreadable, parse_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_PATH = ".kodiai.yml"
"""Where a repository keeps its settings."""

_MOST_PROBLEMS = 20
_SHOWN_CHARACTERS = 40
_NEAR = 0.7
_REFUSAL = "`.kodiai.yml` on {branch} cannot be followed, so nothing is done until it is fixed: {why}."

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

Path = tuple[str, ...]
"""The names from the root to a key: ("review", "skipPaths")."""


Section = TypeVar("Section", bound=BaseModel)


@dataclass(frozen=True)
class BranchFile:
    """The settings file of a branch; `content` is None if it has none."""

    branch: str
    content: bytes | None


class _Problem(NamedTuple):
    """What is wrong with a key, as part of a sentence.

    `restricts` is whether the key restricts, `refuses` whether nothing of the file is followed because of it.
    """

    text: str
    restricts: bool = False
    refuses: bool = False


@dataclass(frozen=True)
class Key:
    """A key with a value; `default` is that which it has without one."""

    default: object
    restricts: Restricts | None

    @property
    def switches(self) -> bool:
        """Whether a bad value of it switches something off."""
        return self.restricts is not None and self.restricts.bad == "off"


def _walk(model: type[BaseModel], where: Path) -> Iterator[tuple[Path, Key]]:
    for field in model.model_fields.values():
        path = (*where, str(field.alias))
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _walk(field.annotation, path)
        else:
            yield path, Key(field.default, _mark(field))


def _mark(field: FieldInfo) -> Restricts | None:
    return next((mark for mark in field.metadata if isinstance(mark, Restricts)), None)


KEYS: Mapping[Path, Key] = MappingProxyType(dict(_walk(SettingsFile, ())))
_SECTIONS = tuple(dict.fromkeys(path[:length] for path in KEYS for length in range(1, len(path))))
_RESTRICTING = frozenset(path[-1] for path, key in KEYS.items() if key.restricts)


def _restricting(path: Path) -> Sequence[bool]:
    """Whether each key restricts, at this path or below it."""
    return [key.restricts is not None for known, key in KEYS.items() if known[: len(path)] == path]


def read_config(content: bytes | None) -> Config:
    """Read the content of one file; None, where there is no file, gives the defaults.

    A bad value falls back to its key's default and becomes a problem; an unknown key becomes one too.
    Where the key restricts, or an unknown one may have been meant to, everything is refused;
    only a bad `enabled` is no refusal but reads as false.
    """
    file, problems, refusals = _read(content)
    return Config(
        **dict(file),
        problems=tuple(f".kodiai.yml: {problem}." for problem in _bounded([each.text for each in problems])),
        refusal=_REFUSAL.format(branch="the base branch", why="; ".join(_bounded(refusals))) if refusals else None,
    )


def read_settings(base: BranchFile, default: BranchFile | None) -> Config:
    """Read the settings for a base branch; `default` is the file of the default branch, None if that is the base.

    A key that restricts has the stricter of both branches' values: an author chooses the base branch, and must not
    choose an old one to get around a restriction. Other keys are the base branch's.
    """
    config = read_config(base.content)
    if default is None:
        return config
    file, problems, refusals = _read(default.content)
    name = _code(default.branch, _SHOWN_CHARACTERS * 2)
    said = _bounded([each.text for each in problems if each.restricts])
    why = _REFUSAL.format(branch=f"the default branch {name}", why="; ".join(_bounded(refusals))) if refusals else None
    update = {
        "problems": (*config.problems, *(f".kodiai.yml on {name}: {problem}." for problem in said)),
        "refusal": config.refusal or why,
    }
    return _stricter(config, file, base.branch).model_copy(update=update)


def _stricter(base: Section, default: BaseModel, branch: str) -> Section:
    """The base branch's values, with the stricter one for each key that restricts."""
    changed: dict[str, object] = {}
    for name, field in type(default).model_fields.items():
        own, other = getattr(base, name), getattr(default, name)
        if isinstance(own, BaseModel):
            changed[name] = _stricter(own, other, branch)
        elif (mark := _mark(field)) is not None:
            changed[name] = mark.stricter(own, other, branch)
    return base.model_copy(update=changed)


def _read(content: bytes | None) -> tuple[SettingsFile, list[_Problem], list[str]]:
    """Read a file: its values, what is wrong with it, and why nothing is done because of it."""
    try:
        values = {} if content is None else parse_yaml(content)
    except Unreadable as why:
        return SettingsFile(), [], [str(why)]
    problems: list[_Problem] = []
    try:
        file = SettingsFile.model_validate(values, by_alias=True, by_name=False)
    except ValidationError as invalid:
        for path, error in {_key_path(each["loc"]): each for each in reversed(invalid.errors())}.items():
            _fall_back(values, path)
            if path not in _SECTIONS or error["input"] is not EMPTY:
                problems.insert(0, _problem(path, error))
        file = SettingsFile.model_validate(values, by_alias=True, by_name=False)
    return file, problems, [each.text for each in problems if each.refuses]


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


def _problem(path: Path, error: "ErrorDetails") -> _Problem:
    name, value = _code(".".join(path), _SHOWN_CHARACTERS * 2), error["input"]
    if path in _SECTIONS:
        restricts = any(_restricting(path))
        return _Problem(f"{name} must be a mapping of keys, not {_shown(value)}", restricts, restricts)
    if path not in KEYS:
        meant = _nearest(path)
        perhaps = f"; perhaps {_code('.'.join(meant), _SHOWN_CHARACTERS * 2)} is meant" if meant is not None else ""
        if _may_restrict(path, value):
            return _Problem(f"{name} is not a known key, and may be meant to restrict{perhaps}", True, True)
        return _Problem(f"{name} is not a known key and is ignored{perhaps}")
    if value is EMPTY:
        text = f"{name} has no value"
    else:
        wanted = _WANTED.get(error["type"], "a value of another kind").format(**error.get("ctx", {})).replace("'", "")
        item = f" (item {int(error['loc'][-1]) + 1})" if len(error["loc"]) > len(path) else ""
        text = f"{name}{item} must be {wanted}, not {_shown(value)}"
    known = KEYS[path]
    if known.restricts is not None and not known.switches:
        return _Problem(text, restricts=True, refuses=True)
    return _Problem(f"{text}; {_shown(False if known.switches else known.default)} is used", known.switches)


def _nearest(path: Path) -> Path | None:
    """Find the key that was probably meant: one of nearly this name, preferably in the same section."""
    named: dict[str, list[Path]] = {}
    for known in (*KEYS, *_SECTIONS):
        named.setdefault(_bare(known[-1]), []).append(known)
    names = difflib.get_close_matches(_bare(path[-1]), named, n=3, cutoff=_NEAR)
    candidates = [known for name in names for known in named[name]]
    return next((known for known in candidates if known[:-1] == path[:-1]), candidates[0] if candidates else None)


def _may_restrict(path: Path, value: Any) -> bool:
    """Whether an unknown key may have been meant to restrict: by its name, by its section, or by what is below it."""
    meant, siblings = _nearest(path), _restricting(path[:-1]) if path[:-1] in _SECTIONS else [False]
    return all(siblings) or (meant is not None and any(_restricting(meant))) or _holds_restricting(value)


def _holds_restricting(value: Any) -> bool:
    return isinstance(value, dict) and (
        not _RESTRICTING.isdisjoint(value) or any(map(_holds_restricting, value.values()))
    )


def _bare(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


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
