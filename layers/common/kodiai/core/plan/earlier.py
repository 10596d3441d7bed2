"""Earlier findings: where their code is now, how it changed, and which ones the model is asked about again."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

from kodiai.core.changes.line_matcher import LineMatcher
from kodiai.core.changes.long_lines import cuts
from kodiai.core.changes.patch import without_spaces
from kodiai.core.changes.snapshot import Difference
from kodiai.core.code.identifiers import names_in
from kodiai.core.code.names import is_builtin
from kodiai.core.code.parser import CodeParser
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import code_exists
from kodiai.core.findings.places import Located, SearchedCode
from kodiai.core.findings.source import ReadLines
from kodiai.core.plan.input import ReviewInput
from kodiai.core.repository.view import RepositoryView

_MOST_DIFF_LINES = 160
_CONTEXT_LINES = 5
_SHORTEST_NAME = 3
# That a shorter quote also occurs somewhere else means nothing.
_SHORTEST_QUOTE = 8
_WORD = re.compile(r"\w+")


def moved_code(review_input: ReviewInput, read_lines: ReadLines) -> dict[str, str]:
    """The changed file that now has a finding's code as new lines, by the finding's id, if its own file lost it."""
    if review_input.difference is None:
        return {}
    lost = [(known, path) for known in review_input.known if (path := _lost_from(review_input, known, read_lines))]
    if not lost:
        return {}
    paths = [file.path for file in review_input.files]
    added = [
        [line.text for hunk in review_input.new_hunks(path) for line in hunk.lines if line.marker == "+"]
        for path in paths
    ]
    code = SearchedCode(
        added, lambda: [row for each in zip(paths, added, strict=True) for row in read_lines.without_comments(*each)]
    )
    holders = cache(code.holders)
    moved = (
        (known, min((at for at in holders(known.finding.quote) if paths[at] != path), default=None))
        for known, path in lost
    )
    return {known.id: paths[at] for known, at in moved if at is not None}


def _lost_from(review_input: ReviewInput, known: KnownFinding, read_lines: ReadLines) -> str | None:
    """The path that the file of a finding has now, None if the code is still there, or too short to look for."""
    quote, path = known.finding.quote, review_input.path_now(known.finding.path)
    is_there = len(without_spaces(quote)) < _SHORTEST_QUOTE or code_exists(quote, path, read_lines)
    return None if is_there else path


def nearest_place(finding: Finding, read_lines: ReadLines) -> Located | None:
    """The place of a finding's code that is closest to where the code was, None if it is gone."""
    return read_lines.places(finding.quote, finding.path).closest(finding.start_line)


def at_head(review_input: ReviewInput, moved: Mapping[str, str], known: KnownFinding) -> KnownFinding:
    """An earlier finding under the path that its code has now; `moved` is what `moved_code` gives."""
    path = moved.get(known.id) or review_input.path_now(known.finding.path)
    return replace(known, finding=known.finding.model_copy(update={"path": path}))


def findings_to_recheck(
    review_input: ReviewInput, stances: Mapping[str, Stance], moved: Mapping[str, str], parser: CodeParser
) -> tuple[KnownFinding, ...]:
    """The open findings whose code is not as it was, or about which people claim something, the most severe first.

    A fix may be elsewhere: new hunks that mention a name of a finding's code are enough.
    Nobody knows how the code of a restored finding was. Code alone tells about what code found, and a ruling about the
    failure of a rule.
    """
    mentioned = mentioned_words(review_input, review_input.difference)
    wanted = [
        at_head(review_input, moved, each)
        for each in review_input.known
        if each.status == "open"
        and each.finding.rule is None
        and not stances[each.id].settles
        and (
            stances[each.id].claim
            or each.id in review_input.restored
            or (
                not each.finding.by_code
                and (_is_edited(review_input, each) or not mentioned.isdisjoint(names_of(each.finding, parser)))
            )
        )
    ]
    return tuple(sorted(wanted, key=lambda each: rank(each.finding)))


