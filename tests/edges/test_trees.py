"""A repository's files at one commit, from an archive as git makes it or file by file."""

import gzip
import io
import subprocess
import tarfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.errors import Broken, Retry
from kodiai.core.repository.tree import LARGEST_FILE
from kodiai.edges.trees import ArchiveTree, ContentsTree
from tests.git_repository import EXECUTABLE, SUBMODULE, Content, GitRepository
from tests.tables import each_row

LIMIT = 1_000_000
FILES = {
    b"README.md": b"# Title\n",
    b"src/empty.py": b"",
    b"src/\xd0\xb6/\xe6\xbc\xa2.py": b"x = 1\r\n",
    b"not-utf8-\xff.txt": b"caf\xe9\n",
    b"odd\nname": b"odd",
    b"deep/" + b"long-folder-name/" * 12 + b"a.py": b"deep\n",
    b"image.bin": bytes(range(256)),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A repository with files, a link, a submodule and a program, as GitHub packs it."""
    repository = GitRepository(tmp_path_factory.mktemp("made") / "repository")
    files = dict[str | bytes, Content](FILES.items())
    files |= {"run.sh": b"#!/bin/sh\n", "link": b"/etc/passwd", "sub": b"1" * 40}
    commit = repository.commit(files, modes={"run.sh": EXECUTABLE, "link": "120000", "sub": SUBMODULE})
    command = ["git", "archive", "--format=tar.gz", "--prefix=owner-repo-1a2b3c4/", commit]
    return subprocess.run(command, cwd=repository.path, capture_output=True, check=True).stdout


def opened(packed: bytes, limit: int = LIMIT) -> ArchiveTree:
    return ArchiveTree(io.BytesIO(packed), limit)


def test_every_file_is_there_and_nothing_else(archive: bytes) -> None:
    """Read in any order; a path is as in GitHub's listing. Links and submodules are no files."""
    tree = opened(archive)

    expected = {path.decode("utf-8", "replace"): content for path, content in FILES.items()}
    assert tree.paths() == sorted([*expected, "run.sh"])
    assert {path: tree.read(path) for path in reversed(tree.paths())} == {**expected, "run.sh": b"#!/bin/sh\n"}
    assert {path: tree.read(path) for path in expected} == expected


@pytest.mark.parametrize(
    "path",
    ["link", "sub", "src", "src/", "", "/etc/passwd", "../README.md", "src/../README.md", "./README.md",
     "owner-repo-1a2b3c4/README.md", "pax_global_header", "\ud800"],
)  # fmt: skip
def test_a_path_that_is_no_file_of_the_repository_is_not_there(archive: bytes, path: str) -> None:
    """Paths are names in a list: none of them is ever looked up on this machine."""
    assert opened(archive).read(path) is None


def test_the_archive_is_closed_once_it_is_read_or_refused(archive: bytes) -> None:
    """A file without a name is gone once it is closed; the disk of a function is small and shared."""
    files = [io.BytesIO(packed) for packed in (archive, b"nonsense", archive)]

    ArchiveTree(files[0], LIMIT)
    with pytest.raises(Retry):
        ArchiveTree(files[1], LIMIT)
    with pytest.raises(Broken):
        ArchiveTree(files[2], 1)

    assert [file.closed for file in files] == [True] * 3


def test_an_archive_that_grows_too_large_is_refused() -> None:
    """A few kilobytes can unpack to gigabytes: ten times the limit is the most."""
    bomb = _tar({"root/zeros": b"\0" * 300_000})

    with pytest.raises(Broken, match=r"larger than allowed when unpacked$"):
        opened(gzip.compress(bomb), limit=len(bomb) // 10 - 1)
    assert opened(gzip.compress(bomb), limit=len(bomb) // 10 + 1).paths() == ["zeros"]


@pytest.mark.parametrize(
    ("count", "length", "why"),
    [
        (1, 200_000, "it has a name that is longer than allowed"),
        (520, 99_000, "it has more files than allowed"),
    ],
    ids=["a long name", "many names"],
)
def test_names_may_not_fill_the_memory(count: int, length: int, why: str) -> None:
    """Each is read into memory, and packs to nothing."""
    packed = gzip.compress(_tar({f"root/{number}/" + "a" * length: b"" for number in range(count)}), 1)

    with pytest.raises(Broken, match=rf"^the repository's archive cannot be read: {why}$"):
        opened(packed, limit=100_000_000)


def test_a_very_large_file_is_listed_and_not_read() -> None:
    """It would be in memory whole; also where its header says more than there is, as one of a sparse file does."""
    tree = opened(gzip.compress(_tar({"root/large": b"\n" * (LARGEST_FILE + 1), "root/a": b"a"}), 1), 10_000_000)

    assert tree.paths() == ["a", "large"]
    assert (tree.read("large"), tree.read("a")) == (None, b"a")


@settings(max_examples=60, deadline=None)
@given(part=st.floats(0, 1, exclude_max=True))
def test_a_truncated_archive_is_fetched_again(archive: bytes, part: float) -> None:
    """A download that broke off is never taken for a smaller repository; the next one may be whole."""
    with pytest.raises(Retry, match=r"^the repository's archive did not arrive whole: "):
        opened(archive[: int(len(archive) * part)])


@settings(max_examples=150, deadline=None)
@given(at=st.integers(10, 10_000), byte=st.integers(0, 255))
def test_a_damaged_archive_is_fetched_again_or_read(archive: bytes, at: int, byte: int) -> None:
    """Nothing but the one error comes of it."""
    damaged = bytearray(archive)
    damaged[at % len(damaged)] = byte

    try:
        tree = opened(bytes(damaged))
    except Retry:
        return

    assert all(tree.read(path) is not None for path in tree.paths())


@each_row(
    "packed",
    [
        b"",
        b"nonsense",
        gzip.compress(b"", mtime=0),
        gzip.compress(b"nonsense" * 100, mtime=0),
        gzip.compress(b"\0" * 10, mtime=0),
        zlib.compress(b"x" * 100),
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"nonsense",
    ],
)
def test_a_body_that_is_no_archive_is_fetched_again(packed: bytes) -> None:
    """A page of HTML, another packing, nothing at all: whatever stood between us and GitHub sent it."""
    with pytest.raises(Retry):
        opened(packed)


@settings(max_examples=100, deadline=None)
@given(at=st.integers(0, 511), noise=st.binary(min_size=1, max_size=40))
def test_a_tar_with_a_broken_header_is_fetched_again_or_read(at: int, noise: bytes) -> None:
    """Anything in the place of a number or a name."""
    tar = bytearray(_tar({"root/a": b"a", "root/b": b"b"}, checked=True))
    tar[at : at + len(noise)] = noise

    try:
        tree = opened(gzip.compress(bytes(tar), 1))
    except Retry:
        return

    assert set(tree.paths()) <= {path for path in tree.paths() if tree.read(path) is not None}


def _tar(files: dict[str, bytes], *, checked: bool = False) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            member.pax_headers = {"comment": "x", "size": str(len(content))} if checked else {}
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def test_a_listing_is_read_file_by_file_and_only_once() -> None:
    """Each read of a blob is a call to GitHub; one that cannot be had is not asked for again either."""
    asked = []

    def fetch(blob: str) -> bytes | None:
        asked.append(blob)
        return {"1": b"one", "2": b""}.get(blob)

    blobs = {"b.py": ("2", 0), "a.py": ("1", 3), "gone.py": ("3", 1), "large.bin": ("4", LARGEST_FILE + 1)}
    tree = ContentsTree(blobs, fetch)

    assert tree.paths() == ["a.py", "b.py", "gone.py", "large.bin"]
    assert tree.read("large.bin") is None
    assert [tree.read(path) for path in ("a.py", "b.py", "gone.py", "none.py", "a.py", "gone.py")] == [
        b"one", b"", None, None, b"one", None,
    ]  # fmt: skip
    assert asked == ["1", "2", "3"]
