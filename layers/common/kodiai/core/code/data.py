"""Files of data: whether they can be read, and where they have texts and where lists or mappings."""

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import yaml

Shape = frozenset[tuple[tuple[str, ...], bool]]
"""The paths of keys in a file, all items of a list under one, and whether a list or a mapping is there."""

# PyYAML reads some 100 KB a second.
_LARGEST_YAML = 128 * 1024
_ITEM = "[]"


class UnreadableData(ValueError):
    """The file is not of its format, or has a key twice."""


def shape(path: str, lines: Sequence[str]) -> Shape | None:
    """Give the shape of a YAML file, which is empty for a JSON or TOML file; None for any other file.

    Nothing is built from YAML's tags. A YAML file over 128 KiB is not read either. Raises UnreadableData.
    """
    read = _READERS.get(PurePosixPath(path).suffix.lower())
    text = "\n".join(lines).removeprefix("\ufeff")
    if read is None or (read is _yaml and len(text) > _LARGEST_YAML):
        return None
    try:
        return frozenset(read(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableData("it is not of its format") from error


def _json(text: str) -> Shape:
    json.loads(text, object_pairs_hook=_refuse_pairs_twice)
    return frozenset()


def _refuse_pairs_twice(pairs: list[tuple[str, Any]]) -> None:
    _refuse_twice([key for key, _ in pairs])


def _toml(text: str) -> Shape:
    tomllib.loads(text)
    return frozenset()


def _yaml(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Each node is looked at once, since aliases may lead to one from very many places."""
    seen: set[int] = set()
    left: list[tuple[tuple[str, ...], yaml.Node]] = [((), root) for root in yaml.compose_all(text, yaml.SafeLoader)]
    while left:
        path, node = left.pop()
        yield path, isinstance(node, yaml.CollectionNode)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys = [str(key.value) if isinstance(key, yaml.ScalarNode) else "" for key, _ in node.value]
            _refuse_twice([key for key in keys if key])
            left += [((*path, key), value) for key, (_, value) in zip(keys, node.value, strict=True)]
        elif isinstance(node, yaml.SequenceNode):
            left += [((*path, _ITEM), item) for item in node.value]


def _refuse_twice(keys: Sequence[str]) -> None:
    if len(set(keys)) < len(keys):
        raise UnreadableData("it has a key twice")


_READERS: dict[str, Callable[[str], Shape | Iterator[tuple[tuple[str, ...], bool]]]] = {
    **dict.fromkeys((".json", ".geojson", ".ipynb", ".webmanifest"), _json),
    ".toml": _toml,
    **dict.fromkeys((".yml", ".yaml"), _yaml),
}
