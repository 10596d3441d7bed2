"""The shares of the first reader's first request: what of it is the change, and what is around it."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Push, one_hunk_push
from bench.system import System, a_system
from bench.table import Table
from local.model import ModelRequest, OfflineReviewer, is_find
from local.model.tokens import tokens_in

_BASE = {".kodiai.yml": b"review: {triggers: {onSynchronize: true}}", "AGENTS.md": b"Functions are short.\n" * 200}
_BEGINNINGS = "# Its changes", "# Code around the changes"
_FILE, _ROW = re.compile(r'FILE "(.*)" lines '), re.compile(r" *(\d+) \| ")


@dataclass(frozen=True)
class Shares:
    """The first request of a review: its tokens by the stand-in's measure, and the shares of its parts in percent.

    `repeated` is the part of the code around that the hunks show too; `instructions` are system prompt and part.
    """

    review: str
    tokens: int
    percent: Mapping[str, float]


def measured(quick: bool) -> list[Table]:
    """A row for the first review of each made pull request, and one for a push of one hunk to it."""
    rows: list[Shares] = []
    for files in (6,) if quick else (6, 24):
        with tempfile.TemporaryDirectory() as folder:
            pushes = one_hunk_push(made := Path(folder) / "cases", files)
            with a_system(made, OfflineReviewer()) as system:
                first, second = _first_requests(system, pushes)
        rows += [shares_of(f"{files} files", first), shares_of(f"one hunk of {files} files", second)]
    return [Table.of("Shares of the first reader's first request, in percent", rows)]


def _first_requests(system: System, pushes: list[Push]) -> Iterator[ModelRequest]:
    number = system.github.open_pull_request(pushes[0].head, pushes[0].base, title="made", base_files=_BASE)
    for push in pushes:
        asked = len(system.asked)
        if push != pushes[0]:
            system.github.push(number, push.head, push.base, base_files=_BASE)
        system.outcome()
        yield next(ModelRequest(each.body) for each in system.asked[asked:] if is_find(each.body))


def shares_of(review: str, request: ModelRequest) -> Shares:
    """Measure one request."""
    hunks, around = ("\n".join(text for text in request.texts if text.startswith(each)) for each in _BEGINNINGS)
    texts = {
        "hunks": hunks,
        "around": around,
        "repeated": "\n".join(_repeated(around, request)),
        "guidance": json.dumps(request.facts.get("guidance_of_the_base_branch", "")),
        "instructions": json.dumps(request.body["system"]) + request.texts[-1],
        "tools": json.dumps(request.body.get("tools", [])),
    }
    every = tokens_in("".join(json.dumps(request.body.get(part, "")) for part in ("system", "tools", "messages")))
    return Shares(review, every, {what: 100 * tokens_in(text) / every for what, text in texts.items()})


def _repeated(around: str, request: ModelRequest) -> Iterator[str]:
    """The rows around the changes that the hunks show too."""
    rows = ((change.path, row) for change in request.changes for _, hunk in change.hunks for row in hunk)
    shown, path = {(name, row.number) for name, row in rows}, ""
    for line in around.split("\n"):
        if found := _FILE.match(line):
            path = found[1]
        elif (row := _ROW.match(line)) and (path, int(row[1])) in shown:
            yield line
