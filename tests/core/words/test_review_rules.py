"""The rules of both forms, and of the first one, can be broken, each by itself, and name what is broken."""

from kodiai.core.findings.markers import finding_marker
from tests.core.words.good_reviews import (
    AGAIN,
    ALONG,
    ALONG_AGAIN,
    AT,
    CUT,
    FIRST,
    FIXED,
    MARKER,
    OPEN,
    RAISED,
    READY,
    SETTLED,
)
from tests.review_form import review_faults
from tests.tables import each_row


@each_row("body", [FIRST, AGAIN, FIXED, SETTLED, OPEN, RAISED, READY, ALONG, ALONG_AGAIN, CUT])
def test_the_rules_find_no_fault_with_a_good_review(body: str) -> None:
    """Else the other tests would prove nothing."""
    assert review_faults(body) == []


@each_row("body", [FIRST, AGAIN])
@each_row(
    ("old", "new", "fault"),
    [
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
    ],
)  # fmt: skip
def test_each_rule_of_both_forms_can_be_broken(body: str, old: str, new: str, fault: str) -> None:
    """One fault in a good review, and the rules name it."""
    assert old in body

    assert fault in "\n".join(review_faults(body.replace(old, new, 1)))


@each_row(
    ("old", "new", "fault"),
    [
        ("Review Summary", "Re-Review Summary", "“Observations” is no section"),
        ("### Impact", "### Preference", "groups ["),
        ("### Impact\n\n", "", "“” does not begin with a finding"),
        ("### Impact\n\n", "### Impact\n\nWell.\n\n", "“Impact” does not begin with a finding"),
        ("### Preference", "### Taste", "groups ["),
        ("- Measure", "", "“Suggestions” is empty"),
        (f"[MAJOR] {AT}:", "[MAJOR] [src/app.py](x):", "a finding that is none"),
        (f"[MAJOR] {AT}:", f"[SEVERE] {AT}:", "does not begin with a finding"),
        (f"[MAJOR] {AT}:", f":new: [MAJOR] {AT}:", "a finding that is none"),
        ("[MEDIUM]", "[MAJOR]", "a severe preference"),
        ("Optional: ", "", "a preference that is not optional"),
        ("## Verdict\n\n:red_circle: **Address before", "## Verdict\n\n:green_circle: **Ready to", "the verdict"),
        ("[MAJOR]", "[MEDIUM]", "the verdict"),
        (" -- 1 MAJOR finding", "", "the verdict"),
        ("1 MAJOR finding", "1 MAJOR\nfinding", "not one line in “Verdict”"),
    ],
)
def test_each_rule_of_a_first_review_can_be_broken(old: str, new: str, fault: str) -> None:
    """One fault in a good first review, and the rules name it."""
    assert old in FIRST

    assert fault in "\n".join(review_faults(FIRST.replace(old, new, 1)))


LATER = AT.replace("12", "50")
TWO_MORE = f"\n\n[MAJOR] {AT}: x" * 2


@each_row("body", [ALONG, ALONG_AGAIN])
@each_row(
    ("old", "new", "fault"),
    [
        ("## Found Along the Way\n\n", "## Found Along the Way\n\nLook:\n\n", "does not begin with a finding"),
        (f"[MAJOR] {LATER}", f"[MEDIUM] {LATER}", "a MEDIUM finding in “Found Along the Way”"),
        (f"[MAJOR] {LATER}", f"- [MAJOR] {LATER}", "does not begin with a finding"),
        ("\n\n## Verdict", f"{TWO_MORE}\n\n## Verdict", "3 findings in “Found Along the Way”"),
    ],
)
def test_problems_of_before_are_severe_and_few(body: str, old: str, new: str, fault: str) -> None:
    """Their section holds findings in their form, two at most."""
    assert old in body

    assert fault in "\n".join(review_faults(body.replace(old, new)))


def test_what_is_new_and_not_listed_may_only_be_more_than_what_is_listed() -> None:
    """Where the details say that some are below the floor the verdict may count more; without that it may not."""
    floor = "- Not listed: 1 below the severity floor MEDIUM\n"
    assert floor in ALONG_AGAIN

    assert "the verdict" in "\n".join(review_faults(ALONG_AGAIN.replace(floor, "")))
    assert "the verdict" in "\n".join(
        review_faults(ALONG_AGAIN.replace("2 new, none of them blocking", "No new findings"))
    )
