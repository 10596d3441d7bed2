"""The texts of a first review, whole, as the author of the pull request reads them."""

import re

import pytest

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.judge.delta import delta
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.model.messages import ModelUse
from kodiai.core.words.links import Links, web_address
from kodiai.core.words.review import first_review
from tests.builders import HEAD, RUN, a_delta, a_file, a_finding, a_scope, kept, some_details, some_use
from tests.review_form import review_faults
from tests.tables import each_row

BLOB = f"https://github.com/octo/app/blob/{HEAD}"
APP = f"[src/app.py (12)]({BLOB}/src/app.py?plain=1#L12)"
MARKER = f"<!-- kodiai:review run={RUN} head={HEAD} -->"
NOT_OURS = "1 older MAJOR, not from this change"
DROPS = [
    SuppressedFinding(a_finding(severity="MINOR", title="Unused name"), "The linter says so.", "not-worth-it"),
    SuppressedFinding(a_finding(title="The list is empty"), "`guard` raises first.", "wrong"),
    SuppressedFinding(a_finding(title="The cast was unsafe"), "It was there before.", "not-from-this-change"),
    SuppressedFinding(a_finding(title="The sum is unset"), "the same as “The total is unset”", "same-as"),
    SuppressedFinding(a_finding(title="It is slow"), "dismissed by ann (won't fix)", "known"),
]
DROPPED = """\
Suppressed:

- [MINOR] src/app.py (12): Unused name -- not worth it
- [MAJOR] src/app.py (12): The list is empty -- wrong: `guard` raises first.
- [MAJOR] src/app.py (12): The cast was unsafe -- not from this change: It was there before.
- [MAJOR] src/app.py (12): The sum is unset -- the same as “The total is unset”
- [MAJOR] src/app.py (12): It is slow -- dismissed by ann (won't fix)
"""


def test_a_review_with_everything_in_it() -> None:
    """Every section in its order, the counts in the verdict, the details behind it.

    What no comment shows has its text where its title is, MINOR or not.
    """
    findings = [
        a_finding(severity="CRITICAL", title="The token is logged", path="src/login.py", start_line=3, end_line=5),
        a_finding(),
        a_finding(severity="MINOR", title="The name says little", explanation="It is read twice.", fix="Say more."),
        a_finding(severity="MINOR", kind="preference", title="A generator reads better", explanation="It is lazy."),
        a_finding(title="The lock is kept", explanation="Others wait.", pre_existing=True, start_line=50),
    ]
    new = [kept(each, inline=each.severity != "MINOR") for each in sorted(findings, key=rank)]
    scope = a_scope([a_file(), a_file("src/login.py")], [Skipped("uv.lock", "lock file")], total_hunks=5)
    details = some_details(
        what_changed=["The report is written as a stream.", "The token is kept."],
        strengths=["`src/app.py:12` handles the empty list."],
        refused_replacements={"the file would not parse with it": 2, "it changes nothing": 1},
        problems=[".kodiai.yml: `review.depth` is not a known key and is ignored."],
        reviewers=["behavior", "security"],
        judged=8,
        unjudged=1,
    )

    body = first_review(scope, delta(new, ()), DROPS, details)

    assert (
        body
        == f"""\
:red_circle: **Address before merging** · 1 critical, 1 major · not blocking: 2 minor · {NOT_OURS}

<details><summary>Kodiai Review Summary</summary>

## What Changed

- The report is written as a stream.
- The token is kept.

## Strengths

- :white_check_mark: [src/app.py (12)]({BLOB}/src/app.py?plain=1#L12) handles the empty list.

## Observations

[CRITICAL] [src/login.py (3-5)]({BLOB}/src/login.py?plain=1#L3-L5): The token is logged

[MAJOR] {APP}: The total is read before it is set

[MINOR] {APP}: The name says little
It is read twice.

Say more.

## Older Problems

[MAJOR] [src/app.py (50)]({BLOB}/src/app.py?plain=1#L50): The lock is kept

## Suggestions

[MINOR] {APP}: A generator reads better
Optional: It is lazy.

## Verdict

:red_circle: **Address before merging** -- 1 CRITICAL and 1 MAJOR finding

</details>

<details><summary>Review Details</summary>

- Scope: full (first review) · Depth: lite
- Coverage: read 2 of 3 files, 2 of 5 hunks
- Reviewers: behavior, security; 8 findings verified; 1 finding not verified
- Suggestion left out: 2 × the file would not parse with it; 1 × it changes nothing
- Problem: .kodiai.yml: `review.depth` is not a known key and is ignored.
- Model: claude-haiku-5-5, claude-sonnet-5-5, 12,345 tokens in (9,000 from cache), 678 out, $0.0123
- Time: 42 s

{DROPPED}
Not read:

- uv.lock -- lock file

</details>

{MARKER}"""
    )
    assert review_faults(body) == []


