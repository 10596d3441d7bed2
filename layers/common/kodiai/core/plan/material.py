"""Material: what the model is shown: the pull request, its changes, the code around them, and earlier findings."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.intent import intent
from kodiai.core.changes.show import show_files
from kodiai.core.config.keys import Instruction
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.source import ReadLines
from kodiai.core.github.comment import Thread, of_people
from kodiai.core.json_object import JsonObject
from kodiai.core.memory.recall import Recollection
from kodiai.core.model.messages import Text
from kodiai.core.plan.earlier import nearest_place
from kodiai.core.plan.guidance import ShownGuidance, shown_guidance
from kodiai.core.plan.guidance_files import nearest_first
from kodiai.core.plan.input import ReviewInput
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.incoming import cut, incoming, visible

INSTRUCTIONS = "Instructions for these files"
_DESCRIPTION_CHARACTERS = 8_000
_ISSUE_CHARACTERS = 3_000
_INSTRUCTION_CHARACTERS = 12_000
_MOST_INSTRUCTED = 20
_COMMIT_CHARACTERS = 500
_MOST_COMMITS = 20
_MOST_CHECKS = 50
_MOST_ANNOTATIONS = 20
_ANNOTATION_CHARACTERS = 300
_MOST_LISTED = 50
_LONGEST_SAID = 1_000
_MOST_SAID = 6

_CHECKS = """These are facts about the head. A failed check may be a reason to look closer.
What an annotation says of a line is reported already: do not repeat it as a finding."""


@dataclass(frozen=True)
class Material:
    """The blocks that all conversations about one batch begin with.

    `not_in_key` are the texts among them that another push may change without making it another question.
    `left_out` counts what there was no room for, by reason. `is_instructed` is whether instructions are among them,
    `guidance` what of the base branch's guidance is.
    """

    blocks: tuple[Text, ...]
    not_in_key: tuple[str, ...]
    left_out: Counter[str]
    is_instructed: bool = False
    guidance: Sequence[ShownGuidance] = ()


def _cut(left_out: Counter[str], what: str, text: str, characters: int) -> str:
    """A text cut to its budget; one that is too long is counted."""
    if len(text) > characters:
        left_out[f"{what} after {characters:,} characters"] += 1
    return cut(text, characters)


def material(
    review_input: ReviewInput,
    files: Sequence[ChangedFile],
    around: tuple[str, Counter[str]],
    recollection: Recollection,
    *,
    again: bool,
) -> Material:
    """The material of a batch; each block ends where all calls of the run, or of the batch, have the same prefix.

    `files` are as they are shown, `around` is the code around their changes, with what was left out of it. `again` is
    whether only what changed since the last review is shown, and the other files are named.
    """
    left_out: Counter[str] = Counter()
    on_github, patterns = review_input.on_github, review_input.config.review.guidance
    ranks = nearest_first(on_github.guidance, [file.path for file in files], patterns)
    guidance = shown_guidance(ranks, left_out)
    described = f"# The pull request, as its author describes it\n\n{_json(_facts(review_input, guidance, left_out))}"
    texts = ["\n".join([f"# Its changes{' since the last review' if again else ''}", "", *show_files(files)])]
    left_out["outputs and metadata of a notebook"] = sum(bool(file.left_out) for file in files)
    if around[0]:
        texts.append(f"# Code around the changes\n\nIt stands at the head as it is here.\n\n{around[0]}")
    instructions = _instructions(review_input.config.review.instructions, files, left_out)
    if instructions:
        texts.append(f"# {INSTRUCTIONS}\n\n{json_rows(instructions)}")
    checks = _checks(review_input, files, left_out)
    others = _commits_and_other_files(review_input, files, left_out, again=again)
    blocks = [
        Text(described, ends_prefix=True),
        *map(Text, texts),
        *recollection.blocks,
        *map(Text, checks),
        Text(others, ends_prefix=True),
    ]
    not_in_key = (*recollection.not_in_key, *checks, others)
    return Material(tuple(blocks), not_in_key, left_out + around[1], bool(instructions), guidance)


def rows_block(heading: str, rows: Iterable[JsonObject]) -> Text:
    """A block that lists one JSON object a line under a heading."""
    return Text(f"# {heading}\n\n{json_rows(rows)}")


def json_rows(rows: Iterable[JsonObject]) -> str:
    """One JSON object a line."""
    return "\n".join(map(_json, rows))


def part_block(name: str, prompts: Iterable[str]) -> Text:
    """The model's own instructions: the last block, and the only one that differs between reviewers."""
    return Text("\n\n".join([f"# Your part: {name}", *(prompt.strip() for prompt in prompts)]))


def _facts(review_input: ReviewInput, guidance: Sequence[ShownGuidance], left_out: Counter[str]) -> JsonObject:
    """The facts that the author and the repository give, which stay the same from push to push."""
    pull_request, on_github = review_input.pull_request, review_input.on_github
    described = intent(pull_request.body, on_github.templates)
    facts: dict[str, object] = {
        "repository": pull_request.repository,
        "number": pull_request.number,
        "title": incoming(pull_request.title),
        "description": _cut(left_out, "end of the description", described, _DESCRIPTION_CHARACTERS),
    }
    issues = [
        {
            "issue": f"{issue.repository}#{issue.number}",
            "title": incoming(issue.title),
            "text": _cut(left_out, "end of a linked issue", incoming(issue.body), _ISSUE_CHARACTERS),
        }
        for issue in on_github.issues
    ]
    if issues:
        facts["closes"] = issues
    if guidance:
        facts["guidance_of_the_base_branch"] = [each.row for each in guidance]
    return facts


