"""Data files: whether they can be read, and where they have texts and where lists or mappings."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

import yaml

DataShape = frozenset[tuple[tuple[str, ...], bool]]
"""The paths of keys in a file, one for all items of a list, and whether a list or a mapping is there."""

# PyYAML reads some 100 KB a second.
_LARGEST_YAML = 128 * 1024
_ITEM = "[]"
# What settings of editors and compilers have besides JSON; texts are matched so that they stay.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*"|[\[{,]\s*,)|,(?=\s*[\]}])', re.DOTALL)
COMMENTS, LAST_COMMAS = (("//",), False), ((",",), False)


def shape(path: str, lines: Sequence[str]) -> DataShape | None:
    """Give the shape of a YAML file; None for a file that is neither YAML, JSON nor TOML.

    That of JSON has only what the file has besides JSON: comments, or commas behind the last items. TOML's is empty.
    Nothing is built from YAML's tags. A YAML file over 128 KiB is not read either. Raises ValueError.
    """
    text = "\n".join(lines).removeprefix("\ufeff")
    try:
        match PurePosixPath(path).suffix.lower():
            case ".json" | ".jsonc" | ".geojson" | ".ipynb" | ".webmanifest":
                return frozenset(_json(text))
            case ".toml":
                tomllib.loads(text)
            case ".yml" | ".yaml" if len(text) <= _LARGEST_YAML:
                return frozenset(_yaml(text))
            case _:
                return None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError("it is not of its format") from error
    return frozenset()


def _json(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    bare = _COMMENT.sub(lambda found: found[1] or " ", text)
    plain = _LAST_COMMA.sub(lambda found: found[1] or "", bare)
    json.loads(plain, object_pairs_hook=lambda pairs: _refuse_twice(key for key, _ in pairs))
    if bare != text:
        yield COMMENTS
    if plain != bare:
        yield LAST_COMMAS


def _yaml(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Each node is visited once, since aliases may lead to one from very many places."""
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
            _refuse_twice(key for key in keys if key)
            left += [((*path, key), value) for key, (_, value) in zip(keys, node.value, strict=True)]
        elif isinstance(node, yaml.SequenceNode):
            left += [((*path, _ITEM), item) for item in node.value]


def _refuse_twice(keys: Iterable[str]) -> None:
    if max(Counter(keys).values(), default=0) > 1:
        raise ValueError("it has a key twice")
