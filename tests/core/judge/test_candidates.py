"""Reported findings become candidates: placed at their code, and compared with the known findings."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from kodiai.core.changes.broken_reference import BrokenReference
from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.findings.finding import Cause, Finding
from kodiai.core.findings.identity import PriorFinding
from kodiai.core.findings.known import FindingStatus, KnownFinding, status_in_words
from kodiai.core.findings.report import Reported
from kodiai.core.findings.source import Source
from kodiai.core.github.comment import Thread
from kodiai.core.judge.candidates import check, kept_near, prior_findings
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.view import RepositoryView
from tests.builders import PARSER, FilesTree, a_file, a_finding, a_known, a_reply, a_thread, an_answer, reading
from tests.core.review_inputs import loaded, planned, remembered
from tests.tables import each_row

SHOP = """\
import json


def average(prices):
    # the mean of all prices
    total = sum(prices)
    total = round(total)
    return total / len(prices)


def show(prices):
    print(average(prices))
    print("—")
"""
PATCH = """\
@@ -6,2 +6,3 @@
     total = sum(prices)
+    total = round(total)
-    return total
+    return total / len(prices)"""
FILES = {"src/shop.py": SHOP, "src/new.py": "from shop import average\n\naverage([])\n", "docs/shop.py": "x = 1\n"}
CHANGED = [
    a_file("src/shop.py", patch=PATCH),
    a_file(
        "src/new.py",
        status="renamed",
        previous_path="src/old.py",
        patch="@@ -1 +1 @@\n-import shop\n+from shop import average",
        broken=(BrokenReference("src/shop.py", 13, 'print("—")', "./old", "src/old.py"),),
    ),
]
DIVIDES = "return total / len(prices)"
VIEW = RepositoryView(FilesTree(FILES), PARSER)
SOURCE = Source(VIEW.lines, CHANGED, list(FILES))


class Checked(NamedTuple):
    candidates: tuple[Candidate, ...]
    repeated: dict[str, Finding]
    suppressed: list[SuppressedFinding]


def finding(**given: Any) -> Finding:
    return a_finding(**{"path": "src/shop.py", "start_line": 8, "quote": f"    {DIVIDES}", **given})


def checked(*findings: Finding, prior: Sequence[PriorFinding] = ()) -> Checked:
    reported = [Reported("behavior", each, "Another") for each in findings]
    change = ChangedLines(CHANGED)
    return Checked(*check(reported, prior, change, SOURCE, Facts(VIEW, change)))


def candidate(**given: Any) -> Candidate:
    """The candidate that becomes of one finding."""
    [found] = checked(finding(**given)).candidates
    return found


def earlier(
    name: str = "F", status: FindingStatus = "open", place: tuple[int, int] | None = (8, 8), **of: Any
) -> PriorFinding:
    return PriorFinding(a_known(finding(**of), id=name, status=status, settled_by="ann"), place)


# Its place


QUOTED = f"    {DIVIDES}"
IN_PART = f"def average(prices):\n    ...\n    {DIVIDES}"


@each_row(
    ("case", "given", "path", "lines", "quote"),
    [
        ("where it says", {}, "src/shop.py", (8, 8), QUOTED),
        ("a few lines off", {"start_line": 5}, "src/shop.py", (8, 8), QUOTED),
        ("below the end of the file", {"start_line": 90}, "src/shop.py", (8, 8), QUOTED),
        ("lines that run backwards", {"start_line": 9, "end_line": 8}, "src/shop.py", (8, 9), QUOTED),
        ("a line before the first", {"start_line": -3, "end_line": -3}, "src/shop.py", (8, 8), QUOTED),
        ("within the lines it names", {"start_line": 4, "end_line": 8}, "src/shop.py", (4, 8), QUOTED),
        ("within lines beyond the file", {"start_line": 4, "end_line": 40}, "src/shop.py", (8, 8), QUOTED),
        ("white space of its own", {"quote": "return  total/len( prices )"}, "src/shop.py", (8, 8), QUOTED),
        ("lines left out", {"quote": IN_PART, "start_line": 4, "end_line": 8}, "src/shop.py", (4, 8), IN_PART),
        ("removed code", {"quote": "    return total\n", "start_line": 1}, "src/shop.py", (8, 8), "    return total"),
        ("git's prefix", {"path": "b/src/shop.py"}, "src/shop.py", (8, 8), QUOTED),
        (
            "the old path of a renamed file",
            {"path": "src/old.py", "quote": "average([])", "start_line": 3},
            "src/new.py",
            (3, 3),
            "average([])",
        ),
    ],
)
def test_a_finding_is_put_where_its_code_stands(
    case: str, given: dict[str, Any], path: str, lines: tuple[int, int], quote: str
) -> None:
    """With the path and the code as they really are, unless something was left out of the quote.

    Never beyond the end of the file; removed code is next to where it stood.
    """
    found = candidate(**given)

    assert (found.finding.path, found.finding.start_line, found.finding.end_line) == (path, *lines), case
    assert (found.finding.quote, found.quote_found) == (quote, True), case
    assert found.introduced or path != "src/shop.py", case


@pytest.mark.parametrize("given", [{"quote": "return total // 2"}, {"quote": ""}, {"path": "src/gone.py"}])
def test_a_quote_that_stands_nowhere_is_a_candidate_with_a_note(given: dict[str, Any]) -> None:
    """It is not lost, and nothing of it is changed: the judge decides, and knows."""
    found = candidate(**given)

    assert (found.quote_found, found.notes) == (False, ("The quoted code stands nowhere in that file.",))
    reported_as = finding(**given)
    assert found.finding == reported_as.model_copy(update={"reported_title": reported_as.title})


@each_row(
    ("case", "given", "is_kept"),
    [
        ("the stated line", {}, True),
        ("as many lines, elsewhere", {"start_line": 3}, True),
        ("fewer lines than stated", {"start_line": 7, "end_line": 8}, False),
        ("lines of its own", {"replaces": (7, 8)}, True),
        ("lines of its own, around a part of the code", {"start_line": 7, "end_line": 8, "replaces": (8, 8)}, True),
        ("lines of its own, as many as the code has, elsewhere", {"start_line": 3, "replaces": (3, 3)}, True),
        ("lines of its own, more than the code has, elsewhere", {"start_line": 3, "replaces": (3, 4)}, False),
        ("more lines than stated", {"quote": f"total = round(total)\n    {DIVIDES}", "start_line": 8}, False),
        ("lines left out", {"quote": f"def average(prices):\n...\n{DIVIDES}", "start_line": 4, "end_line": 8}, False),
    ],
)
def test_a_replacement_stays_only_with_as_many_lines_as_it_was_made_for(
    case: str, given: dict[str, Any], is_kept: bool
) -> None:
    """It would take the place of others, or of code that its writer has left out."""
    found = candidate(replacement="    return 0", **given)

    assert found.finding.replacement == ("    return 0" if is_kept else None), case
    assert found.finding.replaces == (
        given.get("replaces") if found.finding.start_line == given.get("start_line", 8) else None
    )


# What the change has to do with it


def by(quote: str, path: str = "src/shop.py") -> dict[str, Any]:
    return {"cause": {"path": path, "quote": quote}}


PRINTS = {"quote": "print(average(prices))", "start_line": 12}
DOCUMENT = {"path": "docs/shop.py", "quote": "x = 1", "start_line": 1}
OLDER = {"path": "src/new.py", "quote": "average([])", "start_line": 3}


@each_row(
    ("case", "given", "is_brought"),
    [
        ("a changed line", {}, True),
        ("an earlier line", PRINTS, False),
        ("an earlier line, with changed code as its cause", {**PRINTS, **by("total = round(total)")}, True),
        ("an earlier line, with a cause that was there too", {**PRINTS, **by("total = sum(prices)")}, False),
        ("another file, with a removed line as its cause", {**DOCUMENT, **by("import shop", "src/old.py")}, True),
        ("an older line in a moved file, with the move as its cause", {**OLDER, **by("", "src/old.py")}, True),
        ("an older line, with the move of a file that was not moved", {**DOCUMENT, **by("", "docs/shop.py")}, False),
        ("an older line with a reference that a move breaks", {"quote": 'print("—")', "start_line": 13}, True),
    ],
)
def test_a_finding_comes_with_the_change_by_its_lines_or_by_its_cause(
    case: str, given: dict[str, Any], is_brought: bool
) -> None:
    """As far as lines tell."""
    assert candidate(**given).introduced is is_brought, case


@each_row(
    ("case", "given", "is_all_new"),
    [
        ("a changed line with a name of the removed one", {}, False),
        ("an added line with a name of a removed one next to it", {"quote": "total = round(total)"}, False),
        ("an earlier line", PRINTS, False),
        ("a line whose names are all new", {"path": "src/new.py", "quote": "average", "start_line": 1}, True),
        ("an older line with a reference that a move breaks", {"quote": 'print("—")', "start_line": 13}, True),
    ],
)
def test_code_alone_tells_that_a_problem_is_new_only_where_all_its_names_are(
    case: str, given: dict[str, Any], is_all_new: bool
) -> None:
    """Where a name changed on a line, the line may have been as wrong before: reader and judge decide."""
    assert candidate(**given).is_all_new is is_all_new, case


def test_a_candidate_has_its_place_in_the_reports_and_facts_about_its_code() -> None:
    """Numbered from 1, with its reviewer, the reported title and what it depends on; facts are about its place."""
    found = checked(finding(title="One", start_line=3), finding(title="Two")).candidates

    told = [(each.number, each.reviewer, each.finding.title, each.finding.reported_title) for each in found]
    assert told == [(1, "behavior", "One", "One"), (2, "behavior", "Two", "Two")]
    assert [each.depends_on for each in found] == ["Another"] * 2
    assert {"src/shop.py parses.", "Line 8 of src/shop.py is changed by this pull request."} <= {*found[0].notes}


# What is known already


def test_an_open_finding_that_is_reported_again_is_repeated() -> None:
    """Its title and its code are the same: nobody has to judge it, unless it is said to be worse than it was."""
    for repeated in (finding(), finding(severity="MINOR")):
        found = checked(repeated, prior=[earlier()])
        assert (found.candidates, list(found.repeated), found.suppressed) == ((), ["F"], [])

    found = checked(finding(severity="CRITICAL"), prior=[earlier()])
    assert [each.presumed for each in found.candidates] == ["F"]
    assert (found.repeated, found.suppressed) == ({}, [])


@pytest.mark.parametrize("status", ["wont_fix", "acknowledged", "conceded", "dismissed"])
def test_a_finding_that_people_dismissed_on_this_very_code_is_dropped(status: FindingStatus) -> None:
    """With who decided it."""
    found = checked(finding(), prior=[earlier(status=status)])

    assert (found.candidates, found.repeated) == ((), {})
    [dropped] = found.suppressed
    said = f"dismissed by ann ({status_in_words(status)})"
    assert (dropped.reason, dropped.fate) == (said, "known")
    assert isinstance(dropped, SuppressedFinding)


@each_row(
    ("case", "known", "given", "presumed"),
    [
        ("dismissed on other code", earlier(status="wont_fix", place=None, quote="return total / 2"), {}, "F"),
        ("dismissed under another title", earlier(status="wont_fix", title="Other words"), {}, "F"),
        ("resolved, and there again", earlier(status="fixed"), {}, "F"),
        ("open under another title", earlier(title="Other words"), {}, "F"),
        ("open, of a part of the code", earlier(title="Other words", quote="len(prices)"), {}, "F"),
        ("of another category", earlier(title="Other words", category="security"), {}, None),
        ("of other code", earlier(title="Other words", quote="total = sum(prices)", place=(6, 6)), {}, None),
        ("of another file", earlier(title="Other words", path="src/new.py"), {}, None),
    ],
)
def test_a_finding_that_only_seems_to_be_an_earlier_one_is_judged(
    case: str, known: PriorFinding, given: dict[str, Any], presumed: str | None
) -> None:
    """The judge is asked about a match by code and category; such a match drops and repeats nothing."""
    found = checked(finding(**given), prior=[known])

    [only] = found.candidates
    assert only.presumed == presumed, case
    assert (found.repeated, found.suppressed) == ({}, []), case


def test_findings_about_the_same_lines_are_its_twins_whatever_they_say() -> None:
    """In any category and with any status, in the order in which they are known."""
    priors = [
        earlier("S", title="Injection", category="security"),
        earlier("D", "dismissed", title="Naming", category="style"),
        earlier("E", title="Elsewhere", place=(4, 4), quote="def average(prices):"),
    ]

    [only] = checked(finding(), prior=priors).candidates

    assert (only.overlapping, only.presumed) == (("S", "D"), None)


# Where earlier findings stand


EDITED = ["x = 1", "return totals"]
TWICE = "@@ -0,0 +1,4 @@\n+return total\n+x = 1\n+return total\n+y = 1"


@each_row(
    ("case", "lines", "answer", "place"),
    [
        ("its code is there once", ["x = 1", "return total"], None, (2, 2)),
        ("its code is gone", ["x = 1"], None, None),
        ("its code is there twice, and not in its hunk alone", ["return total", "x", "return total", "y"], None, None),
        ("it was edited, and shown to be there", EDITED, ("NOT_ADDRESSED", "return totals"), (2, 2)),
        ("it was edited, and shown to be there in part", EDITED, ("PARTIAL", "return totals"), (2, 2)),
        ("it was edited, and called addressed", EDITED, ("ADDRESSED", "return totals"), None),
        ("it was edited, and shown by nothing", EDITED, ("NOT_ADDRESSED", "return 1"), None),
    ],
)
def test_an_earlier_finding_stands_where_its_code_does(
    case: str, lines: list[str], answer: tuple[str, str] | None, place: tuple[int, int] | None
) -> None:
    """Where that can be told; else where a reviewer shows that the problem is there still."""
    known = a_known(a_finding(path="a.py", start_line=1), id="F")
    now = [a_file("a.py", patch=TWICE)]
    answers = {"F": an_answer(path="a.py", answer=answer[0], quote=answer[1])} if answer else {}

    [found] = prior_findings(
        planned(loaded(now, remembered(now), [known])), answers, Source(reading({"a.py": lines}), now, ())
    )

    assert (found.id, found.place) == ("F", place), case


def now_of(
    now: list[ChangedFile], known: Sequence[KnownFinding], lines: list[str], threads: Sequence[Thread] = ()
) -> tuple[PriorFinding, ...]:
    plan = planned(loaded(now, remembered(now), known, threads))
    return prior_findings(plan, {}, Source(reading({"a.py": lines}), now, ()))


def test_an_earlier_finding_stands_in_its_own_hunk_first() -> None:
    """The same code at another place is another finding's."""
    now = [a_file("a.py", patch="@@ -0,0 +1,2 @@\n+return total\n+x = 1\n@@ -7 +9,2 @@\n z\n+return total")]
    known = [a_known(a_finding(path="a.py", start_line=5), id=hunk.key, hunk=hunk.key) for hunk in now[0].hunks]

    found = now_of(now, known, ["return total", "x = 1", *"abcdef", "z", "return total"])

    assert [each.place for each in found] == [(1, 1), (10, 10)]


