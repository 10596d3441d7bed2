"""The rules of the first form: what was found, in two groups, and what it comes to."""

import re
from collections.abc import Sequence

from tests.review_form.reading import GRAVE, PLACED, Block, severity
from tests.review_form.shared import (
    ALONG,
    RED,
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

SUMMARY = "Kodiai Review Summary"
SECTIONS = ("What Changed", "Strengths", "Observations", ALONG, "Suggestions", "Verdict")
_GROUPS = ("Impact", "Preference")
_VERDICTS = {
    "blocking": ":red_circle: **Address before merging** -- ",
    "minor": ":yellow_circle: **Ready to merge with minor items** -- ",
    "none": ":green_circle: **Ready to merge** -- ",
}
_OFFLINE = ":white_circle: **Offline checks only: no verdict** -- "
_RED = rf":yellow_circle: \*\*{RED}\*\* -- "
_NOT_READ = (
    ":yellow_circle: **Not fully reviewed** -- ",
    ":yellow_circle: **Nothing blocking in what was read** -- ",
    ":white_circle: **Nothing to read** -- ",
)


def first_review_faults(placed: Sequence[Block]) -> list[str]:
    """What is wrong with the blocks of a first review."""
    return [
        *fold_faults(placed, SUMMARY),
        *_section_faults(placed),
        *_finding_faults(placed),
        *along_faults(placed),
        *_verdict_faults(placed),
        *_first_line_faults(placed),
    ]


def _section_faults(placed: Sequence[Block]) -> list[str]:
    sections, groups = headings(placed, "h2"), headings(placed, "h3")
    cut = left_out(placed, "findings")
    needed = ["Verdict"] if cut else ["What Changed", "Verdict"]
    faults = [*level_faults(placed, "h2", "h3"), *heading_faults(placed, sections, SECTIONS)]
    faults += [f"“{title}” is missing" for title in needed if title not in sections]
    faults += ["findings, though it says that they were left out"] if cut and set(sections) - set(needed) else []
    if groups != [title for title in _GROUPS if title in groups] or bool(groups) != ("Observations" in sections):
        faults.append(f"groups {groups} in {sections}")
    return faults


def _finding_faults(placed: Sequence[Block]) -> list[str]:
    """Findings stand in the groups of the observations and along the way only, each group begins with one."""
    faults = []
    begun: str | None = None
    for block in (each for each in placed if each.folds[:1] == (SUMMARY,) and each.is_text):
        first = block.token.content.partition("\n")[0]
        told = severity(first, PLACED) if block.section in ("Observations", ALONG) and block.is_paragraph else None
        if block.section == "Observations" and block.group != begun:
            faults += [] if told and block.group in _GROUPS else [f"“{block.group}” does not begin with a finding"]
            begun = block.group
        alike = block.looks_like_findings[1 if told else 0 :]
        faults += [f"a finding that is none, in “{block.section}”: {line}" for line in alike]
        if told and block.group == "Preference":
            faults += ["a severe preference"] if told in GRAVE else []
            faults += _not_optional(block)
    return faults


def _not_optional(block: Block) -> list[str]:
    _, newline, explanation = block.token.content.partition("\n")
    return ["a preference that is not optional"] if newline and not explanation.startswith("Optional:") else []


def _verdict_faults(placed: Sequence[Block]) -> list[str]:
    """The verdict says what the findings come to."""
    faults: list[str] = []
    verdict = one_line(placed, "Verdict", faults)
    if verdict is None:
        return faults
    result = _result(placed)
    allowed = list(_VERDICTS.values()) if left_out(placed, "findings") else [_VERDICTS[result]]
    allowed += [_OFFLINE] if result == "blocking" else [_OFFLINE, *_NOT_READ]
    forms = [*map(re.escape, allowed), *([] if result == "blocking" else [_RED])]
    if any(re.fullmatch(label + r"\S.*", verdict) for label in forms):
        return []
    return [f"the verdict “{verdict}” on {result} findings"]


def _first_line_faults(placed: Sequence[Block]) -> list[str]:
    """Its counts are those of what is listed, where all is."""
    verdict = one_line(placed, "Verdict", [])
    if verdict is None:
        return []
    paragraphs = [each.token.content for each in placed if each.section == "Observations" and each.is_paragraph]
    told = [found for text in paragraphs if (found := severity(text.partition("\n")[0], PLACED))]
    severities = [*visible(placed), *told]
    is_whole = not left_out(placed, "findings") and not is_cut_to_the_floor(placed)
    counts = {name.lower(): severities.count(name) for name in ("CRITICAL", "MAJOR", "MEDIUM", "MINOR")}
    return first_line_faults(placed, verdict, counts if is_whole else {})


def _result(placed: Sequence[Block]) -> str:
    paragraphs = [each for each in placed if each.section == "Observations" and each.is_paragraph]
    told = [(each.group, severity(each.token.content.partition("\n")[0], PLACED)) for each in paragraphs]
    if visible(placed) or any(group == "Impact" and found in GRAVE for group, found in told):
        return "blocking"
    not_blocking = any(found for _, found in told) or any(along_the_way(placed)) or is_cut_to_the_floor(placed)
    return "minor" if not_blocking else "none"
