"""A package as a lock file pins it, and all packages of a lock file."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kodiai.core.changes.lock_files.located import LocatedText

Checksum = tuple[str, str, LocatedText]
"""The artifact that it is of ("" where a package has only one), its algorithm, and the digest."""

_PREFIX = re.compile(r"(?:git|registry|sparse)\+")
# As clients of registries read it: any number of slashes, backslashes too.
_URL = re.compile(r"([a-z][a-z0-9.+-]*):[/\\]*(?=[^/\\])(.*)", re.IGNORECASE | re.DOTALL)
_USER_AT_HOST = re.compile(r"[\w.-]+@([\w.-]+):")
_WEB = frozenset({"http", "https"})


@dataclass(frozen=True)
class Package:
    """A package at one version: where it comes from, the checksums of its content, the names of what it needs.

    `sources` is empty where the file leaves it to the registry that is set. `is_local` is whether it is a part of the
    repository: a manifest there requires what it needs.
    """

    name: LocatedText
    version: str
    sources: frozenset[LocatedText] = frozenset()
    checksums: frozenset[Checksum] = frozenset()
    needs: frozenset[str] = frozenset()
    is_local: bool = False

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that its sources name."""
        return frozenset(host for source in self.sources if (host := host_of(source)))

    def joined(self, other: "Package") -> "Package":
        """The package with what another entry of it has."""
        return replace(
            self,
            sources=self.sources | other.sources,
            checksums=self.checksums | other.checksums,
            needs=self.needs | other.needs,
            is_local=self.is_local or other.is_local,
        )


@dataclass(frozen=True)
class LockFile:
    """The packages of a lock file, by name and version.

    `public` are the hosts of the public registries of its kind. `required` are the names that manifests require, None
    where the file does not say.
    """

    packages: Mapping[tuple[str, str], Package]
    public: frozenset[str] = frozenset()
    required: frozenset[str] | None = None

    @classmethod
    def of(
        cls, packages: Iterable[Package], public: Iterable[str] = (), required: Iterable[str] | None = None
    ) -> "LockFile":
        """Collect packages, of which a file may have several entries each.

        Where `required` is not None, it counts too what local packages need; without either the file does not say.
        """
        found: dict[tuple[str, str], Package] = {}
        for each in packages:
            key = (str(each.name), str(each.version))
            found[key] = found[key].joined(each) if key in found else each
        local = [each for each in found.values() if each.is_local]
        given = frozenset(required or ())
        says = required is not None and bool(given or local)
        needed = given.union(name for each in local for name in each.needs)
        return cls(found, frozenset(public), needed if says else None)

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that its packages name."""
        return frozenset(host for package in self.packages.values() for host in package.hosts)


def host_of(source: str) -> str | None:
    """The host, with its port, that a source names, as clients read it; None if it names none."""
    if scp := _USER_AT_HOST.match(source):
        return scp[1].lower()
    address = _PREFIX.sub("", source, count=1)
    found = _URL.fullmatch(address)
    if found is None or found[1].lower() == "file":
        return None
    if found[1].lower() not in _WEB and not address[len(found[1]) + 1 :].startswith("//"):
        return None  # such as "github:owner/name" and "workspace:folder"
    rest = found[2].replace("\\", "/") if found[1].lower() in _WEB else found[2]
    place = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].lower()
    return place.removesuffix(":443")


def scheme_of(source: str) -> str:
    """Give "https" or "http" for a source that a registry may be, "" for a repository or a path."""
    found = _URL.fullmatch(_PREFIX.sub("", source, count=1))
    is_git = source.startswith("git+") or re.split("[?#]", source, maxsplit=1)[0].endswith(".git")
    return found[1].lower() if found and found[1].lower() in _WEB and not is_git else ""
