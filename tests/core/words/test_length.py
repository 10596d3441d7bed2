"""The length of a review: what the author of a pull request with ten findings reads."""

import re
from dataclasses import replace
from itertools import cycle, islice

from kodiai.core.findings.finding import Finding, Severity, rank
from kodiai.core.judge.delta import delta
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.words.finding import comment_body
from kodiai.core.words.review import first_review
from tests.builders import LINKS, a_file, a_finding, a_scope, kept, some_details

SEVERITIES: list[Severity] = ["CRITICAL", "MAJOR", "MAJOR", "MEDIUM", "MEDIUM", "MEDIUM", "MEDIUM"]
SEVERITIES += ["MINOR", "MINOR", "MINOR"]
_WORDS = "an empty list of open orders leaves the total of this month unset and so the next report fails".split()


def text(words: int) -> str:
    """A sentence of this many words."""
    return " ".join(islice(cycle(_WORDS), words)).capitalize()


def a_typical_finding(severity: Severity, number: int, fix: int) -> Finding:
    """A finding with texts as long as a model's are in the recorded reviews, on the average."""
    return a_finding(
        severity=severity,
        path=f"src/service_{number}.py",
        title=text(9),
        problem=text(19),
        fix=text(fix),
        explanation=f"Say that {text(40)}",
    )


def words_of(body: str, *, folded: bool) -> int:
    """The words that a reader sees, with all folds open or closed; neither addresses nor the code of suggestions."""
    body = re.sub(r"<!--.*?-->|^```suggestion\n.*?^```$", "", body, flags=re.DOTALL | re.MULTILINE)
    if not folded:
        body = re.sub(r"<details>.*?</details>", "", body, flags=re.DOTALL)
    return len(re.sub(r"\]\(http[^)]*\)|</?details>|</?summary>|^#+ |^- ", " ", body, flags=re.MULTILINE).split())


def test_ten_findings_take_250_visible_words_and_900_in_all() -> None:
    """With typical texts, three of them MINOR, four with a suggestion, two dropped, the changed files all read."""
    findings = [a_typical_finding(each, at, 0 if at % 2 else 7) for at, each in enumerate(SEVERITIES)]
    posted = [kept(each, inline=each.severity != "MINOR") for each in sorted(findings, key=rank)]
    comments = [replace(each, suggestion=None if each.finding.fix else "x = 1\n") for each in posted if each.inline]
    dropped = [SuppressedFinding(a_finding(severity="MINOR", title=text(9)), text(12), "not-worth-it")] * 2
    details = some_details(
        what_changed=[text(30)],
        strengths=[f"`src/service_1.py:12` {text(12)}"],
        reviewers=["behavior", "promises"],
        judged=12,
    )
    scope = a_scope([a_file(f"src/service_{at}.py") for at in range(10)])
    texts = [
        first_review(scope, delta(posted, ()), dropped, details),
        *(comment_body(each, LINKS) for each in comments),
    ]

    assert sum(words_of(each, folded=False) for each in texts) <= 250
    assert 800 < sum(words_of(each, folded=True) for each in texts) <= 900
