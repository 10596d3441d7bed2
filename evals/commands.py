"""The commands that run cases and score runs."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evals.case import CASES, Case, UnreadableCase, read_cases, require_unique_titles
from evals.judge import Judge, JudgeFailed, ModelJudge, RuleJudge
from evals.markdown import shown
from evals.metrics import METRICS
from evals.progress import Progress
from evals.report import REPORT_FILES, write_reports
from evals.result import RunResult, UnreadableRun, read_run
from evals.scoring import score_run
from evals.summary import Summary, compare, summarize
from evals.tape import TAPE, UnreadableTape

if TYPE_CHECKING:
    from evals import system


RECORDINGS = Path("recordings")
"""The value of `--replay` for the recordings of all cases."""


class CommandFailed(Exception):
    """A command cannot go on; the text says why, in one or more lines."""


@dataclass(frozen=True)
class Limit:
    """The minimum of a figure, or its maximum if `is_most`."""

    figure: str
    value: float
    is_most: bool

    def missed_by(self, summary: Summary) -> str | None:
        """Describe how a run misses the limit, None if it does not; a figure without a value misses it."""
        value, metric = summary.figures[self.figure].value, METRICS[self.figure]
        if value is not None and (value <= self.value if self.is_most else value >= self.value):
            return None
        return f"{self.figure} is {metric.show(value)}, {'more' if self.is_most else 'less'} than {self.value:g}"


def parse_limits(arguments: argparse.Namespace) -> list[Limit]:
    """Read the limits that were given. Raises CommandFailed."""
    given = [(text, False) for text in arguments.at_least] + [(text, True) for text in arguments.at_most]
    limits = []
    for text, is_most in given:
        name, _, number = text.partition("=")
        try:
            limits.append(Limit(METRICS[name].name, float(number), is_most))
        except (KeyError, ValueError) as error:
            raise CommandFailed(f"{text}: give one of {', '.join(METRICS)}, =, and a number") from error
    return limits


def run(arguments: argparse.Namespace) -> int:
    """Review the cases, store the run, and score it."""
    from evals import system  # noqa: PLC0415 - the whole system takes seconds to import
    from evals.run import run_cases  # noqa: PLC0415

    limits = parse_limits(arguments)
    cases = load_cases(arguments.root, arguments.cases)
    progress = Progress()
    try:
        if arguments.replay is not None or arguments.record is not None:
            require_unique_titles(cases)
        if arguments.replay in (Path(), RECORDINGS):
            cases = [case for case in cases if case.recording is not None]
            mixed = arguments.replay == Path() and arguments.root is None
            reviewer = system.tape_or_recordings(TAPE, cases, progress) if mixed else system.recordings(cases, progress)
        elif arguments.replay is not None:
            reviewer = system.from_tape(arguments.replay, cases, progress)
        elif os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_BASE_URL"):
            reviewer = system.claude(arguments.model, arguments.record, progress)
        elif arguments.model or arguments.record:
            raise CommandFailed("ANTHROPIC_API_KEY is not set: without it there is no model to ask.")
        else:
            reviewer = system.offline()
    except (UnreadableCase, UnreadableTape) as why:
        raise CommandFailed(str(why)) from why
    print(_first_line(reviewer, len(cases), arguments.repeats), flush=True)
    result = run_cases(
        cases,
        reviewer,
        progress,
        repeats=arguments.repeats,
        parallel=arguments.parallel,
        print_line=lambda line: print(f"{line}\n", end="", flush=True),
    )
    if arguments.name:
        result = result.model_copy(update={"reviewer": f"{arguments.name} ({result.reviewer})"})
    result.write(arguments.out)
    return _report(arguments, cases, result, arguments.out, limits)


def _first_line(reviewer: "system.Reviewer", cases: int, repeats: int) -> str:
    """Name the reviewer, or the source of replayed answers."""
    if reviewer.replays:
        return f"Replays {reviewer.replays}" + (f", {repeats} times" if repeats > 1 else "")
    return f"{cases} cases, {repeats} pull requests each: {reviewer.name}"


def score(arguments: argparse.Namespace) -> int:
    """Score a stored run."""
    limits = parse_limits(arguments)
    folder = arguments.path if arguments.path.is_dir() else arguments.path.parent
    cases = load_cases(arguments.root, arguments.cases)
    return _report(arguments, cases, load_run(arguments.path), arguments.out or folder, limits)


def load_cases(root: Path | None, pattern: str) -> list[Case]:
    """Read cases, one at least. Raises CommandFailed."""
    try:
        cases = read_cases(root or CASES, pattern)
    except UnreadableCase as why:
        raise CommandFailed(str(why)) from why
    if not cases:
        raise CommandFailed(f"no case in {root or CASES} is called {pattern}")
    return cases


def load_run(path: Path) -> RunResult:
    """Read a run. Raises CommandFailed."""
    try:
        return read_run(path)
    except UnreadableRun as why:
        raise CommandFailed(str(why)) from why


def choose_judge(model: str | None) -> Judge:
    """The model judge if a model is named, else the rule judge."""
    return ModelJudge(model) if model else RuleJudge()


def _report(arguments: argparse.Namespace, cases: list[Case], result: RunResult, out: Path, limits: list[Limit]) -> int:
    judge = choose_judge(arguments.judge_model)
    try:
        summary = summarize(result, score_run(cases, result, judge), judge.name)
        comparison = None
        if arguments.against is not None:
            other = load_run(arguments.against)
            comparison = compare(summary, summarize(other, score_run(cases, other, judge), judge.name))
    except JudgeFailed as why:
        raise CommandFailed(f"{why}. The run is stored: `python -m evals score {out}` scores it again.") from why
    write_reports(out, summary, comparison)
    for metric in METRICS.values():
        print(f"{metric.label:<38} {shown(metric, summary.figures[metric.name])}")
    print(f"{out / REPORT_FILES[1]}")
    short = [line for limit in limits if (line := limit.missed_by(summary))]
    for line in [*short, *result.violations, *result.missing]:
        print(f"evals: {line}")
    return 1 if short or result.violations else 0
