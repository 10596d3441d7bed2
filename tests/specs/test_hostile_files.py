"""Pull requests with files that are made to harm whoever reads them."""

from tests.specs.conftest import Stage
from tests.specs.scripts import a_report, says

# Ten kilobytes that take a C++ parser more than a gigabyte, and most of a function's time.
HOSTILE = "/aa=>" * 2_000 + "\n"


def test_files_that_no_parser_survives_are_reviewed_all_the_same(stage: Stage) -> None:
    """In one attempt, within seconds; only the log says which files were outlined by their indentation."""
    stage.model.answers = says(a_report())

    opened = stage.open({"a.cpp": HOSTILE, "b.c": HOSTILE, "C.java": HOSTILE, "src/new.py": "def f():\n    pass\n"})

    outcome = stage.outcome()
    logged = [line for line in stage.machine.system.log_lines if line.get("message") == "not parsed"]
    assert len(opened.reviews) == 1
    assert (outcome["outcome"], outcome["attempt"], outcome["files_total"]) == ("completed", 1, 4)
    assert {line["path"] for line in logged} == {"a.cpp", "b.c", "C.java"}
    assert outcome["cpu_seconds"] < 15
