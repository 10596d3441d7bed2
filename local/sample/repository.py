"""From a list of commits to a git repository, with the same commit ids on every machine."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from local.sample.history import Commit

_FIRST_DAY = 1_772_442_000  # 2 March 2026, 09:00 UTC
_DAY = 86_400


def write_repository(folder: Path, history: Sequence[Commit], refs: Mapping[str, str]) -> dict[str, str]:
    """Make a repository of these commits in an empty folder; return each commit's id by its name.

    `refs` gives the name of the commit that each ref points to; "refs/heads/main" is checked out.
    """
    _git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    stream = b"".join([*_commits(history), *_refs(history, refs), *_questions(history), b"done\n"])
    ids = _git(folder, "fast-import", "--quiet", "--done", "--cat-blob-fd=1", stdin=stream).split()
    _git(folder, "reset", "--quiet", "--hard", "main")
    return dict(zip((commit.name for commit in history), ids, strict=True))


def _commits(history: Sequence[Commit]) -> Iterator[bytes]:
    """Write the stream's commits: https://git-scm.com/docs/git-fast-import#_input_format."""
    marks = _marks(history)
    for commit in history:
        seconds = _FIRST_DAY + commit.day * _DAY
        who = f"{commit.author} <{commit.author.lower()}@harbour.example> {seconds} +0000"
        yield f"commit refs/sample/{commit.name}\nmark {marks[commit.name]}\n".encode()
        yield f"author {who}\ncommitter {who}\n".encode() + _data(f"{commit.message}\n".encode())
        if commit.parent is not None:
            yield f"from {marks[commit.parent]}\n".encode()
        for path, content in commit.files():
            yield f"M 100644 inline {path}\n".encode() + _data(content)


def _refs(history: Sequence[Commit], refs: Mapping[str, str]) -> Iterator[bytes]:
    """Point the refs, and drop the one that each commit was written to."""
    marks = _marks(history)
    for ref, name in refs.items():
        yield f"reset {ref}\nfrom {marks[name]}\n\n".encode()
    for commit in history:
        yield f"reset refs/sample/{commit.name}\nfrom {'0' * 40}\n\n".encode()


def _questions(history: Sequence[Commit]) -> Iterator[bytes]:
    for mark in _marks(history).values():
        yield f"get-mark {mark}\n".encode()


def _marks(history: Sequence[Commit]) -> dict[str, str]:
    return {commit.name: f":{number}" for number, commit in enumerate(history, start=1)}


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git untouched by the person's own configuration and by a repository around us."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    ours |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=stdin, env=ours, check=True, capture_output=True
    )
    return done.stdout.decode()