def mentioned_words(review_input: ReviewInput, difference: Difference | None) -> frozenset[str]:
    """The words on the changed lines of hunks that are new by this difference."""
    changed = difference.changed if difference else {}
    hunks = (file.sections[at] for file in review_input.files if file.path in changed for at in changed[file.path])
    return frozenset(
        word for hunk in hunks for line in hunk.lines if line.marker != " " for word in _WORD.findall(line.text)
    )


def names_of(finding: Finding, parser: CodeParser) -> frozenset[str]:
    """The names in a finding's quote and cause that are worth looking for: neither short nor the language's own."""
    quoted = [(finding.path, finding.quote), *([(finding.cause.path, finding.cause.quote)] if finding.cause else [])]
    names: set[str] = set()
    for path, quote in quoted:
        lines = quote.split("\n")
        names |= names_in(parser.identifiers(path, lines, range(1, len(lines) + 1)), lines)
    return frozenset(name for name in names if len(name) >= _SHORTEST_NAME and not is_builtin(finding.path, name))


def _is_edited(review_input: ReviewInput, known: KnownFinding) -> bool:
    """Whether its code changed since the last run, or before that without an answer."""
    if known.hunk is None or review_input.is_touched(known):
        return review_input.is_touched(known)
    return not review_input.snapshot.has_hunk(review_input.path_now(known.finding.path), known.hunk)


def changes_since(
    review_input: ReviewInput, findings: Sequence[KnownFinding], shown: Collection[str], view: RepositoryView
) -> Mapping[tuple[str, str], str]:
    """The diffs of the files of findings since their code was last reviewed, each once, by path and that head.

    So of the file that an answer showed which was not posted, and which does not hold. Files are left out that nobody
    knows as they were, and those whose difference to the last read head is `shown`.
    """
    diffs: dict[tuple[str, str], str] = {}
    for known in findings:
        head, path_now = review_input.stood_at(known), review_input.since.path_now
        said = [path_now(each.said.path) for each in review_input.unposted_answers if each.update.id == known.id]
        for path in (known.finding.path, *said):
            now = view.lines(path)
            if head is None or now is None or (path in shown and head == review_input.last_read_head):
                continue
            if (path, head) not in diffs and (then := lines_then(review_input, path, head, view)) is not None:
                diffs[path, head] = diff_of(path, then, now)
    return {place: diff for place, diff in diffs.items() if diff}


def lines_then(review_input: ReviewInput, path: str, head: str, view: RepositoryView) -> list[str] | None:
    """The lines of a file at an earlier head, none if the pull request has added it since; None if that is unknown."""
    then = view.read_at(review_input.path_then(path), head)
    file, before = review_input.by_path.get(path), review_input.previous_snapshot
    is_new = file is not None and file.status == "added" and before is not None and not before.hunks(path)
    return [] if then is None and is_new else then


def diff_of(path: str, then: Sequence[str], now: Sequence[str]) -> str:
    """The change of a file since then, as a diff of at most 160 lines."""
    rows = list(islice(_diff_rows(path, then, now), _MOST_DIFF_LINES + 1))
    return "\n".join([*rows[:_MOST_DIFF_LINES], *(["(cut here)"] if len(rows) > _MOST_DIFF_LINES else [])])


def _diff_rows(path: str, then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """The rows of a unified diff, without line ends."""
    for number, group in enumerate(LineMatcher(then, now).get_grouped_opcodes(_CONTEXT_LINES)):
        if not number:
            yield from (f"--- {path}", f"+++ {path}")
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        lines: list[tuple[str, str]] = []
        for tag, start, end, new_start, new_end in group:
            lines += [(" " if tag == "equal" else "-", line) for line in then[start:end]]
            lines += [("+", line) for line in now[new_start:new_end] if tag != "equal"]
        shown = cuts(lines)
        yield from (
            shown[at].rows(line, marker, marker) if at in shown else marker + line
            for at, (marker, line) in enumerate(lines)
        )


def _range(start: int, end: int) -> str:
    """Lines from an index up to another, as the header of a hunk has them: an empty range names the line before it."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"
