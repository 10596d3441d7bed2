"""The page of one file at a commit. It is read from git's objects, never from a folder."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_to_bytes

from markupsafe import Markup
from starlette.requests import Request

from local.github.answers import not_found
from local.github.contents import find_entry
from local.github.hosted_repository import HostedRepository
from local.github.repository import Entry
from local.page.page_request import Context
from local.rendering.highlight import highlight_file

_REF = re.compile(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\{}]+")
_MOST_PARTS = 8  # of a branch's name
_LARGEST = 1_000_000  # bytes
_MOST_LINES = 20_000
_SNIFFED = 8_000  # bytes in which git looks for the zero byte of a binary file
_LINK = "120000"


def view(repository: HostedRepository, request: Request) -> Context:
    """The values that the page shows for a URL that ends as in "main/docs/a.md". Raises ApiError."""
    address = unquote_to_bytes(request.scope["raw_path"])  # a path need not be UTF-8
    for ref, path in _divisions(address.removeprefix(f"/{repository.full_name}/blob/".encode())):
        commit = repository.copy.tip(ref)
        entry = find_entry(repository, commit, path) if commit else None
        if commit and entry and entry.type != "tree":
            note, lines = _content(repository, entry)
            shown = {"ref": ref, "commit": commit, "path": entry.name, "size": entry.size}
            return {**shown, "note": note, "lines": lines}
    raise not_found()


def _divisions(address: bytes) -> Iterator[tuple[str, bytes]]:
    """Every way to divide an address into a ref and a path: a branch's name may have slashes, as a path may."""
    parts = address.split(b"/")
    for count in range(1, min(len(parts), _MOST_PARTS + 1)):
        ref = b"/".join(parts[:count]).decode("utf-8", "replace")
        if _REF.fullmatch(ref):
            yield ref, b"/".join(parts[count:])


def _content(repository: HostedRepository, entry: Entry) -> tuple[str, Sequence[Markup]]:
    """Give a file's lines, or say why there are none."""
    if entry.type == "commit":
        return f"Submodule at commit {entry.sha}.", ()
    if (entry.size or 0) > _LARGEST:
        return "This file is too large to be shown.", ()
    content = repository.copy.git("cat-file", "blob", entry.sha)
    if b"\0" in content[:_SNIFFED]:
        return "Binary file not shown.", ()
    lines = content.decode("utf-8", "replace").removesuffix("\n").split("\n") if content else []
    if len(lines) > _MOST_LINES:
        return f"This file has too many lines to be shown: {len(lines):,}.", ()
    note = "Symbolic link to:" if entry.mode == _LINK else "" if lines else "Empty file."
    return note, highlight_file(entry.name, lines)
