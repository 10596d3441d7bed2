"""Files that are only moved: what their move breaks is part of the material, and blocks."""

from kodiai.core.findings.finding import Cause
from local.model import ModelRequest, Request, is_find, is_judge
from tests.git_repository import Files
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding, a_report, rules, says

RUN = "from .util import tick\n\n\ndef run():\n    return tick('data')\n"
BASE: Files = {"src/run.py": RUN, "src/util.py": "def tick(name):\n    return open(name)\n"}
BREAKS = 'names nothing any more: ".util" (was "src/util.py")'


def opened(stage: Stage, files: Files) -> Opened:
    """A reviewed pull request that moves src/run.py."""
    base = stage.commit(BASE)
    head = stage.commit({"src/run.py": None, **files}, base)
    pull_request = Opened(stage, stage.github.open_pull_request(head, base))
    stage.settle()
    return pull_request


def shown(request: Request) -> str:
    return "\n".join(ModelRequest(request).texts)


def test_a_finding_that_the_move_of_its_file_causes_blocks(stage: Stage) -> None:
    """Its code was there before, and worked; the judge's word that it was there before does not count.

    The reviewer sees the broken import, the judge has it as a fact. GitHub takes no comment there: the body has a link.
    """
    place = {"path": "src/app/run.py", "start_line": 1, "end_line": 1, "quote": "from .util import tick"}
    broken = a_finding(**place, title="The import fails")
    cause = {"path": "src/run.py", "quote": ""}
    away = {**place, "start_line": 5, "end_line": 5, "quote": "return tick('data')", "cause": cause}
    report = a_report(broken, a_finding(**away, title="The data is elsewhere"))
    stage.model.answers = says(report, *(rules(number, pre_existing=True) for number in (1, 2)))

    moved = opened(stage, {"src/app/run.py": RUN})

    [review], asked = moved.reviews, stage.questions
    title = '### FILE "src/app/run.py" renamed from "src/run.py"\n      1 | from .util import tick\n'
    assert title + BREAKS in shown(next(filter(is_find, asked)))
    judged = next(filter(is_judge, asked))
    notes = [each["notes"] for each in ModelRequest(judged).candidates]
    assert 'The reference at line 1 names nothing any more: ".util" (was "src/util.py").' in notes[0]
    assert "src/app/run.py was moved from src/run.py." in notes[1]
    assert review["body"].startswith(":red_circle: **Address before merging** · 2 major")
    there = f"{moved.web}/blob/{moved.head}/src/app/run.py?plain=1"
    assert f"[MAJOR] [src/app/run.py (1)]({there}#L1): The import fails\n" in review["body"]
    assert f"[MAJOR] [src/app/run.py (5)]({there}#L5): The data is elsewhere\n" in review["body"]
    assert "Along the Way" not in review["body"]
    assert moved.comments == []
    assert [each.finding.cause for each in moved.ledger.findings()] == [None, Cause(**cause)]


def test_a_move_whose_references_all_resolve_breaks_nothing(stage: Stage) -> None:
    """Files that moved together still find each other."""
    util = BASE["src/util.py"]

    opened(stage, {"src/util.py": None, "lib/app/util.py": util, "lib/app/run.py": RUN})

    texts = shown(next(filter(is_find, stage.questions)))
    assert '### FILE "lib/app/run.py" renamed from "src/run.py"\n\n### FILE "lib/app/util.py" renamed' in texts
    assert "names nothing any more" not in texts
