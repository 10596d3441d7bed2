"""Compares the packages of a lock file before and after a change, and shows the differences."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.changes.lock_files.package import LockFile, Package, host_of, scheme_of
from kodiai.core.json_object import JsonObject

MOST_ROWS = 1_000
_ARCHIVE = re.compile(r"\.(?:tgz|tar\.gz|zip|whl)$")
_SIGNS = re.compile(r"[-_.]+")
_MOST_SOURCES = 3
_LONGEST = 200
_DIGITS = 16


@dataclass(frozen=True)
class PackageChange:
    """A package before and after; None on the side that does not have it."""

    before: Package | None
    after: Package | None

    @property
    def line(self) -> int:
        """The line of the new file, 0 for a package that is gone."""
        return self.after.name.line if self.after is not None else 0


def compare(old: LockFile | None, new: LockFile) -> list[PackageChange]:
    """Give the packages that differ, each once, in the order of the new file.

    They differ in version, source, checksum or what they need. One version that goes and one that comes are a change.
    """
    before, after = old.packages if old else {}, new.packages
    gone: dict[str, list[Package]] = defaultdict(list)
    come: dict[str, list[Package]] = defaultdict(list)
    changes = []
    for key, now in after.items():
        then = before.get(key)
        if then is None:
            come[now.name].append(now)
        elif (then.sources, then.checksums) != (now.sources, now.checksums) or _other_needs(then, now):
            changes.append(PackageChange(then, now))
    for key in before.keys() - after.keys():
        gone[before[key].name].append(before[key])
    for name in gone.keys() | come.keys():
        if len(gone[name]) == len(come[name]) == 1:
            changes.append(PackageChange(gone[name][0], come[name][0]))
        else:
            changes += [PackageChange(each, None) for each in gone[name]]
            changes += [PackageChange(None, each) for each in come[name]]
    return sorted(changes, key=lambda each: (each.line == 0, each.line, _named(each)))


def _other_needs(then: Package, now: Package) -> list[str]:
    """The names that are needed no more, and new ones, at the same version; of local packages manifests tell."""
    if then.version != now.version or now.is_local:
        return []
    gone, new = sorted(then.needs - now.needs), sorted(now.needs - then.needs)
    return [*(f"-{name}" for name in gone), *(f"+{name}" for name in new)]


def _named(change: PackageChange) -> tuple[str, str]:
    package = change.after or change.before
    return (package.name, package.version) if package else ("", "")


def table(changes: Sequence[PackageChange]) -> str:
    """Show at most 1,000 changes: the line of the new file, and the package as JSON, with lists of old and new values.

    No text in it can pose as a label.
    """
    rows = (f" {each.line or '':>6} | {json.dumps(_row(each))}" for each in changes[:MOST_ROWS])
    return "\n".join(rows)


def _row(change: PackageChange) -> JsonObject:
    then, now = change.before, change.after
    state = "added" if then is None else "removed" if now is None else "changed"
    sides = [each for each in (then, now) if each is not None]
    shown = {
        state: sides[-1].name,
        "version": _both(each.version for each in sides),
        "from": _both(_sources(each) for each in sides),
        "checksum": _both(_checksums(each) for each in sides),
        "needs": _other_needs(then, now) if then and now else [],
    }
    return {key: value for key, value in shown.items() if value}


def _both(values: Iterable[str]) -> str | list[str]:
    """One value, or the old and the new one."""
    found = [*dict.fromkeys(values)]
    return found[0] if len(found) == 1 else found


def _sources(package: Package) -> str:
    found = sorted({_source(package.name, each) for each in package.sources})
    return ", ".join([*found[:_MOST_SOURCES], *([f"{len(found)} in all"] if len(found) > _MOST_SOURCES else [])])


def _source(name: str, source: str) -> str:
    """The host of an archive that is called as the package is, and anything else in full."""
    host, path = host_of(source), re.split("[?#]", source, maxsplit=1)[0]
    own = _SIGNS.sub("-", name.rpartition("/")[2].lower())
    is_other = _ARCHIVE.search(path) is not None and own not in _SIGNS.sub("-", path.lower())
    return source[:_LONGEST] if is_other or not host or not scheme_of(source) else f"{scheme_of(source)}://{host}"


def _checksums(package: Package) -> str:
    if len(package.checksums) > _MOST_SOURCES:
        return f"{len(package.checksums)} of its files"
    return ", ".join(sorted(f"{algorithm}-{digest[:_DIGITS]}" for _, algorithm, digest in package.checksums))
