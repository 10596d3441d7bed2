"""Accounting for a report: in any form, each passage that became no data is named."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kodiai.core.findings.accounting import unaccounted

from evals.tape import TAPE, read_lines
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.report import EarlierAnswer, ParsedReport, Report, ReportedFinding, read_report
from tests.builders import a_finding, reported
from tests.tables import each_row

SAME = {"path": "src/orders.py", "quote": "return sum(prices) + discount", "explanation": "An order of 100 costs 105."}
FOUR = (
    a_finding(**SAME, title="The discount is added", severity="CRITICAL"),
    a_finding(**SAME, title="The fee is lost", severity="CRITICAL"),
    a_finding(path="src/fees.py", title="折扣被加上而不是减去", quote="fees[0]", explanation="没有费用时会引发异常。"),
    a_finding(
        path="src/tax.py", title="Steuern werden zweimal gerundet", quote="round(round(x))", explanation="Aus 1 wird 2."
    ),
)
LABELS = """\
Path: {f.path}
Lines: {f.start_line}
Severity: {f.severity}
Category: {f.category}
Kind: {f.kind}
Quote:
```
{f.quote}
```
Mechanism: {f.explanation}
"""
GERMAN = "Pfad: {f.path}\nSchwere: {f.severity}\nZitat:\n```\n{f.quote}\n```\nMechanismus: {f.explanation}\n"
LISTED = """\
- **Title:** {f.title}
- **Path:** `{f.path}`
- **Severity:** {f.severity}
- **Quote:**
  ```
  {f.quote}
  ```
