"""The rules of reviews, comments and replies can be broken, each by itself, and name what is broken."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

from kodiai.core.findings.markers import finding_marker, reply_marker
from kodiai.core.words.finding import comment_body, conceded
from tests.builders import LINKS, RUN, a_finding, kept
from tests.core.words.good_reviews import (
    AGAIN,
    AT,
    CUT,
    FIRST,
    FIXED,
    MARKER,
    OLDER,
    OLDER_AGAIN,
    OPEN,
    RAISED,
    READY,
    SETTLED,
    THREAD,
)
from tests.review_form import comment_faults, reply_faults, review_faults
from tests.tables import each_row

ID = "F-0123456789ab"
FIXED_WITH_MORE = a_finding(problem="An empty list fails.", fix="Then build it.")
COMMENT = comment_body(replace(kept(FIXED_WITH_MORE), suggestion="x = 1\n"), LINKS)
REPLY = f"{conceded('The caller checks it.')}\n\n{reply_marker(RUN, ID)}"
ESCAPED = FIRST.replace("Optional:", "&#79;ptional:")  # a line that a bot might obey is posted so
GOOD = (FIRST, ESCAPED, AGAIN, FIXED, SETTLED, OPEN, RAISED, READY, OLDER, OLDER_AGAIN, CUT)
LATER = AT.replace("12", "50")
ONE_MORE = f"\n\n[MAJOR] {AT}: x"
OPTIONAL = (
    f"[MEDIUM] {AT}: A generator reads better\nOptional: An empty list leaves `total` unset, so the first report fails."
)
NEW_LABEL = ":red_circle: **New blockers found** -- Address 1 new finding"
OPEN_LABEL = ":red_circle: **Blockers still open** -- 1 earlier finding still blocks"
FIXED_LABEL = ":green_circle: **Blockers resolved** -- Ready to merge"
READY_LABEL = ":large_blue_circle: **Still ready** -- No new findings"
SECOND_LIST = "<details><summary>More</summary>\n\n- [MAJOR] a.py: open\n\n</details>"

# A text of a good review, what takes its place, and the fault that is named then.
Rows = list[tuple[str, str, str]]
OF_BOTH_FORMS: Rows = [
    ("Review Summary", "Summary", "none of the three forms"),
    ("<details><summary>Kodiai", "x<details><summary>Kodiai", "none of the three forms"),
    ("** · ", "** -- ", "no verdict on the first line"),
    (":red_circle:", ":yellow_circle:", "the first line says"),
    ("** · ", "** · 9 major, 9 new, ", "on the first line"),
    ("</details>\n\n<details><summary>Review", "<details><summary>Review", "left open"),
    ("<details><summary>Review", "More.\n\n<details><summary>Review", "outside the folds"),
    ("<summary>Review Details", "<summary>Details", "folds ["),
    ("## What Changed", "</details>\n\n## What Changed", "closed twice"),
    ("## What Changed", "<details><summary>x</summary>\n\n</details>\n\n## What Changed", "a fold in “"),
    ("- The report", "- The report\n\n  <details><summary>x</summary>\n\n  </details>\n\n", "another block"),
    ("## What Changed", "Hello.\n\n## What Changed", "words "),
    ("## What Changed", "## Changes", "“Changes” is no section"),
    ("## What Changed", "### What Changed", "“What Changed” is missing"),
    ("- The report is written as a stream.", "", "“What Changed” is empty"),
    ("- The report", "- [MAJOR] src/app.py: posing\n- The report", "a finding"),
    ("- The report", ":new: [MAJOR] src/app.py (12): posing", "a finding"),
    ("- The report", "- @someone", "a mention"),
    ("- The report", "- [x](y)", "a link"),
    ("- The report", "- ![x](y)", "an image"),
    ("- The report", "- https://example.com", "an address"),
    ("- The report", "- a <b>tag</b>", "a tag: <b>"),
    ("- The report", "- <!-- hidden -->", "a comment"),
    ("- The report", "a | b\n--|--\nc | d\n\n", "a table"),
    ("- The report", "```suggestion\nx\n```\n", "a suggestion"),
    ("- The report", "```\nopen", "no marker at the end"),
    ("- The report", "- The report\n  ===\n", "a heading h1"),
    ("- The report", "- " + "x" * 65_536, "characters"),
    (MARKER, "", "no marker at the end"),
    (MARKER, f"{MARKER}\n\n{MARKER}", "a comment"),
    (MARKER, finding_marker("F-0123456789ab"), "no marker at the end"),
    (MARKER, f"{MARKER}\n\nmore", "no marker at the end"),
    (MARKER, f"more\n\n{MARKER}", "outside the folds"),
    (MARKER, f"The findings were left out: this review would have been longer than GitHub takes.\n\n{MARKER}",
     "though it says that they were left out"),
]  # fmt: skip
OF_FIRST: Rows = [
    ("Review Summary", "Re-Review Summary", "“Observations” is no section"),
    ("## Observations\n\n", "## Observations\n\n### Impact\n\n", "a heading h3"),
    ("## Observations\n\n", "## Observations\n\nWell.\n\n", "“Observations” has no finding here"),
    ("## Suggestions", "## Preference", "“Preference” is no section"),
    (OPTIONAL, "", "“Suggestions” is empty"),
    (OPTIONAL, "- Measure", "“Suggestions” has no finding here"),
    ("before it is set", "before it is set\nOptional: It is lazy.", "a suggestion in “Observations”"),
    (f"[MAJOR] {AT}:", "[MAJOR] [src/app.py](x):", "a finding in “Observations”"),
    (f"[MAJOR] {AT}:", f"[SEVERE] {AT}:", "has no finding here"),
    (f"[MAJOR] {AT}:", f":new: [MAJOR] {AT}:", "a finding in “Observations”"),
    ("[MEDIUM]", "[MAJOR]", "a severe suggestion"),
    ("Optional: ", "", "a suggestion that is not optional"),
    ("## Verdict\n\n:red_circle: **Address before", "## Verdict\n\n:green_circle: **Ready to", "the verdict"),
    ("[MAJOR]", "[MEDIUM]", "the verdict"),
    (" -- 1 MAJOR finding", "", "the verdict"),
    ("1 MAJOR finding", "1 MAJOR\nfinding", "not one line in “Verdict”"),
]
OF_OLDER_PROBLEMS: Rows = [
    ("## Older Problems\n\n", "## Older Problems\n\nLook:\n\n", "has no finding here"),
    (f"[MAJOR] {LATER}", f"[MEDIUM] {LATER}", "a MEDIUM finding in “Older Problems”"),
    (f"[MAJOR] {LATER}", f"- [MAJOR] {LATER}", "has no finding here"),
    (" · 1 older MAJOR, not from this change", "", "the older problems [] on"),
    ("1 older MAJOR, not from this change", "1 older MAJOR", "the older problems [] on"),
    ("1 older MAJOR", "1 older CRITICAL", "the older problems ['CRITICAL'] on"),
    ("1 older MAJOR", "1 older CRITICAL, 1 older MAJOR", "the older problems ['CRITICAL', 'MAJOR'] on"),
]
OF_THEIR_LISTS: Rows = [
    ("\n\n## Verdict", f"{ONE_MORE * 2}\n\n## Verdict", "3 findings in “Older Problems”"),
    (f"[MAJOR] {LATER}", f":new: [MAJOR] {LATER}", "“Older Problems” has no finding here"),
]
OF_THEIR_LISTS_AGAIN: Rows = [
    ("\n\n## Verdict", f"{ONE_MORE.replace('[', ':new: [', 1) * 2}\n\n## Verdict", "3 findings in “Older Problems”"),
    (f":new: [MAJOR] {LATER}", f"[MAJOR] {LATER}", "“Older Problems” has no finding here"),
]
OF_AGAIN: Rows = [
    ("Re-Review Summary", "Review Summary", "“New Findings” is no section"),
    ("since a1b2c3d", "since a1b2c3", "“Re-review” is missing"),
    ("## New Findings", "### New Findings", "a heading h3"),
    (":new: [MAJOR]", "[MAJOR]", "“New Findings” has no finding here"),
    (":new: [MEDIUM]", "[MEDIUM]", "“Suggestions” has no finding here"),
    (f":new: [MAJOR] {AT}:", f":new: [MAJOR] [src/app.py]({THREAD}):", "a finding in “New Findings”"),
    (":new: [MEDIUM]", ":new: [CRITICAL]", "a severe suggestion"),
    ("Optional: ", "", "a suggestion that is not optional"),
    ("before it is set", "before it is set\nOptional: It is lazy.", "a suggestion in “New Findings”"),
    ("[src/login.py]", "[src/login.py (12)]", "“Resolved Findings” has no finding here"),
    (" -- resolved", " -- resolved\nmore", "“Resolved Findings” has no finding here"),
    (" -- resolved", "", "“Resolved Findings” has no finding here"),
    (":white_check_mark:", ":new:", "“Resolved Findings” has no finding here"),
    ("2 still open.", "3 still open.", "2 entries, and it says"),
    ("2 still open.\n\n", "", "not one line in “Still Open”"),
    ("2 still open.", "2 still open.\n\n- [MAJOR] a.py: open", "a finding in “Still Open”"),
    ("<summary>Show</summary>", "<summary>Show</summary>\n\nThese:", "not one list in one fold"),
    ("</details>\n\n## Verdict", f"</details>\n\n{SECOND_LIST}\n\n## Verdict", "not one list in one fold"),
    ("- [MEDIUM]", "1. [MEDIUM]", "not one list in one fold"),
    ("- [MEDIUM] [src/app.py]", "- [MEDIUM] [src/app.py (12)]", "not an entry"),
    (" -- the author disagrees", " -- the author disagrees\n- and more", "not an entry"),
    (NEW_LABEL, f"{NEW_LABEL}\n\nAnd more.", "not one line in “Verdict Update”"),
    (NEW_LABEL, NEW_LABEL.replace(":red", ":yellow"), "the verdict"),
    (NEW_LABEL, ":green_circle: **Ready to merge** -- nothing found", "the verdict"),
]  # fmt: skip
OF_CUT: Rows = [
    ("## Verdict", "## What Changed\n\nMuch.\n\n## Verdict", "though it says that they were left out"),
    (NEW_LABEL, ":yellow_circle: **Ready to merge**", "the verdict"),
]
OF_COMMENTS: Rows = [
    ("**[MAJOR] ", "**", "no severity and title"),
    ("**[MAJOR] ", "**[SEVERE] ", "no severity and title"),
    ("An empty", "Optional: An empty", "a severe preference"),
    ("An empty", "# An empty", "a heading"),
    ("An empty", "<b>An</b> empty", "a tag"),
    ("An empty", "@someone, an empty", "a mention"),
    ("An empty list fails.\n\n", "", "a suggestion before the problem"),
    ("Then build", "```suggestion\nforged\n```\n\nThen build", "2 suggestions"),
    ("An empty list leaves", "```suggestion\nforged\n```\n\nAn empty list leaves", "a suggestion in a fold"),
    ("<!-- kodiai:finding", "<!-- kodiai:review", "no marker"),
    ("An empty", "word " * 90 + "an empty", "words below the title"),
    ("An empty list leaves", "word " * 80 + "An empty list leaves", "words in the fold"),
    ("How it happens", "For an AI agent", "folds ["),
    ("<!-- kodiai:finding", f"{SECOND_LIST}\n\n<!-- kodiai:finding", "folds ["),
    ("x = 1\n", "x = 1\n" * 20_000, "characters"),
]
OF_REPLIES: Rows = [
    ("The caller", "<b>The</b> caller", "a tag"),
    ("The caller", "# The caller", "a heading"),
    ("The caller", "@someone", "a mention"),
    ("The caller", "```suggestion\nx\n```\n\nThe caller", "a suggestion"),
    ("You are right", "```\nx\n```\n\nYou are right", "no words at the beginning"),
    ("kodiai:reply", "kodiai:finding", "no marker"),
    ("The caller", "x" * 65_536, "characters"),
]
RULES: list[tuple[Callable[[str], list[str]], tuple[str, ...], Rows]] = [
    (review_faults, (FIRST, AGAIN), OF_BOTH_FORMS),
    (review_faults, (FIRST,), OF_FIRST),
    (review_faults, (OLDER, OLDER_AGAIN), OF_OLDER_PROBLEMS),
    (review_faults, (OLDER,), OF_THEIR_LISTS),
    (review_faults, (OLDER_AGAIN,), OF_THEIR_LISTS_AGAIN),
    (review_faults, (AGAIN,), OF_AGAIN),
    (review_faults, (CUT,), OF_CUT),
    (comment_faults, (COMMENT,), OF_COMMENTS),
    (reply_faults, (REPLY,), OF_REPLIES),
]


def test_the_rules_find_no_fault_with_good_texts() -> None:
    """Else the other tests would prove nothing."""
    assert [fault for body in GOOD for fault in review_faults(body)] == []
    assert [*comment_faults(COMMENT), *reply_faults(REPLY)] == []


@each_row(
    ("faults", "body", "old", "new", "fault"),
    [(faults, body, *row) for faults, bodies, rows in RULES for body, row in itertools.product(bodies, rows)],
    [f"{row}" for _, bodies, rows in RULES for _, row in itertools.product(bodies, rows)],
)
def test_each_rule_can_be_broken(faults: Callable[[str], list[str]], body: str, old: str, new: str, fault: str) -> None:
    """One fault in a good text, and the rules name it."""
    assert old in body

    assert fault in "\n".join(faults(body.replace(old, new, 1)))


def test_the_number_of_new_findings_may_only_exceed_the_listed_ones() -> None:
    """The verdict may count more only if the details say that some are below the floor."""
    floor = "- Not listed: 1 below the severity floor MEDIUM\n"
    assert floor in OLDER_AGAIN

    assert "the verdict" in "\n".join(review_faults(OLDER_AGAIN.replace(floor, "")))
    assert "the verdict" in "\n".join(
        review_faults(OLDER_AGAIN.replace("2 new, none of them blocking", "No new findings"))
    )


@each_row(
    ("body", "agreeing"),
    [
        (AGAIN, {NEW_LABEL}),
        (FIXED, {FIXED_LABEL}),
        (SETTLED, {FIXED_LABEL}),
        (OPEN, {OPEN_LABEL, NEW_LABEL}),  # whether it was raised does not show
        (RAISED, {OPEN_LABEL, NEW_LABEL}),
        (READY, {READY_LABEL.replace("No new findings", "1 new, none of them blocking")}),
    ],
)
def test_a_verdict_agrees_with_what_is_listed(body: str, agreeing: set[str]) -> None:
    """Other verdicts, and other numbers, are faults."""
    said = re.search(r"## Verdict Update\n\n(.*)\n", body)
    labels = {NEW_LABEL, OPEN_LABEL, FIXED_LABEL, READY_LABEL, *agreeing}
    labels |= {re.sub(r"\b[1-9]\b", "2", label) for label in labels}
    labels |= {f"{NEW_LABEL} and 1 that was open before"}
    assert said is not None

    passed = {label for label in labels if not _verdict_faults(body.replace(said[1], label))}

    assert passed == agreeing


def _verdict_faults(body: str) -> list[str]:
    """The faults of the verdict, the first line aside."""
    return [fault for fault in review_faults(body) if not fault.startswith("the first line says")]


def _parts(body: str) -> tuple[str, list[str], str]:
    """The fold's beginning, its sections, and everything from its end on."""
    summary, end, rest = body.partition("\n\n</details>\n\n<details><summary>Review Details")
    beginning, *sections = summary.split("\n\n## ")
    return beginning, sections, end + rest


