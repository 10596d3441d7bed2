"""The two forms of a review as data: sections in their order, a finding's line in each of them, and the verdicts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.review_form.reading import NAMED, PLACED

OLDER = "Older Problems"
SUGGESTIONS = "Suggestions"
STILL_OPEN = "Still Open"
RESOLVED = "Resolved Findings"
TEAM_RULES = "Team Rules"
TITLE = "Re-review"
RED = r"CI is red \([^\n]+\)"
_NUMBER = r"(?P<number>[1-9][0-9]*)"
_NOT_READ = r"(?:; [0-9,]+ files? (?:was|were) not read)?"
_MINOR = r":yellow_circle: \*\*Ready to merge with minor items\*\* -- \S.*"
_NOT_OURS = r"(?:[1-9][0-9]* older (?:CRITICAL|MAJOR), )+not from this change"
_OFFLINE = r":white_circle: \*\*Offline checks only: no verdict\*\* -- "


@dataclass(frozen=True)
class Listed:
    """Findings that a review lists: how many are new, and how many that block are new, still open, and gone.

    `some` is whether any are new, also where the details only count them; `new_is_whole` whether all of them are
    listed. Gone are those that were resolved, and those that people settled, where the details are there to say so.
    """

    new: int
    some: bool
    new_is_whole: bool
    new_blockers: int
    open_blockers: int
    gone_blockers: int
    gone_is_whole: bool

    @property
    def blocks(self) -> bool:
        """Whether any finding that blocks is open."""
        return bool(self.new_blockers or self.open_blockers)


@dataclass(frozen=True)
class Verdict:
    """A verdict's line, and whether it agrees with what is listed and the two numbers that it names.

    `counts` is whether it is about findings, so that nothing can be held against it where these were left out.
    """

    line: str
    agrees: Callable[[Listed, int, int], bool]
    counts: bool = True


@dataclass(frozen=True)
class Form:
    """A form by its summary line. Each of `sections`, in their order, has the line of its findings, "" without any.

    `always` are the sections of every review, the last of which is the verdict. `new` has the new problems.
    """

    summary: str
    sections: Mapping[str, str]
    always: Sequence[str]
    new: str
    verdicts: Sequence[Verdict]

    @property
    def is_delta(self) -> bool:
        """Whether it says what has changed since the last review."""
        return TITLE in self.sections


def _agrees_on_new(listed: Listed, number: int, before: int) -> bool:
    """An earlier one that became more severe counts as new; the text does not tell it from the others still open."""
    return listed.new_blockers <= number and number + before == listed.new_blockers + listed.open_blockers


def _agrees_on_ready(listed: Listed, number: int, _: int) -> bool:
    agrees = number == listed.new if listed.new_is_whole else number >= listed.new
    return not listed.blocks and not listed.gone_blockers and agrees


FIRST = Form(
    "Kodiai Review Summary",
    {
        "What Changed": "",
        "Strengths": "",
        "Observations": PLACED,
        OLDER: PLACED,
        SUGGESTIONS: PLACED,
        TEAM_RULES: "",
        "Verdict": "",
    },
    ("What Changed", "Verdict"),
    "Observations",
    (
        Verdict(r":red_circle: \*\*Address before merging\*\* -- \S.*", lambda it, *_: it.blocks),
        Verdict(_MINOR, lambda it, *_: it.some and not it.blocks),
        Verdict(r":green_circle: \*\*Ready to merge\*\* -- \S.*", lambda it, *_: not it.some),
        Verdict(rf"{_OFFLINE}\S.*", lambda *_: True),
        Verdict(
            r":yellow_circle: \*\*(?:Not fully reviewed|Nothing blocking in what was read)\*\* -- \S.*"
            rf"|:white_circle: \*\*Nothing to read\*\* -- \S.*|:yellow_circle: \*\*{RED}\*\* -- \S.*",
            lambda it, *_: not it.blocks,
            counts=False,
        ),
    ),
)
AGAIN = Form(
    "Kodiai Re-Review Summary",
    {
        TITLE: "",
        "What Changed": "",
        "New Findings": f":new: {PLACED}",
        OLDER: f":new: {PLACED}",
        SUGGESTIONS: f":new: {PLACED}",
        RESOLVED: f":white_check_mark: {NAMED} -- resolved",
        STILL_OPEN: "",
        TEAM_RULES: "",
        "Verdict Update": "",
    },
    (TITLE, "What Changed", "Verdict Update"),
    "New Findings",
    (
        Verdict(
            rf":red_circle: \*\*New blockers found\*\* -- Address {_NUMBER} new findings?"
            rf"(?: and (?P<before>[1-9][0-9]*) that (?:was|were) open before)?{_NOT_READ}",
            _agrees_on_new,
        ),
        Verdict(
            rf":red_circle: \*\*Blockers still open\*\* -- {_NUMBER} earlier finding(?:s still block| still blocks)"
            rf"{_NOT_READ}",
            lambda it, number, _: not it.new_blockers and number == it.open_blockers,
        ),
        Verdict(rf"{_OFFLINE}no model has read this change", lambda *_: True),
        Verdict(
            r":green_circle: \*\*Blockers resolved\*\* -- Ready to merge",
            lambda it, *_: not it.blocks and bool(it.gone_blockers or not it.gone_is_whole),
        ),
        Verdict(
            rf":large_blue_circle: \*\*Still ready\*\* -- (?:No new findings|{_NUMBER} new, none of them blocking"
            rf"(?:; {_NOT_OURS})?|{_NOT_OURS})",
            _agrees_on_ready,
        ),
        Verdict(
            r":yellow_circle: \*\*(?:Not fully reviewed|Nothing blocking in what was read)\*\*"
            r" -- read [0-9,]+ of [0-9,]+ files?(?:, [0-9,]+ not visible on GitHub)?(?:; .+)?"
            r"|:white_circle: \*\*Nothing to read\*\* -- no changed file (?:needs to|can) be read(?:; .+)?"
            rf"|:green_circle: \*\*Ready to merge\*\* -- nothing found in [0-9,]+ files?|{_MINOR}"
            rf"|:yellow_circle: \*\*{RED}\*\* -- .+",
            lambda it, *_: not it.blocks,
            counts=False,
        ),
    ),
)
