"""The keys of `.kodiai.yml` by their paths, and which of them an unknown one was probably meant to be."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from kodiai.core.config.keys import Restricts, SettingsFile

Path = tuple[str, ...]
"""The names from the root to a key: ("review", "skipPaths")."""

_NEAR = 0.7


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
            yield path, Key(field.default, next((mark for mark in field.metadata if isinstance(mark, Restricts)), None))


KEYS: Mapping[Path, Key] = MappingProxyType(dict(_walk(SettingsFile, ())))
SECTIONS: frozenset[Path] = frozenset(path[:length] for path in KEYS for length in range(1, len(path)))
_RESTRICTING = frozenset(path[-1] for path, key in KEYS.items() if key.restricts)


def restricting(path: Path) -> Sequence[bool]:
    """Whether each key restricts, at this path or below it."""
    return [key.restricts is not None for known, key in KEYS.items() if known[: len(path)] == path]


def nearest(path: Path) -> Path | None:
    """Find the key that was probably meant: one of nearly this name, before all one of the same section."""
    named: dict[str, list[Path]] = {}
    for known in (*KEYS, *SECTIONS):
        named.setdefault(_bare(known[-1]), []).append(known)
    names = difflib.get_close_matches(_bare(path[-1]), named, n=3, cutoff=_NEAR)
    candidates = [known for name in names for known in named[name]]
    return next((known for known in candidates if known[:-1] == path[:-1]), candidates[0] if candidates else None)


def may_restrict(path: Path, value: Any) -> bool:
    """Whether an unknown key may have been meant to restrict: by its name, by its section, or by what is below it."""
    meant, beside = nearest(path), restricting(path[:-1]) if path[:-1] in SECTIONS else [False]
    return all(beside) or (meant is not None and any(restricting(meant))) or _holds_restricting(value)


def _holds_restricting(value: Any) -> bool:
    return isinstance(value, dict) and (
        not _RESTRICTING.isdisjoint(value) or any(map(_holds_restricting, value.values()))
    )


def _bare(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
