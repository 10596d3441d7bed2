"""Martian's code-review-benchmark: its golden comments, its judges' files, and the figures that it publishes.

Formats: https://github.com/withmartian/code-review-benchmark, folder offline/.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from evals.errors import CommandFailed, validation_messages
from evals.metrics import Counts, f1, precision, recall
from evals.result import RunResult

_DASHBOARD = Path("analysis") / "benchmark_dashboard.json"
_EVALUATIONS = "evaluations.json"
_PERCENT = 100


class NotMartian(CommandFailed):
    """The folder does not have this benchmark, or one of its files is invalid."""


class GoldenComment(BaseModel):
    """A problem that a person wrote down, without a place in the code."""

    model_config = ConfigDict(frozen=True)

    comment: str
    severity: str


class GoldenPull(BaseModel):
    """A pull request with its problems; `url` identifies it everywhere in the benchmark."""

    model_config = ConfigDict(frozen=True)

    pr_title: str
    url: str
    original_url: str | None = None
    comments: tuple[GoldenComment, ...]


class Evaluation(BaseModel):
    """A judge's result for one review.

    `true_positives` has an entry for each golden comment that some candidate met, `false_negatives` for each other one.
    `false_positives` has an entry for each candidate that met none: the same words count once, and a candidate that
    met one which another candidate then met with more confidence counts as neither.
    """

    model_config = ConfigDict(frozen=True)

    skipped: bool = False
    true_positives: tuple[Any, ...] = ()
    false_positives: tuple[Any, ...] = ()
    false_negatives: tuple[Any, ...] = ()


class Figures(NamedTuple):
    """Precision, recall and F1, from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Row:
    """One tool by one judge: the figures from the judge's files, and the published ones, if any."""

    judge: str
    tool: str
    reviews: int
    figures: Figures
    published: Figures | None

    @property
    def difference(self) -> float | None:
        """The largest difference between both, None if nothing is published."""
        if self.published is None:
            return None
        return max(abs(one - two) for one, two in zip(self.figures, self.published, strict=True))


def offline_folder(path: Path) -> Path:
    """Find the benchmark's folder in a checkout of it. Raises NotMartian."""
    for folder in (path / "offline", path):
        if (folder / "golden_comments").is_dir():
            return folder
    raise NotMartian(f"{path}: no folder offline/golden_comments")


def golden_pulls(offline: Path) -> list[GoldenPull]:
    """Read the golden comments of every pull request. Raises NotMartian."""
    form = TypeAdapter(tuple[GoldenPull, ...])
    return [pull for file in sorted((offline / "golden_comments").glob("*.json")) for pull in _read(file, form)]


def rows(offline: Path) -> Iterator[Row]:
    """Recompute every tool's figures by every judge, as the benchmark's own dashboard does.

    Counts are added up over all reviews of a tool before they are divided (micro); a review without candidates adds its
    misses, one that was skipped adds nothing, and an answer that the judge failed to give is no match.
    Raises NotMartian.
    """
    published = _published(offline)
    form = TypeAdapter(dict[str, dict[str, Evaluation]])
    for file in sorted((offline / "results").glob(f"*/{_EVALUATIONS}")):
        judge = file.parent.name
        by_tool: dict[str, Counts] = {}
        for tools in _read(file, form).values():
            for tool, evaluation in tools.items():
                by_tool[tool] = by_tool.get(tool, Counts()) + _counts(evaluation)
        for tool, counts in sorted(by_tool.items()):
            theirs = published.get(judge, {}).get(tool)
            yield Row(judge, tool, counts.pull_requests, _figures(counts), theirs)


def _counts(evaluation: Evaluation) -> Counts:
    if evaluation.skipped:
        return Counts(pull_requests=1)
    return Counts(
        pull_requests=1,
        true=len(evaluation.true_positives),
        false=len(evaluation.false_positives),
        missed=len(evaluation.false_negatives),
    )


def _figures(counts: Counts) -> Figures:
    return Figures(precision(counts) or 0.0, recall(counts) or 0.0, f1(counts) or 0.0)


def _published(offline: Path) -> Mapping[str, Mapping[str, Figures]]:
    """The dashboard's figures by judge and tool, if there is a dashboard; it has percentages with one decimal."""
    file = offline / _DASHBOARD
    if not file.exists():
        return {}
    try:
        models = json.loads(file.read_text(encoding="utf-8"))["models"]
        return {
            judge: {
                tool: Figures(*(figures[name] / _PERCENT for name in ("precision", "recall", "f1")))
                for tool, figures in model["overall_metrics"].items()
            }
            for judge, model in models.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotMartian(f"{file}: {error!r}") from error


def _read(file: Path, form: TypeAdapter[Any]) -> Any:
    try:
        return form.validate_json(file.read_bytes())
    except ValidationError as error:
        raise NotMartian(f"{file}: {next(validation_messages(error))}") from error


def case_name(url: str) -> str:
    """The name of a pull request's case: "owner-repository-12"."""
    owner, repository, _, number = url.rstrip("/").split("/")[-4:]
    return f"{owner}-{repository}-{number}"


def candidates(pulls: Sequence[GoldenPull], run: RunResult, tool: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The posted findings of a run in the format of candidates.json, by pull request and tool; first repeats only."""
    urls = {case_name(pull.url): pull.url for pull in pulls}
    return {
        urls[name]: {
            tool: [
                {
                    "text": f"{finding.title}. {finding.explanation}",
                    "path": finding.path,
                    "line": finding.start_line,
                    "source": "extracted",
                }
                for push in result.pushes
                for finding in push.posted
            ]
        }
        for result in run.results
        if result.repeat == 1 and (name := result.case.rpartition("/")[2]) in urls
    }
