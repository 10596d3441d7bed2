"""Small real git repositories, made commit by commit."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Content = str | bytes | None
"""The content of a file after a commit, None for a removed file."""

Files = Mapping[Any, Content]
"""Contents by path, a text or, where it is not UTF-8, bytes."""

Modes = Mapping[Any, str]
"""git's modes by path."""

SUBMODULE = "160000"
EXECUTABLE = "100755"
FILE = "100644"


class GitRepository:
    """A repository without a work tree; commits are named by their ids and need not be on a branch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._count = 0
        subprocess.run(
            ["git", "init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(path)], check=True
        )

    def commit(
        self,
        files: Files,
        parent: str | tuple[str, str] | None = None,
        *,
        message: str = "A change",
        modes: Modes | None = None,
        branch: str | None = None,
        at: float | None = None,
    ) -> str:
        """Put files on top of a commit and return the new commit's id; `branch` moves there.

        With two parents it is a merge, which has the files of the first one. `at` is the time of the commit in epoch
        seconds, some day in 2023 unless given.
        """
        self._count += 1
        ref = f"refs/made/{self._count}"
        stream = [b"commit %s\nmark :1\n" % ref.encode(), self._signed(b"committer", at), _data(message.encode())]
        parents = parent if isinstance(parent, tuple) else (parent,)
        for word, each in zip((b"from", b"merge"), parents, strict=False):
            if each is not None:
                stream.append(b"%s %s\n" % (word, each.encode()))
        raw_modes = {_raw(path): mode for path, mode in (modes or {}).items()}
        for path, content in files.items():
            stream.append(_change(_raw(path), content, raw_modes.get(_raw(path), FILE)))
        if branch is not None:
            stream.append(b"reset refs/heads/%s\nfrom :1\n\n" % branch.encode())
        stream.append(b"get-mark :1\n")
        return self.git("fast-import", "--quiet", "--force", feed=b"".join(stream)).decode().strip()

    def commit_again(self, sha: str) -> str:
        """Make a commit with the same files on the same parent, and return its id."""
        self._count += 1
        ref = f"refs/made/{self._count}"
        tree, parent = self.git("rev-parse", f"{sha}^{{tree}}", f"{sha}^").decode().split()
        again = [b"commit %s\n" % ref.encode(), self._signed(b"committer"), _data(b"The same change")]
        again += [b"from %s\n" % parent.encode(), b'M 040000 %s ""\n' % tree.encode()]
        self.git("fast-import", "--quiet", "--force", feed=b"".join(again))
        return self.git("rev-parse", ref).decode().strip()

    def merge_base(self, one: str, other: str) -> str:
        """The best common ancestor, by git."""
        return self.git("merge-base", one, other).decode().strip()

    def _signed(self, role: bytes, at: float | None = None) -> bytes:
        return b"%s Ann <ann@example.org> %d +0000\n" % (role, at or 1_700_000_000 + self._count)

    def git(self, *arguments: str, feed: bytes | None = None) -> bytes:
        """Run git in the repository, and return what it prints."""
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, input=feed, capture_output=True, check=True).stdout


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _raw(path: str | bytes) -> bytes:
    return path if isinstance(path, bytes) else path.encode()


def _change(path: bytes, content: Content, mode: str) -> bytes:
    quoted = _quoted(path)
    if content is None:
        return b"D %s\n" % quoted
    raw = content if isinstance(content, bytes) else content.encode()
    if mode == SUBMODULE:
        return b"M %s %s %s\n" % (mode.encode(), raw, quoted)
    return b"M %s inline %s\n%s" % (mode.encode(), quoted, _data(raw))


def _quoted(path: bytes) -> bytes:
    """Quote a path as git does, so that any byte may stand in it."""
    plain = b"".join(
        b"\\%03o" % byte if byte in b'"\\\n' or byte < 32 or byte > 126 else bytes([byte]) for byte in path
    )
    return b'"%s"' % plain
