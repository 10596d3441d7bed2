"""The rules of what is posted can be broken, each by itself, and name what is broken."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from kodiai.core.findings.markers import finding_marker, reply_marker, review_marker
from kodiai.core.judge.delta import delta
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.words.finding import comment_body, conceded
from kodiai.core.words.review import first_review, re_review
from tests.builders import HEAD, LINKS, PULL, RUN, a_delta, a_finding, a_scope, followed, kept, some_details
from tests.review_form import comment_faults, reply_faults, review_faults
from tests.tables import each_row

ID = "F-0123456789ab"
AT = f"[src/app.py (12)]({LINKS.code('src/app.py', 12, 12)})"
LATER = AT.replace("12", "50")
THREAD = f"{PULL}#discussion_r11"
MARKER = review_marker(RUN, HEAD)
BLOCKING, MINOR = a_finding(), a_finding(severity="MINOR", title="The name says little")
OPTIONAL = a_finding(kind="preference", severity="MEDIUM", title="A generator reads better")
BEFORE = a_finding(title="The lock is never freed", pre_existing=True, start_line=50)
NEW = delta([kept(BLOCKING), kept(OPTIONAL, inline=False)], ())


def again(*before: FindingUpdate) -> str:
    """A re-review that tells nothing new."""
    return re_review(a_scope(), a_delta([], *before), [], some_details(), HEAD)


FIRST = first_review(a_scope(), NEW, [], some_details(strengths=["`src/app.py:12` is short"], suggestions=["Measure"]))
UPDATES = (
    followed(a_finding(severity="CRITICAL", path="src/login.py", title="The token is logged"), "resolved"),
    followed(MINOR, author_disagrees=True),
    followed(a_finding(severity="MEDIUM", title="No test fails without it")),
)
AGAIN = re_review(a_scope(), delta(NEW.new, UPDATES), [], some_details(), HEAD)
FIXED = again(followed(BLOCKING, "resolved"))
SETTLED = again(followed(BLOCKING, "dismissed"), followed(MINOR, "resolved"))
OPEN = again(followed(MINOR, "resolved"), followed(BLOCKING), followed(MINOR))
RAISED = again(followed(BLOCKING, "raised"), followed(MINOR))
READY = re_review(a_scope(), a_delta([MINOR], followed(OPTIONAL, "resolved")), [], some_details(), HEAD)
ALONG = first_review(a_scope(), a_delta([BLOCKING, BEFORE]), [], some_details())
ALONG_AGAIN = re_review(a_scope(), a_delta([MINOR, BEFORE]), [], some_details(floor="MEDIUM"), HEAD)
MANY = [followed(a_finding(severity="MINOR", title="<" * 80))] * 200
CUT = re_review(a_scope(), a_delta([BLOCKING], *MANY), [], some_details(), HEAD)
COMMENT = comment_body(replace(kept(a_finding(problem="An empty list fails.")), suggestion="x = 1\n"), LINKS)
REPLY = f"{conceded('The caller checks it.')}\n\n{reply_marker(RUN, ID)}"

BOTH, BOTH_ALONG = (FIRST, AGAIN), (ALONG, ALONG_AGAIN)
REVIEWS = (*BOTH, FIXED, SETTLED, OPEN, RAISED, READY, *BOTH_ALONG, CUT)
RULES: dict[str, Callable[[str], list[str]]] = {COMMENT: comment_faults, REPLY: reply_faults}
NEW_LABEL = ":red_circle: **New blockers found** -- Address 1 new finding"
OPEN_LABEL = ":red_circle: **Blockers still open** -- 1 earlier finding still blocks"
FIXED_LABEL = ":green_circle: **Blockers resolved** -- Ready to merge"
READY_LABEL = ":large_blue_circle: **Still ready** -- No new findings"
SECOND_LIST = "<details><summary>More</summary>\n\n- [MAJOR] a.py: open\n\n</details>"
RESOLVED = f":white_check_mark: [MAJOR] [src/app.py]({THREAD}): The total is read before it is set -- resolved"
LEFT_OUT = "The findings were left out: this review would have been longer than GitHub takes."
SUGGESTION = "```suggestion\nforged\n```\n\n"


@each_row("text", [*REVIEWS, COMMENT, REPLY])
def test_the_rules_find_no_fault_with_a_good_text(text: str) -> None:
    """Else the other tests would prove nothing."""
    assert RULES.get(text, review_faults)(text) == []


@each_row(
    ("texts", "old", "new", "fault"),
    [
        (BOTH, "Review Summary", "Summary", "none of the three forms"),
        (BOTH, "<details><summary>Kodiai", "x<details><summary>Kodiai", "none of the three forms"),
        (BOTH, "** · ", "** -- ", "no verdict on the first line"),
        (BOTH, ":red_circle:", ":yellow_circle:", "the first line says"),
        (BOTH, "** · ", "** · 9 major, 9 new, ", "on the first line"),
        (BOTH, "</details>\n\n<details><summary>Review", "<details><summary>Review", "left open"),
        (BOTH, "<details><summary>Review", "More.\n\n<details><summary>Review", "outside the folds"),
        (BOTH, "<summary>Review Details", "<summary>Details", "folds ["),
        (BOTH, "## What Changed", "</details>\n\n## What Changed", "closed twice"),
        (BOTH, "## What Changed", f"{SECOND_LIST}\n\n## What Changed", "a fold in “"),
        (BOTH, "- The report", "- The report\n\n  <details><summary>x</summary>\n\n  </details>\n\n", "another block"),
        (BOTH, "## What Changed", "Hello.\n\n## What Changed", "words "),
        (BOTH, "## What Changed", "## Changes", "“Changes” is no section"),
        (BOTH, "## What Changed", "### What Changed", "“What Changed” is missing"),
        (BOTH, "- The report is written as a stream.", "", "“What Changed” is empty"),
        (BOTH, "- The report", "- [MAJOR] src/app.py: posing\n- The report", "a finding"),
        (BOTH, "- The report", ":new: [MAJOR] src/app.py (12): posing", "a finding"),
        (BOTH, "- The report", "- @someone", "a mention"),
        (BOTH, "- The report", "- [x](y)", "a link"),
        (BOTH, "- The report", "- ![x](y)", "an image"),
        (BOTH, "- The report", "- https://example.com", "an address"),
        (BOTH, "- The report", "- a <b>tag</b>", "a tag: <b>"),
        (BOTH, "- The report", "- <!-- hidden -->", "a comment"),
        (BOTH, "- The report", "a | b\n--|--\nc | d\n\n", "a table"),
        (BOTH, "- The report", "```suggestion\nx\n```\n", "a suggestion"),
        (BOTH, "- The report", "```\nopen", "no marker at the end"),
        (BOTH, "- The report", "- The report\n  ===\n", "a heading h1"),
        (BOTH, "- The report", "- " + "x" * 65_536, "characters"),
        (BOTH, MARKER, "", "no marker at the end"),
        (BOTH, MARKER, f"{MARKER}\n\n{MARKER}", "a comment"),
        (BOTH, MARKER, finding_marker(ID), "no marker at the end"),
        (BOTH, MARKER, f"{MARKER}\n\nmore", "no marker at the end"),
        (BOTH, MARKER, f"more\n\n{MARKER}", "outside the folds"),
        (BOTH, MARKER, f"{LEFT_OUT}\n\n{MARKER}", "though it says that they were left out"),
        ([FIRST], "Review Summary", "Re-Review Summary", "“Observations” is no section"),
        ([FIRST], "### Impact", "### Preference", "groups ["),
        ([FIRST], "### Impact\n\n", "", "“” does not begin with a finding"),
        ([FIRST], "### Impact\n\n", "### Impact\n\nWell.\n\n", "“Impact” does not begin with a finding"),
        ([FIRST], "### Preference", "### Taste", "groups ["),
        ([FIRST], "- Measure", "", "“Suggestions” is empty"),
        ([FIRST], f"[MAJOR] {AT}:", "[MAJOR] [src/app.py](x):", "a finding that is none"),
        ([FIRST], f"[MAJOR] {AT}:", f"[SEVERE] {AT}:", "does not begin with a finding"),
        ([FIRST], f"[MAJOR] {AT}:", f":new: [MAJOR] {AT}:", "a finding that is none"),
        ([FIRST], "[MEDIUM]", "[MAJOR]", "a severe preference"),
        ([FIRST], "Optional: ", "", "a preference that is not optional"),
        ([FIRST], "## Verdict", "### Verdict", "“Verdict” is missing"),
        ([FIRST], "## Verdict\n\n:red_circle:", "## Verdict\n\n:green_circle:", "the verdict"),
        ([FIRST], "[MAJOR]", "[MEDIUM]", "the verdict"),
        ([FIRST], " -- 1 MAJOR finding", "", "the verdict"),
        ([FIRST], "1 MAJOR finding", "1 MAJOR\nfinding", "not one line in “Verdict”"),
        (BOTH_ALONG, "## Found Along the Way", "## Found Along the Way\n\nLook:", "does not begin with a finding"),
        (BOTH_ALONG, f"[MAJOR] {LATER}", f"[MEDIUM] {LATER}", "a MEDIUM finding in “Found Along the Way”"),
        (BOTH_ALONG, f"[MAJOR] {LATER}", f"- [MAJOR] {LATER}", "does not begin with a finding"),
        (BOTH_ALONG, "\n\n## Verdict", f"\n\n[MAJOR] {AT}: x" * 2 + "\n\n## Verdict", "3 findings in “Found Along"),
        # The verdict may count more than what is listed where the details say that some are below the floor.
        ([ALONG_AGAIN], "- Not listed: 1 below the severity floor MEDIUM\n", "", "the verdict"),
        ([ALONG_AGAIN], "2 new, none of them blocking", "No new findings", "the verdict"),
        ([AGAIN], "Re-Review Summary", "Review Summary", "“New Findings” is no section"),
        ([AGAIN], "since a1b2c3d", "since a1b2c3", "“Re-review” is missing"),
        ([AGAIN], "## New Findings", "### New Findings", "a heading h3"),
        ([AGAIN], ":new: [MAJOR]", "[MAJOR]", "“New Findings” does not begin with one"),
        ([AGAIN], ":new: [MEDIUM]", "[MEDIUM]", "a finding in “New Findings”"),
        ([AGAIN], f":new: [MAJOR] {AT}:", f":new: [MAJOR] [src/app.py]({THREAD}):", "a finding in “New Findings”"),
        ([AGAIN], ":new: [MEDIUM]", ":new: [CRITICAL]", "a severe preference"),
        ([AGAIN], "[src/login.py]", "[src/login.py (12)]", "not a resolved finding"),
        ([AGAIN], " -- resolved", "", "not a resolved finding"),
        ([AGAIN], ":white_check_mark:", ":new:", "not a resolved finding"),
        ([AGAIN], "2 still open.", "3 still open.", "2 entries, and it says"),
        ([AGAIN], "2 still open.\n\n", "", "not one line in “Still Open”"),
        ([AGAIN], "2 still open.", "2 still open.\n\n- [MAJOR] a.py: open", "a finding in “Still Open”"),
        ([AGAIN], "<summary>Show</summary>", "<summary>Show</summary>\n\nThese:", "not one list in one fold"),
        ([AGAIN], "</details>\n\n## V", f"</details>\n\n{SECOND_LIST}\n\n## V", "not one list in one fold"),
        ([AGAIN], "- [MEDIUM]", "1. [MEDIUM]", "not one list in one fold"),
        ([AGAIN], "- [MEDIUM] [src/app.py]", "- [MEDIUM] [src/app.py (12)]", "not an entry"),
        ([AGAIN], " -- the author disagrees", " -- the author disagrees\n- and more", "not an entry"),
        ([AGAIN], "## Verdict Update", "### Verdict Update", "“Verdict Update” is missing"),
        ([AGAIN], NEW_LABEL, f"{NEW_LABEL}\n\nAnd more.", "not one line in “Verdict Update”"),
        ([AGAIN], NEW_LABEL, NEW_LABEL.replace(":red", ":yellow"), "not a verdict"),
        ([AGAIN], NEW_LABEL, ":green_circle: **Ready to merge** -- nothing found", "not a verdict"),
        ([FIXED], f"## Resolved Findings\n\n{RESOLVED}\n\n", "", "nothing new, nothing resolved, nothing open"),
        ([CUT], "## Verdict", "## What Changed\n\nMuch.\n\n## Verdict", "though it says that they were left out"),
        ([CUT], NEW_LABEL, ":yellow_circle: **Ready to merge**", "not a verdict"),
        ([COMMENT], "**[MAJOR] ", "**", "no severity and title"),
        ([COMMENT], "**[MAJOR] ", "**[SEVERE] ", "no severity and title"),
        ([COMMENT], "An empty", "Optional: An empty", "a severe preference"),
        ([COMMENT], "An empty", "# An empty", "a heading"),
        ([COMMENT], "An empty", "<b>An</b> empty", "a tag"),
        ([COMMENT], "An empty", "@someone, an empty", "a mention"),
        ([COMMENT], "An empty", f"{SUGGESTION}An empty", "a suggestion that is not the last"),
        ([COMMENT], "<!-- kodiai:finding", "<!-- kodiai:review", "no marker"),
        ([COMMENT], "An empty", "word " * 90 + "an empty", "words below the title"),
        ([COMMENT], "How it happens", "More", "folds ["),
        ([COMMENT], "```text", "```", "not given plain text"),
        ([COMMENT], "x = 1\n", "x = 1\n" * 20_000, "characters"),
        ([REPLY], "The caller", "<b>The</b> caller", "a tag"),
        ([REPLY], "The caller", "# The caller", "a heading"),
        ([REPLY], "The caller", "@someone", "a mention"),
        ([REPLY], "The caller", f"{SUGGESTION}The caller", "a suggestion"),
        ([REPLY], "You are right", "```\nx\n```\n\nYou are right", "no words at the beginning"),
        ([REPLY], "kodiai:reply", "kodiai:finding", "no marker"),
        ([REPLY], "The caller", "x" * 65_536, "characters"),
    ],
)
def test_each_rule_can_be_broken(texts: Sequence[str], old: str, new: str, fault: str) -> None:
    """One fault in a good text, and the rules name it."""
    for text in texts:
        assert old in text
        assert fault in "\n".join(RULES.get(text, review_faults)(text.replace(old, new, 1)))


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
    """Of the four, and with other numbers, only what the lists bear out; the first line aside."""
    said = re.search(r"## Verdict Update\n\n(.*)\n", body)
    labels = {NEW_LABEL, OPEN_LABEL, FIXED_LABEL, READY_LABEL, *agreeing}
    labels |= {re.sub(r"\b[1-9]\b", "2", label) for label in labels}
    labels |= {f"{NEW_LABEL} and 1 that was open before"}
    assert said is not None

    faults = {label: review_faults(body.replace(said[1], label)) for label in labels}

    assert {label for label in labels if all(each.startswith("the first line") for each in faults[label])} == agreeing


@pytest.mark.parametrize("body", BOTH, ids=["first", "again"])
def test_sections_stand_once_and_in_their_order(body: str) -> None:
    """No two change places, and none is there twice."""
    summary, end, rest = body.partition("\n\n</details>\n\n<details><summary>Review Details")
    beginning, *sections = summary.split("\n\n## ")

    def faults(parts: list[str]) -> str:
        return "\n".join(review_faults("\n\n## ".join([beginning, *parts]) + end + rest))

    for one, other in itertools.combinations(range(len(sections)), 2):
        swapped = list(sections)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        assert "the order [" in faults(swapped)
    for at, section in enumerate(sections):
        assert "stands twice" in faults([*sections[:at], section, *sections[at:]])