def test_sections_without_anything_in_them_are_not_there() -> None:
    """Nor is what nobody knows: a price, or the sum of what was not read."""
    body = first_review(a_scope(), a_delta(), [], some_details(use=some_use(cost_usd=None)))
    unread = first_review(a_scope([], [LOCK]), a_delta(coverage=Coverage(0, 0)), [], some_details(what_changed=[]))

    assert re.findall(r"^## .*$", body, re.MULTILINE) == ["## What Changed", "## Verdict"]
    assert "(9,000 from cache), 678 out, price unknown\n- Time: 42 s\n\n</details>" in body
    assert "## What Changed\n\n1 file, not read.\n" in unread
    assert "- Coverage: read 0 of 1 file, 0 of 0 hunks\n" in unread
    assert review_faults(body) == review_faults(unread) == []


def test_guidance_that_was_read_is_listed_with_what_of_it_was_shown() -> None:
    """Twenty files: a change of a whole monorepo has more."""
    guidance = {f"p{at:02}/AGENTS.md": (3, 3) for at in range(20)} | {"AGENTS.md": (0, 1)}
    few = {"AGENTS.md": (0, 1), "packages/api/AGENTS.md": (2, 5), "CONTRIBUTING.md": (4, 4)}

    body, long = (first_review(a_scope(), a_delta(), [], some_details(guidance=each)) for each in (few, guidance))

    assert (
        "\n- Guidance: AGENTS.md (0 of 1 section), packages/api/AGENTS.md (2 of 5 sections), CONTRIBUTING.md\n" in body
    )
    assert ", p19/AGENTS.md, and 1 more file\n" in long


def test_a_review_by_offline_checks_has_no_verdict() -> None:
    """No model has read the change: no reviewer, judge, token or price is named, and nothing is called ready."""
    left_out = {"files not searched for uses": 1}
    details = some_details(use=ModelUse(), reviewers=["behavior", "security"], judged=2, left_out=left_out)

    body = first_review(a_scope(), delta((), (), offline=True), [], details)

    assert body.startswith(":white_circle: **Offline checks only: no verdict** · nothing found in 1 file\n\n")
    assert ":white_circle: **Offline checks only: no verdict** -- no model has read this change\n" in body
    assert body.partition("<summary>Review Details</summary>\n\n")[2].partition("\n\n</details>")[0].split("\n") == [
        "- Scope: full (first review) · Depth: lite",
        "- Coverage: read 1 of 1 file, 1 of 1 hunk",
        "- Model: none (offline checks)",
        "- Time: 42 s",
    ]
    assert review_faults(body) == []


