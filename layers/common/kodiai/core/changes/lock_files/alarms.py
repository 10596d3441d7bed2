"""Alarms: what code alone tells is wrong with a change of a lock file."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from kodiai.core.changes.lock_files.alarm import Alarm
from kodiai.core.changes.lock_files.comparison import PackageChange
from kodiai.core.changes.lock_files.located import LocatedText
from kodiai.core.changes.lock_files.package import Checksum, LockFile, Package, host_of, scheme_of

_MOST_ALIKE = 5
_MOST_NAMED = 10
_LONGEST_QUOTE = 300
_LONGEST_NAME = 40
_REGISTRY = "the registry that is set"
# From weak to strong; "#" is what stands behind the address in a yarn.lock. Others are not compared with these.
_ALGORITHMS = ("", "md5", "#", "sha1", "sha224", "sha256", "sha384", "sha512")
_OTHER_CHECKSUM = "another checksum at the same version"
_ONLY = "only in the lock file"


@dataclass(frozen=True)
class _Fact:
    """A fact about a package at a text of the file; `title` says it of one package, `alike` of several.

    `kind` says of several only what facts of its kind have in common.
    """

    package: Package
    at: LocatedText
    title: str
    alike: str
    explanation: str
    kind: str = ""


class _Before:
    """A package in the old file, in all its versions."""

    def __init__(self, packages: Sequence[Package] = ()) -> None:
        self.sources = frozenset(source for each in packages for source in each.sources)
        self.is_plain = any(scheme_of(source) == "http" for source in self.sources)
        self.is_registry = any(not each.sources or any(map(scheme_of, each.sources)) for each in packages)
        place = ", ".join(sorted(self.sources)[:_MOST_NAMED]) or _REGISTRY
        self.said = f" Before, it came from {place}." if packages else ""


def alarms(
    old: LockFile | None, new: LockFile, changes: Sequence[PackageChange], lines: Sequence[str]
) -> tuple[Alarm, ...]:
    """Give the alarms about a change of a lock file, in the order of its lines; more than five alike are one.

    `lines` are those of the new file.
    """
    packages: dict[str, list[Package]] = defaultdict(list)
    for package in old.packages.values() if old else ():
        packages[package.name].append(package)
    before = {name: _Before(versions) for name, versions in packages.items()}
    known = _known_hosts(old, new)
    orphans = _only_in_lock_file(new) - _only_in_lock_file(old)
    facts: list[_Fact] = []
    for change in changes:
        if (now := change.after) is None:
            continue
        then = change.before if change.before and change.before.version == now.version else now
        moved = [*_sources(now, before.get(now.name, _Before()), known), *_other_checksums(then, now)]
        facts += moved or _weaker_checksums(then, now)
        if now.name in orphans:
            text = "The file pins it, but no manifest requires it, and nothing that one requires needs it."
            facts.append(_Fact(now, now.name, f"is {_ONLY}", f"are {_ONLY}", text))
    found = _alarms(sorted(facts, key=lambda fact: (fact.at.line, fact.title)), lines)
    return tuple(sorted(found, key=lambda alarm: (alarm.line, alarm.title)))


def _known_hosts(old: LockFile | None, new: LockFile) -> frozenset[str]:
    """The hosts that a package may come from: those of the old file, else the public ones and that of most packages.

    The public registries of a kind are one under several names.
    """
    if old is None or not old.packages:
        counts = Counter(host for package in new.packages.values() for host in package.hosts)
        return new.public.union(host for host, count in counts.items() if 2 * count > len(new.packages))
    return old.hosts | new.public if not old.hosts or old.hosts & new.public else old.hosts


def _sources(now: Package, before: _Before, known: frozenset[str]) -> Iterator[_Fact]:
    """Sources on another host, over plain HTTP, or in place of a registry."""
    for source in now.sources - before.sources:
        host, scheme = host_of(source), scheme_of(source)
        text = f"It comes from {source}.{before.said}"
        if host is not None and host not in known:
            place = f"from another host, {host}"
            text += f" The known hosts are {', '.join(sorted(known)[:_MOST_NAMED]) or _REGISTRY}."
            yield _Fact(now, source, f"comes {place}", f"come {place}", text, "come from other hosts")
        elif scheme == "http" and not before.is_plain:
            text += " Anybody on the way there can replace it."
            yield _Fact(now, source, "comes over plain HTTP", "come over plain HTTP", text)
        elif not scheme and before.is_registry:
            yield _Fact(now, source, "no longer comes from a registry", "no longer come from a registry", text)


def _other_checksums(then: Package, now: Package) -> Iterator[_Fact]:
    """One fact about the checksums that are others at the same version."""
    old = _by_artifact(then.checksums)
    for artifact, digests in _by_artifact(now.checksums).items():
        if others := sorted(digests - old.get(artifact, digests)):
            what = " of ".join(filter(None, (f"{artifact[1]} checksum", artifact[0])))
            text = f"The {what} was {_listed(old[artifact])}, and is {_listed(digests)}."
            text += " What a registry has published under a version does not change."
            yield _Fact(now, others[0], f"has {_OTHER_CHECKSUM}", f"have {_OTHER_CHECKSUM}", text)
            return


def _weaker_checksums(then: Package, now: Package) -> Iterator[_Fact]:
    """A fact about checksums that are weaker at the same version, or gone."""
    if _strength(now.checksums) < _strength(then.checksums):
        was, left = (_listed({f"{each[1]}-{each[2]}" for each in side.checksums}) for side in (then, now))
        text = f"It had {was}, and now has {left or 'none'}. Whether the content is the same cannot be told."
        one, several = ("a weaker checksum", "weaker checksums") if left else ("no checksum any more",) * 2
        yield _Fact(now, now.name, f"has {one}", f"have {several}", text)


def _by_artifact(checksums: Iterable[Checksum]) -> Mapping[tuple[str, str], set[LocatedText]]:
    found: dict[tuple[str, str], set[LocatedText]] = defaultdict(set)
    for artifact, algorithm, digest in checksums:
        found[artifact, algorithm].add(digest)
    return found


def _strength(checksums: Iterable[Checksum]) -> int:
    """The rank of the best algorithm; one that is not known counts as the best."""
    ranks = (_ALGORITHMS.index(name) if name in _ALGORITHMS else len(_ALGORITHMS) for _, name, _ in checksums)
    return max(ranks, default=-1)


def _listed(texts: Iterable[str]) -> str:
    return " or ".join(sorted(texts)[:_MOST_NAMED])


def _only_in_lock_file(lock_file: LockFile | None) -> frozenset[str]:
    """The names that no manifest requires, neither by itself nor by what it requires; none if the file does not say."""
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
    local = {str(each.name) for each in lock_file.packages.values() if each.is_local}
    return frozenset(needs) - reached - local


def _alarms(facts: Sequence[_Fact], lines: Sequence[str]) -> Iterator[Alarm]:
    """An alarm for each fact, or for all that are alike, or of a kind, if more than five would be."""
    kinds: dict[str, dict[str, list[_Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        kinds[fact.kind or fact.alike][fact.alike].append(fact)
    for kind, groups in kinds.items():
        several = {kind: list(chain(*groups.values()))} if len(groups) > _MOST_ALIKE else groups
        for alike, group in several.items():
            if len(group) > _MOST_ALIKE:
                yield _joint_alarm(alike, group, lines)
            else:
                yield from (
                    _alarm(each, f"{_name(each.package)} {each.title}", each.explanation, lines) for each in group
                )


def _joint_alarm(alike: str, facts: Sequence[_Fact], lines: Sequence[str]) -> Alarm:
    first, *others = facts
    names = [_name(each.package) for each in others[:_MOST_NAMED]]
    names += [f"{len(others) - _MOST_NAMED:,} more"] if len(others) > _MOST_NAMED else []
    text = f"{_name(first.package)}: {first.explanation} So it is with {', '.join(names)}."
    return _alarm(first, f"Many packages {alike}", text, lines)


def _alarm(fact: _Fact, title: str, explanation: str, lines: Sequence[str]) -> Alarm:
    """The alarm, which quotes the whole line, or of a very long one only the text."""
    line = lines[fact.at.line - 1]
    quote = line.strip() if len(line) <= _LONGEST_QUOTE or fact.at not in line else fact.at
    severity: Literal["MAJOR", "MEDIUM"] = "MEDIUM" if fact.title.endswith(_ONLY) else "MAJOR"
    return Alarm(severity, fact.at.line, str(quote), title, explanation)


def _name(package: Package) -> str:
    """Its name and version, cut so that a title has room for what is wrong."""
    name = f"{package.name} {package.version}".strip()
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
