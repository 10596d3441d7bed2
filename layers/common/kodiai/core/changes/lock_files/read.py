"""Reads the lock files of npm, yarn, pnpm, poetry, uv, Cargo and Go."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from kodiai.core.changes.lock_files.javascript import npm, pnpm, yarn
from kodiai.core.changes.lock_files.located import (
    LocatedText,
    TomlPackage,
    UnreadableLockFile,
    tables,
    toml_packages,
)
from kodiai.core.changes.lock_files.package import Checksum, LockFile, Package

_PYPI = ("pypi.org", "files.pythonhosted.org")
_CRATES = ("registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/")
_PATH = "file:"
_UV_NEEDS = ("dependencies", "optional-dependencies", "dev-dependencies")
_LOCAL = ("editable", "virtual", "directory")


def poetry(text: str) -> LockFile:
    """Read a `poetry.lock`. Raises UnreadableLockFile."""
    rest, packages = toml_packages(text)
    metadata = _table(rest, "metadata")
    if not str(metadata.get("lock-version", "1.")).startswith(("1.", "2.")):
        raise UnreadableLockFile("its version is not known")
    files = _table(metadata, "files")
    return LockFile.of((_poetry_package(each, files) for each in packages), _PYPI)


def _poetry_package(entry: TomlPackage, files: Mapping[str, Any]) -> Package:
    source = _table(entry.table, "source")
    kind, url = source.get("type"), source.get("url")
    place = {"git": "git+", "directory": "file:", "file": "file:"}.get(str(kind), "")
    name = _text(entry.table, "name")
    listed = [*tables(entry.table.get("files")), *tables(files.get(name))]
    return Package(
        name=entry.located(name),
        version=_text(entry.table, "version"),
        sources=frozenset({LocatedText(f"{place}{url}", entry.located(str(url)).line)}) if source else frozenset(),
        checksums=frozenset(_checksum(entry, _text(each, "file"), _text(each, "hash")) for each in listed),
        needs=frozenset(_table(entry.table, "dependencies")),
    )


def uv(text: str) -> LockFile:
    """Read a `uv.lock`. Raises UnreadableLockFile."""
    rest, packages = toml_packages(text)
    if rest.get("version", 1) != 1:
        raise UnreadableLockFile("its version is not known")
    manifest = _table(rest, "manifest")
    wanted = ("requirements", "overrides", "constraints", "build-constraints", "dependency-groups")
    required = [_text(each, "name") for key in wanted for each in tables(manifest.get(key))]
    return LockFile.of(map(_uv_package, packages), _PYPI, required)


def _uv_package(entry: TomlPackage) -> Package:
    table = entry.table
    source = _table(table, "source")
    sources, checksums = set(), set()
    for kind, value in source.items():
        place = {"registry": "", "url": "", "git": "git+"}.get(kind, "file:")
        if isinstance(value, str):
            sources.add(LocatedText(f"{place}{value}", entry.located(value).line))
    sdist = [table["sdist"]] if "sdist" in table else []
    for each in (*tables(sdist), *tables(table.get("wheels"))):
        url = str(each.get("url", ""))
        if url:
            sources.add(entry.located(url))
        if "hash" in each:
            checksums.add(_checksum(entry, (url or str(each.get("path"))).rpartition("/")[2], _text(each, "hash")))
    needed = (each for key in _UV_NEEDS for each in tables(table.get(key)))
    return Package(
        name=entry.located(_text(table, "name")),
        version=str(table.get("version", "")),
        sources=frozenset(sources),
        checksums=frozenset(checksums),
        needs=frozenset(_text(each, "name") for each in needed),
        is_local=any(kind in source for kind in _LOCAL),
    )


def cargo(text: str) -> LockFile:
    """Read a `Cargo.lock`, versions 1 to 4. Raises UnreadableLockFile."""
    rest, packages = toml_packages(text)
    if rest.get("version", 1) not in (1, 2, 3, 4):
        raise UnreadableLockFile("its version is not known")
    older = {key.removeprefix("checksum "): value for key, value in _table(rest, "metadata").items()}
    found = [_cargo_package(each, older) for each in packages]
    return LockFile.of(found, required=())


def _cargo_package(entry: TomlPackage, older: Mapping[str, Any]) -> Package:
    name, version = _text(entry.table, "name"), _text(entry.table, "version")
    source = _text(entry.table, "source") if "source" in entry.table else _PATH
    line = entry.located(source if source != _PATH else name).line
    digest = entry.table.get("checksum", older.get(f"{name} {version} ({source})"))
    needs = entry.table.get("dependencies", [])
    if not isinstance(needs, list) or not all(isinstance(each, str) and each.strip() for each in needs):
        raise UnreadableLockFile
    return Package(
        name=entry.located(name),
        version=version,
        sources=frozenset({LocatedText(source, line)} if source not in _CRATES else ()),
        checksums=frozenset({("", "sha256", entry.located(str(digest)))} if digest is not None else ()),
        needs=frozenset(each.split()[0] for each in needs),
        is_local=source == _PATH,
    )


def go(text: str) -> LockFile:
    """Read a `go.sum` or `go.work.sum`. Raises UnreadableLockFile."""
    return LockFile.of(_go_packages(text), ("proxy.golang.org",))


def _go_packages(text: str) -> Iterator[Package]:
    for line, row in enumerate(text.split("\n"), 1):
        fields = row.split()
        if not fields:
            continue
        match fields:
            case [name, version, checksum] if ":" in checksum:
                algorithm, _, digest = checksum.partition(":")
            case _:
                raise UnreadableLockFile
        module = version.removesuffix("/go.mod")
        own = (version.removeprefix(module), algorithm, LocatedText(digest, line))
        yield Package(LocatedText(name, line), module, checksums=frozenset({own}))


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise UnreadableLockFile
    return value


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise UnreadableLockFile
    return value


def _checksum(entry: TomlPackage, artifact: str, text: str) -> Checksum:
    algorithm, _, digest = text.rpartition(":")
    return artifact, algorithm, LocatedText(digest, entry.located(text).line)


_READERS: Mapping[str, Callable[[str], LockFile]] = {
    "package-lock.json": npm,
    "npm-shrinkwrap.json": npm,
    "yarn.lock": yarn,
    "pnpm-lock.yaml": pnpm,
    "poetry.lock": poetry,
    "uv.lock": uv,
    "cargo.lock": cargo,
    "go.sum": go,
    "go.work.sum": go,
}


def is_readable_lock_file(path: str) -> bool:
    """Whether the packages of a lock file of this name can be read."""
    return _name(path) in _READERS


def read_lock_file(path: str, text: str) -> LockFile:
    """Read a lock file that is readable by its name. Raises UnreadableLockFile."""
    return _READERS[_name(path)](text)


def _name(path: str) -> str:
    return PurePosixPath(path).name.lower()
