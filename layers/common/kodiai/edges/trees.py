"""A repository's files at one commit: from one archive on the disk, or file by file."""

import errno
import gzip
import tarfile
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from kodiai.core.errors import Broken, Retry

_CHUNK_BYTES = 1 << 20
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class ArchiveTree:
    """A tar archive on the disk, read by offset: nothing is unpacked, no link is followed.

    Bytes of a path that are not UTF-8 become U+FFFD, as in GitHub's listings.
    """

    searchable = True

    def __init__(self, archive: IO[bytes], limit_bytes: int) -> None:
        """Read the archive and close it. Ten times `limit_bytes` is the most that it may take when unpacked.

        Raises Broken where it takes more, or more than the disk has, and Retry where it is cut or damaged: a download
        is not always whole.
        """
        plain = tempfile.TemporaryFile(suffix=".tar")  # noqa: SIM115 - it lives as long as the tree
        weakref.finalize(self, _close, plain)
        try:
            with full_disk_is_broken(), archive, gzip.open(archive) as packed:
                if not copy(iter(lambda: packed.read(_CHUNK_BYTES), b""), plain, 10 * limit_bytes):
                    raise Broken("the repository's archive cannot be read: it is larger than allowed when unpacked")
                plain.seek(0)
            self._tar = tarfile.open(fileobj=plain, mode="r:", encoding="utf-8", errors="replace")  # noqa: SIM115
            files = [member for member in self._tar.getmembers() if member.isreg()]
        except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
            raise Retry(f"the repository's archive did not arrive whole: {error}") from error
        self._members = {member.name.partition("/")[2]: member for member in files}

    def paths(self) -> Sequence[str]:
        """All files' paths, sorted."""
        return sorted(self._members)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file."""
        member = self._members.get(path)
        file = self._tar.extractfile(member) if member else None
        return file.read() if file else None


class ContentsTree:
    """A listing of blobs, each fetched when it is read, and kept."""

    searchable = False

    def __init__(self, blobs: Mapping[str, str], fetch: Callable[[str], bytes | None]) -> None:
        self._blobs = blobs
        self._fetch = fetch
        self._read: dict[str, bytes | None] = {}

    def paths(self) -> Sequence[str]:
        """All files' paths, sorted."""
        return sorted(self._blobs)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file."""
        if path not in self._blobs:
            return None
        if path not in self._read:
            self._read[path] = self._fetch(self._blobs[path])
        return self._read[path]


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
