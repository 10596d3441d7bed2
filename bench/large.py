"""Large pull requests and large reviews, made up: as many hunks, files and findings as a benchmark asks for.

What is alike is the worst case for what compares: every hunk then has the same key, and every quote stands everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import NO_DIFFERENCE, Snapshot, difference
from kodiai.core.code.parser import DirectParser
from kodiai.core.config import Config
from kodiai.core.conversation.comment import Reply, Thread
from kodiai.core.conversation.stance import ThreadReader
from kodiai.core.findings.finding import SEVERITIES, Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.source import ReadLines
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.input import ReviewInput

HEAD, LAST_HEAD, BASE = "a1b2c3d4" * 5, "0123abcd" * 5, "b" * 40
PARSER = DirectParser()
_ROWS = 8
_CHANGED = 4


@dataclass(frozen=True)
class LargeFile:
    """A file with a change: as it is changed, and its lines before and after."""

    changed: ChangedFile
    then: list[str]
    now: list[str]


def large_file(
    hunks: int, path: str = "src/app.py", *, alike: bool = False, suffix: str = "", **given: Any
) -> LargeFile:
    """A file of eight lines for each hunk, of which each replaces one by two; `suffix` ends the new lines."""
    then: list[str] = []
    now: list[str] = []
    patch = []
    for number in range(hunks):
        tag = "" if alike else f"_{number}"
        rows = [f"    row{tag} = {at}" for at in range(_ROWS)]
        new = [f"    total{tag} = add(row{tag}, {at}){suffix}" for at in range(2)]
        first, shift = _CHANGED, len(now) - len(then)
        start = len(then) + first
        patch.append(f"@@ -{start},3 +{start + shift},4 @@ def of{tag}(row):")
        patch += [f" {rows[first - 1]}", f"-{rows[first]}", *(f"+{row}" for row in new), f" {rows[first + 1]}"]
        then += rows
        now += [*rows[:first], *new, *rows[first + 1 :]]
    text = "\n".join(patch) or None
    values = {"path": path, "status": "modified", "blob": f"{hunks:x}{suffix}", "patch": text}
    changed = ChangedFile(**{**values, "additions": 2 * hunks, "deletions": hunks, **given})
    return LargeFile(changed, then, now)


def large_files(hunks: int, files: int, **given: Any) -> list[LargeFile]:
    """As many files, which share the hunks."""
    return [large_file(max(hunks // files, 1), f"src/part_{at}/app.py", **given) for at in range(files)]


def large_finding(number: int, path: str, quote: str, line: int, **given: Any) -> Finding:
    """A finding on one line."""
    values = {
        "severity": SEVERITIES[number % len(SEVERITIES)],
        "category": "correctness",
        "kind": "impact",
        "path": path,
        "start_line": line,
        "end_line": line,
        "title": f"The total of row {number} is read before it is set",
        "explanation": "An empty list leaves it unset, so that the first report of a month fails with an error.",
        "problem": "An empty list leaves it unset, so that the first report of a month fails with an error.",
        "quote": quote,
    }
    return Finding(**{**values, **given})


def findings_in(file: LargeFile, count: int, **given: Any) -> list[Finding]:
    """Findings about new lines of a file, spread over all of it; each quotes its own line."""
    added = [line for hunk in file.changed.hunks for line in hunk.lines if line.marker == "+"]
    at = (added[number * len(added) // count] for number in range(count))
    return [
        large_finding(number, file.changed.path, line.text, line.new or 1, **given) for number, line in enumerate(at)
    ]


def known_as(finding: Finding, number: int, **given: Any) -> KnownFinding:
    """A finding of an earlier review that is open."""
    return KnownFinding(
        **{"id": f"F-{number:012x}", "finding": finding, "status": "open", "comment_id": str(number), **given}
    )


def thread_about(known: KnownFinding, replies: int = 1) -> Thread:
    """Its open thread, in which somebody has said something as often as that."""
    said = tuple(Reply(f"{known.comment_id}-{at}", "ann", is_bot=False, body=f"Done in {at}.") for at in range(replies))
    return Thread(f"T-{known.id}", known.id, known.comment_id or "1", None, can_resolve=True, replies=said)


def reading(files: Sequence[LargeFile]) -> ReadLines:
    """These files at the head."""
    return ReadLines({file.changed.path: file.now for file in files}.get, PARSER)


class MemoryTree:
    """The tree of these files."""

    searchable = True

    def __init__(self, files: Sequence[LargeFile]) -> None:
        self._files = {file.changed.path: file.now for file in files}

    def paths(self) -> Sequence[str]:
        """All paths."""
        return sorted(self._files)

    def read(self, path: str) -> bytes | None:
        """A file's bytes."""
        return "\n".join(self._files[path]).encode() if path in self._files else None


def view_of(files: Sequence[LargeFile]) -> RepositoryView:
    """The repository with these files and no others."""
    return RepositoryView(MemoryTree(files), PARSER)


def large_input(
    now: Sequence[LargeFile],
    before: Sequence[LargeFile] | None = None,
    known: Sequence[KnownFinding] = (),
    threads: Mapping[str, Thread] | None = None,
) -> ReviewInput:
    """The input of a review of files, after one of them as they were `before`."""
    seen = Snapshot.of([file.changed for file in now], "settings")
    last = Snapshot.of([file.changed for file in before], "settings") if before is not None else None
    since = difference(seen, last) if last else None
    pull_request = PullRequest(
        repository="octo/app",
        repository_id=1,
        is_private=True,
        number=7,
        url="https://github.com/octo/app/pull/7",
        title="Add totals",
        body="",
        author="octocat",
        author_is_bot=False,
        state="open",
        is_merged=False,
        draft=False,
        head=HEAD,
        base=BASE,
        base_ref="main",
    )
    return ReviewInput(
        trigger="synchronize",
        on_github=PullRequestSnapshot(pull_request, None),
        config=Config(),
        files=tuple(file.changed for file in now),
        snapshot=seen.after(last) if last else seen,
        previous_head=LAST_HEAD if last else None,
        previous_snapshot=last,
        difference=since,
        known=known,
        threads=threads or {},
        reader=ThreadReader("kodiai[bot]", frozenset({"kodiai"}), "octocat", lambda login: login == "ann"),
        problems=(),
        since=since or NO_DIFFERENCE,
    )
