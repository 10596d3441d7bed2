"""The policy of proposals: changes that none may make, though git could."""

from collections.abc import Mapping, Sequence

from kodiai.core.changes.globs import matches_any
from kodiai.core.diffs.diff import read_diff
from kodiai.core.diffs.paths import unsafe_path
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import LINK, SUBMODULE, TreeEntry
from kodiai.core.text.deception import new_deception
from kodiai.core.text.secrets import Secret, secrets_in

_WORKFLOWS = ".github/workflows"


def forbidden_paths(diff: str, deny_paths: Sequence[str]) -> tuple[Problem, ...]:
    """The paths of a diff that no proposal may touch, by their old and their new names.

    `deny_paths` are the patterns of the settings. A diff that cannot be read has problems in `apply_diff`.
    """
    names = (name for file in read_diff(diff) for name in (file.old_name, file.new_name) if name is not None)
    problems = ((name, _why_forbidden(name, deny_paths)) for name in dict.fromkeys(names))
    return tuple(Problem(message=why, path=name) for name, why in problems if why is not None)


def new_links(changes: Mapping[str, TreeEntry | None]) -> tuple[Problem, ...]:
    """The symbolic links and submodules that a change makes or changes; it may remove them."""
    return tuple(
        Problem(message="A proposal may neither make nor change symbolic links and submodules.", path=path)
        for path, entry in changes.items()
        if entry is not None and entry.mode in (LINK, SUBMODULE)
    )


def new_secrets(before: Mapping[str, TreeEntry], changes: Mapping[str, TreeEntry | None]) -> tuple[Problem, ...]:
    """The secrets that a change brings into files: those that none of the files had before.

    A problem names the kind of the secret and its line, and never the secret.
    """
    known = {value for entry in before.values() for value, _ in _secrets(_text(entry.content))}
    return tuple(
        Problem(
            message=f"The change brings {kind} into line {line} of the file: take it out, and revoke it.",
            path=path,
            line=line,
        )
        for path, entry in changes.items()
        if entry is not None
        for line, kind in _new_in(entry, known)
    )


def new_deceptions(before: Mapping[str, TreeEntry], changes: Mapping[str, TreeEntry | None]) -> tuple[Problem, ...]:
    """Deceptions that a change brings into files or their names.

    It counts as new if no file of the change had it. Files that are no UTF-8 text are not looked at.
    """
    known = "\n".join(_text(entry.content) for entry in before.values())
    found = (
        (path, new_deception(path, "") or (new_deception(_utf8(entry.content), known) if entry is not None else None))
        for path, entry in changes.items()
        if path not in before or entry is not None
    )
    return tuple(Problem(message=f"The change brings {what} into the file.", path=path) for path, what in found if what)


def _utf8(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""


def _why_forbidden(path: str, deny_paths: Sequence[str]) -> str | None:
    unsafe = unsafe_path(path)
    if unsafe is not None:
        return f"The path may not be written: {unsafe}."
    if f"{path}/".lower().startswith(f"{_WORKFLOWS}/"):
        return "A proposal may not change workflows of GitHub Actions."
    if matches_any(path, deny_paths):
        return "`proposals.denyPaths` in the settings does not allow proposals to change this path."
    return None


def _new_in(entry: TreeEntry, known: set[str]) -> list[tuple[int, str]]:
    """The line and the kind of each secret of a file that is not known, in the order of the lines."""
    text = _text(entry.content)
    new = (secret for value, secret in _secrets(text) if value not in known)
    return sorted({(text.count("\n", 0, secret.start) + 1, secret.name) for secret in new})


def _secrets(text: str) -> list[tuple[str, Secret]]:
    """The secrets of a text, each with its value."""
    return [(text[secret.start : secret.end], secret) for secret in secrets_in(text)]


def _text(content: bytes) -> str:
    """The content as it is searched: bytes that are no UTF-8 one by one, the letters of UTF-16 side by side."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\0", "")
