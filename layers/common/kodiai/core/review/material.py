"""Material: what every reviewer is shown first: the pull request, its changes, and the code around them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.intent import intent
from kodiai.core.changes.show import show_file
from kodiai.core.conversation.comment import Thread, of_people
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import places
from kodiai.core.findings.source import ReadLines
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import Text
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.review.input import ReviewInput
from kodiai.core.words.incoming import cut, incoming, visible

_DESCRIPTION_CHARACTERS = 8_000
_ISSUE_CHARACTERS = 3_000
_GUIDANCE_CHARACTERS = 8_000
_COMMIT_CHARACTERS = 500
_MOST_COMMITS = 20
_MOST_LISTED = 50
_LONGEST_SAID = 1_000
_MOST_SAID = 6


@dataclass(frozen=True)
class Material:
    """The blocks that all conversations about one batch begin with.

    `beside` is what they show beside the changes, `left_out` how many of what there was no room for, with reasons.
    `not_in_key` is what of them may change from push to push without making another question of it.
    """

    blocks: tuple[Text, ...]
    beside: str
    not_in_key: str
    left_out: Counter[str]


class _Cuts:
    """Cuts texts to their budgets, and counts those that had to be."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()

    def __call__(self, what: str, text: str, characters: int) -> str:
        if len(text) > characters:
            self.left_out[f"{what} after {characters:,} characters"] += 1
        return cut(text, characters)


def material(
    review_input: ReviewInput, files: Sequence[ChangedFile], surroundings: Surroundings, *, again: bool
) -> Material:
    """Label what others wrote; each block ends where all calls of the run, or of the batch, have the same prefix.

    `again` is whether only what changed since the last review is shown: the rest is named, not shown.
    """
    cuts = _Cuts()
    described = f"# The pull request, as its author describes it\n\n{_json(_facts(review_input, cuts))}"
    beside, left_out = surroundings.of(files)
    texts = ["\n".join([f"# Its changes{' since the last review' if again else ''}", "", *map(show_file, files)])]
    if beside:
        texts.append(f"# Code around the changes\n\nIt stands at the head as it is here.\n\n{beside}")
    passing = _passing(review_input, files, cuts, again=again)
    blocks = [Text(described), *map(Text, texts), Text(passing, ends_prefix=True)]
    return Material(tuple(blocks), beside, passing, cuts.left_out + left_out)


def earlier_block(
    review_input: ReviewInput,
    earlier: Iterable[KnownFinding],
    read_lines: ReadLines,
    change_since: Callable[[KnownFinding], str],
) -> Text:
    """The earlier findings that are asked about, one JSON object a line, with how their files changed since."""
    rows = (_asked(review_input, each, read_lines, change_since(each)) for each in earlier)
    return Text("\n".join(["# Findings of earlier reviews", "", *rows]))


def role_block(prompts: Iterable[str]) -> Text:
    """What all reviewers of a batch are asked alike, which they read from the cache as they do the material."""
    return Text("\n\n".join(["# What every reviewer does", *(prompt.strip() for prompt in prompts)]), ends_prefix=True)


def part_block(name: str, prompts: Iterable[str]) -> Text:
    """What the model is to do with the material: the last block, and the only one that differs between reviewers."""
    return Text("\n\n".join([f"# Your part: {name}", *(prompt.strip() for prompt in prompts)]))


def _facts(review_input: ReviewInput, cuts: _Cuts) -> JsonObject:
    """What stays the same from push to push."""
    pull_request, on_github = review_input.pull_request, review_input.on_github
    described = intent(pull_request.body, on_github.templates)
    facts: dict[str, object] = {
        "repository": pull_request.repository,
        "number": pull_request.number,
        "title": incoming(pull_request.title),
        "description": cuts("end of the description", described, _DESCRIPTION_CHARACTERS),
    }
    issues = [
        {
            "issue": f"{issue.repository}#{issue.number}",
            "title": incoming(issue.title),
            "text": cuts("end of a linked issue", incoming(issue.body), _ISSUE_CHARACTERS),
        }
        for issue in on_github.issues
    ]
    guidance = [
        {
            "path": each.path,
            "text": cuts(f"end of {each.path}", each.text, _GUIDANCE_CHARACTERS // len(on_github.guidance)),
        }
        for each in on_github.guidance
    ]
    return {
        **facts,
        **({"closes": issues} if issues else {}),
        **({"guidance_of_the_base_branch": guidance} if guidance else {}),
    }


def _passing(review_input: ReviewInput, files: Sequence[ChangedFile], cuts: _Cuts, *, again: bool) -> str:
    """The commits, and which other files the pull request changes: another push may add to either."""
    here = {file.path for file in files}
    others = [file.path for file in review_input.files if file.path not in here]
    commits = [
        cuts("end of a commit message", visible(text), _COMMIT_CHARACTERS)
        for text in review_input.on_github.commits[-_MOST_COMMITS:]
    ]
    about = {
        "commits": commits,
        "files_reviewed_before" if again else "other_changed_files": others[:_MOST_LISTED],
        "and_more": len(others[_MOST_LISTED:]),
    }
    return f"# Its commits, and the other files that it changes\n\n{_json(about)}"


def _asked(review_input: ReviewInput, known: KnownFinding, read_lines: ReadLines, changed: str) -> str:
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
        "now": _now(known, read_lines),
        **({"change_since": changed} if changed else {}),
        "thread": said_in(review_input.threads.get(known.id)),
    }
    return _json(told)


def _now(known: KnownFinding, read_lines: ReadLines) -> str:
    path = known.finding.path
    if read_lines(path) is None:
        return "the file is gone"
    lines = [place.start_line for place in places(known.finding.quote, path, read_lines)]
    if not lines:
        return "is no longer in the file"
    return f"stands at line {min(lines, key=lambda line: abs(line - known.finding.start_line))}"


def said_in(thread: Thread | None) -> list[JsonObject]:
    """The last replies of of_people, oldest first, each cut to what an argument takes."""
    if thread is None:
        return []
    said = of_people(thread.replies)
    return [{"by": reply.author, "said": cut(incoming(reply.body), _LONGEST_SAID)} for reply in said[-_MOST_SAID:]]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
