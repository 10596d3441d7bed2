"""Evidence that resolves a finding: code that changed since the finding was open, and that is not the complaint."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kodiai.core.changes.kinds import is_prose
from kodiai.core.changes.line_matcher import LineMatcher, common
from kodiai.core.changes.long_lines import shortened
from kodiai.core.changes.patch import without_spaces
from kodiai.core.code.language import language_of
from kodiai.core.code.statements import ChangedCode
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.places import Located
from kodiai.core.findings.source import ReadLines

_SHORTEST_WORD = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class LinesChanged:
    """The changes of a file since a finding was last open; lines are 1-based, of the file as it is now.

    `added` are the new lines. `removed` are runs of removed lines, without white space, each behind the new lines in
    their place, or else behind those right before and after them.
    """

    added: frozenset[int]
    removed: Sequence[tuple[frozenset[int], Collection[str]]] = ()


def changes_since(then: Sequence[str], now: Sequence[str], code: ChangedCode | None = None) -> LinesChanged:
    """Compare a file with its earlier content; white space does not count, nor do lines that `code` does not have."""
    old, new = [without_spaces(line) for line in then], [without_spaces(line) for line in now]
    start = common(old, new)
    end = common(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    added: set[int] = set()
    removed = []
    gone, made = code or (range(1, len(then) + 1), range(1, len(now) + 1))
    solid = [number for number, line in enumerate(now, 1) if line.strip()]
    # The default heuristic of difflib keeps it fast if hundreds of lines are alike; without it that takes minutes.
    for tag, first_old, last_old, first, last in LineMatcher(old, new).get_opcodes():
        if tag == "equal":
            continue
        here = {start + at + 1 for at in range(first, last) if new[at] and start + at + 1 in made}
        lost = frozenset(old[at] for at in range(first_old, last_old) if start + at + 1 in gone)
        added |= here
        if lost:
            before, behind = bisect_right(solid, start + first), bisect_right(solid, start + last)
            removed.append((frozenset(here or solid[max(before - 1, 0) : behind + 1]), lost))
    return LinesChanged(frozenset(added), tuple(removed))


def evidence_for(
    finding: Finding,
    quoted: Located | None,
    read_lines: ReadLines,
    changed: LinesChanged,
    names: frozenset[str] = frozenset(),
) -> Evidence | str:
    """Give the code that may resolve a finding, or the reason why the quoted code does not.

    `quoted` is the place of the quoted evidence, `changed` the changes of its file. `names` are those of the finding's
    code and of the definitions that it is in, none if they are not known.
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
    in_place = {line for lines, removed in changed.removed if {*complaint} & {*removed} for line in lines}
    found = _proving(quoted, rows, changed.added, in_place, own=() if moved else complaint)
    if not found:
        return "no line of the quoted evidence changed since the finding was last open"
    if names and found.isdisjoint(in_place) and not _mentions(names, finding, quoted.path, found, read_lines):
        return "the changed lines of the quoted evidence have nothing to do with the finding's code"
    return Evidence(quoted.path, shortened(quoted.quote))


def _mentions(
    names: frozenset[str], finding: Finding, path: str, lines: Collection[int], read_lines: ReadLines
) -> bool:
    """Whether lines, or the innermost definitions that they are in, have one of these names.

    Where another language has the lines, every word of the finding's code may be a name; so it may in a path.
    """
    words = frozenset(word for word in _WORD.findall(finding.quote) if len(word) >= _SHORTEST_WORD)
    if path != finding.path and not words.isdisjoint(_WORD.findall(path)):
        return True
    wanted = names if language_of(path) == language_of(finding.path) else names | words
    code = read_lines(path) or []
    outline = read_lines.parser.outline(path, code)
    for number in lines:
        around = outline.enclosing(number, number)
        rows = code[around[0].start_line - 1 : around[0].end_line] if around else code[number - 1 : number]
        if not wanted.isdisjoint(_WORD.findall("\n".join(rows))):
            return True
    return False


def _proving(
    quoted: Located, code: Sequence[str], changed: Collection[int], in_place: Collection[int], own: Collection[str]
) -> set[int]:
    """The changed lines that are code, and not the complaint's `own`, of which the quote has the most.

    The lines in the place of the complaint's, or next to it, count as changed too.
    """
    said = without_spaces(quoted.quote)
    lines = range(quoted.start_line, min(quoted.end_line, len(code)) + 1)
    if quoted.removed:
        return {number for number in lines if number in in_place}
    texts = ((number, code[number - 1]) for number in lines if number in changed or number in in_place)
    return {
        number for number, text in texts if any(map(str.isalnum, text)) and text not in own and _is_most(said, text)
    }


def _is_most(said: str, text: str) -> bool:
    return text in said or (said in text and 2 * len(said) >= len(text))
