"""Read `.kodiai.yml`: what is right is followed, what is wrong is named, and what restricts fails closed."""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from kodiai.core.config.keys import STRICTEST_GATE, Config, FailsClosed, Restricts, SettingsFile
from kodiai.core.config.parse import EMPTY, Unreadable, parse_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_PATH = ".kodiai.yml"
"""Where a repository keeps its settings, and its owner those of all repositories."""

OWNER_REPOSITORY = ".github"
"""The owner's repository for what all repositories share, where GitHub itself looks for default files."""

_TAKEN_FOR_IT = re.compile(r"(\.github/)?\.?kodiai\.(ya?ml|json|toml)", re.IGNORECASE)
_MOST_PROBLEMS = 20
_SHOWN_CHARACTERS = 40
_NEAR = 0.7
_REFUSAL = "`.kodiai.yml` {where} cannot be followed, so nothing is done until it is fixed: {why}."

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
    "string_too_long": "at most {max_length:,} characters",
    "string_too_short": "a text",
    "too_long": "at most {max_length} entries",
    "too_short": "a list with an entry",
    "model_type": "a mapping of keys",
    "missing": "given",
    "extra_forbidden": "left out, as it is not a known key",
    "value_error": "{error}",
}
"""The words for a fault, by pydantic's name for it; https://docs.pydantic.dev/latest/errors/validation_errors/."""

Path = tuple[str, ...]
"""The names from the root to a key: ("review", "skipPaths")."""


Section = TypeVar("Section", bound=BaseModel)


@dataclass(frozen=True)
class BranchFile:
    """The settings file of a branch; `content` is None if it has none.

    `misnamed` are its files that are taken for it and are not read.
    """

    branch: str
    content: bytes | None
    misnamed: Sequence[str] = ()


@dataclass(frozen=True)
class OwnerFile:
    """The settings file of the owner's repository, "owner/.github"; `content` is None if it has none."""

    repository: str
    content: bytes | None


class _Problem(NamedTuple):
    """The fault of a key, as a part of a sentence.

    `restricts` is whether the key restricts, `refuses` whether nothing of the file is followed because of it.
    """

    text: str
    restricts: bool = False
    refuses: bool = False


@dataclass(frozen=True)
class SettingKey:
    """A key with a value; `default` is that which it has without one, `safe` that which takes the place of a bad one.

    `safe` is None where the default does, or where nothing is done then.
    """

    default: object
    restricts: Restricts | None
    safe: object = None


def _walk(model: type[BaseModel], where: Path) -> Iterator[tuple[Path, SettingKey]]:
    for field in model.model_fields.values():
        path = (*where, str(field.alias))
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _walk(field.annotation, path)
        else:
            yield path, SettingKey(field.default, _mark(field), _safe(field))


def _mark(field: FieldInfo) -> Restricts | None:
    return next((mark for mark in field.metadata if isinstance(mark, Restricts)), None)


def _safe(field: FieldInfo) -> object:
    mark = _mark(field)
    if mark is not None:
        return False if mark.bad == "off" else None
    return next((mark.value for mark in field.metadata if isinstance(mark, FailsClosed)), None)


KEYS: Mapping[Path, SettingKey] = MappingProxyType(dict(_walk(SettingsFile, ())))
_SECTIONS = tuple(dict.fromkeys(path[:length] for path in KEYS for length in range(1, len(path))))
_RESTRICTING = frozenset(path[-1] for path, key in KEYS.items() if key.restricts)


def _restricting(path: Path) -> Sequence[bool]:
    """Whether each key restricts, at this path or below it."""
    return [key.restricts is not None for known, key in KEYS.items() if known[: len(path)] == path]


