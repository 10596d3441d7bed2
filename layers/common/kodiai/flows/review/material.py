"""Material: what the model is shown first: the pull request, its changes, and the findings of before."""

import json
from collections.abc import Sequence

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.show import show_file
from kodiai.core.conversation.stance import people
from kodiai.core.conversation.thread import Thread
from kodiai.core.findings.ground import NotGrounded, places
from kodiai.core.findings.known import KnownFinding
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.look_up import text_lines
from kodiai.ports import JsonObject, Tree

CACHED = {"cache_control": {"type": "ephemeral"}}
_LONGEST_DESCRIPTION = 8_000
_LONGEST_AGAIN = 1_000
_MOST_LISTED = 50
_LONGEST_SAID = 1_000
_MOST_SAID = 6


def material(
    gathered: Gathered, files: Sequence[ChangedFile], earlier: Sequence[KnownFinding], tree: Tree, *, again: bool
) -> list[JsonObject]:
    """Label what others wrote; the changes are the last of what stays the same from turn to turn.

    `again` is whether only what changed since the last review is shown: the rest is named, not shown.
    """
    pull_request = gathered.pull_request
    facts: dict[str, object] = {
        "repository": pull_request.repository,
        "number": pull_request.number,
        "title": pull_request.title,
        "description": pull_request.body[: _LONGEST_AGAIN if again else _LONGEST_DESCRIPTION],
    }
    if again:
        shown = {file.path for file in files}
        others = [file.path for file in gathered.files if file.path not in shown]
        facts["files_reviewed_before"] = others[:_MOST_LISTED]
        facts["and_more"] = len(others[_MOST_LISTED:])
    changes = "\n".join(show_file(file) for file in files)
    blocks = [
        f"# The pull request, as its author describes it\n\n{json.dumps(facts, ensure_ascii=False)}",
        f"# Its changes{' since the last review' if again else ''}\n\n{changes}",
    ]
    if earlier:
        blocks.append(
            "\n".join(["# Findings of earlier reviews", "", *(_asked(gathered, each, tree) for each in earlier)])
        )
    shown_blocks: list[JsonObject] = [{"type": "text", "text": text} for text in blocks]
    shown_blocks[-1] = {**shown_blocks[-1], **CACHED}
    return [*shown_blocks, {"type": "text", "text": "Review these changes."}]


def _asked(gathered: Gathered, known: KnownFinding, tree: Tree) -> str:
    """One finding, with where its code stands now and what was said of it, on one line."""
    finding = known.finding
    told = {
        "finding": known.id,
        "severity": finding.severity,
        "category": finding.category,
        "path": finding.path,
        "title": finding.title,
        "explanation": finding.explanation,
        "quote": finding.quote,
        "now": _now(known, tree),
        "thread": _said(gathered.threads.get(known.id)),
    }
    return json.dumps(told, ensure_ascii=False)


def _now(known: KnownFinding, tree: Tree) -> str:
    path = known.finding.path
    lines = text_lines(tree, path)
    if lines is None:
        return "the file is gone"
    try:
        start, _ = min(
            places(known.finding.quote, path, lambda _: lines),
            key=lambda place: abs(place[0] - known.finding.start_line),
        )
    except NotGrounded:
        return "is no longer in the file"
    return f"stands at line {start}"


def _said(thread: Thread | None) -> list[JsonObject]:
    """The last replies of people, oldest first, each cut to what an argument takes."""
    if thread is None:
        return []
    said = people(thread.replies)
    return [{"by": reply.author, "said": reply.body[:_LONGEST_SAID]} for reply in said[-_MOST_SAID:]]
