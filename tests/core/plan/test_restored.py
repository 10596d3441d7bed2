"""Findings as our own comments and reviews on GitHub show them."""

from dataclasses import replace
from typing import Any

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.markers import ReplyKind, finding_marker, reply_marker
from kodiai.core.github.comment import Opening, Reply, Thread
from kodiai.core.plan.restored import closed_by_us, restored
from kodiai.core.words.finding import comment_body
from tests.builders import LINKS, a_file, a_finding, a_reply, a_thread, kept
from tests.tables import each_row

ID, OTHER = "F-0123456789ab", "F-ba9876543210"
US = "kodiai[bot]"
HUNK = "@@ -10,3 +10,4 @@ def f():\n first\n-second\n+total = 0\n+return total"
FILE = a_file(patch="@@ -9,4 +9,5 @@ def f():\n zero\n first\n-second\n+total = 0\n+return total\n last")


def opening(finding: Finding | None = None, suggestion: str | None = None, **given: Any) -> Opening:
    """Our comment on line 12 of src/app.py, which is on the same line now."""
    body = comment_body(replace(kept(finding or a_finding()), suggestion=suggestion), LINKS)
    place = {"path": "src/app.py", "lines": (12, 12), "original_lines": (12, 12), "hunk": HUNK}
    return Opening(**{"body": body, **place, **given})


def thread(first: Opening | None = None, *replies: Reply, **given: Any) -> Thread:
    return a_thread(*replies, finding=ID, opening=first or opening(), **given)


def the_one(*threads: Thread) -> KnownFinding:
    [known] = restored(threads, {}, [FILE])
    return known


def ours(said: ReplyKind | None = None) -> Reply:
    return a_reply(f"Text.\n\n{reply_marker('run1', ID, said)}", US, is_bot=True, is_ours=True)


def test_a_comment_gives_its_finding_back() -> None:
    """Its text, its marker, the code that it is on, and the hunk that it is in now."""
    posted = a_finding(severity="MINOR", category="style", kind="preference", title="Use `a_b` < __all__ & @bob")

    known = the_one(thread(opening(posted, "    return sum(totals)\n")))

    text = f"Optional: {posted.explanation}"
    finding = posted.model_copy(update={"explanation": text, "problem": text})
    assert known == KnownFinding(ID, finding, "open", "11", FILE.hunks[0].key)


def test_a_rule_that_fails_is_restored_as_that() -> None:
    """With its id, by which it is ruled on and overridden."""
    posted = a_finding(category="rule", rule="no-plus", title="Rule no-plus: It adds", problem="Nothing is added.")

    finding = the_one(thread(opening(posted))).finding

    assert (finding.rule, finding.category, finding.title) == ("no-plus", "rule", posted.title)
    assert finding.problem == "Nothing is added."


@each_row("explanation", ["It fails.", "a < b && c_d\n\n- `x`\n- __y__", "```py\n<b>\n```\nThen."])
@each_row("suggestion", [None, "", "```\nx = 1\n"])
def test_a_restored_finding_has_the_words_of_its_comment(explanation: str, suggestion: str | None) -> None:
    """Those of its problem and of its fix; our escapes, our labels, the suggestion and the folded text are removed."""
    posted = a_finding(explanation=explanation, fix="Then build it.", pre_existing=True)

    finding = the_one(thread(opening(posted, suggestion))).finding

    words = f"{explanation}\n\nThen build it."
    assert (finding.explanation, finding.problem, finding.pre_existing) == (words, words, True)


def test_the_label_of_an_earlier_version_is_none_of_its_words() -> None:
    """Comments keep their words when ours change."""
    body = f"**[MAJOR] A**\n\nPre-existing, not brought by this change: It fails.\n\n{finding_marker(ID, a_finding())}"

    assert the_one(thread(opening(body=body))).finding.explanation == "It fails."


def test_only_its_heading_and_its_first_text_are_read() -> None:
    """Folded text below is not read."""
    body = (
        "**[CRITICAL] A ** b is *not* a \\* b**\nFirst.\n\nSecond.\n\n<details><summary>How it happens</summary>\n\n"
        f"Long.\n\n</details>\n\n{finding_marker(ID, a_finding())}"
    )
    quiet = f"Just words.\n\nMore.\n\n{finding_marker(ID, a_finding())}"

    posted, unheaded = (the_one(thread(opening(body=text))).finding for text in (body.replace("A ** b", "A**b"), quiet))

    assert (posted.title, posted.explanation) == ("A**b is *not* a * b", "First.\n\nSecond.")
    assert (unheaded.title, unheaded.severity) == ("Just words.", "MAJOR")