- **Mechanism:** {f.explanation}
- **Replacement:** none
"""
TITLED, PLAIN = f"Title: {{f.title}}\n{LABELS}", "`{f.path}:{f.start_line}` {f.explanation}\n\n```\n{f.quote}\n```\n"
TOLD = "{f.title} (`{f.path}:{f.start_line}`, {f.severity}): {f.explanation}"
FORMS = {
    "as asked for": f"### Finding {{n}}\n{TITLED}",
    "title in the heading": f"## Finding {{n}}: {{f.title}}\n{LABELS}",
    "capitals": f"### FINDING {{n}}\n{TITLED}",
    "number and title": f"### {{n}}. {{f.title}}\n\n{PLAIN}",
    "severity and title": f"#### [{{f.severity}}] {{f.title}}\n\n{PLAIN}",
    "German": f"### Befund {{n}}\nTitel: {{f.title}}\n{GERMAN}",
    "Chinese": "### 发现 {n}\n标题：{f.title}\n路径：{f.path}\n严重性：{f.severity}\n机制：{f.explanation}\n",
    "plain Chinese": "{n}、{f.title}：{f.explanation}（{f.path}，{f.severity}）\n",
    "setext": f"Finding {{n}}\n---------\n{TITLED}",
    "setext title": f"{{f.title}}\n=====\n{LABELS}",
    "bold": f"**Finding {{n}}**\n\n{TITLED}",
    "bold in the paragraph": f"**Finding {{n}}**\n{TITLED}",
    "bold title": f"**{{n}}. {{f.title}}**\n\n{PLAIN}",
    "words and a colon": f"Finding number {{n}}:\n\n{TITLED}",
    "words and a number": f"Befund Nr. {{n}}\n\nTitel: {{f.title}}\n{GERMAN}",
    "ordered list": "{n}. **{f.title}** ({f.severity})\n\n   {f.explanation}\n",
    "parenthesis": f"{{n}}) {TOLD}\n",
    "bullets": f"- {TOLD}",
    "bullets of labels": f"### Finding {{n}}\n\n{LISTED}",
    "paragraphs": f"{TOLD}\n",
    "lines of one paragraph": TOLD,
    "no heading": TITLED,
    "rule between": f"---\n\n{TITLED}",
    "quoted": "> ### {n}. {f.title}\n>\n> {f.explanation}\n",
    "HTML": f"<h3>Finding {{n}}</h3>\n\n{TITLED}",
    "folded": f"<details><summary>Finding {{n}}</summary>\n\n{TITLED}\n</details>\n",
    "JSON": '{{"title": "{f.title}", "path": "{f.path}", "explanation": "{f.explanation}", "replacement": null}}',
    "sign": "🔴 **{f.title}** `{f.path}`\n\n{f.explanation}\n",
}


def bare(findings: str) -> str:
    return findings


def after_a_summary(findings: str) -> str:
    return f"# Review of the change\n\n## What changed\n\nOrders take a discount.\n\n## Findings\n\n{findings}"


def fenced(findings: str) -> str:
    return f"Here is my whole report:\n\n~~~markdown\n{findings}\n~~~"


def in_one_line(findings: str) -> str:
    return findings.replace("\n", " ")


def as_ascii(findings: str) -> str:
    return f"I found this: {json.dumps(list(map(json.loads, findings.splitlines())))}"


def a_table(findings: str) -> str:
    return f"| No. | Wo | Schwere | Titel | Ablauf |\n|---|---|---|---|---|\n{findings}"


TABLE = "| {n} | `{f.path}:1` | {f.severity} | {f.title} | {f.explanation} |"
REPORTS = [
    *((name, form, around) for name, form in FORMS.items() for around in (bare, after_a_summary, fenced)),
    ("running text", TOLD, in_one_line),
    ("one line of JSON", FORMS["JSON"], as_ascii),
    ("table", TABLE, a_table),
]


def written(form: str, findings: Sequence[Finding] = FOUR) -> str:
    return "\n".join(form.format(n=number, f=finding) for number, finding in enumerate(findings, 1))


def left(prose: str, *findings: Finding, numbered: bool = False, **more: Any) -> tuple[str, ...]:
    """The passages of a report that these findings, and a summary, do not account for."""
    kept = tuple(reported(each, number=FOUR.index(each) + 1 if numbered else None) for each in findings)
    report = Report(what_changed="Orders take a discount.", strengths=(), suggestions=(), findings=kept)
    return unaccounted(prose, ParsedReport(report, **{"earlier": (), **more}))


@each_row(("name", "form", "around"), REPORTS)
def test_a_passage_that_became_no_data_is_named_whatever_the_form(
    name: str, form: str, around: Callable[[str], str]
) -> None:
    """All lost, one of four kept and one of four lost; where all is data nothing is named."""
    prose = around(written(form))

    assert left(prose)
    for numbered in (True, False) if around is bare else (True,):
        assert left(prose, *FOUR, numbered=numbered) == ()
        for one in FOUR:
            assert left(prose, one, numbered=numbered)
            lost = left(prose, *(each for each in FOUR if each is not one), numbered=numbered)
            assert lost
            assert one.title in "\n".join(lost) or around in (in_one_line, as_ascii), name


@each_row(
    ("prose", "passages"),
    [
        ("NOTHING TO REPORT", []),
        ("**Nothing to report.**", []),
        ("## Findings\n\nNone.\n", []),
        ("I have read all of it.\n\nNOTHING TO REPORT", ["I have read all of it."]),
        ("## What changed\n\nOrders take a discount.\n", []),
        ("## What changed\n\nThe fee is another one.\n", ["## What changed\n\nThe fee is another one."]),
        # A heading says something if nothing below it did.
        ("### The fee is lost\n", ["### The fee is lost"]),
        ("### The fee is lost\n### Orders take a discount.\n", ["### The fee is lost"]),
        ("### The fee is lost\n### What changed\nOrders take a discount.", ["### The fee is lost"]),
        ("- **The fee is lost**\n- **The tax is lost**\n\nOrders take a discount.", ["- **The fee is lost**"]),
        # Neighbors are one passage, with what says nothing between them.
        (
            "The fee is lost.\n\n- Severity: MAJOR\n\nThe tax is lost.\n\nOrders take a discount.\n\nThe end is near.",
            ["The fee is lost.\n\n- Severity: MAJOR\n\nThe tax is lost.", "The end is near."],
        ),
    ],
)
def test_a_report_without_a_finding_is_accounted_for_by_its_summary_or_by_a_plain_nothing(
    prose: str, passages: list[str]
) -> None:
    """Everything else that it says, and that is not its summary, is named as it stands there."""
    assert left(prose) == tuple(passages)


def test_facts_that_findings_share_account_for_none() -> None:
    """The path, the severity and the code of a kept finding stand in the lost one too."""
    kept = written(FORMS["as asked for"], FOUR[:1])
    said = "In `src/orders.py`, `return sum(prices) + discount` is CRITICAL, and raises the price."
    shown = "The price is raised, CRITICAL, in `src/orders.py`:"

    assert left(f"{kept}\n{said}\n", FOUR[0]) == (said,)
    assert left(f"{shown}\n```\nreturn sum(prices) + discount\n```\n\n{kept}", FOUR[0]) == (shown,)


def test_a_mechanism_that_was_put_in_other_words_here_and_there_accounts_for_its_line() -> None:
    """A model that copies is not always exact, and may take off the marks of a list."""
    mechanism = "1. Ann reads the order. 2. Bob gives a discount of 5. 3. The order of 100 costs 105."
    prose = f"### Finding 1\nTitle: The discount is added\nMechanism: {mechanism}\n"
    copied = mechanism.replace("1. ", "").replace("2. ", "").replace("3. ", "")

    for explanation in (copied, copied.replace("Bob gives", "Bob grants")):
        assert left(prose, a_finding(title="The discount is added", explanation=explanation)) == ()
    assert left(prose, a_finding(title="The discount is added", explanation="It is added.")) == (
        f"Mechanism: {mechanism}",
    )


def test_a_part_of_an_answer_about_an_earlier_finding_is_told_in_any_words() -> None:
    """Its id says whose it is; an answer about another one is something else."""
    about = "F-0123456789ab"
    said = EarlierAnswer(finding=about, answer="PARTIAL", path="", quote="", why="Half.", severity=None, concedes=False)
    prose = f"## Earlier findings\n\n### {about}\nAnswer: PARTIAL\nWhy: It is fixed for half of the orders.\n"

    assert left(prose, earlier=(said,)) == ()
    assert left(f"{prose}\n### F-ba9876543210\nAnswer: ADDRESSED\nWhy: It is gone.\n", earlier=(said,))


def test_a_part_of_a_numbered_finding_is_told_in_any_words() -> None:
    """The number says whose it is, whatever the form of its heading; another number says something else."""
    parts = "Title: The discount is added\nPath: src/orders.py\nMechanism: The price goes up by it.\n"
    found = reported(a_finding(title="The discount is added", explanation="It raises the price."), number=2)
    read = ParsedReport(Report(what_changed="", strengths=(), suggestions=(), findings=(found,)), ())

    for heading in ("### Finding 2", "**Befund 2**", "2.", "Finding no. 2:", "2\n---", "#### 2. The discount is added"):
        assert unaccounted(f"{heading}\n\n{parts}", read) == (), heading
        assert unaccounted(f"{heading.replace('2', '3')}\n\n{parts}", read), heading
    assert unaccounted(f"### Finding 2\n\n{parts}\n\nThe fee is lost.", read) == ("The fee is lost.",)
    assert unaccounted(f"### Finding 2\n\n{parts}\n\n### More\nMechanism: The fee is lost.", read)


def test_passages_that_are_said_to_report_nothing_are_accounted_for() -> None:
    """A preface is neither a finding nor part of the summary."""
    preface = "I have read the whole change with care."
    prose = f"{preface}\n\n{written(FORMS['paragraphs'])}"

    assert left(prose, *FOUR) == (preface,)
    assert left(prose, *FOUR, nothing=(preface,)) == ()
    assert left(prose, *FOUR[1:], nothing=(preface,)) == (FORMS["paragraphs"].format(n=1, f=FOUR[0]).strip(),)


def recorded() -> list[tuple[str, ParsedReport]]:
    """The reports that a real model wrote, each with the data that a real model made of it."""
    said = {
        (line["case"], line["push"], line["part"]): "".join(each.get("text", "") for each in line["answer"]["content"])
        for line in read_lines(TAPE)
    }
    return [
        (said[case, push, part.removesuffix("/data")], read_report(data))
        for (case, push, part), data in said.items()
        if part.endswith("/data")
    ]


def test_recorded_reports_are_accounted_for_and_can_lose_nothing() -> None:
    """None of them is asked about again; without any one of its findings, or its answers, each would be."""
    reports = recorded()

    assert len(reports) > 20
    for prose, read in reports:
        assert unaccounted(prose, read) == ()
        for each in read.report.findings:
            assert unaccounted(prose, without(read, each))
        for answer in read.earlier:
            assert unaccounted(prose, replace(read, earlier=tuple(each for each in read.earlier if each is not answer)))


def without(read: ParsedReport, finding: ReportedFinding) -> ParsedReport:
    others = tuple(each for each in read.report.findings if each is not finding)
    return replace(read, report=read.report.model_copy(update={"findings": others}))