def _instructions(
    instructions: Sequence[Instruction], files: Sequence[ChangedFile], left_out: Counter[str]
) -> list[JsonObject]:
    """The maintainers' instructions for these files, each with the patterns and the files that it is for."""
    rows: list[JsonObject] = []
    room = _INSTRUCTION_CHARACTERS
    paths = dict.fromkeys(file.path for file in files)
    for each in instructions:
        here = [path for path in paths if matches_any(path, each.paths)]
        if not here:
            continue
        if len(each.text) > room:
            left_out[f"path instructions after {_INSTRUCTION_CHARACTERS:,} characters"] += 1
        if room:
            more = {"and_more_files": len(here) - _MOST_INSTRUCTED} if len(here) > _MOST_INSTRUCTED else {}
            shown = {"paths": each.paths, "files": here[:_MOST_INSTRUCTED], **more}
            rows.append({**shown, "instruction": cut(each.text, room)})
        room = max(0, room - len(each.text))
    return rows


def _checks(review_input: ReviewInput, files: Sequence[ChangedFile], left_out: Counter[str]) -> list[str]:
    """The results of other Apps' checks of the head, failed ones first, and their annotations on changed lines.

    GitHub shows annotations as plain text, and so does this.
    """
    checks = sorted(review_input.on_github.ci.checks, key=lambda check: check.outcome == "passed")
    if not checks:
        return []
    rows: list[JsonObject] = [
        {"check": _plain(check.name), "result": check.state, "required": check.is_required}
        for check in checks[:_MOST_CHECKS]
    ]
    by_path = {file.path: file for file in files}
    notes = {
        (note.path, note.start_line, note.end_line, _plain(note.title), _plain(note.message)): _plain(check.name)
        for check in checks
        for note in check.annotations
        if note.path in by_path and by_path[note.path].touches(note.start_line, note.end_line)
    }
    for (path, start, end, title, message), name in list(notes.items())[:_MOST_ANNOTATIONS]:
        lines = f"{start}" if start == end else f"{start}-{end}"
        rows.append({"check": name, "path": path, "lines": lines, "title": title, "message": message})
    for what, more in (("checks", len(checks) - _MOST_CHECKS), ("annotations", len(notes) - _MOST_ANNOTATIONS)):
        if more > 0:
            left_out[f"{what} of other tools"] += more
    return [f"# Its checks by other tools\n\n{_CHECKS}\n\n{json_rows(rows)}"]


def _plain(text: str) -> str:
    return cut(visible(text), _ANNOTATION_CHARACTERS)


def _commits_and_other_files(
    review_input: ReviewInput, files: Sequence[ChangedFile], left_out: Counter[str], *, again: bool
) -> str:
    """The commits, and the other files that the pull request changes: another push may add to either."""
    here = {file.path for file in files}
    others = [file.path for file in review_input.files if file.path not in here]
    commits = [
        _cut(left_out, "end of a commit message", visible(text), _COMMIT_CHARACTERS)
        for text in review_input.on_github.commits[-_MOST_COMMITS:]
    ]
    about = {
        "commits": commits,
        "files_reviewed_before" if again else "other_changed_files": others[:_MOST_LISTED],
        "and_more": len(others[_MOST_LISTED:]),
    }
    return f"# Its commits, and the other files that it changes\n\n{_json(about)}"


def listed_row(finding: Finding) -> JsonObject:
    """A finding in a list of those that need not be reported again."""
    return {"title": finding.title, "path": finding.path, "lines": finding.lines, "severity": finding.severity}


def recheck_row(review_input: ReviewInput, known: KnownFinding, view: RepositoryView) -> JsonObject:
    """An earlier finding as a reviewer is asked about it: where its code is now, and what people said about it."""
    finding = known.finding
    thread = recent_replies(review_input.threads.get(known.id))
    return {
        "finding": known.id,
        "severity": finding.severity,
        "category": finding.category,
        "path": finding.path,
        "title": finding.title,
        "explanation": finding.explanation,
        "quote": finding.quote,
        "now": _now(finding, view.lines),
        **({"thread": thread} if thread else {}),
    }


def _now(finding: Finding, read_lines: ReadLines) -> str:
    if read_lines(finding.path) is None:
        return "the file is gone"
    place = nearest_place(finding, read_lines)
    return f"stands at line {place.start_line}" if place is not None else "is no longer in the file"


def recent_replies(thread: Thread | None) -> list[JsonObject]:
    """The last replies of people, oldest first, each cut to what an argument takes."""
    said = of_people(thread.replies) if thread is not None else []
    return [{"by": reply.author, "said": cut(incoming(reply.body), _LONGEST_SAID)} for reply in said[-_MOST_SAID:]]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
