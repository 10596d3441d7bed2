"""The results of a run before scoring, stored as JSON so that they can be scored again."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.case_files import Fate
from evals.errors import CommandFailed, validation_messages
from kodiai.core.findings.finding import Category, Kind, Severity

FILE_NAME = "run.json"


class UnreadableRun(CommandFailed):
    """The file is missing, or is not one that a run wrote."""


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PostedFinding(_Stored):
    """A finding in a posted review; `inline` is whether it has its own comment, not only a line in the body.

    Lines are 1-based, both included, on the new side.
    """

    id: str
    severity: Severity
    category: Category
    kind: Kind
    path: str
    start_line: int
    end_line: int
    title: str
    explanation: str
    inline: bool = True


class ReportedFinding(_Stored):
    """A recorded finding that the model reported, with its label; `posted` is whether it is in the posted review."""

    title: str
    path: str
    label: bool
    expects: str | None
    fate: Fate
    posted: bool


class PushResult(_Stored):
    """The result of one push: the findings that it added, and the status of every posted finding by id.

    `reported` are recorded findings. `suppressed` are the review's lines on findings that it left out, with reasons.
    `outcome` and `reason` come from the log. `cost_usd` is None if no price is known.
    `cached_tokens` is the part of `input_tokens` that came from the cache.
    """

    head: str
    outcome: str
    reason: str
    posted: tuple[PostedFinding, ...] = ()
    statuses: dict[str, str] = {}
    reported: tuple[ReportedFinding, ...] = ()
    suppressed: tuple[str, ...] = ()
    cost_usd: float | None = None
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0


class CaseResult(_Stored):
    """The result of one new pull request of a case; `repeat` counts them from 1. `failed` says why a review is missing.

    `by_hand` is whether the answers were the case's own recording.
    """

    case: str
    repeat: int
    pushes: tuple[PushResult, ...]
    failed: str | None = None
    by_hand: bool = False


class RunResult(_Stored):
    """All pull requests of a run. `began` is in ISO 8601; `seconds` is the time of the whole run.

    `violations` are errors in requests to GitHub or to the model. `missing` has a line for each answer that a tape
    lacked.
    """

    reviewer: str
    began: str
    seconds: float
    results: tuple[CaseResult, ...]
    violations: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        """Store it in a folder. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE_NAME).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_run(path: Path) -> RunResult:
    """Read a run from its folder, or from the file itself. Raises UnreadableRun."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        return RunResult.model_validate_json(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableRun(f"{file}: {error}") from error
    except ValidationError as error:
        raise UnreadableRun(f"{file}: {next(validation_messages(error))}") from error
