"""Alarms: what code alone tells is wrong with a change of a lock file."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from kodiai.core.changes.lock_files.comparison import PackageChange
from kodiai.core.changes.lock_files.located import Text
from kodiai.core.changes.lock_files.package import LockFile, Package, host_of, scheme_of

_MOST_ALIKE = 5
_MOST_NAMED = 10
_LONGEST_QUOTE = 300
_NOWHERE = "the registry that is set"
# From weak to strong.
_ALGORITHMS = ("md5", "#", "sha1", "sha224", "sha256", "sha384", "sha512")
_PLAIN = "Whoever is between the registry and the one who installs can replace it."


@dataclass(frozen=True)
class Alarm:
    """What is wrong with a package, on the line of the new file that is quoted.

    `title` stays the same while the problem does, whatever else changes.
    """

    severity: Literal["MAJOR", "MEDIUM"]
    line: int
    quote: str
    title: str
    explanation: str


@dataclass(frozen=True)
class _Fact:
    """A fact about a package; those of one `kind` are alike."""

    kind: str
    package: Package
    value: Text
    title: str
    explanation: str


def alarms(
    old: LockFile | None, new: LockFile, changes: Sequence[PackageChange], lines: Sequence[str]
) -> tuple[Alarm, ...]:
    """Give the alarms about a change of a lock file, in the order of its lines; of more than five alike one.

    `lines` are those of the new file.
    """
    before: dict[str, list[Package]] = defaultdict(list)
    for package in old.packages.values() if old else ():
        before[package.name].append(package)
    known = _known_hosts(old, new)
    facts = chain.from_iterable(
        chain(_sources(each, before[each.after.name], known), _checksums(each)) for each in changes if each.after
    )
    orphans = _only_in_lock_file(new) - _only_in_lock_file(old)
    alike: dict[str, list[_Fact]] = defaultdict(list)
    for fact in chain(facts, _orphans(changes, orphans)):
        alike[fact.kind].append(fact)
    found = chain.from_iterable(_alarms(kind, each, lines) for kind, each in alike.items())
    return tuple(sorted(found, key=lambda each: (each.line, each.title)))


def _known_hosts(old: LockFile | None, new: LockFile) -> frozenset[str]:
    """The hosts that a package may come from: those of the old file, else the public ones and that of most packages.

    The public registries of a kind are one under several names.
    """
    if old is None or not old.packages:
        counted = Counter(host for package in new.packages.values() for host in package.hosts)
        most = {host for host, count in counted.most_common(1) if 2 * count > len(new.packages)}
        return new.public | most
    known = old.hosts
    return known | new.public if not known or known & new.public else known


def _sources(change: PackageChange, before: Sequence[Package], known: frozenset[str]) -> Iterator[_Fact]:
    """Sources on another host, and sources that no registry is, in place of a registry."""
    then, now = change.before, change.after
    if now is None:
        return
    was_plain = any(scheme_of(source) == "http" for package in before for source in package.sources)
    was_registry = any(not each.sources or any(map(scheme_of, each.sources)) for each in before)
    said = ", ".join(sorted({str(source) for each in before for source in each.sources})) or _NOWHERE
    for source in sorted(now.sources - (then.sources if then else frozenset()), key=lambda each: each.line):
        host, scheme = host_of(source), scheme_of(source)
        where = f"It comes from {source}." + (f" Before, it came from {said}." if before else "")
        if host is not None and host not in known:
            is_first = "Other packages of this file come from" if not before else "The file knows"
            hosts = ", ".join(sorted(known)) or _NOWHERE
            text = f"{where} {is_first} {hosts}. Whoever has {host} decides what is installed."
            yield _Fact(f"another host: {host}", now, source, f"comes from another host, {host}", text)
        elif scheme == "http" and not was_plain:
            yield _Fact("plain HTTP", now, source, "comes over plain HTTP", f"{where} {_PLAIN}")
        elif not scheme and was_registry:
            text = f"{where} Nobody has published that under this version."
            yield _Fact("no registry", now, source, "no longer comes from a registry", text)


def _checksums(change: PackageChange) -> Iterator[_Fact]:
    """Checksums at the same version that are others, weaker, or gone."""
    then, now = change.before, change.after
    if then is None or now is None or then.version != now.version or not then.checksums:
        return
    title = "has another checksum at the same version"
    old, new = _by_artifact(then), _by_artifact(now)
    for (artifact, algorithm), texts in new.items():
        before = old.get((artifact, algorithm))
        if before and not texts.keys() <= before.keys():
            what = f" of {artifact}" if artifact else ""
            text = f"The {algorithm} checksum{what} was {_listed(before)}, and is {_listed(texts)}."
            why = "What a registry has published under a version does not change."
            yield _Fact(
                "checksum", now, max(texts.values(), key=lambda each: each not in before), title, f"{text} {why}"
            )
            return
    strength = max(map(_strength, now.checksums), default=-1)
    if strength < max(map(_strength, then.checksums)):
        said = ", ".join(sorted(f"{algorithm}-{digest}" for _, algorithm, digest in then.checksums)[:_MOST_NAMED])
        left = (
            f"only {_listed({each[1]: each[2] for each in now.checksums})} is left" if now.checksums else "it has none"
        )
        text = f"Its checksum was {said}; now {left}. Another content would be installed without a word."
        yield _Fact("checksum", now, now.name, "has lost its checksum", text)


def _by_artifact(package: Package) -> Mapping[tuple[str, str], Mapping[str, Text]]:
    found: dict[tuple[str, str], dict[str, Text]] = defaultdict(dict)
    for artifact, algorithm, digest in package.checksums:
        found[artifact, algorithm][digest] = digest
    return found


def _strength(checksum: tuple[str, str, Text]) -> int:
    return _ALGORITHMS.index(checksum[1]) if checksum[1] in _ALGORITHMS else len(_ALGORITHMS)


def _listed(texts: Iterable[str]) -> str:
    return " or ".join(sorted(texts)[:_MOST_NAMED])


def _only_in_lock_file(lock_file: LockFile | None) -> frozenset[str]:
    """The names that no manifest requires, neither by itself nor by what it requires; none where that is not known."""
    if lock_file is None or lock_file.required is None:
        return frozenset()
    needs: dict[str, set[str]] = defaultdict(set)
    for package in lock_file.packages.values():
        needs[package.name] |= package.needs
    reached: set[str] = set()
    left = [*lock_file.required]
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += needs.get(name, ())
    return frozenset(str(each.name) for each in lock_file.packages.values() if not each.is_local) - reached


def _orphans(changes: Iterable[PackageChange], names: frozenset[str]) -> Iterator[_Fact]:
    for each in changes:
        if each.after is not None and each.after.name in names:
            text = "The file pins it, but no manifest requires it, and nothing that one requires needs it."
            yield _Fact("only here", each.after, each.after.name, "is only in the lock file", text)


def _alarms(kind: str, facts: Sequence[_Fact], lines: Sequence[str]) -> Iterator[Alarm]:
    severity: Literal["MAJOR", "MEDIUM"] = "MEDIUM" if kind == "only here" else "MAJOR"

    def alarm(fact: _Fact, title: str, explanation: str) -> Alarm:
        return Alarm(severity, fact.value.line, _quote(lines, fact.value), title, explanation)

    if len(facts) <= _MOST_ALIKE:
        for each in facts:
            yield alarm(each, f"{_name(each.package)} {each.title}", each.explanation)
        return
    first, *others = sorted(facts, key=lambda each: each.value.line)
    more = len(others) - _MOST_NAMED
    names = ", ".join(_name(each.package) for each in others[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    yield alarm(
        first, f"Many packages: {kind}", f"{_name(first.package)}: {first.explanation} The same goes for {names}."
    )


def _name(package: Package) -> str:
    return f"{package.name} {package.version}".strip()


def _quote(lines: Sequence[str], value: Text) -> str:
    """The line, or only the value if the line is very long."""
    line = lines[value.line - 1]
    return line.strip() if len(line) <= _LONGEST_QUOTE or value not in line else value
