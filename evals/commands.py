"""The commands that run cases and score runs."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evals.case import CASES, Case, UnreadableCase, read_cases, tell_apart
from evals.course import Course
from evals.judge import Judge, JudgeFailed, ModelJudge, RuleJudge
from evals.markdown import shown
from evals.metrics import METRICS
from evals.report import NAMES, write_reports
from evals.result import RunResult, UnreadableRun, read_run
from evals.scoring import score_run
from evals.summary import Summary, compare, summarise
from evals.tape import TAPE, UnreadableTape

if TYPE_CHECKING:
    from evals import system


RECORDINGS = Path("recordings")
"""What `--replay` takes for the recordings of all cases."""


class CannotGoOn(Exception):
    """A command ends here; the text says why, on a line or a few."""


@dataclass(frozen=True)
class Limit:
    """What a figure has to reach, or, where it is the most, must not exceed."""

    figure: str
    value: float
    is_most: bool

    def missed_by(self, summary: Summary) -> str | None:
        """Say by what it is missed, None where it is kept; a figure that cannot be told misses it."""
        value, metric = summary.figures[self.figure].value, METRICS[self.figure]
        if value is not None and (value <= self.value if self.is_most else value >= self.value):
            return None
        return f"{self.figure} is {metric.show(value)}, {'more' if self.is_most else 'less'} than {self.value:g}"


def the_limits(arguments: argparse.Namespace) -> list[Limit]:
    """Read the limits that were given. Raises CannotGoOn."""
    given = [(text, False) for text in arguments.at_least] + [(text, True) for text in arguments.at_most]
    limits = []
    for text, is_most in given:
        name, _, number = text.partition("=")
        try:
            limits.append(Limit(METRICS[name].name, float(number), is_most))
        except (KeyError, ValueError) as error:
            raise CannotGoOn(f"{text}: give one of {', '.join(METRICS)}, =, and a number") from error
    return limits


def run(arguments: argparse.Namespace) -> int:
    """Review the cases, keep the run, and score it."""
    from evals import system  # noqa: PLC0415 - the whole system takes seconds to import
    from evals.run import run_cases  # noqa: PLC0415

    limits = the_limits(arguments)
    cases = the_cases(arguments.root, arguments.cases)
    course = Course()
    try:
        if arguments.replay is not None or arguments.record is not None:
            tell_apart(cases)
        if arguments.replay in (Path(), RECORDINGS):
            cases = [case for case in cases if case.recording is not None]
            mixed = arguments.replay == Path() and arguments.root is None
            reviewer = system.taped_or_recorded(TAPE, cases, course) if mixed else system.recorded(cases, course)
        elif arguments.replay is not None:
            reviewer = system.played_back(arguments.replay, cases, course)
        elif os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_BASE_URL"):
            reviewer = system.claude(arguments.model, arguments.record, course)
        elif arguments.model or arguments.record:
            raise CannotGoOn("ANTHROPIC_API_KEY is not set: without it there is no model to ask.")
        else:
            reviewer = system.offline()
    except (UnreadableCase, UnreadableTape) as why:
        raise CannotGoOn(str(why)) from why
    print(_first_line(reviewer, len(cases), arguments.repeats), flush=True)
    result = run_cases(
        cases,
        reviewer,
        course,
        repeats=arguments.repeats,
        parallel=arguments.parallel,
        tell=lambda line: print(f"{line}\n", end="", flush=True),
    )
    if arguments.name:
        result = result.model_copy(update={"reviewer": f"{arguments.name} ({result.reviewer})"})
    result.write(arguments.out)
    return _report(arguments, cases, result, arguments.out, limits)


def _first_line(reviewer: "system.Reviewer", cases: int, repeats: int) -> str:
    """Say who reviews; of answers that were given before, whose they are."""
    if reviewer.replays:
        return f"Replays {reviewer.replays}" + (f", {repeats} times" if repeats > 1 else "")
    return f"{cases} cases, {repeats} pull requests each: {reviewer.name}"


def score(arguments: argparse.Namespace) -> int:
    """Score a run that was kept."""
    limits = the_limits(arguments)
    folder = arguments.path if arguments.path.is_dir() else arguments.path.parent
    cases = the_cases(arguments.root, arguments.cases)
    return _report(arguments, cases, the_run(arguments.path), arguments.out or folder, limits)


def the_cases(root: Path | None, pattern: str) -> list[Case]:
    """Read cases, one at least. Raises CannotGoOn."""
    try:
        cases = read_cases(root or CASES, pattern)
    except UnreadableCase as why:
        raise CannotGoOn(str(why)) from why
    if not cases:
        raise CannotGoOn(f"no case in {root or CASES} is called {pattern}")
    return cases


def the_run(path: Path) -> RunResult:
    """Read a run. Raises CannotGoOn."""
    try:
        return read_run(path)
    except UnreadableRun as why:
        raise CannotGoOn(str(why)) from why


def the_judge(model: str | None) -> Judge:
    """A model where one is named, else the rule."""
    return ModelJudge(model) if model else RuleJudge()


def _report(arguments: argparse.Namespace, cases: list[Case], result: RunResult, out: Path, limits: list[Limit]) -> int:
    judge = the_judge(arguments.judge_model)
    try:
        summary = summarise(result, score_run(cases, result, judge), judge.name)
        comparison = None
        if arguments.against is not None:
            other = the_run(arguments.against)
            comparison = compare(summary, summarise(other, score_run(cases, other, judge), judge.name))
    except JudgeFailed as why:
        raise CannotGoOn(f"{why}. What was told is kept: `python -m evals score {out}` goes on from there.") from why
    write_reports(out, summary, comparison)
    for metric in METRICS.values():
        print(f"{metric.words:<38} {shown(metric, summary.figures[metric.name])}")
    print(f"{out / NAMES[1]}")
    short = [line for limit in limits if (line := limit.missed_by(summary))]
    for line in [*short, *result.violations, *result.missing]:
        print(f"evals: {line}")
    return 1 if short or result.violations else 0
