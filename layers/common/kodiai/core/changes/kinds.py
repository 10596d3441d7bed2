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
    .7z .a .aac .aar .apk .avi .avif .bin .blend .bmp .bz2 .class .cur .db .deb .der .dll .dmg .doc .docx .dylib .ear
    .eot .exe .fbx .flac .gif .glb .gz .h5 .heic .icns .ico .ipa .iso .jar .jks .jpeg .jpg .keystore .lib .lz4 .m4a
    .mkv .mo .mov .mp3 .mp4 .msi .node .npy .npz .o .odp .ods .odt .ogg .onnx .otf .p12 .parquet .pdb .pdf .pfx .pkl
    .png .ppt .pptx .psd .pt .pyc .pyd .rar .rpm .so .sqlite .sqlite3 .tar .tbz .tflite .tgz .tif .tiff .ttf .war .wasm
    .wav .webm .webp .whl .woff .woff2 .xls .xlsx .xz .zip .zst
    """.split()
)
# https://en.wikipedia.org/wiki/List_of_file_signatures
_MAGIC_NUMBERS = (
    *(b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"BM", b"II*\0", b"MM\0*", b"8BPS", b"\0\0\1\0"),
    *(b"%PDF-", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PK\3\4", b"PK\5\6", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"),
    *(b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd", b"Rar!\x1a\7", b"!<arch>\n", b"\x7fELF", b"MZ", b"\0asm"),
    *(b"\xca\xfe\xba\xbe", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"wOFF", b"wOF2", b"OTTO", b"\0\1\0\0\0"),
    *(b"RIFF", b"OggS", b"fLaC", b"ID3", b"\x1aE\xdf\xa3", b"SQLite format 3\0", b"PAR1", b"\x89HDF\r\n", b"\x93NUMPY"),
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
    return _suffix(path) in _DATA or is_lock_file(path)


def is_binary(path: str) -> bool:
    """A file with the ending of a binary format."""
    return _suffix(path) in _BINARY


def has_magic_number(content: bytes) -> bool:
    """A content that begins as those of a known binary format do."""
    return content.startswith(_MAGIC_NUMBERS) or content[4:8] == b"ftyp"


@lru_cache(_MOST_PATHS)
def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
