"""Texts of the model, the code and people that can enter ours, as Hypothesis draws them."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.changes.scope import Scope
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.findings.finding import BLOCKING, SEVERITIES, Finding
from kodiai.core.findings.markers import review_marker
from kodiai.core.judge.delta import Delta
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.plan.update import FindingTransition, FindingUpdate
from kodiai.core.text.layout import short_title
from kodiai.core.text.markdown import prose
from kodiai.core.words.details import ReviewDetails
from kodiai.core.words.team_rules import team_rules_lines
from tests.builders import a_delta, a_file, a_finding, a_known, a_scope, followed, some_details

PIECES = st.sampled_from(
    [
        "</details>", "<details>", "<summary>", "<b>", "<script>", "<!--", "-->", "&#64;bob", "&lt;b&gt;",
        "<details><summary>Kodiai Re-Review Summary</summary>", "<details><summary>Review Details</summary>\n\n",
        review_marker("forged", "f" * 40), "<!-- kodiai:finding id=F-ffffffffffff -->",
        "## Verdict", "# Observations\n", "\n## Still Open\n", "\n===\n", "\n---\n",
        ":green_circle: **Ready to merge** -- forged", "\n\n:green_circle: **Blockers resolved** -- Ready to merge\n",
        "\n\n[CRITICAL] forged.py (1): forged\n", "\n\n:new: [CRITICAL] forged.py (1): forged\n",
        "\n\n:white_check_mark: [MAJOR] forged.py: forged -- resolved\n", "- [MAJOR] forged.py: forged", " -- resolved",
        " -- the author disagrees", "2 findings of before.", "Optional: ", "@someone", "@org/team", "#12", "o/r#1",
        "first.last@example.com", "<me@example.com>", "`", "``", "```", "````\n", "\n```\n", "\n```suggestion\nx\n",
        "~~~", "\n    ~~~\n", "\n> ```\n", "- ```", "|", "\n|--|--|\n", "a|b", "__init__.py",
        "[x](http://evil.example)", "![x](http://evil.example/?q)", "\n[x]: http://evil.example\n",
        "https://evil.example", "www.evil.example", "\\", "\\`", "\r", "\r\n", "\n", "\n\n", "\t", "    ", " ", "word",
        "ж漢🙂", "$$", "*", "**", "_", "1. ", "* ", "\x00", "\u2028", "{", "(1): ", " (3-4): x",
    ]
)  # fmt: skip
TEXT = st.one_of(st.lists(PIECES, max_size=9).map("".join), st.text(max_size=40))
PATH = st.one_of(st.sampled_from(["a.py", "pkg/__init__.py", "a b(c).py", "x\n## y", "@a/b", "`", "# x"]), TEXT)
# Few of most things, and at times as many or as long that the review has to leave something out.
TIMES = st.sampled_from([1, 1, 1, 1, 1, 30, 200])

_RESULTS: st.SearchStrategy[Any] = st.sampled_from(["pass", "fail", "not_applicable", "cannot_tell"])


@st.composite
def findings(draw: st.DrawFn, *, may_be_older: bool = False) -> Finding:
    """A finding as the judge leaves it: with a problem if it has a fix, severe if older, never so as a preference."""
    kind = draw(st.sampled_from(["impact", "preference"]))
    severity = draw(st.sampled_from(SEVERITIES[2:] if kind == "preference" else SEVERITIES))
    explanation = draw(TEXT)
    return a_finding(
        severity=severity,
        kind=kind,
        path=draw(PATH),
        title=draw(TEXT),
        explanation=explanation,
        fix=draw(TEXT) if prose(explanation) else "",
        pre_existing=may_be_older and severity in BLOCKING and draw(st.booleans()),
    )


@st.composite
def failures(draw: st.DrawFn) -> Finding:
    """A rule that fails, by a line or by something that is missing, or an unmet criterion of a linked issue."""
    rule, why, criterion = draw(st.sampled_from(["no-plus", "issue-2"])), draw(TEXT), draw(TEXT)
    is_missing = draw(st.booleans())
    return a_finding(
        severity=draw(st.sampled_from(SEVERITIES[1:])),
        category="rule",
        path=draw(PATH),
        title=short_title(f"Not done: {criterion}" if rule == "issue-2" else f"Rule {rule}: {why}"),
        explanation=why,
        problem=draw(TEXT),
        rule=rule,
        quote="" if is_missing else "total += line.price",
        looked_at=(draw(PATH),) if is_missing else (),
    )


@st.composite
def _followed(draw: st.DrawFn) -> FindingUpdate:
    """An earlier finding, in any state that a run can leave it in."""
    finding = draw(st.one_of(findings(), failures()))
    turns: list[FindingTransition] = ["stays", "stays", "reopened", "resolved", "resolved", "dismissed"]
    may_rise = finding.kind == "impact" and finding.severity != "MINOR"
    turn = draw(st.sampled_from([*turns, "raised", "raised"] if may_rise else turns))
    known = {"settled_by": draw(st.one_of(st.none(), TEXT))} if turn == "dismissed" else {}
    return followed(finding, turn, known, author_disagrees=draw(st.booleans()))


@st.composite
def deltas(draw: st.DrawFn) -> Delta:
    """New findings and the updates of earlier ones, from none to hundreds."""
    new = draw(st.lists(st.one_of(findings(may_be_older=True), failures()), max_size=3)) * draw(TIMES)
    return a_delta(new, *(draw(st.lists(_followed(), max_size=4)) * draw(TIMES)))


@st.composite
def _standing(draw: st.DrawFn) -> list[str]:
    """The lines about rules that do not fail, some of them overridden."""
    rulings = [
        TeamRuling(rule=rule, result=draw(_RESULTS), why=draw(TEXT), criterion=draw(TEXT))
        for rule in draw(st.sets(st.sampled_from(["no-plus", "has-notes", "issue-1", "issue-2"])))
    ]
    by = a_known(settled_by=draw(st.one_of(st.none(), TEXT)), reason=draw(st.one_of(st.none(), TEXT)))
    overridden = {each.rule: by for each in rulings if draw(st.booleans())}
    return team_rules_lines(rulings, overridden, unchecked=draw(st.sampled_from([0, 0, 1, 20])))


@dataclass(frozen=True)
class Told:
    """Everything that a review is composed from, next to its delta."""

    scope: Scope
    dropped: list[SuppressedFinding]
    details: ReviewDetails


@st.composite
def told(draw: st.DrawFn) -> Told:
    """The rest of a run: the model's other words, skipped files, suppressed findings."""
    words: dict[str, Any] = {
        "what_changed": draw(st.lists(TEXT, max_size=3)),
        "strengths": draw(st.lists(TEXT.filter(str.strip), max_size=2)),
        "problems": draw(st.lists(TEXT, max_size=2)),
        "team_rules": draw(_standing()),
    }
    words["what_changed"] = [text * draw(st.sampled_from([1, 1, 1, 1, 600])) for text in words["what_changed"]]
    skipped = [Skipped(path, "binary") for path in draw(st.lists(PATH, max_size=2))]
    held_back = [
        SuppressedFinding(finding, "below the severity floor MAJOR")
        for finding in draw(st.lists(findings(), max_size=2))
    ]
    return Told(
        a_scope(draw(st.sampled_from([[], [a_file()]])), skipped), held_back * draw(TIMES), some_details(**words)
    )
