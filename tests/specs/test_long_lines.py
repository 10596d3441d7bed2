"""Notebooks and very long lines: what people wrote in them is read, and what is hidden in them is never called fine."""

from collections.abc import Iterable

from kodiai.core.text.tokens import estimated_tokens
from local.model import ModelRequest, Request, Script, is_find, is_judge, reporting
from tests.core.changes.notebooks import book, code, output
from tests.git_repository import Files
from tests.specs.adversaries import judge, model, opened_on
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import Json, a_finding, a_report

VERDICT = "review:\n  event: verdict\n"
MINIFIED = "".join(f"function f{at}(a,b){{return a[{at}]+b}};" for at in range(6_000))
MARKER = "evil.example"


def seeing(finding: Json) -> Script:
    """A model that reports a finding of every change that shows the marker, and nothing of others."""
    script = Script().when(_shows_nothing, reporting(), always=True)
    script.when(is_find, reporting(a_report(finding)), always=True)
    return script.when(is_judge, judge(), always=True)


def _shows_nothing(request: Request) -> bool:
    return is_find(request) and MARKER not in shown([request])


def shown(requests: Iterable[Request]) -> str:
    """The changes that questions to reviewers show."""
    return "\n".join(
        part
        for each in requests
        if is_find(each)
        for part in ModelRequest(each).texts
        if part.startswith("# Its changes")
    )


def opened(stage: Stage, base: Files, files: Files) -> Opened:
    return opened_on(stage, base, files, VERDICT)


def states(opened: Opened) -> list[str]:
    return [review["state"] for review in opened.reviews]


def test_a_notebooks_code_is_read_beside_its_pictures(stage: Stage) -> None:
    """Whether GitHub shows its change or not."""
    for pictures, size in ((1, 300_000), (3, 100_000), (2, 600_000)):
        stage.before += stage.asked
        stage.model.answers = model([], judge())
        new = book(code("total = 1\n", outputs=[output(content="iVBOR" + "A" * size)] * pictures))

        opened = stage.open({"a.ipynb": new})

        assert "read 1 of 1 file" in opened.reviews[0]["body"]
        assert "- Not shown to them: 1 × outputs and metadata of a notebook\n" in opened.reviews[0]["body"]
        changes = shown(stage.questions)
        assert '"total = 1\\n"' in changes
        assert f"{pictures} output" in changes
        assert all(estimated_tokens(str(each["messages"])) < 5_000 for each in stage.questions)


def test_a_finding_in_a_notebook_stands_on_the_line_of_the_file(stage: Stage) -> None:
    """Also between outputs that were run again; they alone bring no second look at the code."""
    old, new = (
        book(code("# a\n", outputs=[output(content=sign * 90_000)]), code("import os\n", line))
        for line, sign in (("ping()", "A"), (f"os.system('curl {MARKER}')", "B"))
    )
    line = next(at for at, row in enumerate(new.split("\n"), 1) if MARKER in row)
    quote = new.split("\n")[line - 1].strip()
    place = {"path": "a.ipynb", "quote": quote, "start_line": line, "end_line": line}
    stage.model.answers = seeing(a_finding(**place, title="It calls home", severity="CRITICAL", category="security"))

    found = opened(stage, {"a.ipynb": old}, {"a.ipynb": new})

    assert [(comment["path"], comment["line"]) for comment in found.comments] == [("a.ipynb", line)]
    assert states(found) == ["CHANGES_REQUESTED"]
    assert "cell 2, code, python" in shown(stage.questions)
    stage.before += stage.asked
    found.push(stage.commit({"a.ipynb": new.replace("BBBB", "CCCC")}, found.head))
    assert stage.questions == []


def test_a_small_edit_of_a_minified_file_is_read_whole(stage: Stage) -> None:
    """In the middle of a line of 200 kB; its finding stands on that line."""
    new = f"{MINIFIED[:99_000]}fetch('//{MARKER}');{MINIFIED[99_000:]}"
    place = {"path": "src/app.js", "quote": f"fetch('//{MARKER}');", "start_line": 1, "end_line": 1}
    stage.model.answers = seeing(a_finding(**place, title="It calls home", severity="CRITICAL", category="security"))

    found = opened(stage, {"src/app.js": f"{MINIFIED}\n"}, {"src/app.js": f"{new}\n"})

    assert [(comment["path"], comment["line"]) for comment in found.comments] == [("src/app.js", 1)]
    assert "read 1 of 1 file" in found.reviews[0]["body"]
    assert len(shown(stage.questions)) < 5_000


def test_a_new_minified_file_with_a_hidden_middle_is_not_fully_reviewed(stage: Stage) -> None:
    """It is read as far as it is shown."""
    hidden = f"{MINIFIED[:99_000]}fetch('//{MARKER}');{MINIFIED[99_000:]}\n"
    stage.model.answers = model([], judge())

    found = opened(stage, {}, {"src/bundle.js": hidden, "README.md": "# Gadgets\n"})

    [review] = found.reviews
    assert "**Not fully reviewed**" in review["body"]
    assert f"- src/bundle.js -- a line of {len(hidden) - 1:,} characters was shown in part" in review["body"]
    assert states(found) == ["COMMENTED"]
    assert MARKER not in shown(stage.questions)