def test_findings_without_a_comment_have_their_text_in_the_body() -> None:
    """A block of code keeps the form, and so does what is MINOR."""
    findings = [
        a_finding(severity="MEDIUM", kind="preference", explanation="```python\nreturn sum(values)\n```"),
        a_finding(severity="MINOR", kind="preference", path="pkg/__init__.py", title="Say __all__"),
    ]

    body = first_review(a_scope(), a_delta(findings, inline=False), [], some_details())

    assert body.startswith(":yellow_circle: **Ready to merge with minor items** · 1 medium, 1 minor\n\n<details>")
    assert body.partition("## Suggestions\n\n")[2].partition("\n\n</details>")[0] == (
        f"[MEDIUM] {APP}: The total is read before it is set\n"
        "Optional:\n```python\nreturn sum(values)\n```\n\n"
        f"[MINOR] [`pkg/__init__.py` (12)]({BLOB}/pkg/__init__.py?plain=1#L12): Say \\_\\_all\\_\\_\n"
        "Optional: An empty list leaves `total` unset, so the first report fails.\n\n"
        "## Verdict\n\n:yellow_circle: **Ready to merge with minor items** -- 2 findings, none of them blocking"
    )
    assert review_faults(body) == []


def test_a_blocker_without_a_comment_stands_outside_the_folds() -> None:
    """The reason of a red verdict is seen without a click, and only there.

    What the head does not have is named without a link, which would lead nowhere.
    """
    findings = [a_finding(fix="Set it to 0."), a_finding(severity="MEDIUM", title="It is slow")]
    links = Links("https://github.com/octo/app/pull/7", HEAD, {"src/app.py"})

    body = first_review(a_scope(), a_delta(findings, inline=False), [], some_details())
    removed = first_review(a_scope(), a_delta(findings), [], some_details(links=links))

    assert body.startswith(
        f":red_circle: **Address before merging** · 1 major · not blocking: 1 medium\n\n"
        f"[MAJOR] {APP}: The total is read before it is set\n"
        "An empty list leaves `total` unset, so the first report fails.\n\n"
        "Set it to 0.\n\n<details><summary>Kodiai Review Summary</summary>\n"
    )
    assert body.count("The total is read before it is set") == 1
    assert review_faults(body) == []
    assert "\n[MAJOR] src/app.py (12): The total is read before it is set\n" in removed


def test_the_words_of_the_reviewers_are_limited() -> None:
    """Thirty for what changed in all batches together, and one strength."""
    long = "One two three four five. " * 30
    rows = [f"At src/app.py:{number}: {long}" for number in range(1, 4)]

    body = first_review(a_scope(), a_delta(), [], some_details(what_changed=rows, strengths=rows))

    sections = {part.partition("\n")[0]: part.partition("\n")[2] for part in body.split("\n## ")}
    assert len(sections["What Changed"].replace("- ", "").split()) <= 30
    assert sections["Strengths"].count("- :white_check_mark: ") == 1
    assert review_faults(body) == []


@each_row(
    ("findings", "coverage", "label", "counts"),
    [
        ([], Coverage(1, 0), ":green_circle: **Ready to merge**", ["nothing found in 1 file"]),
        ([], Coverage(400, 600), ":yellow_circle: **Not fully reviewed**", ["read 400 of 1,000 files"]),
        (
            [a_finding(severity="MINOR")],
            Coverage(7, 1),
            ":yellow_circle: **Not fully reviewed**",
            ["read 7 of 8 files", "1 minor"],
        ),
        ([], Coverage(0, 0), ":white_circle: **Nothing to read**", ["no changed file needs to be read"]),
        (
            [a_finding()],
            Coverage(7, 1_200),
            ":red_circle: **Address before merging**",
            ["1 major", "1,200 files were not read"],
        ),
    ],
)
def test_an_unread_part_is_not_called_good(
    findings: list[Finding], coverage: Coverage, label: str, counts: list[str]
) -> None:
    """The first line and the verdict say how much was read, of what needs to be, in this run and before."""
    body = first_review(a_scope(), a_delta(findings, coverage=coverage), [], some_details())

    why = "; ".join(counts).replace("1 major", "1 MAJOR finding").replace("1 minor", "1 finding, not blocking")
    assert body.startswith(f"{' · '.join([label, *counts])}\n\n<details>")
    assert f"## Verdict\n\n{label} -- {why}\n\n</details>" in body
    assert review_faults(body) == []


