"""Writes commits into a new git repository, with the same ids on every machine.

Source of the format: https://git-scm.com/docs/git-fast-import#_input_format.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class NewCommit:
    """A commit to write. `author` is in git's form, `seconds` count from 1970, `parent` is a place before it, from 0.

    `files` lie over those of the parent, or are all that it has if it `is_whole`.
    """

    message: str
    author: str
    seconds: int
    files: Mapping[str, bytes]
    parent: int | None = None
    is_whole: bool = False


def write_commits(folder: Path, commits: Sequence[NewCommit], *, bare: bool) -> list[str]:
    """Make a repository in a new or empty folder, write the commits, and return their ids; no branch has them yet."""
    kind = ["--bare"] if bare else []
    run_git(None, "init", "--quiet", *kind, "--template=", "--initial-branch=main", str(folder))
    stream = b"".join(part for at, commit in enumerate(commits) for part in _written(at, commit))
    return run_git(folder, "fast-import", "--quiet", "--done", "--cat-blob-fd=1", stdin=stream + b"done\n").split()


def run_git(folder: Path | None, *arguments: str, stdin: bytes = b"") -> str:
    """Run git without the person's configuration and without the repository around us; return what it prints."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    ours |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1"}
    command = ["git", *(("-C", str(folder)) if folder else ()), *arguments]
    return subprocess.run(command, input=stdin, env=ours, check=True, capture_output=True).stdout.decode()


def _written(at: int, commit: NewCommit) -> Iterator[bytes]:
    who = f"{commit.author} {commit.seconds} +0000"
    yield f"commit refs/made\nmark :{at + 1}\nauthor {who}\ncommitter {who}\n".encode()
    yield _data(f"{commit.message}\n".encode())
    yield b"" if commit.parent is None else f"from :{commit.parent + 1}\n".encode()
    yield b"deleteall\n" if commit.is_whole else b""
    for path, content in commit.files.items():
        yield b"M 100644 inline %s\n" % _quoted(path) + _data(content)
    # Its id is printed, and the next commit has no parent unless it names one.
    yield f"get-mark :{at + 1}\nreset refs/made\n\n".encode()


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    """A path as git quotes it, with any character."""
    return b'"%s"' % path.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
