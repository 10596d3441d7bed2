"""A repository's files at one commit: by blob, or from one archive on the disk."""

import errno
import gzip
import tarfile
import tempfile
import weakref
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import repeat
from typing import IO, Self

from kodiai.core.diffs.binary_patch import object_id
from kodiai.core.errors import Broken, Retry
from kodiai.core.repository.tree import LARGEST_FILE

_CHUNK_BYTES = 1 << 20
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# The largest public repositories have some 400,000 files.
_MOST_FILES = 500_000
_MOST_NAMES = 50_000_000
_LONGEST_NAME = 100_000
# GraphQL shows half a megabyte of a text, and this number of texts with one request.
_LONGEST_TEXT, _MOST_TEXTS, _MOST_TEXT_BYTES = 500_000, 100, 5_000_000
_MOST_SINGLE, _MOST_APART = 8, 50
_NAMING = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


class ArchiveTree:
    """The tree of a tar archive on the disk, read by offset: nothing is unpacked, no link is followed.

    Bytes of a path that are not UTF-8 become U+FFFD, as in GitHub's listings.
    """

    searchable = True

    def __init__(self, archive: IO[bytes], limit_bytes: int) -> None:
        """Read the archive and close it. Ten times `limit_bytes` is the most that it may take when unpacked.

        Raises Broken where it takes more, or more than the disk has, or has over 500,000 files or 50 MB of names; Retry
        where it is cut or damaged: a download is not always whole.
        """
        self._plain = plain = tempfile.TemporaryFile(suffix=".tar")  # noqa: SIM115 - it lives as long as the tree
        weakref.finalize(self, _close, plain)
        try:
            with full_disk_is_broken(), archive, gzip.open(archive) as packed:
                if not copy(iter(lambda: packed.read(_CHUNK_BYTES), b""), plain, 10 * limit_bytes):
                    raise Broken("the repository's archive cannot be read: it is larger than allowed when unpacked")
                plain.seek(0)
            self._places = _places(plain)
        except RecursionError as error:  # one header of a name after another
            raise Broken("the repository's archive cannot be read") from error
        except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
            raise Retry(f"the repository's archive did not arrive whole: {error}") from error

    def paths(self) -> Sequence[str]:
        return sorted(self._places)

    def prefetch(self, paths: Collection[str], others: Collection[str] = ()) -> None:
        """Do nothing: its files are there."""

    def read(self, path: str) -> bytes | None:
        start, size = self._places.get(path, (0, LARGEST_FILE + 1))
        if size > LARGEST_FILE:
            return None
        self._plain.seek(start)
        return self._plain.read(size)


def _places(plain: IO[bytes]) -> dict[str, tuple[int, int]]:
    """The beginning of each file in a tar archive, and its bytes. Raises Broken and tarfile.TarError."""
    places: dict[str, tuple[int, int]] = {}
    names = 0
    with tarfile.open(fileobj=plain, mode="r:", encoding="utf-8", errors="replace", tarinfo=_Member) as tar:
        while (member := tar.next()) is not None:
            tar.members = []  # type: ignore[attr-defined]  # it would keep all of them, with ten times the memory
            names += len(member.name)
            if len(places) >= _MOST_FILES or names > _MOST_NAMES:
                raise Broken("the repository's archive cannot be read: it has more files than allowed")
            if member.isreg() and not member.issparse():
                places[member.name.partition("/")[2]] = member.offset_data, member.size
    return places


class _Member(tarfile.TarInfo):
    """A member whose headers are read only if they are short: a long name is a header of its own."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read one header. Raises Broken."""
        member = super().frombuf(buf, encoding, errors)
        if member.type in _NAMING and member.size > _LONGEST_NAME:
            raise Broken("the repository's archive cannot be read: it has a name that is longer than allowed")
        return member


class CommitTree:
    """The tree of a commit: read by blob, and from its archive once more than a little of it is wanted.

    `blobs` are the ids and the sizes of its files by path. `contents` reads blobs by their ids, a hundred texts with
    one request; `fetch_archive` fetches the archive, None where it is over the limit.
    """

    def __init__(
        self,
        blobs: Mapping[str, tuple[str, int]],
        contents: Callable[[Collection[str]], Mapping[str, bytes | None]],
        fetch_archive: Callable[[], ArchiveTree | None],
    ) -> None:
        self._blobs = blobs
        self._contents = contents
        self._fetch_archive = fetch_archive
        self._known: set[str] = set()
        self._single, self._apart, self._wants_archive = 0, 0, False

    @cached_property
    def _archive(self) -> ArchiveTree | None:
        return self._fetch_archive()

    @cached_property
    def _paths(self) -> Sequence[str]:
        return sorted(self._blobs)

    @property
    def searchable(self) -> bool:
        self._wants_archive = True
        return self._archive is not None

    def paths(self) -> Sequence[str]:
        return self._paths

    def prefetch(self, paths: Collection[str], others: Collection[str] = ()) -> None:
        blobs = {oid: size for oid, size in map(self._blobs.get, paths, repeat(("", 0))) if size <= _LONGEST_TEXT}
        new = [oid for oid in blobs if oid and oid not in self._known]
        if len(new) > _MOST_TEXTS or sum(map(blobs.__getitem__, new)) > _MOST_TEXT_BYTES:
            self._wants_archive, new = True, []
        new = [] if self._wants_archive else new
        self._known.update(new)
        self._contents([*new, *others])

    def read(self, path: str) -> bytes | None:
        oid, size = self._blobs.get(path, ("", LARGEST_FILE + 1))
        if size > LARGEST_FILE:
            return None
        if oid not in self._known:
            self._single += 1
            if self._wants_archive or self._single > _MOST_SINGLE:
                self._wants_archive = True
                content = self._archive.read(path) if self._archive is not None else None
                if content is not None and object_id(content, len(oid)) == oid:
                    return content
                # Attributes leave files out of archives, and fill in others: `export-ignore` and `export-subst`.
                self._apart += self._archive is not None
                if self._apart > _MOST_APART:
                    return None
            self._known.add(oid)
        return self._contents([oid])[oid]


@contextmanager
def full_disk_is_broken() -> Iterator[None]:
    """Raise Broken for a full disk, which the next attempt would find as full."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise Broken(
            f"the repository's archive does not fit into the function's storage ({error.strerror}): "
            "raise EphemeralStorage, or lower limits/archive-bytes"
        ) from error


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # a full disk does not take the rest of what was written either
        file.close()


def copy(chunks: Iterable[bytes], file: IO[bytes], limit_bytes: int) -> bool:
    """Write chunks into a file; False where they are over the limit."""
    left = limit_bytes
    for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            return False
        file.write(chunk)
    return True
