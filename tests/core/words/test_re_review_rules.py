"""The rules of the re-review's form can be broken, each by itself, and name what is broken."""

import re

from tests.core.words.good_reviews import AGAIN, AT, CUT, FIXED, OPEN, RAISED, READY, SETTLED, THREAD
from tests.review_form import review_faults
from tests.tables import each_row

NEW_LABEL = ":red_circle: **New blockers found** -- Address 1 new finding"
OPEN_LABEL = ":red_circle: **Blockers still open** -- 1 earlier finding still blocks"
FIXED_LABEL = ":green_circle: **Blockers resolved** -- Ready to merge"
READY_LABEL = ":large_blue_circle: **Still ready** -- No new findings"
SECOND_LIST = "<details><summary>More</summary>\n\n- [MAJOR] a.py: open\n\n</details>"


@each_row(
    ("body", "old", "new", "fault"),
    [
        (AGAIN, "Re-Review Summary", "Review Summary", "“New Findings” is no section"),
        (AGAIN, "since a1b2c3d", "since a1b2c3", "“Re-review” is missing"),
        (AGAIN, "## New Findings", "### New Findings", "a heading h3"),
        (AGAIN, ":new: [MAJOR]", "[MAJOR]", "“New Findings” does not begin with one"),
        (AGAIN, ":new: [MEDIUM]", "[MEDIUM]", "a finding in “New Findings”"),
        (AGAIN, f":new: [MAJOR] {AT}:", f":new: [MAJOR] [src/app.py]({THREAD}):", "a finding in “New Findings”"),
        (AGAIN, ":new: [MEDIUM]", ":new: [CRITICAL]", "a severe preference"),
        (AGAIN, "[src/login.py]", "[src/login.py (12)]", "not a resolved finding"),
        (AGAIN, " -- resolved", "", "not a resolved finding"),
        (AGAIN, ":white_check_mark:", ":new:", "not a resolved finding"),
        (AGAIN, "2 still open.", "3 still open.", "2 entries, and it says"),
        (AGAIN, "2 still open.\n\n", "", "not one line in “Still Open”"),
        (AGAIN, "2 still open.", "2 still open.\n\n- [MAJOR] a.py: open", "a finding in “Still Open”"),
        (AGAIN, "<summary>Show</summary>", "<summary>Show</summary>\n\nThese:", "not one list in one fold"),
        (AGAIN, "</details>\n\n## Verdict", f"</details>\n\n{SECOND_LIST}\n\n## Verdict", "not one list in one fold"),
        (AGAIN, "- [MEDIUM]", "1. [MEDIUM]", "not one list in one fold"),
        (AGAIN, "- [MEDIUM] [src/app.py]", "- [MEDIUM] [src/app.py (12)]", "not an entry"),
        (AGAIN, " -- the author disagrees", " -- the author disagrees\n- and more", "not an entry"),
        (AGAIN, NEW_LABEL, f"{NEW_LABEL}\n\nAnd more.", "not one line in “Verdict Update”"),
        (AGAIN, NEW_LABEL, NEW_LABEL.replace(":red", ":yellow"), "not a verdict"),
        (AGAIN, NEW_LABEL, ":green_circle: **Ready to merge** -- nothing found", "not a verdict"),
        (CUT, "## Verdict", "## What Changed\n\nMuch.\n\n## Verdict", "though it says that they were left out"),
        (CUT, NEW_LABEL, ":yellow_circle: **Ready to merge**", "not a verdict"),
    ],
)  # fmt: skip
def test_each_rule_of_a_re_review_can_be_broken(body: str, old: str, new: str, fault: str) -> None:
    """One fault in a good re-review, and the rules name it."""
    assert old in body

    assert fault in "\n".join(review_faults(body.replace(old, new, 1)))


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
    """Of the four, and with other numbers, only what the lists bear out."""
    said = re.search(r"## Verdict Update\n\n(.*)\n", body)
    labels = {NEW_LABEL, OPEN_LABEL, FIXED_LABEL, READY_LABEL, *agreeing}
    labels |= {re.sub(r"\b[1-9]\b", "2", label) for label in labels}
    labels |= {f"{NEW_LABEL} and 1 that was open before"}
    assert said is not None

    passed = {label for label in labels if not _verdict_faults(body.replace(said[1], label))}

    assert passed == agreeing


def _verdict_faults(body: str) -> list[str]:
    """What is said against the verdict, the first line aside."""
    return [fault for fault in review_faults(body) if not fault.startswith("the first line says")]
