"""Things of the field, ready to use: each builder takes what matters to a test and fills in the rest."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Scope, Skipped
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import finding_id
from kodiai.core.findings.judge import Dropped, Judgement, Kept
from kodiai.core.words.review import Telling

HEAD = "a1b2c3d4" * 5
RUN = "1f2e3d4c5b6a7980"
PATCH = "@@ -1,2 +1,3 @@\n import os\n+import sys\n print(os.name)"


def a_file(path: str = "src/app.py", **given: Any) -> ChangedFile:
    """A changed file; its counts follow from its patch unless they are given."""
    patch = given.get("patch", PATCH)
    rows = (patch or "").split("\n")
    return ChangedFile(
        **{
            "path": path,
            "status": "modified",
            "blob": "b" * 40,
            "additions": sum(row.startswith("+") for row in rows),
            "deletions": sum(row.startswith("-") for row in rows),
            "patch": patch,
            **given,
        }
    )


def added(path: str, *lines: str, **given: Any) -> ChangedFile:
    """A new file with these lines."""
    patch = "\n".join([f"@@ -0,0 +1,{len(lines)} @@", *(f"+{line}" for line in lines)])
    return a_file(path, **{"patch": patch, "status": "added", **given})


def a_finding(**given: Any) -> Finding:
    """A finding that blocks, on line 12 of src/app.py."""
    start = given.get("start_line", 12)
    return Finding(
        **{
            "severity": "MAJOR",
            "category": "correctness",
            "kind": "impact",
            "path": "src/app.py",
            "start_line": start,
            "end_line": start,
            "title": "The total is read before it is set",
            "explanation": "An empty list leaves `total` unset, so the first report fails.",
            "quote": "return total",
            **given,
        }
    )


def kept(finding: Finding, *, inline: bool = True) -> Kept:
    """A finding that is told, under its own id."""
    return Kept(finding_id(finding), finding, inline)


def a_judgement(findings: Iterable[Finding] = (), dropped: Iterable[Dropped] = ()) -> Judgement:
    """A judgement that tells these findings and holds those back."""
    return Judgement(tuple(kept(finding) for finding in findings), tuple(dropped))


def a_scope(files: Sequence[ChangedFile] | None = None, skipped: Sequence[Skipped] = (), **given: Any) -> Scope:
    """A first, full look at one file in one batch."""
    read = tuple([a_file()] if files is None else files)
    return Scope(
        **{
            "mode": "full",
            "reason": "no-prior-review",
            "tier": "lite",
            "batches": (read,) if read else (),
            "skipped": tuple(skipped),
            "total_files": len(read) + len(skipped),
            "total_hunks": sum(len(file.hunks) for file in read),
            **given,
        }
    )


def a_telling(**given: Any) -> Telling:
    """The facts of a short and cheap run."""
    return Telling(
        **{
            "run": RUN,
            "head": HEAD,
            "what_changed": ["The report is written as a stream."],
            "strengths": [],
            "suggestions": [],
            "problems": [],
            "models": ["claude-sonnet-5-5", "claude-haiku-5-5"],
            "input_tokens": 12_345,
            "output_tokens": 678,
            "cached_tokens": 9_000,
            "cost_usd": 0.0123,
            "seconds": 41.6,
            **given,
        }
    )


class FilesTree:
    """A repository's files at one commit, held in memory."""

    def __init__(self, files: Mapping[str, bytes | str], *, searchable: bool = True) -> None:
        self.searchable = searchable
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    def paths(self) -> Sequence[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)