def test_an_earlier_finding_is_as_people_have_decided_since() -> None:
    """A reply that settles it counts in the run that reads it; a closed one stays as it was closed."""
    known = [a_known(a_finding(path="a.py"), id="F"), a_known(a_finding(path="a.py"), id="G", status="fixed")]
    threads = [a_thread(a_reply("won't fix"), finding=name) for name in ("F", "G")]

    found = now_of([a_file("a.py", patch=TWICE)], known, ["x"], threads)

    assert [(each.known.status, each.known.settled_by) for each in found] == [("wont_fix", "ann"), ("fixed", None)]


# What the judge has kept


def at_file(number: int, path: str, cause: str | None = None) -> Candidate:
    caused = Cause(path=cause, quote="x") if cause else None
    return Candidate(number, "behavior", a_finding(path=path, cause=caused))


def shown(kept: list[Candidate], *group: Candidate) -> list[int]:
    decisions = [JudgeDecision(each, "kept", "keep", each.finding) for each in kept]
    return [each.candidate.number for each in kept_near(decisions, group)]


def test_candidates_in_the_files_of_the_group_and_of_causes_come_first_and_then_the_latest() -> None:
    """One change fixes two problems only if they share a file, their own or that of a cause.

    Of more in one file the latest are of groups that the same batch shows.
    """
    many = [at_file(number, f"src/part_{number}.py") for number in range(3, 301)]
    kept = [at_file(1, "src/app.py"), at_file(2, "src/caller.py", "src/limits.py"), *many]
    alike = [*(at_file(number, "src/app.py") for number in range(1, 101)), at_file(101, "src/b.py")]

    assert shown(kept, at_file(500, "src/app.py")) == [1, *range(262, 301)]
    assert shown(kept, at_file(500, "src/x.py", "src/limits.py")) == [2, *range(262, 301)]
    assert shown(kept, at_file(500, "src/x.py"), at_file(501, "src/part_290.py")) == [*range(261, 301)]
    assert shown(alike, at_file(500, "src/app.py")) == [*range(61, 101)]
