"""JSON, YAML and TOML whose texts know their lines; hostile files raise an error, and do so soon."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import yaml

Object = Mapping[Any, Any]
"""A mapping whose keys are texts."""


class UnreadableLockFile(ValueError):
    """The file is not of its kind, or of a version of it that is not known; the text says why."""

    def __init__(self, why: str = "it is not of its format") -> None:
        super().__init__(why)


class LocatedText(str):
    """A text with the 1-based line on which it stands."""

    __slots__ = ("line",)
    line: int

    def __new__(cls, text: str, line: int) -> "LocatedText":
        """Give the text its line."""
        made = super().__new__(cls, text)
        made.line = line
        return made


_LINE_OR_STRING = re.compile(r'\n|"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_DIGITS = 8
_DEEPEST = 50
# Other characters that end lines in YAML would shift the numbers of all that follows.
_YAML_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_TOML_QUOTED = re.compile(
    r'#[^\n]*+|"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'', re.DOTALL
)
_TOML_TEXT = re.compile(r'"([^"\n]*)"')
# The parser takes the square of a key's parts; no lock file has five of them.
_LONG_KEY = re.compile(r"(?:\.[^.,=\[\]{}\n]*+){4}")
_PACKAGE = "[[package]]"


def json_object(text: str) -> Object:
    """Read a JSON object; its keys, and the strings under them, know their lines. Raises UnreadableLockFile."""
    line = 1

    def numbered(match: re.Match[str]) -> str:
        nonlocal line
        if match[0] == "\n":
            line += 1
            return "\n"
        return f'"{line:0{_DIGITS}}{match[0][1:]}'

    text = text.removeprefix("\ufeff")
    try:
        valid = json.loads(text)  # so that every string ends
        if "\\u" in text:  # half of a surrogate pair can neither be shown nor stored
            json.dumps(valid, ensure_ascii=False).encode()
        data = json.loads(_LINE_OR_STRING.sub(numbered, text), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise UnreadableLockFile from error
    return mapping(data)


def _object(pairs: Sequence[tuple[str, Any]]) -> Object:
    found = {_numbered(key): _numbered(value) if isinstance(value, str) else value for key, value in pairs}
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _numbered(text: str) -> LocatedText:
    return LocatedText(text[_DIGITS:], int(text[:_DIGITS]))


def mapping(value: Any) -> Object:
    """Give a mapping, an empty one for None. Raises UnreadableLockFile for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UnreadableLockFile
    return value


def text_at(entry: Object, key: str) -> LocatedText | None:
    """Give the text under a key, None if there is none or false. Raises UnreadableLockFile for anything else."""
    value = entry.get(key)
    if value is False:
        return None
    if value is not None and not isinstance(value, LocatedText):
        raise UnreadableLockFile
    return value


def yaml_mappings(text: str) -> list[Object]:
    """Read the mappings of a YAML file, one for each document, with all scalars as texts.

    Aliases, tags, merge keys, keys twice and deep nesting are refused. Raises UnreadableLockFile.
    """
    if _YAML_BREAK.search(text):
        raise UnreadableLockFile
    documents: list[Any] = []
    inside: list[tuple[Any, list[LocatedText]]] = []
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionEndEvent):
                inside.pop()
            elif isinstance(event, yaml.NodeEvent):
                value = _yaml_value(event)
                _put(value, documents, inside)
                if not isinstance(value, LocatedText):
                    inside.append((value, []))
                if len(inside) > _DEEPEST:
                    raise UnreadableLockFile
    except yaml.YAMLError as error:
        raise UnreadableLockFile from error
    return [mapping(document) for document in documents]


def _yaml_value(event: yaml.NodeEvent) -> Any:
    if event.anchor is not None or getattr(event, "tag", None) is not None:
        raise UnreadableLockFile
    if isinstance(event, yaml.ScalarEvent):
        return LocatedText(event.value, event.start_mark.line + 1 if event.start_mark else 1)
    return {} if isinstance(event, yaml.MappingStartEvent) else []


def _put(value: Any, documents: list[Any], inside: list[tuple[Any, list[LocatedText]]]) -> None:
    """Put a value where it belongs: behind the others of a list, or in turns as a key and what is under it."""
    holder, key = inside[-1] if inside else (documents, [])
    if isinstance(holder, list):
        holder.append(value)
    elif key:
        holder[key.pop()] = value
    elif isinstance(value, LocatedText) and value not in holder and value != "<<":
        key.append(value)
    else:
        raise UnreadableLockFile


@dataclass(frozen=True)
class TomlPackage:
    """An entry of the packages of a TOML file: its table, its lines, and the 1-based number of the first of them."""

    table: Mapping[str, Any]
    lines: Sequence[str]
    first: int

    def located(self, text: str) -> LocatedText:
        """Give a text of the table the line of the entry on which it first stands."""
        return LocatedText(text, self.first + self._places.get(text, 0))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        quoted = ((text, at) for at, line in enumerate(self.lines) for text in _TOML_TEXT.findall(line))
        return dict(reversed([*quoted]))


def toml_packages(text: str) -> tuple[Mapping[str, Any], list[TomlPackage]]:
    """Read a TOML file entry by entry: everything outside of its packages, and these. Raises UnreadableLockFile.

    What is complete up to the header of an entry has the same meaning whatever follows.
    """
    text = text.removeprefix("\ufeff")
    if _LONG_KEY.search(_TOML_QUOTED.sub('""', text)):
        raise UnreadableLockFile
    lines = text.split("\n")
    starts = [0, *(at for at, line in enumerate(lines) if at and line.strip() == _PACKAGE), len(lines)]
    if lines[0].strip() == _PACKAGE:
        starts.insert(0, 0)
    rest: dict[str, Any] = {}
    packages = []
    for number, (start, end) in enumerate(pairwise(starts)):
        chunk = lines[start:end]
        tables = _toml("\n".join(chunk))
        entries = tables.pop("package", [])
        if not isinstance(entries, list) or len(entries) != (number > 0) or not rest.keys().isdisjoint(tables):
            raise UnreadableLockFile
        rest |= tables
        packages += [TomlPackage(entry, chunk, start + 1) for entry in entries]
    return rest, packages


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableLockFile from error


def tables(value: Any) -> Iterator[Mapping[str, Any]]:
    """Give the tables in a list, or in the lists that a table has. Raises UnreadableLockFile."""
    for each in value.values() if isinstance(value, dict) else [value or []]:
        if not isinstance(each, list) or not all(isinstance(item, dict) for item in each):
            raise UnreadableLockFile
        yield from each
