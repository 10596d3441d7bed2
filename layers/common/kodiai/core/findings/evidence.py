"""Evidence that resolves a finding: code that changed since the finding was open, and that is not the complaint."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from kodiai.core.changes.hunk import squeezed
from kodiai.core.changes.kinds import is_prose
from kodiai.core.code.comments import without_comments
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import Located


@dataclass(frozen=True)
class Since:
    """What of a file changed since a finding was last open; lines are 1-based, of the file as it is now.

    `added` are the lines that were not there. `around_removed` are those right before and after removed lines, with
    what was removed between them, white space aside.
    """

    added: frozenset[int]
    around_removed: Sequence[tuple[frozenset[int], Collection[str]]] = ()


def since(then: Sequence[str], now: Sequence[str]) -> Since:
    """Compare a file with itself of then; white space does not count."""
    old, new = [squeezed(line) for line in then], [squeezed(line) for line in now]
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    added: set[int] = set()
    removed = []
    # By itself it is quick where hundreds of lines are alike; without its heuristic that takes minutes.
    for tag, first_old, last_old, first, last in SequenceMatcher(None, old, new).get_opcodes():
        if tag in ("replace", "insert"):
            added.update(start + at + 1 for at in range(first, last) if new[at])
        elif tag == "delete":
            removed.append((_around(now, start + first), frozenset(old[first_old:last_old])))
    return Since(frozenset(added), tuple(removed))


def _around(lines: Sequence[str], removed_after: int) -> frozenset[int]:
    """The lines with code right before and after a place where lines were removed."""
    before = next((number for number in range(removed_after, 0, -1) if lines[number - 1].strip()), None)
    after = next((n for n in range(removed_after + 1, len(lines) + 1) if lines[n - 1].strip()), None)
    return frozenset(number for number in (before, after) if number is not None)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def evidence_for(
    finding: Finding,
    quoted: Located | None,
    now: Sequence[str],
    changed: Since,
) -> Evidence | str:
    """The code that may resolve a finding, or why what is quoted does not.

    `quoted` is where the quoted evidence stands, `now` its file and `changed` what changed there.
    """
    if quoted is None:
        return "the quoted evidence is not in the code"
    if is_prose(quoted.path) and not is_prose(finding.path) and finding.category != "documentation":
        return "the quoted evidence is not code"
    complaint = [squeezed(line) for line in finding.quote.split("\n") if line.strip()]
    code = list(now) if finding.category == "documentation" else without_comments(quoted.path, now, docstrings=True)
    rows = [squeezed(line) for line in code]
    moved = quoted.path == finding.path and _is_reordered(complaint, rows)
    if not _proves(quoted, rows, changed, complaint, own=() if moved else complaint):
        return "no line of the quoted evidence changed since the finding was last open"
    return Evidence(quoted.path, quoted.quote)


def _proves(
    quoted: Located, code: Sequence[str], changed: Since, complaint: Sequence[str], own: Collection[str]
) -> bool:
    """Whether most of a changed line is quoted, which is code, and none of the complaint's `own` lines.

    Where the complaint's lines were removed, the lines next to them are changed too.
    """
    next_to = {line for lines, removed in changed.around_removed if {*complaint} & {*removed} for line in lines}
    said = squeezed(quoted.quote)
    lines = range(quoted.start_line, min(quoted.end_line, len(code)) + 1)
    if quoted.removed:
        return any(number in next_to for number in lines)
    texts = [code[number - 1] for number in lines if number in changed.added or number in next_to]
    return any(any(map(str.isalnum, text)) and text not in own and _is_most(said, text) for text in texts)


def _is_reordered(complaint: Sequence[str], code: Sequence[str]) -> bool:
    """Whether all lines that were complained about still stand, but not as they stood: then the fix may be a move."""
    return {*complaint} <= {*code} and "".join(complaint) not in "".join(code)


def _is_most(said: str, text: str) -> bool:
    return text in said or (said in text and 2 * len(said) >= len(text))
