"""The kinds of files, by their paths: they decide whether and when a file is read."""

import re
from functools import lru_cache
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
# Each is looked at many times in a review.
_MOST_PATHS = 10_000
_PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc"})
_DATA = frozenset({".json", ".csv", ".tsv", ".xml", ".svg", ".po", ".lock", ".geojson", ".ipynb", ".html", ".snap"})
_BINARY = frozenset(
    """
    .7z .a .avi .bin .bmp .class .dll .dylib .eot .exe .gif .gz .ico .jar .jpeg .jpg .mov .mp3 .mp4 .o .otf .pdf .png
    .so .tar .tgz .tif .tiff .ttf .wasm .wav .webm .webp .whl .woff .woff2 .xz .zip
    """.split()
)


def is_lock_file(path: str) -> bool:
    """A file that a package manager writes."""
    return PurePosixPath(path).name.lower() in LOCK_FILES


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


@lru_cache(_MOST_PATHS)
def is_test(path: str) -> bool:
    """A test or its material."""
    return _TESTS.search(path) is not None


def is_prose(path: str) -> bool:
    """A text for people."""
    return _suffix(path) in _PROSE


def is_markdown(path: str) -> bool:
    """A text with the links of Markdown."""
    return _suffix(path) in (".md", ".markdown")


def is_data(path: str) -> bool:
    """A file of data or markup rather than of code."""
    return _suffix(path) in _DATA


def is_binary(path: str) -> bool:
    """A file with the ending of a binary format."""
    return _suffix(path) in _BINARY


@lru_cache(_MOST_PATHS)
def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
