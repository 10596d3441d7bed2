"""Files of data: whether they can be read, and what they are at their root."""

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import yaml

# PyYAML reads some 100 KB a second.
_LARGEST_YAML = 128 * 1024


class UnreadableData(ValueError):
    """The file is not of its format, or has a key twice."""


def roots(path: str, lines: Sequence[str]) -> tuple[str, ...] | None:
    """Name the kind of value at the root of each document of a JSON, TOML or YAML file; None for any other file.

    Nothing is built from YAML's tags. A YAML file over 128 KiB is not read either. Raises UnreadableData.
    """
    read = _READERS.get(PurePosixPath(path).suffix.lower())
    text = "\n".join(lines).removeprefix("\ufeff")
    if read is None or (read is _yaml and len(text) > _LARGEST_YAML):
        return None
    try:
        return tuple(read(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableData("it is not of its format") from error


def _json(text: str) -> Iterator[str]:
    yield type(json.loads(text, object_pairs_hook=_as_object)).__name__


def _as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableData("it has a key twice")
    return found


def _toml(text: str) -> Iterator[str]:
    yield type(tomllib.loads(text)).__name__


def _yaml(text: str) -> Iterator[str]:
    for root in yaml.compose_all(text, yaml.SafeLoader):
        _refuse_keys_twice(root)
        yield type(root).__name__


def _refuse_keys_twice(root: yaml.Node) -> None:
    """Look at each node once, since aliases may lead to one from very many places."""
    seen: set[int] = set()
    left = [root]
    while left:
        node = left.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            if len(set(keys)) < len(keys):
                raise UnreadableData("it has a key twice")
            left += [part for pair in node.value for part in pair]
        else:
            left += node.value


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    **dict.fromkeys((".json", ".geojson", ".ipynb", ".webmanifest"), _json),
    ".toml": _toml,
    **dict.fromkeys((".yml", ".yaml"), _yaml),
}
