"""Accounting for a report: which passages of its text became no data."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from markdown_it import MarkdownIt

from kodiai.core.findings.finding import Cause, Finding
from kodiai.core.findings.identity import normalized_title
from kodiai.core.findings.report import EarlierAnswer, ParsedReport

NOTHING = "NOTHING TO REPORT"
"""The whole report of a reviewer without a finding."""

_MARKDOWN = MarkdownIt("commonmark").enable("table").disable("inline")
_NO_TEXT = re.compile(r"""\\.|</?[a-zA-Z][^<>]*>|https?://[^\s)>]+|"\w+"\s*:(?:\s*(?:null|true|false))?""")
"""Parts of a text that are none: escapes, tags, addresses, the keys of JSON with values that are no text."""

_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")
# Scripts that put no spaces between words: up to four of their characters count as one.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]{{1,4}}|[^\s\x01\x02{_UNSPACED}]+")
_SENTENCE_ENDS = re.compile(r"[.!?:;。！？；：\n]+")
_BOLD = re.compile(r"\W*(\*\*|__)[^*]+\1\W*")
_TOLD, _FACT = "\x01", "\x02"
_PART = re.compile(
    r"^\W*(?:Path|Lines|Severity|Category|Kind|Quote|Mechanism|Cause|Was there before|Replacement|Answer|Why|Concedes)"
    r"\W*:"
)
_OPENING_LEVEL, _BOLD_LEVEL, _PROSE_LEVEL = 0, 7, 8


@dataclass(frozen=True)
class _Line:
    """A line of a report.

    `told` is the number of its letters that became text for people. It is accounted for if that is most of it, and what
    is left is no longer than any finding. `level` is that of a heading, the smaller the higher.
    """

    text: str
    told: int
    is_accounted: bool
    has_facts: bool
    level: int


def unaccounted(prose: str, read: ParsedReport) -> tuple[str, ...]:
    """Give the passages of a report that became no data, each as it stands there.

    Data account for the lines in which their texts stand. Facts such as paths, severities and code account for nothing
    else: several findings may share them. A heading, in whatever form, is accounted for by what follows it.
    """
    lines = list(_lines(prose, read))
    are_left = [not each.is_accounted and not _introduces(lines, at) for at, each in enumerate(lines)]
    # What says nothing by itself belongs to the passage around it.
    said = [at for at, each in enumerate(lines) if are_left[at] or each.told]
    runs = (list(run) for is_left, run in groupby(said, are_left.__getitem__) if is_left)
    return tuple("\n".join(each.text for each in lines[run[0] : run[-1] + 1]) for run in runs)


def _introduces(lines: Sequence[_Line], at: int) -> bool:
    """Whether a line is a heading, and what follows it below its level became data."""
    level = lines[at].level
    for each in islice(lines, at + 1, None) if level < _PROSE_LEVEL else ():
        if each.is_accounted and each.told and each.level > level:
            return True
        is_passed = each.is_accounted or each.level < _PROSE_LEVEL
        if each.level <= level or not is_passed or (each.has_facts and level == _OPENING_LEVEL):
            return False
    return False


def _lines(prose: str, read: ParsedReport) -> Iterator[_Line]:
    lines = re.split(r"\r\n?|\n", prose)
    levels = dict(_heading_levels("\n".join(lines)))
    bare = [_bare(_PART.sub("", line)) for line in lines]
    marked = _marked(" ".join(bare), read)
    shortest = min((_letters(each.title + each.explanation) for each in read.report.findings), default=len(marked))
    names = {*(str(each.number) for each in read.report.findings), *(_bare(each.finding)[2:] for each in read.earlier)}
    end, is_named = -1, False
    for at, (line, text) in enumerate(zip(lines, bare, strict=True)):
        start, end = end + 1, end + 1 + len(text)
        became = marked[start:end]
        told = became.count(_TOLD)
        left = [word for word in _WORD.findall(became) if _letters(word)]
        # A word alone, such as a label, says nothing, nor do two with a number.
        says_nothing = len(left) <= 1 + text[-1:].isdigit()
        is_accounted = says_nothing or sum(map(_letters, left)) <= min(told, shortest)
        level = levels.get(at) or (_BOLD_LEVEL if _BOLD.fullmatch(line) else _PROSE_LEVEL)
        if level == _PROSE_LEVEL and not is_accounted and not {":", "："}.isdisjoint(re.split(r"\w", line)[-1]):
            level = _OPENING_LEVEL
        # The parts that were asked for belong to the finding of that number or id, in whatever words they became data.
        if _PART.match(line):
            is_accounted = is_accounted or is_named
        elif text and (level < _PROSE_LEVEL or (says_nothing and text[-1:].isdigit())):
            name = next((word for word in re.findall("[a-z0-9]+", text) if word.isdigit() or word in names), "")
            is_named = name in names
        yield _Line(line, told, is_accounted, _FACT in became, level)


def _heading_levels(prose: str) -> Iterator[tuple[int, int]]:
    """The lines of headings, and of the heads of tables, with their levels."""
    for token in _MARKDOWN.parse(prose):
        if token.type in ("heading_open", "thead_open") and token.map:
            level = int(token.tag[1]) if token.type == "heading_open" else _BOLD_LEVEL
            yield from ((at, level) for at in range(*token.map))


def _marked(whole: str, read: ParsedReport) -> str:
    """A report with a mark in place of each letter that became data."""
    findings = {each.finding for each in read.report.findings}
    places: list[Finding | Cause | EarlierAnswer] = [
        *findings,
        *(each.cause for each in findings if each.cause),
        *read.earlier,
    ]
    code = "\n".join([*(each.quote for each in places), *(each.replacement or "" for each in findings)])
    facts = {NOTHING, *code.split("\n"), *(each.path for each in places)}
    facts |= {fact for each in findings for fact in (each.severity, each.category, each.kind)}
    facts |= {fact for each in read.earlier for fact in (each.answer, each.severity or "")}
    texts = {read.report.what_changed, *read.report.strengths, *read.report.suggestions, *read.nothing}
    texts |= {*(each.title for each in findings), *(text for each in read.earlier for text in (each.finding, each.why))}
    # Findings of one kind may have the same mechanism: each accounts for one, below its title.
    once = [(each.explanation, max(whole.find(_bare(each.title)), 0)) for each in findings]
    told = [*((text, begin, 1) for text, begin in once), *((text, 0, -1) for text in texts)]
    for text, begin, most in sorted(told, key=lambda each: (-len(each[0]), each[1])):
        above, below = whole[:begin], whole[begin:]
        found = _replaced(below, text, _TOLD, most)
        for sentence in _SENTENCE_ENDS.split(text) if found == below else ():
            found = _replaced(found, sentence, _TOLD, most)
        whole = above + found
    for fact in sorted(facts, key=len, reverse=True):
        whole = _replaced(whole, fact, _FACT, -1)
    return whole


def _replaced(whole: str, text: str, mark: str, most: int) -> str:
    """Put marks in place of a text, as whole words, `most` times at most."""
    words = _bare(text)
    before, after = (" " if each.isascii() else "" for each in (words[:1], words[-1:]))
    marks = "".join(mark if char.isalpha() else char for char in words)
    return f" {whole} ".replace(f"{before}{words}{after}", f"{before}{marks}{after}", most)[1:-1] if words else whole


def _bare(text: str) -> str:
    """The letters and digits of a text, in words; "" if it has none."""
    words = normalized_title(_NO_TEXT.sub(" ", _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)))
    return words if any(map(str.isalnum, words)) else ""


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
