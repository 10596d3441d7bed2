"""The reader of the benchmarks, in the whole local system."""

from pathlib import Path

from bench.cases import Work
from bench.reader import Reader
from bench.system import a_system

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
