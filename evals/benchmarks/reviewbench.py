"""ReviewBench's files: its golden findings, its pull requests, and the findings that it takes.

Formats: https://github.com/review-bench/ReviewBench, AGENT_CONTRACT.md, golden/ and corpus/.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from evals.result import RunResult
from evals.validation import validation_messages

Label = Literal["tp", "fp"]
_Form = TypeVar("_Form")


class NotReviewBench(ValueError):
    """The folder does not have this benchmark, or one of its files is invalid."""


class IgnoringExtra(BaseModel):
    """A part of an object; other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PullId(IgnoringExtra):
    """Which pull request, at which commits."""

    repo: str
    pr_number: int
    base: str
    head: str

    @property
    def key(self) -> str:
        """The benchmark's key of it: "owner_repository_12-0123abcd"."""
        return f"{self.repo.removeprefix('https://github.com/').replace('/', '_', 1)}_{self.pr_number}-{self.head[:8]}"


class Manifest(PullId):
    """A pull request as its author describes it."""

    nwo: str
    title: str
    body: str | None = ""
    language: str | None = None


class Golden(IgnoringExtra):
    """A finding that people have labeled."""

    file: str
    start_line: int
    end_line: int
    message: str
    tp_fp: Label
    severity: str
    category: str


class GoldenSet(IgnoringExtra):
    """The labeled findings of a pull request."""

    pr_key: str
    pr: PullId
    findings: tuple[Golden, ...]


class Candidate(IgnoringExtra):
    """A finding that is to be scored."""

    file: str
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    message: str = Field(min_length=1)
    producer: str = Field(min_length=1)


class Findings(IgnoringExtra):
    """A file of findings: those of one pull request."""

    pr: PullId
    findings: tuple[Candidate, ...]


def golden_sets(checkout: Path) -> dict[str, GoldenSet]:
    """Read the labeled findings of every pull request, by its key. Raises NotReviewBench."""
    folder = checkout / "golden"
    if not folder.is_dir():
        raise NotReviewBench(f"{checkout}: no folder golden")
    sets = [read(file, GoldenSet) for file in sorted(folder.glob("*.json"))]
    return {one.pr_key: one for one in sets}


def manifests(checkout: Path) -> dict[str, Manifest]:
    """Read every pull request's description, by its key. Raises NotReviewBench."""
    return {one.key: one for one in read(checkout / "corpus" / "manifest.json", list[Manifest])}


def candidate_findings(path: Path) -> dict[str, Findings]:
    """Read findings from a file, or from all files in a folder; several files may be about one pull request.

    Raises NotReviewBench.
    """
    found: dict[str, Findings] = {}
    for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
        one = read(file, Findings)
        known = found.get(one.pr.key)
        if known is not None and known.pr != one.pr:
            raise NotReviewBench(f"{file}: another pull request has the key {one.pr.key}")
        before = known.findings if known else ()
        found[one.pr.key] = one.model_copy(update={"findings": (*before, *one.findings)})
    return found


def read(file: Path, form: type[_Form]) -> _Form:
    """Read a file of the benchmark. Raises NotReviewBench."""
    try:
        return TypeAdapter(form).validate_json(file.read_bytes())
    except OSError as error:
        raise NotReviewBench(f"{file}: {error.strerror}") from error
    except ValidationError as error:
        raise NotReviewBench(f"{file}: {next(validation_messages(error))}") from error


def exported(run: RunResult, sets: Mapping[str, GoldenSet], agent: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The posted findings of a run as files, each with its pull request's key and its repeat."""
    for result in run.results:
        key = result.case.rpartition("/")[2]
        if key in sets:
            findings = [
                {
                    "file": finding.path,
                    "start_line": finding.start_line,
                    "end_line": max(finding.start_line, finding.end_line),
                    "message": f"{finding.title}. {finding.explanation}",
                    "producer": agent,
                }
                for push in result.pushes
                for finding in push.posted
            ]
            yield key, result.repeat, {"pr": sets[key].pr.model_dump(), "agent": agent, "findings": findings}
