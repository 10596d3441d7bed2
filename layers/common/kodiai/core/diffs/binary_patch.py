"""The binary patches of git: https://git-scm.com/docs/git-diff (`--binary`).

A patch is `literal` (the whole content) or `delta` (pieces of the old content and new bytes); either is deflated, and
written in base 85, at most 52 bytes a line.
"""

import base64
import hashlib
import re
import zlib
from dataclasses import dataclass
from typing import Literal

from kodiai.core.diffs.diff_lines import DiffLines

MOST_BINARY_BYTES = 10_000_000
"""The longest file that a binary patch may make, in bytes: a short patch may stand for a very long file."""

_HEADER = re.compile(rb"(literal|delta) [ \t\r]*([0-9]*)")
_NO_OBJECT = "0" * 40
_OBJECT = re.compile("[0-9a-fA-F]{40}")
_LEAST_LINE = 7
_UPPER, _LOWER = ord("A"), ord("a")

_SHA256_DIGITS = 64


class UnreadableBinary(ValueError):
    """A binary patch that is damaged, or does not fit; the text says why."""


@dataclass(frozen=True, slots=True)
class BinaryPatch:
    """The new content of a file, whole, or as pieces of the old one."""

    method: Literal["literal", "delta"]
    data: bytes


def parse_binary(lines: DiffLines, at: int) -> tuple[BinaryPatch, int]:
    """Read a binary patch from a line on, and its reverse if there is one; and say where the next line is.

    Raises UnreadableBinary.
    """
    forward, at = _parse_one(lines, at)
    if forward is None:
        raise UnreadableBinary("neither “literal” nor “delta” follows")
    _, at = _parse_one(lines, at)
    return forward, at


def apply_binary(old: bytes, old_id: str, new_id: str, patch: BinaryPatch | None, *, creates: bool) -> bytes:
    """The new content of a file; the ids are the object ids of the diff's `index` line. Raises UnreadableBinary."""
    if not (_OBJECT.fullmatch(old_id) and _OBJECT.fullmatch(new_id)):
        raise UnreadableBinary("its `index` line lacks full object ids: make the diff with `git diff --binary`")
    if creates and old:
        raise UnreadableBinary("it creates the file, but the file has content")
    if not creates and object_id(old) != old_id:
        raise UnreadableBinary(f"the file is {object_id(old)} now, but the diff is for {old_id}: make the diff again")
    if new_id == _NO_OBJECT:
        return b""
    if patch is None:
        raise UnreadableBinary("it has no content: make the diff with `git diff --binary`")
    new = patch.data if patch.method == "literal" else _apply_delta(old, patch.data)
    if object_id(new) != new_id:
        raise UnreadableBinary(f"it makes {object_id(new)}, not {new_id} as its `index` line says")
    return new


def object_id(content: bytes, digits: int = 40) -> str:
    """The id under which git stores a file's content: 40 hex digits, or 64 where a repository has such ids."""
    digest = hashlib.sha256 if digits == _SHA256_DIGITS else hashlib.sha1
    return digest(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _parse_one(lines: DiffLines, at: int) -> tuple[BinaryPatch | None, int]:
    header = _HEADER.match(lines[at]) if at < len(lines) else None
    if header is None:
        return None, at
    deflated = bytearray()
    for end in range(at + 1, len(lines)):
        if len(lines[end]) == 1:
            method: Literal["literal", "delta"] = "literal" if header[1] == b"literal" else "delta"
            return BinaryPatch(method, _inflated(bytes(deflated), int(header[2] or 0))), end + 1
        deflated += _decoded(lines[end])
    raise UnreadableBinary("it ends before its empty line")


def _decoded(line: bytes) -> bytes:
    """The bytes of one line: a letter for how many, then groups of five characters for four bytes each."""
    groups, rest = divmod(len(line) - 2, 5)
    sign = line[0]
    if _UPPER <= sign < _UPPER + 26:
        length = sign - _UPPER + 1
    elif _LOWER <= sign < _LOWER + 26:
        length = sign - _LOWER + 27
    else:
        length = -1
    if len(line) < _LEAST_LINE or rest or not groups * 4 - 4 < length <= groups * 4:
        raise UnreadableBinary("a line has the wrong length")
    try:
        return base64.b85decode(line[1:-1])[:length]
    except ValueError as error:
        raise UnreadableBinary("a line is not in base 85") from error


def _inflated(deflated: bytes, size: int) -> bytes:
    if size > MOST_BINARY_BYTES:
        raise UnreadableBinary(f"it has {size:,} bytes; the most is {MOST_BINARY_BYTES:,}")
    inflating = zlib.decompressobj()
    try:
        content = inflating.decompress(deflated, size + 1)
    except zlib.error as error:
        raise UnreadableBinary("it cannot be inflated") from error
    if not inflating.eof or len(content) != size:
        raise UnreadableBinary("it does not have the length that it says")
    return content


def _apply_delta(old: bytes, delta: bytes) -> bytes:
    """Put a content together as a delta says: https://git-scm.com/docs/pack-format#_deltified_representation."""
    old_size, at = _size(delta, 0)
    new_size, at = _size(delta, at)
    if old_size != len(old):
        raise UnreadableBinary("its delta is for a content of another length")
    if new_size > MOST_BINARY_BYTES:
        raise UnreadableBinary(f"it makes {new_size:,} bytes; the most is {MOST_BINARY_BYTES:,}")
    new = bytearray()
    while at < len(delta):
        command, at = delta[at], at + 1
        if command & 0x80:
            offset, at = _argument(delta, at, command, 4)
            size, at = _argument(delta, at, command >> 4, 3)
            piece = old[offset : offset + (size or 0x10000)]
            wanted = size or 0x10000
        else:
            piece, wanted = delta[at : at + command], command
            at += command
        if not command or len(piece) != wanted or len(new) + wanted > new_size:
            raise UnreadableBinary("its delta is damaged")
        new += piece
    if len(new) != new_size:
        raise UnreadableBinary("its delta is damaged")
    return bytes(new)


def _size(delta: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first."""
    size = shift = 0
    while at < len(delta):
        size |= (delta[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not delta[at - 1] & 0x80:
            return size, at
    raise UnreadableBinary("its delta is damaged")


def _argument(delta: bytes, at: int, present: int, bytes_at_most: int) -> tuple[int, int]:
    """A number whose bytes are there where `present` has a bit, the lowest first."""
    value = 0
    for index in range(bytes_at_most):
        if present & 1 << index:
            if at >= len(delta):
                raise UnreadableBinary("its delta is damaged")
            value |= delta[at] << 8 * index
            at += 1
    return value, at
