"""Helpers of the adversarial specs: many findings in one pull request, and judges that know, agree or fail."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from kodiai.core.findings.embedded import embedded_findings
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.markers import finding_of
from local.model import (
    Answer,
    ModelRequest,
    Request,
    Script,
    Step,
    approve_all,
    confirmations,
    is_find,
    is_judge,
    refusal,
    reporting,
    ruling,
)
from tests.git_repository import Files
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import Json, a_finding, a_report

EVERY_PUSH = "review:\n  maxComments: 100\n  triggers:\n    onSynchronize: true\n"

Truth = Callable[[Json, Sequence[Json]], Json]
"""A judge's ruling on a candidate, where it does not just keep it: the fields that differ.

It is given the candidate's row and the rows of the earlier findings that are shown.
"""

ABSENT = refusal()
SILENT = ruling({})


def _keep(_candidate: Json, _earlier: Sequence[Json]) -> Json:
    return {}


def judge(
    truth: Truth = _keep, resolved: Callable[[str], bool] = lambda _title: True, *, confirms: bool | None = None
) -> Step:
    """A judge that keeps candidates but for what `truth` says, and knows by title what is resolved.

    Its second ruling, on what the first lets go, agrees if it `confirms` that; if that is None, there is none.
    """

    def answer(request: Request) -> Answer:
        asked = ModelRequest(request)
        earlier = asked.rows("# Earlier findings")
        said = approve_all(request)
        for each, candidate in zip(said["rulings"], asked.candidates, strict=True):
            each.update(truth(dict(candidate), earlier))
        for resolution, claim in zip(said["resolutions"], asked.claimed_resolutions, strict=True):
            resolution["resolved"] = resolved(claim["title"])
        if confirms is not None:
            said["confirmations"] = confirmations(asked.let_go, agrees=confirms)
        return ruling(said)

    return answer


def is_lead(request: Request) -> bool:
    """Whether the request asks the first reviewer of a batch."""
    return is_find(request) and ModelRequest(request).sums_up


def model(findings: Iterable[Json], judged: Step, **report: object) -> Script:
    """A model whose first reviewer of a batch reports these findings, while the others report nothing."""
    lead = reporting(a_report(*findings, **report))
    script = Script().when(is_lead, lead, always=True).when(is_find, reporting(), always=True)
    return script.when(is_judge, judged, always=True)


def opened_on(stage: Stage, base: Files, files: Files, config: str = EVERY_PUSH) -> Opened:
    """Open a pull request on a base with more files, and wait until it has been reviewed."""
    return stage.open(files, base={".kodiai.yml": config, **base})


def push_on(opened: Opened, files: Files, script: Script) -> None:
    """Push files on top of the head, and wait until they have been reviewed."""
    opened.stage.model.answers = script
    opened.push(opened.stage.commit(files, opened.head))


def at(path: str, content: str, quote: str, title: str, **more: object) -> Json:
    """A finding on the lines of a file where a quote stands first."""
    line = content[: content.index(quote)].count("\n") + 1
    place = {"path": path, "quote": quote, "start_line": line, "end_line": line + quote.count("\n")}
    return a_finding(**{**place, "title": title, "explanation": f"{title}, for some input.", **more})


def by_title(opened: Opened) -> Mapping[str, KnownFinding]:
    """The ledger's findings by their titles, which must differ."""
    found = {known.finding.title: known for known in opened.ledger.findings()}
    assert len(found) == len(opened.ledger.findings())
    return found


def statuses(opened: Opened, titles: Collection[str]) -> dict[str, str]:
    """The statuses of the findings with these titles."""
    found = by_title(opened)
    return {title: found[title].status if title in found else "lost" for title in titles}


def threads(opened: Opened) -> list[str]:
    """The ids of the findings that have an inline comment, each as often as it was posted."""
    roots = [each for each in opened.comments if each.get("in_reply_to_id") is None]
    return [found for each in roots if (found := finding_of(each["body"]))]


def posted(opened: Opened) -> Counter[str]:
    """The number of times each finding was posted: as an inline comment, or listed in the body of the last review."""
    return Counter([*threads(opened), *embedded_findings(opened.reviews[-1]["body"])])


def dismiss(opened: Opened, said: str = "Won't fix.") -> None:
    """Have a person with write access answer so in the thread of each finding; the next review reads it."""
    opened.stage.github.set_role("ann", "write")
    for comment in opened.comments:
        if finding_of(comment["body"]):
            opened.stage.github.reply(comment["id"], said, login="ann")
    opened.stage.settle()