@each_row(
    ("facts", "found"),
    [
        ("", ("CRITICAL", "correctness", "impact")),  # of an older release
        (" severity=MINOR category=security kind=preference", ("MINOR", "security", "preference")),
        (" severity=MINOR category=licences kind=impact", ("MEDIUM", "correctness", "impact")),  # of a later one
    ],
)
def test_facts_that_a_marker_lacks_have_defaults(facts: str, found: tuple[str, str, str]) -> None:
    """The heading counts, and for the rest the most common values."""
    body = f"**[CRITICAL] It fails**\n\nText.\n\n<!-- kodiai:finding id={ID}{facts} -->"

    finding = the_one(thread(opening(body=body))).finding

    assert (finding.severity, finding.category, finding.kind) == found


@each_row(
    ("given", "lines", "quote", "in_hunk"),
    [
        ({}, (12, 12), "return total", True),
        ({"original_lines": (11, 12), "lines": (21, 22)}, (21, 22), "total = 0\nreturn total", False),
        ({"original_lines": (10, 12), "lines": None}, (10, 12), "first\ntotal = 0\nreturn total", False),
        ({"original_lines": (1, 12)}, (12, 12), "first\ntotal = 0\nreturn total", True),
        ({"path": "gone.py"}, (12, 12), "return total", False),
        ({"hunk": "@@ -1 +1 @@\n+a\n\\ No newline at end of file"}, (12, 12), "a", True),
        ({"hunk": "@@ -1,2 +1,2 @@\n+a\n+\n", "original_lines": (1, 2)}, (12, 12), "a\n", True),
        ({"hunk": ""}, (12, 12), "", True),
    ],
)
def test_a_restored_finding_is_at_the_lines_of_its_comment(
    given: dict[str, Any], lines: tuple[int, int], quote: str, in_hunk: bool
) -> None:
    """The present lines count, the original ones if it is outdated; its quote is the commented code."""
    known = the_one(thread(opening(**given)))

    assert (known.finding.start_line, known.finding.end_line) == lines
    assert (known.finding.quote, known.hunk is not None) == (quote, in_hunk)


def test_the_newest_thread_of_a_finding_counts() -> None:
    """The list counts more for its code, since the comment may be on the cause. Threads need a place."""
    old, new = thread(comment_id="9"), thread(opening(a_finding(title="Again")), comment_id="10")
    listed = {ID: a_finding(title="In the body"), OTHER: a_finding(title="Off the diff")}
    unplaced = a_thread(finding="F-000000000000")

    known = restored([new, old, unplaced], listed, [FILE])

    assert [(each.id, each.finding.title, each.comment_id) for each in known] == [
        (ID, "In the body", "10"),
        (OTHER, "Off the diff", None),
    ]


@each_row(
    ("given", "replies", "status", "resolved_thread"),
    [
        ({}, [], "open", False),
        ({"resolved_by": US}, [], "fixed", True),
        ({"resolved_by": "ann"}, [], "open", False),
        ({"resolved_by": "ann"}, [ours("fixed")], "fixed", False),
        ({}, [ours("fixed")], "fixed", False),
        ({}, [ours("conceded"), a_reply("Thanks.")], "conceded", False),
        ({"resolved_by": US}, [ours("conceded")], "conceded", True),
        ({}, [ours("disputed"), ours("raised"), ours()], "open", False),
        ({}, [a_reply(f"Ha.\n\n{reply_marker('run1', ID, 'fixed')}")], "open", False),
    ],
)
def test_a_restored_finding_is_closed_if_we_closed_it(
    given: dict[str, Any], replies: list[Reply], status: str, resolved_thread: bool
) -> None:
    """We resolved its thread, or said so in it; other people's words close nothing here."""
    one = thread(None, *replies, **given)

    known = closed_by_us(the_one(one), one, US)

    assert (known.status, known.resolved_thread) == (status, resolved_thread)
    assert closed_by_us(the_one(one), None, US).status == "open"


def test_a_reply_that_we_answered_was_read() -> None:
    """It is the last reply of a person before ours; `argued` is whether ours answered an argument."""
    before, after = a_reply("I disagree."), a_reply("But why?")

    silent = the_one(thread(None, before))
    answered = the_one(thread(None, before, ours("disputed"), after))
    raised = the_one(thread(None, ours("raised")))

    assert (silent.heard, silent.argued) == (None, False)
    assert (answered.heard, answered.argued) == (before.id, True)
    assert (raised.heard, raised.argued) == (None, False)
