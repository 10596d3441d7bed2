"""A repository's files at one commit, from an archive as git makes it or file by file."""

import gzip
import io
import subprocess
import tarfile
import zlib
from collections.abc import Collection, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.diffs.binary_patch import object_id
from kodiai.core.errors import Broken, Retry
from kodiai.core.repository.tree import LARGEST_FILE
from kodiai.edges.trees import ArchiveTree, CommitTree
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


class Contents:
    """The contents of blobs by their ids, which notes what is asked for together."""

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self._blobs = blobs
        self.asked: list[list[str]] = []

    def __call__(self, names: Collection[str]) -> dict[str, bytes | None]:
        self.asked.append(list(names))
        return {name: self._blobs.get(name) for name in names}


MANY = {f"{at:03}.py": f"x = {at}\n".encode() for at in range(120)}
IDS = {path: object_id(content) for path, content in MANY.items()}
LISTED = {path: (IDS[path], len(content)) for path, content in MANY.items()}


def a_tree(
    archived: Mapping[str, bytes] | None, more: Mapping[str, tuple[str, int]] = {}
) -> tuple[CommitTree, Contents, list[str]]:
    """A tree of 120 files, of which some are in the archive; None if that is too large."""
    contents, fetched = Contents({IDS[path]: content for path, content in MANY.items()}), list[str]()

    def archive() -> ArchiveTree | None:
        fetched.append("archive")
        if archived is None:
            return None
        return opened(gzip.compress(_tar({f"root/{path}": content for path, content in archived.items()}), 1))

    return CommitTree({**LISTED, **more}, contents, archive), contents, fetched


def test_a_few_files_are_read_by_blob_and_more_from_the_archive() -> None:
    """Eight one by one, as a model looks them up; the ninth takes the archive, once. Nothing is wanted twice."""
    tree, contents, fetched = a_tree(MANY, {"gone.py": ("3", 1), "large.bin": ("4", LARGEST_FILE + 1)})
    some = [*MANY][:7]

    assert tree.paths() == [*MANY, "gone.py", "large.bin"]
    assert (tree.read("large.bin"), tree.read("none.py"), tree.read("gone.py")) == (None, None, None)
    assert {path: tree.read(path) for path in some} == {path: MANY[path] for path in some}
    assert (contents.asked, fetched) == ([["3"], *([IDS[path]] for path in some)], [])
    assert {path: tree.read(path) for path in MANY} == MANY
    assert (contents.asked[8:], fetched) == ([[IDS[path]] for path in some], ["archive"])


@each_row(
    ("archived", "wanted", "asked", "fetched"),
    [
        (MANY, 100, [100], []),
        (MANY, 101, [0], ["archive"]),
        (None, 101, [0, *[1] * 101], ["archive"]),
        (MANY, 0, [0], []),
    ],
)
def test_files_that_are_wanted_together_take_one_request(
    archived: Mapping[str, bytes] | None, wanted: int, asked: list[int], fetched: list[str]
) -> None:
    """Up to a hundred; more of them take the archive, and if that is too large each is read when it is needed.

    Contents of other commits come with the same request.
    """
    tree, contents, archives = a_tree(archived)
    paths = [*MANY][:wanted]

    tree.prefetch([*paths, "none.py"], ["1234:old.py"])
    read = {path: tree.read(path) for path in paths}

    assert read == {path: MANY[path] for path in paths}
    assert contents.asked[0][-1] == "1234:old.py"
    together = len(contents.asked[0]) - 1
    assert [together, *([1] * (len(contents.asked) - 1) if not together else [])] == asked
    assert archives == fetched


@pytest.mark.parametrize(("archived", "searchable"), [(MANY, True), (None, False)])
def test_a_search_takes_the_archive_first(archived: Mapping[str, bytes] | None, *, searchable: bool) -> None:
    """Whether everything can be searched is known when the archive is there; no file is read by blob before."""
    tree, contents, fetched = a_tree(archived)

    assert tree.searchable is searchable
    assert {path: tree.read(path) for path in MANY} == MANY
    assert (len(contents.asked), fetched) == (0 if searchable else 120, ["archive"])


def test_what_the_archive_lacks_or_has_otherwise_is_read_by_blob() -> None:
    """Attributes leave files out (`export-ignore`) and fill them in (`export-subst`); of many some are not read."""
    first, second, *rest = MANY
    tree, contents, _ = a_tree({first: b"x = 9\n", second: MANY[second]})

    assert tree.searchable
    assert (tree.read(first), tree.read(second)) == (MANY[first], MANY[second])
    assert contents.asked == [[IDS[first]]]
    assert [tree.read(path) is not None for path in rest] == [True] * 49 + [False] * 69
