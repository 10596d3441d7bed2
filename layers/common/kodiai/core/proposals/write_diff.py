"""Writes a diff."""

import difflib
from collections.abc import Mapping

from kodiai.core.proposals.target import TreeEntry


def diff_of(before: Mapping[str, TreeEntry | None], after: Mapping[str, TreeEntry | None]) -> str:
    """A diff as git writes it, of text files."""
    out = []
    for path in after:
        old, new = before.get(path), after[path]
        if old == new:
            continue
        a = old.content.decode().splitlines(keepends=True) if old else []
        b = new.content.decode().splitlines(keepends=True) if new else []
        out.append(f"diff --git a/{path} b/{path}\n")
        if old is None:
            out.append("new file mode 100644\n")
        if new is None:
            out.append("deleted file mode 100644\n")
        out += difflib.unified_diff(a, b, f"a/{path}" if old else "/dev/null", f"b/{path}" if new else "/dev/null")
    return "".join(out)
