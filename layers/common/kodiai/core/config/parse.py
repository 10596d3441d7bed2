"""From the bytes of a YAML file to plain values, within bounds and without YAML's traps."""

from collections.abc import Hashable
from enum import Enum
from typing import Any, Final

import yaml

MAX_BYTES = 64 * 1024
_MAX_DEPTH = 20


class Unreadable(Exception):
    """The file as a whole cannot be followed; the text says why."""


class _Empty(Enum):
    EMPTY = "empty"


EMPTY: Final = _Empty.EMPTY
"""The value of a key without a value, which is not None: nobody has chosen it."""


def parse_yaml(content: bytes) -> dict[str, Any]:
    """Read a mapping whose keys are texts; an empty file is an empty mapping. Raises Unreadable.

    Keys are taken as they are written, so `on` is no truth value; values are those of YAML 1.1.
    Neither aliases, which can make a small file huge, nor tags nor a second document are allowed.
    """
    if len(content) > MAX_BYTES:
        raise Unreadable(f"it is over {MAX_BYTES // 1024} KiB")
    try:
        value = _Loader(content.decode("utf-8-sig")).get_single_data()
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8") from error
    except yaml.MarkedYAMLError as error:
        raise Unreadable(f"it is not YAML{_line(error.problem_mark or error.context_mark)}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise Unreadable("it is not YAML, or has a value that is none") from error
    if not isinstance(value, dict | None):
        raise Unreadable("it is not a mapping of keys")
    return value or {}


class _Loader(yaml.SafeLoader):
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # its stub leaves it so
        if isinstance(event, yaml.AliasEvent):
            raise Unreadable(f"it has an alias{_line(event.start_mark)}")
        if getattr(event, "tag", None) is not None:
            raise Unreadable(f"it has a tag{_line(event.start_mark)}")
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Unreadable(f"it is nested too deeply{_line(event.start_mark)}")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        found: dict[Hashable, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise Unreadable(f"it has a key that is no text{_line(key.start_mark)}")
            name = key.value.encode(errors="replace").decode()  # half of a surrogate pair can be escaped
            if name in found:
                raise Unreadable(f"it has a key twice{_line(key.start_mark)}")
            constructed = self.construct_object(value, deep=deep)
            found[name] = EMPTY if constructed is None else constructed
        return found


def _line(mark: Any) -> str:
    return "" if mark is None else f" (line {mark.line + 1})"
