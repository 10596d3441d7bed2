"""Alarms: what code alone tells is wrong with a change of a lock file."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kodiai.core.changes.lock_files.comparison import PackageChange
from kodiai.core.changes.lock_files.located import Text
from kodiai.core.changes.lock_files.package import Checksum, LockFile, Package, host_of, scheme_of

_MOST_ALIKE = 5
_MOST_NAMED = 10
_LONGEST_QUOTE = 300
_REGISTRY = "the registry that is set"
# From weak to strong; "#" is what stands behind the address in a yarn.lock. Others are not compared with these.
_ALGORITHMS = ("", "md5", "#", "sha1", "sha224", "sha256", "sha384", "sha512")
_OTHER_CHECKSUM = "another checksum at the same version"
_ONLY = "only in the lock file"


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
    """A fact about a package at a text of the file; `title` says it of one package, `alike` of several."""

    package: Package
    at: Text
    title: str
    alike: str
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
    orphans = _only_in_lock_file(new) - _only_in_lock_file(old)
    alike: dict[str, list[_Fact]] = defaultdict(list)
    for change in changes:
        if (now := change.after) is None:
            continue
        facts = [*_sources(now, before[now.name], known), *_checksums(change.before, now)]
        if now.name in orphans:
            text = "The file pins it, but no manifest requires it, and nothing that one requires needs it."
            facts.append(_Fact(now, now.name, f"is {_ONLY}", f"are {_ONLY}", text))
        for fact in facts:
            alike[fact.alike].append(fact)
    found = (alarm for facts in alike.values() for alarm in _alarms(facts, lines))
    return tuple(sorted(found, key=lambda alarm: (alarm.line, alarm.title)))


def _known_hosts(old: LockFile | None, new: LockFile) -> frozenset[str]:
    """The hosts that a package may come from: those of the old file, else the public ones and that of most packages.

    The public registries of a kind are one under several names.
    """
    if old is None or not old.packages:
        counts = Counter(host for package in new.packages.values() for host in package.hosts)
        return new.public.union(host for host, count in counts.items() if 2 * count > len(new.packages))
    return old.hosts | new.public if not old.hosts or old.hosts & new.public else old.hosts


def _sources(now: Package, before: Sequence[Package], known: frozenset[str]) -> Iterator[_Fact]:
    """Sources on another host, over plain HTTP, or in place of a registry; `before` are all versions that were there.

    A source that one of them has is not new.
    """
    sources = {source for each in before for source in each.sources}
    was_registry = any(not each.sources or any(map(scheme_of, each.sources)) for each in before)
    said = f" Before, it came from {', '.join(sorted(sources)[:_MOST_NAMED]) or _REGISTRY}." if before else ""
    for source in sorted(now.sources - sources, key=lambda each: each.line):
        host, scheme = host_of(source), scheme_of(source)
        text = f"It comes from {source}.{said}"
        if host is not None and host not in known:
            place = f"from another host, {host}"
            text += f" The hosts that the file had are {', '.join(sorted(known)) or _REGISTRY}."
            yield _Fact(now, source, f"comes {place}", f"come {place}", text)
        elif scheme == "http" and not any(scheme_of(each) == "http" for each in sources):
            text += " Anybody on the way there can replace it."
            yield _Fact(now, source, "comes over plain HTTP", "come over plain HTTP", text)
        elif not scheme and was_registry:
            yield _Fact(now, source, "no longer comes from a registry", "no longer come from a registry", text)


def _checksums(then: Package | None, now: Package) -> Iterator[_Fact]:
    """A checksum at the same version that is another one, weaker, or gone."""
    if then is None or then.version != now.version or not then.checksums:
        return
    old, new = _by_artifact(then.checksums), _by_artifact(now.checksums)
    for artifact, digests in new.items():
        others = sorted(digests - old.get(artifact, digests))
        if others:
            what = " of ".join(filter(None, (f"{artifact[1]} checksum", artifact[0])))
            text = f"The {what} was {_listed(old[artifact])}, and is {_listed(digests)}."
            text += " What a registry has published under a version does not change."
            yield _Fact(now, others[0], f"has {_OTHER_CHECKSUM}", f"have {_OTHER_CHECKSUM}", text)
            return
    if _strength(now.checksums) < _strength(then.checksums):
        was, left = (_listed({f"{each[1]}-{each[2]}" for each in side.checksums}) for side in (then, now))
        text = f"It had {was}, and now has {left or 'none'}. Another content would not be noticed."
        yield _Fact(now, now.name, "has lost its checksum", "have lost their checksums", text)


def _by_artifact(checksums: Iterable[Checksum]) -> Mapping[tuple[str, str], set[Text]]:
    found: dict[tuple[str, str], set[Text]] = defaultdict(set)
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
    local = {str(each.name) for each in lock_file.packages.values() if each.is_local}
    return frozenset(needs) - reached - local


def _alarms(facts: Sequence[_Fact], lines: Sequence[str]) -> Iterator[Alarm]:
    """An alarm for each of some facts alike; of more than five a single one, at the first of them."""
    if len(facts) <= _MOST_ALIKE:
        for each in facts:
            yield _alarm(each, f"{_name(each.package)} {each.title}", each.explanation, lines)
        return
    first, *others = sorted(facts, key=lambda each: each.at.line)
    names = [_name(each.package) for each in others[:_MOST_NAMED]]
    names += [f"{len(others) - _MOST_NAMED:,} more"] if len(others) > _MOST_NAMED else []
    text = f"{_name(first.package)}: {first.explanation} So it is with {', '.join(names)}."
    yield _alarm(first, f"Many packages {first.alike}", text, lines)


def _alarm(fact: _Fact, title: str, explanation: str, lines: Sequence[str]) -> Alarm:
    """The alarm, which quotes the whole line, or of a very long one only the text."""
    line = lines[fact.at.line - 1]
    quote = line.strip() if len(line) <= _LONGEST_QUOTE or fact.at not in line else fact.at
    severity: Literal["MAJOR", "MEDIUM"] = "MEDIUM" if fact.title.endswith(_ONLY) else "MAJOR"
    return Alarm(severity, fact.at.line, str(quote), title, explanation)


def _name(package: Package) -> str:
    return f"{package.name} {package.version}".strip()
