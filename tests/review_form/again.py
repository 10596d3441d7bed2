"""The rules of the re-review's form: what has changed since the last review, and how the verdict has moved."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from tests.review_form.reading import GRAVE, NAMED, PLACED, Block, severity
from tests.review_form.shared import (
    ALONG,
    DETAILS,
    RED,
    VISIBLE,
    along_faults,
    along_the_way,
    first_line_faults,
    fold_faults,
    heading_faults,
    headings,
    is_cut_to_the_floor,
    left_out,
    level_faults,
    one_line,
    visible,
)

SUMMARY = "Kodiai Re-Review Summary"
SECTIONS = ("Re-review", "What Changed", "New Findings", ALONG, "Resolved Findings", "Still Open", "Verdict Update")
_TITLE = re.compile(r"Re-review -- Changes since [0-9a-f]{7}")
_NEW = f":new: {PLACED}"
_RESOLVED = f":white_check_mark: {NAMED} -- resolved"
_IN_A_LIST = 3  # the level of the words of an entry that stands in no other list
_SETTLED = "Dismissed:"
_NUMBER = r"(?P<number>[1-9][0-9]*)"
_READING = re.compile(r":\w+: \*\*(?:Not fully reviewed|Nothing |Ready to merge|CI is red)")
_BEFORE = r"(?: and (?P<before>[1-9][0-9]*) that (?:was|were) open before)?"
_NOT_READ = r"(?:; [0-9,]+ files? (?:was|were) not read)?"
_VERDICTS = {
    "new": re.compile(
        r":red_circle: \*\*New blockers found\*\* -- Address " + _NUMBER + r" new findings?" + _BEFORE + _NOT_READ
    ),
    "open": re.compile(
        r":red_circle: \*\*Blockers still open\*\* -- "
        + _NUMBER
        + r" earlier finding(?:s still block| still blocks)"
        + _NOT_READ
    ),
    "unread": re.compile(
        r":yellow_circle: \*\*(?:Not fully reviewed|Nothing blocking in what was read)\*\*"
        r" -- read [0-9,]+ of [0-9,]+ files?"
        r"(?:, [0-9,]+ not visible on GitHub)?(?:; .+)?"
        r"|:white_circle: \*\*Nothing to read\*\* -- no changed file (?:needs to|can) be read(?:; .+)?"
    ),
    "read": re.compile(
        r":green_circle: \*\*Ready to merge\*\* -- nothing found in [0-9,]+ files?"
        r"|:yellow_circle: \*\*Ready to merge with minor items\*\* -- .+"
    ),
    "red": re.compile(rf":yellow_circle: \*\*{RED}\*\* -- .+"),
    "offline": re.compile(r":white_circle: \*\*Offline checks only: no verdict\*\* -- no model has read this change"),
    "resolved": re.compile(r":green_circle: \*\*Blockers resolved\*\* -- Ready to merge"),
    "ready": re.compile(
        r":large_blue_circle: \*\*Still ready\*\* -- (?:No new findings|" + _NUMBER + r" new, none of them blocking)"
    ),
}


@dataclass(frozen=True)
class Listed:
    """How many findings are new, and how many that block are new, still open, and gone.

    `new_is_whole` is whether all that are new are listed.
    `gone` counts those that were resolved, and those that people settled where the details are there to say so.
    """

    new: int
    new_is_whole: bool
    new_blockers: int
    open_blockers: int
    gone_blockers: int
    gone_is_whole: bool


def re_review_faults(placed: Sequence[Block]) -> list[str]:
    """What is wrong with the blocks of a re-review."""
    return [
        *fold_faults(placed, SUMMARY, nested_in="Still Open"),
        *_section_faults(placed),
        *_line_faults(placed),
        *_new_faults(placed),
        *along_faults(placed),
        *_resolved_faults(placed),
        *_still_open_faults(placed),
        *_verdict_faults(placed),
    ]


def _section_faults(placed: Sequence[Block]) -> list[str]:
    """Sections in their order; the title and the verdict are always there, and so is a reason to post at all."""
    titles = headings(placed, "h2")
    short = ["Re-review" if _TITLE.fullmatch(title) else title for title in titles]
    faults = [*level_faults(placed, "h2"), *heading_faults(placed, short, SECTIONS)]
    faults = [fault for fault in faults if not re.fullmatch(f"“{_TITLE.pattern}” is empty", fault)]
    faults += ["words right below the title" for each in placed if _TITLE.fullmatch(each.section) and each.is_text]
    cut = left_out(placed, "findings")
    needed = ("Re-review", "Verdict Update") if cut else ("Re-review", "What Changed", "Verdict Update")
    faults += [f"“{title}” is missing" for title in needed if title not in short]
    faults += ["findings, though it says that they were left out"] if cut and set(short) - set(needed) else []
    is_about_reading = any(each.section == "Verdict Update" and _READING.match(each.token.content) for each in placed)
    reasons = cut or is_about_reading or visible(placed, VISIBLE) or set(short) & set(SECTIONS[2:6])
    return faults + ([] if reasons else ["nothing new, nothing resolved, nothing open"])


def _line_faults(placed: Sequence[Block]) -> list[str]:
    """Lines of findings stand where they belong, and in no other section of the main body."""
    forms = {"New Findings": _NEW, ALONG: PLACED, "Resolved Findings": _RESOLVED}
    faults = []
    for block in (each for each in placed if each.folds == (SUMMARY,)):
        first = block.token.content.partition("\n")[0]
        told = block.is_paragraph and block.section in forms and severity(first, forms[block.section])
        faults += [f"a finding in “{block.section}”: {line}" for line in block.looks_like_findings[1 if told else 0 :]]
    return faults


def _new_faults(placed: Sequence[Block]) -> list[str]:
    """The section begins with a finding; one that is optional is not grave."""
    texts = [each for each in placed if each.section == "New Findings" and each.is_text]
    faults = []
    if texts and not (texts[0].is_paragraph and severity(texts[0].token.content.partition("\n")[0], _NEW)):
        faults.append("“New Findings” does not begin with one")
    for block in texts:
        first, _, explanation = block.token.content.partition("\n")
        if block.is_paragraph and severity(first, _NEW) in GRAVE and explanation.startswith("Optional:"):
            faults.append("a severe preference")
    return faults


def _resolved_faults(placed: Sequence[Block]) -> list[str]:
    """Each is one line, and nothing else is said."""
    texts = [each for each in placed if each.section == "Resolved Findings" and each.is_text]
    strange = [
        each.token.content for each in texts if not (each.is_paragraph and severity(each.token.content, _RESOLVED))
    ]
    return [f"not a resolved finding: {text}" for text in strange]


def _still_open_faults(placed: Sequence[Block]) -> list[str]:
    """A count, and one fold with a list of as many entries, without line numbers."""
    section = [each for each in placed if each.section == "Still Open"]
    if not section:
        return []
    faults: list[str] = []
    within = [each for each in section if len(each.folds) > 1]
    said = one_line([each for each in section if len(each.folds) <= 1], "Still Open", faults) or ""
    lists = [each.token for each in within if each.token.level == 0 and each.token.nesting == 1]
    tags = sum(each.token.type == "html_block" for each in within)
    faults += (
        [] if tags == 2 and [each.type for each in lists] == ["bullet_list_open"] else ["not one list in one fold"]
    )
    entries = [each.token for each in within if each.is_text]
    strange = [each.content for each in entries if each.level != _IN_A_LIST or not severity(each.content, NAMED)]
    faults += [f"not an entry: {text}" for text in strange]
    return faults + ([] if said == f"{len(entries)} still open." else [f"{len(entries)} entries, and it says “{said}”"])


def _verdict_faults(placed: Sequence[Block]) -> list[str]:
    """The verdict is one of the four, the last thing that is said, and agrees with what is listed."""
    faults: list[str] = []
    said = one_line(placed, "Verdict Update", faults)
    if said is None:
        return faults
    for label, form in _VERDICTS.items():
        if found := form.fullmatch(re.sub(rf"; {RED}\Z", "", said)):
            number = int(found.groupdict().get("number") or 0)
            before = int(found.groupdict().get("before") or 0)
            listed = _listed(placed)
            agrees = left_out(placed, "findings") or _agrees(label, number, before, listed)
            faults += [] if agrees else [f"the verdict “{said}” on {listed}"]
            return faults + first_line_faults(placed, said, _counts(placed, listed, label))
    return [f"not a verdict: {said}"]


def _counts(placed: Sequence[Block], listed: Listed, label: str) -> dict[str, int]:
    """What the first line counts, as far as it is listed."""
    if left_out(placed, "findings") or label == "read":
        return {}
    told = {"resolved": "Resolved Findings", "still open": "Still Open"}
    texts = [each for each in placed if each.is_text]
    counts = {what: sum(each.section == title for each in texts) for what, title in told.items()}
    counts["still open"] = max(counts["still open"] - 1, 0)
    return {**counts, "new": listed.new} if listed.new_is_whole else counts


def _agrees(label: str, number: int, before: int, listed: Listed) -> bool:
    """Whether the verdict may be said of what is listed.

    One of before that has become more severe counts as new too; the text does not tell it from the others still open.
    """
    if label == "new":
        return listed.new_blockers <= number and number + before == listed.new_blockers + listed.open_blockers
    if label == "offline":
        return True
    if label == "open":
        return not listed.new_blockers and number == listed.open_blockers
    if listed.new_blockers or listed.open_blockers:
        return False
    if label in ("unread", "read", "red"):
        return True
    if label == "resolved":
        return bool(listed.gone_blockers) or not listed.gone_is_whole
    agrees = number == listed.new if listed.new_is_whole else number >= listed.new
    return not listed.gone_blockers and agrees


def _listed(placed: Sequence[Block]) -> Listed:
    def told(section: str, form: str) -> list[str]:
        texts = (each.token.content for each in placed if each.section == section and each.is_text)
        return [found for text in texts if (found := severity(text.partition("\n")[0], form))]

    new = [*told("New Findings", _NEW), *visible(placed, _NEW)]
    along = [found for found in along_the_way(placed) if found]
    return Listed(
        new=len(new) + len(along),
        new_is_whole=len(along) < 2 and not is_cut_to_the_floor(placed),
        new_blockers=_grave(new),
        open_blockers=_grave(told("Still Open", NAMED)),
        gone_blockers=_grave([*told("Resolved Findings", _RESOLVED), *_settled(placed)]),
        gone_is_whole=not left_out(placed, "details"),
    )


def _settled(placed: Sequence[Block]) -> list[str]:
    """The severities of what people settled, as the details list them."""
    texts = [each for each in placed if each.folds == (DETAILS,) and each.is_text]
    at = next((at for at, each in enumerate(texts) if each.is_paragraph and each.token.content == _SETTLED), len(texts))
    entries = takewhile(lambda each: not each.is_paragraph, texts[at + 1 :])
    return [found for each in entries if (found := severity(each.token.content, NAMED))]


def _grave(severities: Sequence[str]) -> int:
    return sum(severity in GRAVE for severity in severities)
