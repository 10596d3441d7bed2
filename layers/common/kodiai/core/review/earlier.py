"""Earlier findings: where their code is now, how it changed, and which ones the model is asked about again."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kodiai.core.changes.patch import without_spaces
from kodiai.core.changes.snapshot import Difference
from kodiai.core.code.identifiers import names_in
from kodiai.core.code.names import is_builtin
from kodiai.core.code.parser import CodeParser
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import Located, code_exists, places
from kodiai.core.findings.source import ReadLines
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.input import ReviewInput

_MOST_DIFF_LINES = 160
_SHORTEST_NAME = 3
# That a shorter quote also occurs somewhere else means nothing.
_SHORTEST_QUOTE = 8
_WORD = re.compile(r"\w+")


def moved_code(review_input: ReviewInput, read_lines: ReadLines) -> dict[str, str]:
    """The changed file that now has a finding's code as new lines, by the finding's id, if its own file lost it."""
    if review_input.difference is None:
        return {}
    found = {known.id: _new_path(review_input, known, read_lines) for known in review_input.known}
    return {name: path for name, path in found.items() if path is not None}


def _new_path(review_input: ReviewInput, known: KnownFinding, read_lines: ReadLines) -> str | None:
    """The file in which its code is on lines that the last run did not see; None if it is where it was."""
    quote, path = known.finding.quote, review_input.path_now(known.finding.path)
    if len(without_spaces(quote)) < _SHORTEST_QUOTE or code_exists(quote, path, read_lines):
        return None
    for file in review_input.files:
        added = [line.text for hunk in review_input.new_hunks(file.path) for line in hunk.lines if line.marker == "+"]
        if file.path != path and code_exists(quote, file.path, replace(read_lines, read={file.path: added}.get)):
            return file.path
    return None


def nearest_place(finding: Finding, read_lines: ReadLines) -> Located | None:
    """The place of a finding's code that is closest to where the code was, None if it is gone."""
    found = places(finding.quote, finding.path, read_lines)
    return min(found, key=lambda place: abs(place.start_line - finding.start_line), default=None)


def at_head(review_input: ReviewInput, moved: Mapping[str, str], known: KnownFinding) -> KnownFinding:
    """An earlier finding under the path that its code has now; `moved` is what `moved_code` gives."""
    path = moved.get(known.id) or review_input.path_now(known.finding.path)
    return replace(known, finding=known.finding.model_copy(update={"path": path}))


def findings_to_recheck(
    review_input: ReviewInput, stances: Mapping[str, Stance], moved: Mapping[str, str], parser: CodeParser
) -> tuple[KnownFinding, ...]:
    """The open findings whose code is not as it was, or about which people claim something, the most severe first.

    A fix may be elsewhere: new hunks that mention a name of a finding's code are enough.
    Nobody knows how the code of a restored finding was.
    """
    mentioned = mentioned_words(review_input, review_input.difference)
    wanted = [
        at_head(review_input, moved, each)
        for each in review_input.known
        if each.status == "open"
        and not stances[each.id].settles
        and (
            stances[each.id].claim
            or each.id in review_input.restored
            or _is_edited(review_input, each)
            or not mentioned.isdisjoint(names_of(each.finding, parser))
        )
    ]
    return tuple(sorted(wanted, key=lambda each: rank(each.finding)))


def mentioned_words(review_input: ReviewInput, difference: Difference | None) -> frozenset[str]:
    """The words on the changed lines of hunks that are new by this difference."""
    changed = difference.changed if difference else {}
    hunks = (file.hunks[at] for file in review_input.files if file.path in changed for at in changed[file.path])
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
    return known.hunk not in review_input.snapshot.hunks(review_input.path_now(known.finding.path))


def change_since(review_input: ReviewInput, known: KnownFinding, view: RepositoryView) -> str:
    """How a finding's file changed since its code was last reviewed, as a diff; "" if that is not known."""
    head, path = known.stood_at or review_input.previous_head, known.finding.path
    now = view.lines(path)
    then = view.read_at(review_input.path_then(path), head) if head and now is not None else None
    return diff_of(path, then, now) if then is not None and now is not None else ""


def diff_of(path: str, then: Sequence[str], now: Sequence[str]) -> str:
    """How a file changed since then, as a diff of at most 160 lines."""
    rows = list(difflib.unified_diff(then, now, path, path, lineterm="", n=5))
    return "\n".join([*rows[:_MOST_DIFF_LINES], *(["(cut here)"] if len(rows) > _MOST_DIFF_LINES else [])])
