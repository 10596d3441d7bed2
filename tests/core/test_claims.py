"""Which claims that a finding is resolved the judge has to decide: those that changed code may bear out."""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import pytest

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.findings.finding import Category
from kodiai.core.findings.known import Evidence, FindingStatus, KnownFinding
from kodiai.core.findings.report import EarlierAnswer, EarlierVerdict
from kodiai.core.findings.source import Source
from kodiai.core.judge.candidates import prior_findings
from kodiai.core.judge.material import ResolutionClaim, claims
from tests.builders import a_file, a_finding, a_known, an_answer, reading
from tests.core.review_inputs import LAST_HEAD, loaded, planned, remembered
from tests.tables import each_row

# The base branch, the last head that was reviewed, and what was found there.
BASE = """\
import json


def average(prices):
    \"\"\"Give the mean.\"\"\"
    return json.loads(prices)


def show(prices):
    log(prices)
    print(average(prices))
"""
THEN = BASE.replace("return json.loads(prices)", "total = sum(prices)\n    return total / len(prices)").replace(
    "import json\n", "import json\n\nLIMIT = 10\n"
)
BUG = "    return total / len(prices)\n"
README, UTIL = "# Prices\n", "def guard(prices):\n    return prices or [0]\n"
FILES = {"shop.py": THEN, "README.md": README, "util.py": UTIL}
BASES = {**FILES, "shop.py": BASE}
KNOWN = a_known(a_finding(path="shop.py", start_line=9, quote="return total / len(prices)"), id="F")
OTHER = THEN.replace("print(average(prices))", "print(average(prices), LIMIT)")


def changed(path: str, now: str, base: str | None = None, **given: Any) -> ChangedFile:
    """A file as the pull request changes it."""
    old = BASES.get(path, "") if base is None else base
    rows = list(difflib.unified_diff(old.splitlines(), now.splitlines(), lineterm=""))[2:]
    return a_file(path, **{"patch": "\n".join(rows) or None, "blob": now, **given})


def answer(quote: str, path: str = "shop.py", verdict: EarlierVerdict = "ADDRESSED") -> EarlierAnswer:
    return an_answer(answer=verdict, path=path, quote=quote)


def claimed(
    now: Mapping[str, str | None],
    said: EarlierAnswer | None,
    *,
    known: KnownFinding = KNOWN,
    renamed: Mapping[str, str] | None = None,
    then: Mapping[tuple[str, str], str] | None = None,
) -> tuple[ResolutionClaim, ...]:
    """The claims where these files are not as they were; `then` are files at earlier heads."""
    head = {path: text for path, text in {**FILES, **now}.items() if text is not None}
    old_paths = renamed or {}
    files = [
        changed(path, text, BASES[old_paths[path]], status="renamed", previous_path=old_paths[path])
        if path in old_paths
        else changed(path, text)
        for path, text in head.items()
        if text != BASES.get(path)
    ]
    lines = {path: text.splitlines() for path, text in head.items()}
    earlier = {(path, LAST_HEAD): text for path, text in FILES.items()} if then is None else then
    plan = planned(loaded(files, remembered([changed("shop.py", THEN)]), [known]), head)
    source = Source(reading(lines), files, list(lines))
    answers = {"F": said} if said else {}

    def read_then(path: str, at: str) -> list[str] | None:
        return earlier[path, at].splitlines() if (path, at) in earlier else None

    return claims(plan, prior_findings(plan, answers, source), answers, source, read_then)


MOVED_AWAY = THEN.replace(THEN[THEN.index("def average") : THEN.index("def show")], "").replace(
    "import json\n", "import json\nfrom mean import average\n"
)
AVERAGE = THEN[THEN.index("def average") : THEN.index("def show")]
BELOW = f"{THEN.replace(AVERAGE, '')}\n\n{AVERAGE.rstrip()}\n"


