"""The lock files of npm, yarn and pnpm."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from urllib.parse import unquote

from kodiai.core.changes.lock_files.located import (
    LocatedText,
    Object,
    UnreadableLockFile,
    json_object,
    mapping,
    text_at,
    yaml_mappings,
)
from kodiai.core.changes.lock_files.package import Checksum, LockFile, Package

# The two are one registry under two names.
_PUBLIC = ("registry.npmjs.org", "registry.yarnpkg.com")
_NEEDS = ("dependencies", "optionalDependencies", "peerDependencies")
_LOCAL_NEEDS = (*_NEEDS, "devDependencies")
_WORD = r'(?:"(?:[^"\\]|\\.)*+"|[^\s",:]++)'
_YARN_LINE = re.compile(rf"( *)({_WORD}(?:, {_WORD})*+)(?::| ({_WORD}))")
_YARN_WORD = re.compile(_WORD)
_ARCHIVE_URL = "__archiveUrl="


def npm(text: str) -> LockFile:
    """Read a `package-lock.json` or `npm-shrinkwrap.json`, versions 1 to 3. Raises UnreadableLockFile."""
    data = json_object(text)
    if data.get("lockfileVersion", 1) not in (1, 2, 3):
        raise UnreadableLockFile("its version is not known")
    folders = mapping(data.get("packages"))
    found = [_npm_package(folder, mapping(entry)) for folder, entry in folders.items() if entry != {}]
    return LockFile.of([*found, *_npm_tree(data)], _PUBLIC, () if folders else None)


def _npm_package(folder: LocatedText, entry: Object) -> Package:
    is_local = "node_modules/" not in folder
    name = (text_at(entry, "name") if is_local else None) or folder.rpartition("node_modules/")[2]
    needs = _names(entry, _LOCAL_NEEDS if is_local else _NEEDS)
    source = text_at(entry, "resolved")
    if source is not None and entry.get("link"):
        source, is_local = LocatedText(f"link:{source}", source.line), True
    return Package(
        name=LocatedText(name, folder.line),
        version=text_at(entry, "version") or "",
        sources=_some(source),
        checksums=_integrity(text_at(entry, "integrity")),
        needs=needs,
        is_local=is_local,
    )


def _npm_tree(data: Object) -> Iterator[Package]:
    """The packages of version 1, which version 2 has too; each holds those that only it sees."""
    left = [mapping(data.get("dependencies"))]
    while left:
        for name, value in left.pop().items():
            entry = mapping(value)
            version = text_at(entry, "version")
            if version is not None:
                yield Package(
                    name=name,
                    version=version,
                    sources=_some(text_at(entry, "resolved") or (version if ":" in version else None)),
                    checksums=_integrity(text_at(entry, "integrity")),
                    needs=_names(entry, ("requires",)),
                )
            left.append(mapping(entry.get("dependencies")))


def _names(entry: Object, keys: Iterable[str]) -> frozenset[str]:
    return frozenset(str(name) for key in keys for name in mapping(entry.get(key)))


def _some(source: LocatedText | None) -> frozenset[LocatedText]:
    return frozenset() if source is None else frozenset({source})


def _integrity(text: LocatedText | None) -> frozenset[Checksum]:
    """Several hashes are alternatives: a package needs to have one of those with the best algorithm."""
    if text is None:
        return frozenset()
    parts = (each.partition("?")[0].partition("-") for each in text.split())
    return frozenset(("", algorithm, LocatedText(digest, text.line)) for algorithm, _, digest in parts)


def yarn(text: str) -> LockFile:
    """Read a `yarn.lock`, classic or berry. Raises UnreadableLockFile."""
    is_berry = re.search(r"^__metadata:", text, re.MULTILINE) is not None
    return _berry(text) if is_berry else LockFile.of(_classic(text), _PUBLIC)


def _classic(text: str) -> Iterator[Package]:
    """The entries: patterns, fields one step below, and names with ranges two steps below, in a format of its own."""
    names: list[LocatedText] = []
    fields: dict[str, LocatedText] = {}
    needs: set[str] = set()
    for line, row in enumerate(map(str.rstrip, text.removeprefix("\ufeff").split("\n")), 1):
        if not row or row.lstrip().startswith("#"):
            continue
        found = _YARN_LINE.fullmatch(row)
        if found is None:
            raise UnreadableLockFile
        indent, keys, value = found.groups()
        match len(indent), value:
            case 0, None:
                yield from _classic_package(names, fields, needs)
                names = [LocatedText(_name_in(_unquoted(key)), line) for key in _YARN_WORD.findall(keys)]
                fields, needs = {}, set()
            case 2, str() if names and keys not in fields:
                fields[keys] = LocatedText(_unquoted(value), line)
            case 2, None if names:
                pass
            case 4, str() if names:
                needs.add(_unquoted(keys))
            case _:
                raise UnreadableLockFile
    yield from _classic_package(names, fields, needs)


def _classic_package(names: list[LocatedText], fields: Mapping[str, LocatedText], needs: set[str]) -> Iterator[Package]:
    if not names:
        return
    if "version" not in fields:
        raise UnreadableLockFile("it has a package without a version")
    source, digest = fields.get("resolved"), ""
    if source is not None:
        address, _, digest = source.partition("#")
        if address.endswith(".git"):
            digest = ""  # a commit, which moves with a branch
        else:
            source = LocatedText(address, source.line)
    own = [("", "#", LocatedText(digest, source.line))] if source is not None and digest else []
    checksums = _integrity(fields.get("integrity")).union(own)
    for name in dict.fromkeys(names):
        yield Package(name, fields["version"], _some(source), checksums, frozenset(needs))


def _unquoted(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith('"') else token


def _name_in(pattern: str) -> str:
    """The name in "name@range"; it may begin with an "@"."""
    return pattern[:1] + pattern[1:].partition("@")[0]


def _berry(text: str) -> LockFile:
    found = []
    for document in yaml_mappings(text):
        key = text_at(mapping(document.get("__metadata")), "cacheKey") or ""
        found += [_berry_package(names, mapping(entry), key) for names, entry in document.items() if names[:2] != "__"]
    return LockFile.of(found, _PUBLIC, () if any(each.is_local for each in found) else None)


def _berry_package(names: LocatedText, entry: Object, cache_key: str) -> Package:
    version, resolution, checksum = (text_at(entry, key) for key in ("version", "resolution", "checksum"))
    if version is None or resolution is None:
        raise UnreadableLockFile("it has a package without a version")
    place = resolution[1:].partition("@")[2]
    protocol = place.partition(":")[0]
    source: LocatedText | None = LocatedText(place, resolution.line)
    if protocol in ("npm", "patch", "virtual", "workspace"):
        at = place.find(_ARCHIVE_URL)
        source = (
            LocatedText(unquote(place[at + len(_ARCHIVE_URL) :].partition("&")[0]), resolution.line)
            if at >= 0
            else None
        )
    checksums: frozenset[Checksum] = frozenset()
    if checksum is not None and protocol != "patch":  # the checksum of a patched package changes with the patch
        before, slash, digest = checksum.rpartition("/")
        checksums = frozenset({("", before if slash else cache_key, LocatedText(digest, checksum.line))})
    return Package(
        name=LocatedText(_name_in(names), names.line),
        version=version,
        sources=_some(source),
        checksums=checksums,
        needs=_names(entry, _LOCAL_NEEDS),
        is_local=protocol == "workspace",
    )


def pnpm(text: str) -> LockFile:
    """Read a `pnpm-lock.yaml`, versions 5 to 9. Raises UnreadableLockFile."""
    packages: list[Package] = []
    required: set[str] = set()
    for document in yaml_mappings(text):
        major = (text_at(document, "lockfileVersion") or "").partition(".")[0]
        if major not in ("5", "6", "7", "8", "9"):
            raise UnreadableLockFile("its version is not known")
        needs = defaultdict[str, set[str]](set)
        for key, entry in mapping(document.get("snapshots")).items():
            needs[key.partition("(")[0]] |= _pnpm_needs(mapping(entry), major)
        for key, entry in mapping(document.get("packages")).items():
            package = _pnpm_package(key, mapping(entry), major)
            packages.append(replace(package, needs=package.needs | needs[key]))
        for importer in (document, *map(mapping, mapping(document.get("importers")).values())):
            required |= _pnpm_needs(importer, major)
    return LockFile.of(packages, _PUBLIC, required)


def _pnpm_package(key: LocatedText, entry: Object, major: str) -> Package:
    name, version = _pnpm_name(key, major)
    resolution = mapping(entry.get("resolution"))
    directory = text_at(resolution, "directory")
    source = text_at(resolution, "tarball") or text_at(resolution, "repo")
    if directory is not None:
        source = LocatedText(f"file:{directory}", directory.line)
    elif source is None and major != "9" and not key.startswith(("/", "file:")):
        source = LocatedText(f"https://{key}", key.line)
    return Package(
        name=LocatedText(text_at(entry, "name") or name, key.line),
        version=text_at(entry, "version") or version,
        sources=_some(source),
        checksums=_integrity(text_at(resolution, "integrity")),
        needs=_pnpm_needs(entry, major),
    )


def _pnpm_name(key: LocatedText, major: str) -> tuple[LocatedText, str]:
    """The name and version in "/name/1.0.0_peer@2.0.0", "/name@1.0.0(peer@2.0.0)" or, since version 9, without "/"."""
    rest = key.partition("(")[0].removeprefix("/")
    if major == "5":
        name, _, version = rest.rpartition("/")
        return LocatedText(name, key.line), version.partition("_")[0]
    return LocatedText(_name_in(rest), key.line), rest[1:].partition("@")[2]


def _pnpm_needs(entry: Object, major: str) -> frozenset[str]:
    """The names of what is needed, and under an alias the real ones too, which are those of packages."""
    names: set[str] = set()
    for key in (*_LOCAL_NEEDS, "configDependencies", "packageManagerDependencies"):
        for name, value in mapping(entry.get(key)).items():
            pinned = (
                value if isinstance(value, LocatedText) else text_at(mapping(value), "version") or LocatedText("", 0)
            )
            names.add(str(name))
            if pinned.startswith("/") or (major == "9" and "@" in pinned.partition("(")[0]):
                names.add(str(_pnpm_name(pinned, major)[0]))
    return frozenset(names)