def misnamed(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths of a repository that are taken for the settings file: another ending, case or folder, or no dot."""
    return tuple(path for path in paths if path != CONFIG_PATH and _TAKEN_FOR_IT.fullmatch(path))


def misnamed_problem(path: str) -> str:
    """Say that a file is not read because of its name."""
    return f"{_code(path, _SHOWN_CHARACTERS)} is not read: settings are read from `{CONFIG_PATH}` alone."


def read_config(content: bytes | None) -> Config:
    """Read the content of one file; None, where there is no file, gives the defaults.

    A bad value falls back to its key's default and becomes a problem; an unknown key becomes one too.
    Where the key restricts, or an unknown one may have been meant to, everything is refused;
    only a bad `enabled` is no refusal but reads as false.
    """
    return read_settings(BranchFile("", content), None)


def read_settings(base: BranchFile, default: BranchFile | None, owner: OwnerFile | None = None) -> Config:
    """Read the settings for a base branch; `default` is the file of the default branch, None if that is the base.

    A key that restricts has the stricter of both branches' values: an author chooses the base branch, and must not
    choose an old one to get around a restriction. Other keys are the base branch's.
    The owner's values take the place of the defaults, and a repository's own value of a key that restricts counts only
    where it is the stricter one.
    """
    above = _read(owner.content if owner else None, SettingsFile(), base.branch)
    file = _read(base.content, above.file, base.branch)
    problems = [*map(misnamed_problem, base.misnamed), *_said(file.problems, "")]
    refusals = [_refusal("on the base branch", file)]
    settings = file.file
    if default is not None:
        other = _read(default.content, above.file, base.branch)
        settings = _stricter(settings, other.file, base.branch)
        name = _code(default.branch, _SHOWN_CHARACTERS * 2)
        problems += _said([each for each in other.problems if each.restricts], f" on {name}")
        refusals.append(_refusal(f"on the default branch {name}", other))
    if owner is not None:
        name = _code(owner.repository, _SHOWN_CHARACTERS * 2)
        problems += _said(above.problems, f" of {name}")
        refusals.append(_refusal(f"of {name}", above))
    return Config(**dict(settings), problems=tuple(problems), refusal=next(filter(None, refusals), None))


def _said(problems: Sequence[_Problem], where: str) -> list[str]:
    return [f".kodiai.yml{where}: {problem}." for problem in _bounded([each.text for each in problems])]


def _refusal(where: str, read: "_Read") -> str | None:
    """Why nothing is done because of a file, None if it can be followed."""
    refusals = [read.unreadable] if read.unreadable else [each.text for each in read.problems if each.refuses]
    return _REFUSAL.format(where=where, why="; ".join(_bounded(refusals))) if refusals else None


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


def _over(owner: BaseModel, own: Section, branch: str) -> Section:
    """A repository's own values over its owner's; of a key that restricts the stricter one, if both have the key."""
    changed: dict[str, object] = {}
    for name, field in type(own).model_fields.items():
        theirs, ours = getattr(owner, name), getattr(own, name)
        if isinstance(ours, BaseModel):
            changed[name] = _over(theirs, ours, branch)
        elif name in owner.model_fields_set:
            mark = _mark(field)
            if name not in own.model_fields_set:
                changed[name] = theirs
            elif mark is not None:
                changed[name] = mark.stricter(ours, theirs, branch)
    return own.model_copy(update=changed)


class _Read(NamedTuple):
    """A file as it is followed: its values over the owner's, what is wrong with it, and why it cannot be read."""

    file: SettingsFile
    problems: Sequence[_Problem] = ()
    unreadable: str | None = None


def _read(content: bytes | None, owner: SettingsFile, branch: str) -> _Read:
    """Read a file whose defaults are the owner's values, for pull requests into a branch."""
    try:
        values = {} if content is None else parse_yaml(content)
    except Unreadable as why:
        return _Read(_with_gate(owner), unreadable=str(why))
    problems: list[_Problem] = []
    try:
        file = SettingsFile.model_validate(values, by_alias=True, by_name=False)
    except ValidationError as invalid:
        for path, error in {_key_path(each["loc"]): each for each in reversed(invalid.errors())}.items():
            _fall_back(values, path)
            if path not in _SECTIONS or error["input"] is not EMPTY:
                problems.insert(0, _problem(path, error, owner))
        file = SettingsFile.model_validate(values, by_alias=True, by_name=False)
    return _Read(_over(owner, file, branch), problems)


def _with_gate(file: SettingsFile) -> SettingsFile:
    """The settings in place of those that cannot be read: nobody knows whether they have a gate."""
    check = file.review.check.model_copy(update={"fail_on": STRICTEST_GATE})
    return file.model_copy(update={"review": file.review.model_copy(update={"check": check})})


def _key_path(location: Sequence[str | int]) -> Path:
    """Cut what pydantic adds after a key: the place in a list."""
    path = tuple(map(str, location))
    return next((key for key in KEYS if path[: len(key)] == key), path)


def _fall_back(values: dict[str, Any], path: Path) -> None:
    """Remove a bad value, and put the safe one in its place where there is one."""
    section = reduce(dict.__getitem__, path[:-1], values)
    del section[path[-1]]
    if path in KEYS and KEYS[path].safe is not None:
        section[path[-1]] = KEYS[path].safe


def _problem(path: Path, error: "ErrorDetails", owner: SettingsFile) -> _Problem:
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
        text = f"{name}{_item(error['loc'][len(path) :])} has no value"
    else:
        wanted = _WANTED.get(error["type"], "a value of another kind").format(**error.get("ctx", {})).replace("'", "")
        instead = "" if error["type"] in ("missing", "extra_forbidden") else f", not {_shown(value)}"
        text = f"{name}{_item(error['loc'][len(path) :])} must be {wanted}{instead}"
    known = KEYS[path]
    if known.restricts is not None and known.safe is None:
        return _Problem(text, restricts=True, refuses=True)
    used = known.safe if known.safe is not None else _value(owner, path)
    said = "it is ignored" if used is None else f"{_shown(used)} is used"
    return _Problem(f"{text}; {said}", known.restricts is not None)


def _item(place: Sequence[str | int]) -> str:
    """Name a place in a key's list: an item, a key of the item, and an item of that."""
    named = [f"item {each + 1}" if isinstance(each, int) else _code(each, _SHOWN_CHARACTERS) for each in place]
    return f" ({', '.join(named)})" if named else ""


def _value(file: SettingsFile, path: Path) -> object:
    """The value of a key, as it is written in a file."""
    return reduce(dict.__getitem__, path, file.model_dump(mode="json", by_alias=True))


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
