"""A proposed change: a diff, from a file or of the current repository, and its intent."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.errors import CommandError

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REMOTE = re.compile(r"[:/]([\w-]+/[\w.-]+?)(?:\.git)?/?$")
_ONLY_DIFF = ("--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames")


@dataclass(frozen=True)
class Diff:
    """A diff, and the full id of the commit that it was made against, None if that is not known."""

    text: str
    base: str | None


def read_diff(file: str | None, base: str | None, pull_request: int | None) -> Diff:
    """Read the diff from a file, from stdin ("-"), or of the current repository.

    That is the current branch with what is not committed yet, against its merge base with `base`; without one against
    what is pushed if it is for a pull request, and else against the default branch. Raises CommandError,
    UnusableRepository and OSError.
    """
    if file is None:
        return _current_diff(base or (_pushed() if pull_request is not None else None))
    text = _text(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    if pull_request is not None or base is None or _COMMIT.fullmatch(base):
        return Diff(text, base)
    return Diff(text, _git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}") or _no_commit(base))


def read_intent(
    file: str | None, description: str | None, changes: Sequence[str], before: Mapping[str, Any]
) -> dict[str, Any]:
    """The intent of the change: the earlier one, then a JSON file, then options. Raises CommandError."""
    intent: Any = {}
    if file is not None:
        try:
            intent = json.loads(sys.stdin.read() if file == "-" else Path(file).read_text("utf-8"))
        except ValueError as error:
            raise CommandError(f"{file} is not JSON ({error}).") from error
        if not isinstance(intent, dict) or not set(intent) <= {"description", "changes"}:
            raise CommandError(f'{file} is not an object with "description" and "changes" and nothing else.')
    intent = {**{name: before[name] for name in ("description", "changes") if name in before}, **intent}
    if description is not None:
        intent["description"] = description
    if changes:
        intent["changes"] = [_change(text) for text in changes]
    if not intent.get("description"):
        raise CommandError("Say what the change does with --description, or in a file with --intent.")
    if not intent.get("changes"):
        raise CommandError('Give each change with its reason with --change "WHAT: WHY", or in a file with --intent.')
    return dict(intent)


def repository_of_remote() -> str:
    """The repository of the remote "origin", OWNER/NAME. Raises CommandError."""
    remote = _git("remote", "get-url", "origin")
    named = _REMOTE.search(remote) if remote else None
    if named is None:
        raise CommandError("The remote origin names no repository on GitHub: give one with --repo OWNER/NAME.")
    return named[1]


def _current_diff(base: str | None) -> Diff:
    from local.current_work import read_current_work  # noqa: PLC0415 - it takes a second, and other commands need none

    with tempfile.TemporaryDirectory(prefix="kodiai-") as scratch:
        work = read_current_work(Path.cwd(), base, Path(scratch))
        alone = {"HOME": scratch, "XDG_CONFIG_HOME": scratch, "GIT_CONFIG_NOSYSTEM": "1"}
        commit = _git("merge-base", work.base, work.head, folder=work.repository, **alone) or _no_commit(work.base)
        diff = _run("diff", *_ONLY_DIFF, commit, work.head, folder=work.repository, **alone).stdout
        return Diff(_text(diff), commit)


def _pushed() -> str:
    """The pushed part of the current branch. Raises CommandError."""
    pushed = _git("rev-parse", "--verify", "--quiet", "@{upstream}")
    if pushed is None:
        raise CommandError("The current branch has no upstream: name what the diff is against with --base.")
    return pushed


def _no_commit(name: str) -> str:
    raise CommandError(f"There is no commit {name} here: give its full id, or run this in its repository.")


def _change(text: str) -> dict[str, str]:
    what, colon, why = text.partition(": ")
    if not colon or not what.strip() or not why.strip():
        raise CommandError(f'{text!r} is not "WHAT: WHY", such as "close the file: it stays open after an error".')
    return {"what": what.strip(), "why": why.strip()}


def _text(diff: bytes) -> str:
    try:
        return diff.decode()
    except UnicodeDecodeError as error:
        raise CommandError("The diff is not UTF-8: other encodings cannot be proposed.") from error


def _git(*arguments: str, folder: Path | None = None, **environment: str) -> str | None:
    done = _run(*arguments, folder=folder, **environment)
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None


def _run(*arguments: str, folder: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Run git, here or in a bare repository."""
    place = [] if folder is None else ["--git-dir", str(folder)]
    return subprocess.run(  # noqa: S603 - git, with the arguments above
        ["git", *place, *arguments],  # noqa: S607 - the person's own git
        capture_output=True,
        check=False,
        env={**os.environ, **environment, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
    )