@each_row(
    ("case", "now", "said"),
    [
        ("a line that the pull request changed before it was found", {"shop.py": OTHER}, answer("LIMIT = 10")),
        ("code of a file that did not change", {"shop.py": OTHER}, answer("return prices or [0]", "util.py")),
        (
            "the import of what was moved to another file",
            {"shop.py": MOVED_AWAY, "mean.py": f"{AVERAGE.rstrip()}\n"},
            answer("from mean import average"),
        ),
        ("the head of the function that was moved with the bug", {"shop.py": BELOW}, answer("def average(prices):")),
    ],
)
def test_a_false_claim_does_not_reach_the_judge(case: str, now: dict[str, str], said: EarlierAnswer) -> None:
    """If nothing that was quoted changed the complaint; what counts as a change is in the table of evidence."""
    assert claimed(now, said) == (), case


@pytest.mark.parametrize("quote", [BUG, "total = sum(prices)", "def average(prices):"])
def test_a_new_name_of_the_file_resolves_nothing(quote: str) -> None:
    """All of its lines are as they were under the old one."""
    renamed = {"store.py": "shop.py"}

    assert claimed({"store.py": THEN, "shop.py": None}, answer(quote, "store.py"), renamed=renamed) == ()


UNDER_ANOTHER_NAME = [
    *("-    total = sum(prices)", "-    return total / len(prices)"),
    *("+    amount = sum(prices)", "+    return amount / len(prices)"),
]


@pytest.mark.parametrize(
    ("now", "quote", "rows"),
    [
        (THEN.replace("total", "amount"), "return amount / len(prices)", UNDER_ANOTHER_NAME),
        (THEN.replace(BUG, ""), "total = sum(prices)", ["-    return total / len(prices)"]),
    ],
    ids=["the bug under another name", "the line before the bug, which was removed"],
)
def test_a_claim_that_only_meaning_decides_reaches_the_judge_with_the_code_before_and_after(
    now: str, quote: str, rows: list[str]
) -> None:
    """The code as it stood where the finding was open, and all that changed in its file since then."""
    [claim] = claimed({"shop.py": now}, answer(quote))

    assert claim.prior.id == "F"
    assert (claim.evidence.path, claim.evidence.quote.strip()) == ("shop.py", quote)
    assert (claim.why, claim.before.splitlines()) == ("It is so.", THEN.splitlines())
    header, shown = claim.after.splitlines()[:2], claim.after.splitlines()[2:]
    assert header == ["--- shop.py", "+++ shop.py"]
    assert [row for row in shown if row.startswith(("-", "+"))] == rows


@each_row(
    ("verdict", "status", "is_claim"),
    [
        ("ADDRESSED", "open", True),
        *((each, "open", False) for each in get_args(EarlierVerdict) if each != "ADDRESSED"),
        *(("ADDRESSED", each, False) for each in get_args(FindingStatus) if each != "open"),
    ],
)
def test_only_an_open_finding_that_is_called_addressed_is_a_claim(
    verdict: EarlierVerdict, status: FindingStatus, is_claim: bool
) -> None:
    """Neither half of it nor silence is, nor a finding that is resolved or settled already."""
    now, known = {"shop.py": THEN.replace(BUG, "    return mean(prices)\n")}, replace(KNOWN, status=status)

    assert bool(claimed(now, answer("return mean(prices)", verdict=verdict), known=known)) is is_claim
    assert claimed(now, None) == ()


def test_a_file_that_is_gone_needs_no_quote() -> None:
    """The judge is shown what stood there, and decides whether the problem went with it."""
    [claim] = claimed({"shop.py": None}, answer(""))

    assert claim.evidence == Evidence("shop.py", "")
    assert (claim.before.splitlines(), claim.after) == (THEN.splitlines(), "(deleted)")


def test_evidence_in_another_file_is_shown_with_both_changes() -> None:
    """The finding's own file after the change, with the call that is said to resolve it."""
    guarded = UTIL.replace("return prices or [0]", "return prices or [1]")
    calling = THEN.replace("print(average(prices))", "print(average(guard(prices)))")
    said = answer("return prices or [1]", "util.py")

    [claim] = claimed({"shop.py": calling, "util.py": guarded}, said)

    assert claim.evidence == Evidence("util.py", "    return prices or [1]")
    assert [row for row in claim.after.splitlines() if row.startswith("---")] == ["--- shop.py", "--- util.py"]
    assert "+    return prices or [1]" in claim.after
    assert "+    print(average(guard(prices)))" in claim.after
    assert claimed({"shop.py": OTHER, "util.py": guarded}, said) == ()


