"""What kind of file a path is, as far as it decides whether and when it is read."""

import re
from pathlib import PurePosixPath

LOCK_FILES = frozenset(
    """
    .terraform.lock.hcl bun.lock bun.lockb cargo.lock cartfile.resolved composer.lock conan.lock deno.lock
    flake.lock gemfile.lock go.sum go.work.sum gradle.lockfile mix.lock npm-shrinkwrap.json package-lock.json
    package.resolved packages.lock.json pdm.lock pipfile.lock pixi.lock pnpm-lock.yaml podfile.lock poetry.lock
    pubspec.lock pylock.toml rebar.lock stack.yaml.lock uv.lock yarn.lock
    """.split()
)
_VENDORED = re.compile(
    r"(^|/)(vendor|vendored|_vendor|third[_-]?party|node_modules|bower_components|Pods|site-packages|Carthage)/"
)
_GENERATED = re.compile(
    r"\.min\.(js|css)$|\.(js|css)\.map$|_pb2(_grpc)?\.pyi?$|\.pb\.(go|cc|h)$|\.g\.dart$|\.freezed\.dart$"
    r"|\.designer\.cs$|(^|/)__snapshots__/|\.snap$|(^|/)(dist|generated|__generated__)/|\.generated\.[a-z]+$",
    re.IGNORECASE,
)
_SAYS_GENERATED = re.compile(
    r"@generated\b|code generated .{0,80}do not edit|(auto-?|automatically )generated.{0,40}do not (edit|modify)", re.I
)
_SECURITY = re.compile(
    r"auth|login|session|passw|secret|token|credential|crypto|cipher|encrypt|permission|access[_-]?control|saml"
    r"|signature|webhook|sanitiz|escape|payment|billing|admin|upload|deserial|pickle|subprocess|migration"
    r"|polic(y|ies)|dockerfile|\.github/workflows/|terraform|\.tf$",
    re.IGNORECASE,
)
_SECURITY_WORD = re.compile(r"(?<![a-z])((acl|cors|csrf|iam|jwt|rbac)s?(?![a-z])|sql)", re.IGNORECASE)
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TESTS = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|fixtures)/|(^|/)test_[^/]+$|(_test|\.test|\.spec|_spec)\.[a-z]+$", re.I
)
_PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc"})
_DATA = frozenset({".json", ".csv", ".tsv", ".xml", ".svg", ".po", ".lock", ".geojson", ".ipynb", ".html", ".snap"})
_BINARY = frozenset(
    """
    .7z .a .avi .bin .bmp .class .dll .dylib .eot .exe .gif .gz .ico .jar .jpeg .jpg .mov .mp3 .mp4 .o .otf .pdf .png
    .so .tar .tgz .tif .tiff .ttf .wasm .wav .webm .webp .whl .woff .woff2 .xz .zip
    """.split()
)
_GENERATED_MARK_LINES = 10


def is_lock_file(path: str) -> bool:
    """A file that a package manager writes."""
    return PurePosixPath(path).name.lower() in LOCK_FILES


def is_vendored(path: str) -> bool:
    """Somebody else's code, kept as a copy."""
    return _VENDORED.search(path) is not None


def is_generated(path: str, first_lines: tuple[str, ...]) -> bool:
    """Written by a program: the path says so, or the file's own head does."""
    if _GENERATED.search(path):
        return True
    return any(_SAYS_GENERATED.search(line) for line in first_lines[:_GENERATED_MARK_LINES])


def is_security_relevant(path: str) -> bool:
    """A path whose name speaks of identity, secrets, input handling, money or infrastructure."""
    return bool(_SECURITY.search(path) or _SECURITY_WORD.search(_CAMEL_CASE.sub("_", path)))


def is_test(path: str) -> bool:
    """A test or its material."""
    return _TESTS.search(path) is not None


def is_prose(path: str) -> bool:
    """A text for people."""
    return PurePosixPath(path).suffix.lower() in _PROSE


def is_data(path: str) -> bool:
    """A file of data or markup rather than of code."""
    return PurePosixPath(path).suffix.lower() in _DATA


def is_binary(path: str) -> bool:
    """A file whose ending says that it is no text."""
    return PurePosixPath(path).suffix.lower() in _BINARY