def _whole(beginning: str, sections: list[str], rest: str) -> str:
    return "\n\n## ".join([beginning, *sections]) + rest


@each_row("body", [FIRST, AGAIN])
def test_sections_stand_once_and_in_their_order(body: str) -> None:
    """No two change places, and none is there twice."""
    beginning, sections, rest = _parts(body)
    assert _whole(beginning, sections, rest) == body

    for one, other in itertools.combinations(range(len(sections)), 2):
        swapped = list(sections)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        assert "the order [" in "\n".join(review_faults(_whole(beginning, swapped, rest)))
    for at, section in enumerate(sections):
        doubled = [*sections[:at], section, *sections[at:]]
        assert "stands twice" in "\n".join(review_faults(_whole(beginning, doubled, rest)))


@each_row(
    ("body", "at", "fault"),
    [
        (FIRST, 0, "“What Changed” is missing"),
        (FIRST, 4, "“Verdict” is missing"),
        (AGAIN, 0, "“Re-review” is missing"),
        (AGAIN, 6, "“Verdict Update” is missing"),
        (FIXED, 2, "nothing new, nothing resolved, nothing open"),
        (OPEN, 3, "the verdict"),
    ],
)
def test_a_section_that_is_needed_is_missed(body: str, at: int, fault: str) -> None:
    """The others are there only where they have something to say."""
    beginning, sections, rest = _parts(body)

    del sections[at]

    assert fault in "\n".join(review_faults(_whole(beginning, sections, rest)))


def test_no_section_of_one_form_stands_in_the_other() -> None:
    """Wherever it is put."""
    theirs = {FIRST: _parts(AGAIN)[1], AGAIN: _parts(FIRST)[1]}

    for body, strangers in theirs.items():
        beginning, sections, rest = _parts(body)
        for at, stranger in itertools.product(range(len(sections) + 1), strangers):
            title = stranger.partition("\n")[0]
            mixed = _whole(beginning, [*sections[:at], stranger, *sections[at:]], rest)
            is_of_both = title in ("What Changed", "Suggestions")
            expected = f"“{title}” stands twice" if is_of_both else f"“{title}” is no section"
            assert expected in "\n".join(review_faults(mixed))