LOCK = Skipped("uv.lock", "lock file", excused=True)


def test_a_long_list_of_files_is_cut_with_their_number() -> None:
    """A hundred are named, those that needed a review first."""
    skipped = [LOCK, *(Skipped(f"vendor/{number}.js", "over the budget") for number in range(150))]

    body = first_review(a_scope(skipped=skipped), a_delta(), [], some_details())

    assert body.count(" -- over the budget\n") == 100
    assert "Not read:\n\n- vendor/0.js -- over the budget\n" in body
    assert "- vendor/99.js -- over the budget\n- and 51 files more\n" in body


def test_sums_of_several_batches_keep_their_own_shape() -> None:
    """A list or a block of code stays within its item."""
    what_changed = ["First:\n\n- one\n- two", "Second:\n```\n</details>\n\u2028\n```\nand more"]

    body = first_review(a_scope(), a_delta(), [], some_details(what_changed=what_changed))

    assert (
        """## What Changed

- First:

  - one
  - two
- Second:
  ```
  </details>
  \u2028
  ```
  and more

## Verdict"""
        in body
    )
    assert review_faults(body) == []


def test_severe_problems_of_before_have_a_section_of_their_own() -> None:
    """The two most severe, after the observations, never in the verdict; the others are left to the ledger."""
    severe = (("CRITICAL", "Anybody may log in", 40), ("MAJOR", "The lock is kept", 50), ("MAJOR", "The third one", 60))
    before = [a_finding(severity=each, title=title, pre_existing=True, start_line=at) for each, title, at in severe]

    body = first_review(a_scope(), a_delta([*before, a_finding(severity="MEDIUM")], inline=False), [], some_details())

    text = "An empty list leaves `total` unset, so the first report fails."
    older = f"\nOlder problem, does not block: {text}\n\n"
    counts = "1 medium · 1 older CRITICAL, 2 older MAJOR, not from this change"
    assert body.startswith(f":yellow_circle: **Ready to merge with minor items** · {counts}\n")
    assert body.partition("## Observations\n\n")[2].partition("\n\n</details>")[0] == (
        f"[MEDIUM] {APP}: The total is read before it is set\n{text}\n\n## Older Problems\n\n"
        f"[CRITICAL] [src/app.py (40)]({BLOB}/src/app.py?plain=1#L40): Anybody may log in{older}"
        f"[MAJOR] [src/app.py (50)]({BLOB}/src/app.py?plain=1#L50): The lock is kept{older}"
        "## Verdict\n\n:yellow_circle: **Ready to merge with minor items** -- 4 findings, none of them blocking"
    )
    assert review_faults(body) == []


def test_a_finding_below_the_severity_floor_counts_and_is_not_listed() -> None:
    """The details say how many; what blocks is listed whatever the floor."""
    findings = [a_finding(severity=severity, title=severity.title()) for severity in ("MAJOR", "MINOR", "MEDIUM")]

    body = first_review(a_scope(), a_delta(findings), [], some_details(floor="CRITICAL"))

    assert re.findall(r"^\[[A-Z]+\] .*: (\w+)$", body, re.MULTILINE) == ["Major"]
    assert "- Not listed: 2 below the severity floor CRITICAL\n" in body
    assert review_faults(body) == []


@pytest.mark.parametrize(
    ("api", "pages"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.octo.ghe.com/", "https://octo.ghe.com"),
        ("https://git.example.com/api/v3", "https://git.example.com"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ],
)
def test_the_pages_are_found_by_the_address_of_the_api(api: str, pages: str) -> None:
    """On github.com, with data residency, on an Enterprise Server, and on this machine."""
    assert web_address(api) == pages
