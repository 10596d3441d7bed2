"""The reader of the benchmarks, in the whole local system."""

from pathlib import Path

import pytest

from bench.cases import Work
from bench.reader import Reader
from bench.system import a_system
from local.model import Reply

_CODE = "def total(prices):\n    first = {first}\n    return sum(prices[:first])\n\n\n# {rest}\n"


def test_every_push_has_findings_and_answers_as_a_model_gives_them(tmp_path: Path) -> None:
    """A benchmark of a reader that posts nothing, or looks nothing up, would measure what nobody has.

    A finding stays open until its line changes, and each changed line has the next one.
    """
    work = Work(tmp_path / "shop")
    base = work.commit("Base", {"README.md": "A shop.\n"})
    versions = ((100, "as it is"), (100, "as it was"), (200, "as it was"))
    texts = [_CODE.format(first=f"min(len(prices), {limit})", rest=rest) for limit, rest in versions]
    heads = [work.commit("Limit it", {"shop.py": text}) for text in texts]

    with a_system(tmp_path / "shop", Reader()) as system:
        number = system.github.open_pull_request(heads[0], base, title="Limit it")
        statuses = []
        for at, head in enumerate(heads):
            if at:
                system.github.push(number, head)
            system.outcome()
            statuses.append([finding.status for finding in system.ledger(number).findings()])
        looked_up = [request for request in system.asked if "tool_result" in str(request.body)]
        violations = system.violations

    assert [each.count("open") for each in statuses] == [1, 2, 2]
    assert [each.count("fixed") for each in statuses] == [0, 0, 1]
    assert len(looked_up) >= len(heads)
    assert violations == []


CHANGES = '# Its changes\n\n### FILE "a.py" modified\n@@ -1,1 +1,2 @@\n       1 | a\n+     2 | b\n'


@pytest.mark.parametrize(
    ("shown", "tool"),
    [
        ('# Looked up by the readers before you\n\nFILE "a.py" lines 1-2 of 2\n     1 | a', "finish"),
        (
            '# Looked up by the readers before you\n\nFILE "b.py" lines 1-2 of 2\n     1 | FILE "a.py" lines',
            "read_files",
        ),
        ('# Code around the changes\n\nFILE "a.py" lines 1-2 of 2\n     1 | a', "read_files"),
    ],
)
def test_a_file_that_another_reader_has_read_is_not_read_again(shown: str, tool: str) -> None:
    """A model is shown it, and reads on where nobody did; code that looks like a title is none."""
    blocks = [{"type": "text", "text": text} for text in (CHANGES, shown, "# Your part: promises\n")]
    body = {"messages": [{"role": "user", "content": blocks}], "tools": [{"name": "read_files"}]}

    reply = Reader().answer(body)

    assert isinstance(reply, Reply)
    assert [block["name"] for block in reply.content] == [tool]
