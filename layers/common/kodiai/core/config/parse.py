"""From the bytes of a YAML file to plain values, within bounds and without YAML's traps."""

from typing import Any

import yaml

MAX_BYTES = 64 * 1024
_MAX_DEPTH = 20


class Unreadable(Exception):
    """The file as a whole cannot be followed; the text says why."""


def parse_yaml(content: bytes) -> dict[str, Any]:
    """Read a mapping whose keys are texts; an empty file is an empty mapping. Raises Unreadable.

    Keys are taken as they are written, so `on` is no truth value; values are those of YAML 1.1.
    Neither aliases, which can make a small file huge, nor tags nor a second document are allowed.
    """
    if len(content) > MAX_BYTES:
        raise Unreadable(f"it is over {MAX_BYTES // 1024} KiB")
    try:
        text = content.decode("utf-8-sig")
        _refuse_traps(text)
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        value = None if root is None else _plain(loader, root)
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8") from error
    except yaml.MarkedYAMLError as error:
        raise Unreadable(f"it is not YAML{_line(error.problem_mark or error.context_mark)}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise Unreadable("it is not YAML, or has a value that is none") from error
    if not isinstance(value, dict | None):
        raise Unreadable("it is not a mapping of keys")
    return value or {}


def _refuse_traps(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise Unreadable(f"it has an alias{_line(event.start_mark)}")
        if getattr(event, "tag", None) is not None:
            raise Unreadable(f"it has a tag{_line(event.start_mark)}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_DEPTH:
            raise Unreadable(f"it is nested too deeply{_line(event.start_mark)}")


def _line(mark: Any) -> str:
    return "" if mark is None else f" (line {mark.line + 1})"


def _plain(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(loader, item) for item in node.value]
    return loader.construct_object(node)


def _mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Unreadable(f"it has a key that is no text{_line(key.start_mark)}")
        if key.value in found:
            raise Unreadable(f"it has a key twice{_line(key.start_mark)}")
        found[key.value] = _plain(loader, value)
    return found
