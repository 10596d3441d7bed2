"""What kind of file a path is, as far as it decides whether and when it is read."""

import re
from collections.abc import Sequence
from itertools import pairwise
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
_GENERATED_FOLDER = re.compile(r"(^|/)(__snapshots__|dist|generated|__generated__)/", re.IGNORECASE)
_GENERATED = re.compile(
    r"\.min\.(js|css)$|\.(js|css)\.map$|_pb2(_grpc)?\.pyi?$|\.pb\.(go|cc|h)$|\.g\.dart$|\.freezed\.dart$"
    r"|\.designer\.cs$|\.snap$|\.generated\.[a-z]+$",
    re.IGNORECASE,
)
_SAYS_GENERATED = re.compile(
    r"@generated\b|code generated .{0,80}do not edit|(auto-?|automatically )generated.{0,40}do not (edit|modify)", re.I
)
_SENSITIVE = frozenset(
    """
    auth authenticate authenticated authentication authenticator authn authorisation authorise authorization authorize
    authorized authorizer authz jwt jwts ldap login logins logout mfa oauth oidc otp passkey passkeys passphrase passwd
    password passwords saml session sessions signin signup sso totp

    cert certificate certificates certs cipher ciphers credential credentials creds crypto cryptography decrypt
    decryption encrypt encrypted encryption hmac keychain keyring keystore secret secrets signature signatures ssl tls
    token tokens vault

    acl acls admin admins cors csp csrf iam permission permissions policies policy privilege privileges rbac sudo
    sudoers xsrf

    billing payment payments payout payouts refund refunds

    deserialization deserialize deserializer escape escaped escaper escaping injection pickle pickled sanitise
    sanitiser sanitization sanitize sanitizer sanitizers sql subprocess unescape unpickle unserialize upload uploader
    uploads webhook webhooks

    firewall migration migrations terraform
    """.split()
)
_SENSITIVE_PAIRS = frozenset({("access", "control"), ("api", "key"), ("api", "keys"), ("private", "key")})
_WORKFLOW = re.compile(r"\.github/(workflows|actions)/")
_INFRASTRUCTURE = re.compile(r"(^|/)(dockerfile|containerfile)(\.[^/]+)?$|\.dockerfile$|\.tf(vars)?(\.json)?$", re.I)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TESTS = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures)/|(^|/)(test_[^/]+|conftest\.py)$"
    r"|\.tests?/|(_test|\.test|\.spec|_spec)\.[a-z]+$|(?-i:[a-z0-9](Tests?|TestCase|Spec)\.[a-z]+$)",
    re.IGNORECASE,
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


def is_generated(path: str, first_lines: Sequence[str]) -> bool:
    """Written by a program: the path says so, or the file's own first lines do."""
    return is_named_generated(path) or says_generated(first_lines)


def is_named_generated(path: str) -> bool:
    """A path whose folder or ending says that a program writes the file."""
    return _GENERATED_FOLDER.search(path) is not None or _GENERATED.search(path) is not None


def says_generated(first_lines: Sequence[str]) -> bool:
    """Lines at the beginning of a file that say that a program wrote it."""
    return any(_SAYS_GENERATED.search(line) for line in first_lines[:_GENERATED_MARK_LINES])


def foreign_places(path: str) -> frozenset[str]:
    """Where a path says "vendored" or "generated": its folder up to there, and its own folder with such an ending.

    Files that have one of these in common belong together.
    """
    folders = (_VENDORED.search(path), _GENERATED_FOLDER.search(path))
    places = {path[: folder.end()] for folder in folders if folder is not None}
    if ending := _GENERATED.search(path):
        places.add(f"{path.rpartition('/')[0]}/*{ending[0].lower()}")
    return frozenset(places)


def is_sensitive(path: str) -> bool:
    """A path whose words name identity, secrets, permission, money, input handling or infrastructure.

    Tests, prose and data are not sensitive, whatever they are called.
    """
    if _WORKFLOW.match(path):
        return True
    if is_test(path) or is_prose(path):
        return False
    words = [] if is_data(path) else [word.lower() for word in _WORD.findall(path)]
    named = not _SENSITIVE.isdisjoint(words) or not _SENSITIVE_PAIRS.isdisjoint(pairwise(words))
    return named or _INFRASTRUCTURE.search(path) is not None


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
