"""The command for ReviewBench."""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.benchmarks.clones import FetchFailed, case_definition, fetch_trees, language_folder, write_definition
from evals.benchmarks.reviewbench import (
    Golden,
    GoldenSet,
    Manifest,
    NotReviewBench,
    candidate_findings,
    exported,
    golden_sets,
    manifests,
)
from evals.benchmarks.reviewbench_rules import Score, Stratum, decide, details, macro, micro, score
from evals.commands import CommandFailed, choose_judge, load_run
from evals.judge import JudgeFailed

_MIRROR = "https://github.com/review-bench/{}.git"
_SEVERITIES = {"high": "MAJOR", "medium": "MEDIUM", "low": "MINOR"}
_CATEGORIES = {"maintainability": "style", "testing": "tests"}
_OURS = frozenset({"security", "correctness", "performance", "reliability", "tests", "documentation", "style"})


def reviewbench(arguments: argparse.Namespace) -> int:
    """List its contents; or score findings, or a judge's decisions; or make cases; or write a run in its format."""
    try:
        sets = golden_sets(arguments.path)
        if arguments.cases is not None:
            return make_cases(sets, manifests(arguments.path), arguments.cases, arguments.limit)
        if arguments.export is not None:
            return _export(sets, arguments)
        if arguments.findings is not None or arguments.details is not None:
            return _score(sets, arguments)
    except (NotReviewBench, FetchFailed, JudgeFailed) as why:
        raise CommandFailed(str(why)) from why
    for line in contents(sets):
        print(line)
    return 0


def contents(sets: Mapping[str, GoldenSet]) -> list[str]:
    """How many pull requests and findings there are."""
    findings = [finding for one in sets.values() for finding in one.findings]
    real = [finding for finding in findings if finding.tp_fp == "tp"]
    false = len(findings) - len(real)
    lines = [f"{len(sets)} pull requests, {len(real)} findings that are true, {false} that are false"]
    for name in ("severity", "category"):
        counted = Counter(getattr(finding, name) for finding in real).most_common()
        lines.append(f"{name}: {', '.join(f'{number} {value}' for value, number in counted)}")
    return lines


def _score(sets: Mapping[str, GoldenSet], arguments: argparse.Namespace) -> int:
    if arguments.details is not None:
        known = [(key, decisions) for key, decisions in details(arguments.details) if key in sets]
        scores, judge = [score(key, sets[key].findings, decisions) for key, decisions in known], "the benchmark's own"
    else:
        ours = choose_judge(arguments.judge_model)
        found = {key: one for key, one in candidate_findings(arguments.findings).items() if key in sets}
        scores = [
            score(key, sets[key].findings, decide(sets[key].findings, one.findings, ours)) for key, one in found.items()
        ]
        judge = f"{ours.name}; findings that match nothing count as false"
    for line in table(scores, judge):
        print(line)
    return 0


def table(scores: Sequence[Score], judge: str) -> list[str]:
    """The measures of section 7, micro and macro, as a whole and by severity and category."""
    lines = [f"{len(scores)} pull requests; judge: {judge}"]
    for name, averaged in (("micro", micro(scores)), ("macro", macro(scores))):
        for stratum in sorted(averaged, key=_order):
            measures = "  ".join(f"{measure} {_percent(value)}" for measure, value in averaged[stratum].items())
            lines.append(f"{name}  {' '.join(stratum).strip():<28} {measures}")
    return lines


def _order(stratum: Stratum) -> tuple[int, str]:
    return ("overall", "severity", "category").index(stratum[0]), stratum[1]


def _percent(share: float | None) -> str:
    return f"{share:6.1%}" if share is not None else "     –"


def _export(sets: Mapping[str, GoldenSet], arguments: argparse.Namespace) -> int:
    """Write a file for each pull request, those of each repeat in a folder of their own."""
    out: Path = arguments.out or arguments.export / "findings"
    written = 0
    for key, repeat, content in exported(load_run(arguments.export), sets, arguments.tool):
        file = out / f"run-{repeat}" / f"{key}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written += 1
    print(f"{written} files in {out}")
    return 0


def make_cases(
    sets: Mapping[str, GoldenSet],
    known: Mapping[str, Manifest],
    root: Path,
    limit: int | None,
    mirror: str = _MIRROR,
) -> int:
    """Write a case for each pull request, with clones in a folder next to them; `mirror` is where its commits are.

    Findings that are labeled as false become forbidden ones. Raises FetchFailed.
    """
    for key in sorted(sets.keys() & known.keys())[:limit]:
        manifest = known[key]
        clone = root / "clones" / f"{manifest.nwo.replace('/', '_')}.git"
        clone.parent.mkdir(parents=True, exist_ok=True)
        trees = fetch_trees(clone, mirror.format(manifest.nwo.replace("/", "_")), manifest.base, manifest.head)
        expected = [_expected(at, one) for at, one in enumerate(sets[key].findings, 1) if one.tp_fp == "tp"]
        forbidden = [_place(one) for one in sets[key].findings if one.tp_fp == "fp"]
        if not expected and not forbidden:
            continue
        language = language_folder(manifest.language or "unknown")
        definition = case_definition(manifest.title, manifest.body or "", language, clone, trees, expected, forbidden)
        print(write_definition(root, key, definition), flush=True)
    return 0


def _expected(number: int, golden: Golden) -> dict[str, Any]:
    category = _CATEGORIES.get(golden.category, golden.category)
    return {
        "id": f"golden-{number}",
        **_place(golden),
        "category": category if category in _OURS else "correctness",
        "severity": _SEVERITIES.get(golden.severity, "MEDIUM"),
    }


def _place(golden: Golden) -> dict[str, Any]:
    start = max(golden.start_line, 1)
    return {"path": golden.file, "lines": [start, max(golden.end_line, start)], "mechanism": golden.message}
