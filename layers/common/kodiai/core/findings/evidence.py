"""Evidence that resolves a finding: code that changed since the finding was open, and that is not the complaint."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from kodiai.core.changes.kinds import is_prose
from kodiai.core.changes.patch import without_spaces
from kodiai.core.code.comments import without_prose
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import Located


@dataclass(frozen=True)
class LinesChanged:
    """What of a file changed since a finding was last open; lines are 1-based, of the file as it is now.

    `added` are the lines that were not there. `around_removed` are those right before and after removed lines, with
    what was removed between them, white space aside.
    """

    added: frozenset[int]
    around_removed: Sequence[tuple[frozenset[int], Collection[str]]] = ()


def changes_since(then: Sequence[str], now: Sequence[str]) -> LinesChanged:
    """Compare a file with itself of then; white space does not count."""
    old, new = [without_spaces(line) for line in then], [without_spaces(line) for line in now]
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    added: set[int] = set()
    removed = []
    solid = [number for number, line in enumerate(now, 1) if line.strip()]
    # By itself it is quick where hundreds of lines are alike; without its heuristic that takes minutes.
    for tag, first_old, last_old, first, last in SequenceMatcher(None, old, new).get_opcodes():
        if tag in ("replace", "insert"):
            added.update(start + at + 1 for at in range(first, last) if new[at])
        elif tag == "delete":
            at = bisect_right(solid, start + first)
            removed.append((frozenset(solid[max(at - 1, 0) : at + 1]), frozenset(old[first_old:last_old])))
    return LinesChanged(frozenset(added), tuple(removed))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def evidence_for(finding: Finding, quoted: Located | None, now: Sequence[str], changed: LinesChanged) -> Evidence | str:
    """The code that may resolve a finding, or why what is quoted does not.

    `quoted` is where the quoted evidence stands, `now` its file and `changed` what changed there.
    """
    if quoted is None:
        return "the quoted evidence is not in the code"
    if is_prose(quoted.path) and not is_prose(finding.path) and finding.category != "documentation":
        return "the quoted evidence is not code"
    complaint = [without_spaces(line) for line in finding.quote.split("\n") if line.strip()]
    code = list(now) if finding.category == "documentation" else without_prose(quoted.path, list(now))
    rows = [without_spaces(line) for line in code]
    # Where all lines that were complained about still stand, but not as they stood, the fix may be their order.
    moved = {*complaint} <= {*rows} and "".join(complaint) not in "".join(rows) and quoted.path == finding.path
    if not _proves(quoted, rows, changed, complaint, own=() if moved else complaint):
        return "no line of the quoted evidence changed since the finding was last open"
    return Evidence(quoted.path, quoted.quote)


def _proves(
    quoted: Located, code: Sequence[str], changed: LinesChanged, complaint: Sequence[str], own: Collection[str]
) -> bool:
    """Whether most of a changed line is quoted, which is code, and none of the complaint's `own` lines.

    Where the complaint's lines were removed, the lines next to them are changed too.
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
