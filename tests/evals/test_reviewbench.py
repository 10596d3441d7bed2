"""ReviewBench's findings are read, matched, scored and written; small files in its formats stand in for it."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.__main__ import main
from evals.benchmarks.reviewbench import Candidate, Golden, golden_sets, manifests
from evals.benchmarks.reviewbench_command import make_cases
from evals.benchmarks.reviewbench_rules import OVERALL, Decision, Tally, decide, macro, micro, score
from evals.case import read_cases
from evals.result import PostedFinding
from tests.evals.made_up import a_finding, a_run, pushed, reviewed
from tests.git_repository import GitRepository

Json = dict[str, Any]


class ByWord:
    """Says that two mean the same where the golden message is a word of the candidate's."""

    name = "by word"

    def same(self, mechanism: str, finding: PostedFinding, lines_apart: int) -> bool:  # noqa: ARG002 - it goes by words only
        return mechanism in finding.explanation.split()


def golden(message: str, label: str = "tp", severity: str = "high", category: str = "security", **more: Any) -> Golden:
    fields = {"file": "a.ts", "start_line": 1, "end_line": 2, "message": message, "tp_fp": label, **more}
    return Golden.model_validate({**fields, "severity": severity, "category": category})


def candidate(message: str, file: str = "a.ts") -> Candidate:
    return Candidate(file=file, start_line=1, end_line=1, message=message, producer="us")


def test_the_first_to_cover_a_golden_finding_claims_it_and_others_stay_unmatched() -> None:
    """One candidate may cover several, and claims the first that is free; findings of other files never match."""
    labeled = [golden("alpha"), golden("beta"), golden("gamma", file="b.ts")]
    candidates = [candidate(text) for text in ("alpha beta", "alpha", "beta alpha", "gamma", "alpha beta")]

    decisions = decide(labeled, candidates, ByWord())

    assert [(one.covers, one.claims) for one in decisions] == [
        ((0, 1), 0),
        ((0,), None),
        ((0, 1), 1),
        ((), None),
        ((0, 1), None),
    ]


NOVEL = Decision((), None, "tp", "medium", "api-architecture")
NOISE = Decision((), None, "fp", "low", "testing")


@pytest.mark.parametrize(
    ("labeled", "decisions", "measures"),
    [
        ([], [], (None, None, None, None)),
        ([golden("a")], [], (None, 0, None, 0)),
        # Covered twice over by one candidate: recall counts both, precision one.
        ([golden("a"), golden("b")], [Decision((0, 1), 0), NOVEL, NOISE], (1, 1, 2 / 3, 1)),
        ([golden("a", "fp")], [Decision((0,), 0)], (0, None, 0, None)),
        # The two examples of the methodology, section 7.2.
        ([golden(f"{n}") for n in range(10)], [Decision((n,), n) for n in range(5)] + [NOVEL] * 2, (1, 0.5, 1, 7 / 12)),
        (
            [golden(f"{n}") for n in range(10)],
            [Decision((n,), n) for n in range(5)] + [NOVEL] * 100,
            (1, 0.5, 1, 105 / 110),
        ),
    ],
)
def test_the_four_measures_are_those_of_the_methodology(
    labeled: list[Golden], decisions: list[Decision], measures: tuple[float | None, ...]
) -> None:
    """Grounded ones know only labeled findings, augmented ones also what a judge says of the others."""
    found = score("key", labeled, decisions).tallies[OVERALL].measures

    names = ("grounded_precision", "grounded_recall", "augmented_precision", "augmented_recall")
    assert [found[name] for name in names] == pytest.approx(list(measures))


def test_strata_go_by_the_golden_finding_and_else_by_the_judge() -> None:
    """A finding that the judge did not classify is false and has its own stratum."""
    found = score("key", [golden("a"), golden("b", "fp", "low")], [Decision((0,), 0), NOVEL, Decision((1,), None)])

    assert found.tallies["severity", "high"] == Tally(matched=1, matched_tp=1, golden_tp=1, covered_tp=1)
    assert found.tallies["severity", "medium"] == Tally(unmatched_tp=1)
    assert found.tallies["severity", "low"] == Tally()
    assert found.tallies["category", "unclassified"] == Tally(unmatched_fp=1)


def test_micro_pools_counts_and_macro_takes_the_mean_of_known_values() -> None:
    """A pull request without candidates has no precision, and does not lower that of the others."""
    scores = [
        score("one", [golden("a"), golden("b")], [Decision((0,), 0)]),
        score("two", [golden("a")], [Decision((0,), 0), NOISE, NOISE]),
        score("three", [golden("a")], []),
    ]

    pooled, mean = micro(scores)[OVERALL], macro(scores)[OVERALL]

    assert (pooled["grounded_recall"], mean["grounded_recall"]) == (0.5, 0.5)
    assert [pooled["augmented_precision"], mean["augmented_precision"]] == pytest.approx([0.5, 2 / 3])


PULL = {"repo": "https://github.com/acme/web.shop", "pr_number": 12, "base": "b" * 40, "head": "0123abcd" + "c" * 32}
KEY = "acme_web.shop_12-0123abcd"


