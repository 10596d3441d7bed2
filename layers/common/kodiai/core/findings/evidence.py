"""Evidence that resolves a finding: code that changed since the finding was open, and that is not the complaint."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kodiai.core.changes.kinds import is_prose
from kodiai.core.changes.line_matcher import LineMatcher, common
from kodiai.core.changes.patch import without_spaces
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.places import Located
from kodiai.core.findings.source import ReadLines


@dataclass(frozen=True)
class LinesChanged:
    """The changes of a file since a finding was last open; lines are 1-based, of the file as it is now.

    `added` are the new lines. `around_removed` are the lines right before and after removed ones, with the removed
    lines between them, without white space.
    """

    added: frozenset[int]
    around_removed: Sequence[tuple[frozenset[int], Collection[str]]] = ()


def changes_since(then: Sequence[str], now: Sequence[str]) -> LinesChanged:
    """Compare a file with its earlier content; white space does not count."""
    old, new = [without_spaces(line) for line in then], [without_spaces(line) for line in now]
    start = common(old, new)
    end = common(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    added: set[int] = set()
    removed = []
    solid = [number for number, line in enumerate(now, 1) if line.strip()]
    # The default heuristic of difflib keeps it fast if hundreds of lines are alike; without it that takes minutes.
    for tag, first_old, last_old, first, last in LineMatcher(old, new).get_opcodes():
        if tag in ("replace", "insert"):
            added.update(start + at + 1 for at in range(first, last) if new[at])
        elif tag == "delete":
            at = bisect_right(solid, start + first)
            removed.append((frozenset(solid[max(at - 1, 0) : at + 1]), frozenset(old[first_old:last_old])))
    return LinesChanged(frozenset(added), tuple(removed))


def evidence_for(
    finding: Finding, quoted: Located | None, read_lines: ReadLines, changed: LinesChanged
) -> Evidence | str:
    """Give the code that may resolve a finding, or the reason why the quoted code does not.

    `quoted` is the place of the quoted evidence, `changed` the changes of its file.
    """
    if quoted is None:
        return "the quoted evidence is not in the code"
    if is_prose(quoted.path) and not is_prose(finding.path) and finding.category != "documentation":
        return "the quoted evidence is not code"
    complaint = [without_spaces(line) for line in finding.quote.split("\n") if line.strip()]
    code = read_lines(quoted.path) or []
    if finding.category != "documentation":
        code = read_lines.without_comments(quoted.path, code, docstrings=True)
    rows = [without_spaces(line) for line in code]
    # If all lines of the complaint are still there, but in another order, the order may be the fix.
    moved = {*complaint} <= {*rows} and "".join(complaint) not in "".join(rows) and quoted.path == finding.path
    if not _proves(quoted, rows, changed, complaint, own=() if moved else complaint):
        return "no line of the quoted evidence changed since the finding was last open"
    return Evidence(quoted.path, quoted.quote)


def _proves(
    quoted: Located, code: Sequence[str], changed: LinesChanged, complaint: Sequence[str], own: Collection[str]
) -> bool:
    """Whether the quote has most of a changed line that is code, and not one of the complaint's `own` lines.

    If the complaint's lines were removed, the lines next to them count as changed too.
    """
    next_to = {line for lines, removed in changed.around_removed if {*complaint} & {*removed} for line in lines}
    said = without_spaces(quoted.quote)
    lines = range(quoted.start_line, min(quoted.end_line, len(code)) + 1)
    if quoted.removed:
        return any(number in next_to for number in lines)
    texts = [code[number - 1] for number in lines if number in changed.added or number in next_to]
    return any(any(map(str.isalnum, text)) and text not in own and _is_most(said, text) for text in texts)


def _is_most(said: str, text: str) -> bool:
    return text in said or (said in text and 2 * len(said) >= len(text))
