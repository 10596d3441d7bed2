"""Findings that the judge keeps are posted, each once, however they are worded and whatever they are about."""

import pytest

from kodiai.core.findings.embedded import embedded_findings
from tests.git_repository import Files
from tests.specs.adversaries import at, judge, model, opened_on, posted
from tests.specs.conftest import Opened, Stage
from tests.specs.material.first_reviews import GUARD, PLAIN, SYNTAX, TWO, UNUSUAL
from tests.specs.scripts import Json

FEW = "review:\n  maxComments: 10\n"


def lost_or_doubled(opened: Opened, findings: list[Json]) -> list[str]:
    """The titles that are not in the ledger once and posted once."""
    times = posted(opened)
    titles = [known.finding.title for known in opened.ledger.findings() if times[known.id] == 1]
    assert len(opened.reviews) == 1
    return [each["title"] for each in findings if titles.count(each["title"]) != 1]


@pytest.mark.parametrize("worded", [PLAIN, UNUSUAL])
def test_findings_are_posted_or_listed_once_however_they_are_worded(
    stage: Stage, worded: tuple[tuple[str, str], ...]
) -> None:
    """Ten have comments, the others are listed in the body; the verdict counts all."""
    text = "".join(f"{line}\n" for line, _ in worded)
    findings = [at("src/work.txt", text, line, title) for line, title in worded]
    stage.model.answers = model(findings, judge())

    opened = opened_on(stage, {}, {"src/work.txt": text}, FEW)

    assert lost_or_doubled(opened, findings) == []
    assert len(embedded_findings(opened.reviews[0]["body"])) == len(worded) - 10
    assert f"{len(worded)} MAJOR findings" in opened.reviews[0]["body"]


def test_findings_about_names_and_syntax_are_posted(stage: Stage) -> None:
    """Nothing that code knows about names overrules the judge; two problems of one line are two."""
    files: Files = {f"src/{name}": text for name, text, _, _ in SYNTAX}
    findings = [at(f"src/{name}", text, quote, title) for name, text, quote, title in SYNTAX]
    guard, before, after, removed, gone = GUARD
    two, line, quote, titles = TWO
    findings += [at(f"src/{guard}", before, removed, gone), *(at(f"src/{two}", line, quote, title) for title in titles)]
    stage.model.answers = model(findings, judge())

    config = "review:\n  maxComments: 100\n"
    opened = opened_on(stage, {f"src/{guard}": before}, {**files, f"src/{guard}": after, f"src/{two}": line}, config)

    assert len(findings) == 22
    assert lost_or_doubled(opened, findings) == []
    lines = {(each["path"], each["line"]) for each in opened.comments}
    assert len(lines) == 21
    assert (f"src/{guard}", 2) in lines