def a_checkout(folder: Path, **more: Any) -> Path:
    pull = {**PULL, **more}
    labeled = [
        {**golden("The path is not checked, so that files outside are read").model_dump(), "producer": "llm"},
        golden("Tests are missing", "fp", "low", "testing", start_line=0).model_dump(),
    ]
    described = {**pull, "nwo": "acme/web.shop", "title": "Read files", "body": None, "language": "Jupyter Notebook"}
    files: dict[str, Any] = {
        f"golden/{KEY}.json": {"pr_key": KEY, "pr": pull, "findings": labeled},
        "corpus/manifest.json": [described],
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def findings(*messages: str, **more: Any) -> Json:
    return {"pr": PULL, "agent": "us", "findings": [candidate(one).model_dump() for one in messages], **more}


def test_findings_and_decisions_are_scored_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With our judge, and by what the benchmark's own has decided; the judge is named."""
    checkout = a_checkout(tmp_path / "checkout")
    (tmp_path / "found").mkdir()
    for number, message in enumerate(["The path is not checked: files outside are read.", "Names are long."]):
        (tmp_path / "found" / f"{number}.json").write_text(json.dumps(findings(message)))
    detail = {"status": "novel_tp", "covered_golden_indices": [], "classifier_tp_fp": "tp"}
    judged = {"classifier_severity": "low", "classifier_category": "testing"}
    candidates = [{"matched_golden_index": 0, "covered_golden_indices": [0]}, {**detail, **judged}]
    (tmp_path / "x.details.json").write_text(json.dumps([{"pr_key": KEY, "candidate_findings": candidates}]))

    main(["reviewbench", str(checkout), "--findings", str(tmp_path / "found")])
    main(["reviewbench", str(checkout), "--details", str(tmp_path / "x.details.json")])
    main(["reviewbench", str(checkout)])

    lines = capsys.readouterr().out.splitlines()
    overall = [" ".join(line.split()[3::2]) for line in lines if line.startswith("micro  overall")]
    assert lines[0] == "1 pull requests; judge: rule (shared words); findings that match nothing count as false"
    assert overall == ["100.0% 100.0% 50.0% 100.0% 0.0%", "100.0% 100.0% 100.0% 100.0% 50.0%"]
    assert lines[-3:] == [
        "1 pull requests, 1 findings that are true, 1 that are false",
        "severity: 1 high",
        "category: 1 security",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (findings("x", pr={**PULL, "head": None}), "pr.head: Input should be a valid string"),
        ({**findings(), "findings": [{**candidate("x").model_dump(), "start_line": 0}]}, "findings.0.start_line"),
        ([], "Input should be an object"),
    ],
)
def test_findings_that_are_not_in_its_format_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Any, message: str
) -> None:
    """The message names the file and the key."""
    (tmp_path / "found.json").write_text(json.dumps(content))

    status = main(["reviewbench", str(a_checkout(tmp_path / "c")), "--findings", str(tmp_path / "found.json")])

    assert status == 1
    assert f"found.json: {message}" in capsys.readouterr().err


def test_a_run_is_written_in_its_format_and_can_be_scored_as_such(tmp_path: Path) -> None:
    """A file for each pull request, a folder for each repeat; cases of other origin are left out."""
    checkout, run = a_checkout(tmp_path / "checkout"), tmp_path / "run"
    case = f"jupyter-notebook/{KEY}"
    a_run(
        reviewed(case, pushed(a_finding())), reviewed(case, pushed(), repeat=2), reviewed("python/discount", pushed())
    ).write(run)

    main(["reviewbench", str(checkout), "--export", str(run), "--out", str(tmp_path / "out"), "--tool", "us"])

    written = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.json")}
    assert written == {f"run-1/{KEY}.json", f"run-2/{KEY}.json"}
    first = json.loads((tmp_path / "out" / "run-1" / f"{KEY}.json").read_text())
    assert (first["pr"], first["agent"]) == (PULL, "us")
    assert first["findings"] == [
        {
            "file": "shop/orders.py",
            "start_line": 2,
            "end_line": 2,
            "message": f"{a_finding().title}. {a_finding().explanation}",
            "producer": "us",
        }
    ]
    assert main(["reviewbench", str(checkout), "--findings", str(tmp_path / "out" / "run-1")]) == 0


def test_its_pull_requests_become_cases_of_a_clone(tmp_path: Path) -> None:
    """True findings become expected problems, false ones forbidden ones; its severities and categories become ours."""
    origin = GitRepository(tmp_path / "acme_web.shop.git")
    start = origin.commit({"a.ts": "1\n"}, branch="main")
    tip = origin.commit({"b.ts": "2\n"}, start, branch="main")
    head = origin.commit({"a.ts": "2\n"}, start, branch="change")
    checkout = a_checkout(tmp_path / "checkout", base=tip, head=head)
    sets = {one.pr.key: one for one in golden_sets(checkout).values()}

    make_cases(sets, manifests(checkout), tmp_path / "cases", None, mirror=f"{tmp_path}/{{}}.git")

    [case] = read_cases(tmp_path / "cases")
    push = case.pushes[0]
    assert case.slug == f"jupyter-notebook/acme_web.shop_12-{head[:8]}"
    assert [(one.id, one.severity, one.category, one.lines) for one in push.expected] == [
        ("golden-1", "MAJOR", "security", (1, 2))
    ]
    assert [(one.path, one.lines) for one in push.forbidden] == [("a.ts", (1, 2))]
