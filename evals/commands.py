"""The commands that run cases and score runs."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evals.case import CASES, Case, read_cases, require_unique_titles
from evals.errors import CommandFailed
from evals.judge import Judge, JudgeFailed, ModelJudge, RuleJudge
from evals.markdown import shown
from evals.metrics import METRICS
from evals.progress import Progress
from evals.report import MARKDOWN, write_reports
from evals.result import RunResult, read_run
from evals.scoring import score_run
from evals.summary import Summary, compare, summarize
from evals.tape import TAPE

if TYPE_CHECKING:
    from evals import system


RECORDINGS = Path("recordings")
"""The value of `--replay` for the recordings of all cases."""


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
    return _report(arguments, cases, read_run(arguments.path), arguments.out or folder, limits)


def load_cases(root: Path | None, pattern: str) -> list[Case]:
    """Read cases, one at least. Raises CommandFailed."""
    cases = read_cases(root or CASES, pattern)
    if not cases:
        raise CommandFailed(f"no case in {root or CASES} is called {pattern}")
    return cases


def replies(arguments: argparse.Namespace) -> int:
    """List the replies that are misunderstood; or write the requests without an answer."""
    from evals.replies import import_answers, misunderstood, write_requests  # noqa: PLC0415 - for this command only

    if arguments.ask is not None:
        print(f"{write_requests(arguments.ask)} replies need an answer: {arguments.ask}/requests.jsonl")
        return 0
    wrong = [] if arguments.keep is None else import_answers(arguments.keep)
    print("\n".join([*wrong, *(rows := misunderstood()), f"{len(rows)} replies are misunderstood"]))
    return 1 if wrong else 0


def _report(arguments: argparse.Namespace, cases: list[Case], result: RunResult, out: Path, limits: list[Limit]) -> int:
    judge: Judge = ModelJudge(arguments.judge_model) if arguments.judge_model else RuleJudge()
    try:
        summary = summarize(result, score_run(cases, result, judge), judge.name)
        comparison = None
        if arguments.against is not None:
            other = read_run(arguments.against)
            comparison = compare(summary, summarize(other, score_run(cases, other, judge), judge.name))
    except JudgeFailed as why:
        raise CommandFailed(f"{why}. The run is stored: `python -m evals score {out}` scores it again.") from why
    write_reports(out, summary, comparison)
    for metric in METRICS.values():
        print(f"{metric.label:<38} {shown(metric, summary.figures[metric.name])}")
    print(f"{out / MARKDOWN}")
    short = [line for limit in limits if (line := limit.missed_by(summary))]
    for line in [*short, *result.violations, *result.missing]:
        print(f"evals: {line}")
    return 1 if short or result.violations else 0
