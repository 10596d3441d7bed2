"""Writes all cases into one git repository, a history each, with the same commit ids on every machine."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.case import Case, Files, UnreadableCase
from evals.case_files import Clone

_FIRST_SECOND = 1_772_442_000  # 2 March 2026, 09:00 UTC
_HOUR = 3_600


@dataclass(frozen=True)
class History:
    """The commits of a case: the base, and the head of each push."""

    base: str
    heads: tuple[str, ...]


def write_histories(folder: Path, cases: Sequence[Case]) -> Mapping[str, History]:
    """Make a bare repository of all cases in a new folder; return their commits by slug.

    A case with a clone borrows the clone's objects. Raises UnreadableCase where there is no such clone.
    """
    _git(None, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(folder))
    written = [case for case in cases if case.states]
    stream = b"".join([*_commits(written), *_questions(written), b"done\n"])
    ids = iter(_git(folder, "fast-import", "--quiet", "--done", "--cat-blob-fd=1", stdin=stream).split())
    histories = {case.slug: History(next(ids), tuple(next(ids) for _ in case.pushes)) for case in written}
    borrowed = {case.slug: _borrowed(case) for case in cases if not case.states}
    clones = sorted({str(_objects(case)) for case in cases if not case.states})
    if clones:
        (folder / "objects" / "info").mkdir(parents=True, exist_ok=True)
        (folder / "objects" / "info" / "alternates").write_text("".join(f"{clone}\n" for clone in clones))
    return histories | borrowed


def _borrowed(case: Case) -> History:
    return History(_clone(case).base, tuple(push.head or "" for push in case.pushes))


def _clone(case: Case) -> Clone:
    if case.definition.clone is None:
        raise UnreadableCase(f"{case.folder}: neither files nor a clone")
    return case.definition.clone


def _objects(case: Case) -> Path:
    clone = case.folder / _clone(case).path
    try:
        return (clone / _git(clone, "rev-parse", "--git-path", "objects").strip()).resolve()
    except (OSError, subprocess.CalledProcessError) as error:
        raise UnreadableCase(f"{case.folder / 'case.yaml'}: clone.path: no git repository at {clone}") from error


def _commits(cases: Sequence[Case]) -> Iterator[bytes]:
    """Write the stream's commits: https://git-scm.com/docs/git-fast-import#_input_format."""
    mark = 0
    for case in cases:
        messages = ["Begin", *(push.message or case.definition.title for push in case.pushes)]
        for at, (message, state) in enumerate(zip(messages, case.states, strict=True)):
            mark += 1
            yield from _commit(mark, message, at * _HOUR, f"from :{mark - 1}\n".encode() if at else b"", state)


def _commit(mark: int, message: str, seconds: int, parent: bytes, state: Files) -> Iterator[bytes]:
    who = f"Ann Author <ann@example.org> {_FIRST_SECOND + seconds} +0000"
    yield f"commit refs/cases/{mark}\nmark :{mark}\nauthor {who}\ncommitter {who}\n".encode()
    yield _data(f"{message}\n".encode()) + parent + b"deleteall\n"
    for path, content in state.items():
        yield b"M 100644 inline %s\n" % _quoted(path) + _data(content)


def _questions(cases: Sequence[Case]) -> Iterator[bytes]:
    for mark in range(1, sum(len(case.states) for case in cases) + 1):
        yield f"get-mark :{mark}\n".encode()


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    """Quote a path as git does, so that it may have any character."""
    return b'"%s"' % path.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


def _git(folder: Path | None, *arguments: str, stdin: bytes = b"") -> str:
    """Run git without the user's configuration and without the repository around us."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    ours |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1"}
    command = ["git", *(("-C", str(folder)) if folder else ()), *arguments]
    return subprocess.run(command, input=stdin, env=ours, check=True, capture_output=True).stdout.decode()
