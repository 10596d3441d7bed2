"""The material about a proposal for a model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from kodiai.core.changes.show import one_line
from kodiai.core.code.parser import CodeParser
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import TreeEntry
from kodiai.core.findings.finding import Finding
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import Text
from kodiai.core.plan.material import rows_block
from kodiai.core.proposals.proposal import Content, Proposal
from kodiai.core.repository.tree import lines_of
from kodiai.core.text.incoming import incoming

_MOST_DIFF_CHARACTERS = 300_000
_SHOWN = ("severity", "category", "path", "lines", "title", "problem", "explanation", "quote", "fix")


def finding_row(finding: Finding, now: str) -> JsonObject:
    """A finding that is to be fixed; `now` is where its code is at the head."""
    replacement = {} if finding.replacement is None else {"replacement": finding.replacement}
    return {"now": now, **_reviewed_row(finding), **replacement}


def _reviewed_row(finding: Finding) -> JsonObject:
    """A finding as the reviewer of its fix is shown it: without the replacement, which the diff may just repeat."""
    return {name: value for name in _SHOWN if (value := getattr(finding, name))}


def problem_row(problem: Problem) -> JsonObject:
    """A reason why a diff does not apply."""
    return problem.model_dump(exclude_defaults=True, mode="json")


def is_too_long(content: Content) -> bool:
    """Whether a diff is longer than a model is shown."""
    return len(content.diff) > _MOST_DIFF_CHARACTERS


def review_blocks(
    proposal: Proposal,
    content: Content,
    findings: Sequence[Finding],
    before: Mapping[str, TreeEntry],
    changes: Mapping[str, TreeEntry | None],
    parser: CodeParser,
) -> tuple[Text, ...]:
    """Show a proposal to its reviewer: its intent, the findings that it is to fix, its diff, and facts."""
    intent = content.intent
    facts = {
        "repository": proposal.repository,
        "description": incoming(intent.description),
        "changes": [{"what": incoming(each.what), "why": incoming(each.why)} for each in intent.changes],
        "files": [each.model_dump(exclude_none=True) for each in proposal.files],
    }
    request = proposal.origin.request if proposal.origin is not None else ""
    asked = {"by": proposal.proposer.login, "said": request}
    shown = "\n".join(f"| {one_line(line)}" for line in content.diff.split("\n"))
    notes = tuple(_notes(before, changes, parser))
    return (
        Text(f"# The proposal\n\n{json.dumps(facts, ensure_ascii=False)}"),
        *((rows_block("Findings that it is to fix", map(_reviewed_row, findings)),) if findings else ()),
        *((rows_block("What somebody asked for", [asked]),) if request else ()),
        Text(f"# The diff\n\n{shown}"),
        *((Text("# Notes\n\n" + "\n".join(f"- {note}" for note in notes)),) if notes else ()),
    )


def _notes(
    before: Mapping[str, TreeEntry], changes: Mapping[str, TreeEntry | None], parser: CodeParser
) -> Iterator[str]:
    """Files that parsed before the change, or that are new, and do not parse with it."""
    for path, entry in changes.items():
        error = _first_error(path, entry, parser)
        if error is not None and _first_error(path, before.get(path), parser) is None:
            yield f"{path} has a syntax error at line {error} with the change, and had none before."


def _first_error(path: str, entry: TreeEntry | None, parser: CodeParser) -> int | None:
    lines = lines_of(entry.content) if entry is not None else None
    with suppress(ValueError):
        return parser.first_error(path, lines) if lines is not None else None
    return None