def test_a_file_of_today_is_compared_with_itself_under_its_name_of_then() -> None:
    """A rename and a fix in one push."""
    fixed = THEN.replace(BUG, "    return total / len(prices) if prices else 0\n")

    [claim] = claimed(
        {"store.py": fixed, "shop.py": None},
        answer("return total / len(prices) if prices else 0", "store.py"),
        renamed={"store.py": "shop.py"},
    )

    assert claim.evidence == Evidence("store.py", "    return total / len(prices) if prices else 0")
    assert claim.before.splitlines() == THEN.splitlines()


def test_changes_since_its_code_last_stood_count_over_several_pushes() -> None:
    """It was edited one push ago without an answer; that push's change may resolve it now."""
    now = THEN.replace(BUG, "    return mean(prices)\n")
    since_last = {("shop.py", LAST_HEAD): now, ("shop.py", "c" * 40): THEN}

    edited_before = claimed({"shop.py": now}, answer("return mean(prices)"), then=since_last)
    [claim] = claimed(
        {"shop.py": now}, answer("return mean(prices)"), known=replace(KNOWN, stood_at="c" * 40), then=since_last
    )

    assert edited_before == ()
    assert claim.evidence == Evidence("shop.py", "    return mean(prices)")
    assert claim.before.splitlines() == THEN.splitlines()


@pytest.mark.parametrize(
    ("quote", "reaches"), [("return mean(prices)", True), ("import json", False), ("print(average(prices))", False)]
)
def test_new_hunks_show_the_change_if_the_old_file_cannot_be_read(quote: str, reaches: bool) -> None:
    """They are less exact, and the judge learns that it does not see the earlier code."""
    found = claimed({"shop.py": THEN.replace(BUG, "    return mean(prices)\n")}, answer(quote), then={})

    assert [(each.evidence.quote.strip(), each.before) for each in found] == (
        [(quote, "(cannot be read)")] if reaches else []
    )
    assert all("    return mean(prices)" in each.after.splitlines() for each in found)


def test_a_long_change_and_long_lines_are_cut_for_the_judge_who_sees_what_changed() -> None:
    """Before and after, and in the evidence, also where the quote leaves out the middle."""
    rewritten = "".join(f"line_{number} = {number}\n" for number in range(400))
    then, now = (THEN.replace("total /", f"{'x + ' * 5_000}{name}{' + y' * 5_000} /") for name in ("total", "sum"))
    read_then, quote = {("shop.py", LAST_HEAD): then}, "return x...sum + y ... / len(prices)"

    [many] = claimed({"shop.py": rewritten}, answer("line_7 = 7"))
    [long] = claimed({"shop.py": now}, answer(quote), then=read_then)

    rows, shown = many.after.splitlines(), long.after.partition("+    return x")[2]
    assert (len(rows), rows[-1]) == (161, "(cut here)")
    assert "x + sum + y" in shown
    assert shown.count("characters left out") == 2
    assert [len(text) < 2_000 for text in (long.before, shown, long.evidence.quote)] == [True] * 3


@each_row(
    ("category", "count"), [("correctness", 0), ("security", 0), ("tests", 0), ("documentation", 1), ("style", 1)]
)
def test_another_format_resolves_only_what_is_about_format(category: Category, count: int) -> None:
    """A finding about style may be fixed by a formatter, and only the judge can tell."""
    known = replace(KNOWN, finding=KNOWN.finding.model_copy(update={"category": category}))
    now = {"shop.py": THEN.replace(BUG, "    return (total / len(prices))\n")}

    assert len(claimed(now, answer("return (total / len(prices))"), known=known)) == count
