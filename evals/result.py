"""What a run of the cases came to, before anybody judges it; it is kept as JSON and can be scored again."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.complaint import complaints
from evals.sheet import Fate
from kodiai.core.findings.finding import Category, Kind, Severity

FILE_NAME = "run.json"


class UnreadableRun(ValueError):
    """What lies there is not what a run writes."""


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Told(_Kept):
    """A finding that a review told; `inline` is whether it has a comment of its own, and not only a place in the body.

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


class Said(_Kept):
    """A recorded finding that the model reported, with its label; `told` is whether the review told it."""

    title: str
    path: str
    label: bool
    expects: str | None
    fate: Fate
    told: bool


class PushResult(_Kept):
    """What one push came to: the findings that are new with it, and how all told ones stand after it, by id.

    `held_back` is what the review says of findings that it did not tell, each on a line with its reason.
    `outcome` and `reason` are the log's. `cost_usd` is None where no price is known.
    `cached_tokens` are those of the `input_tokens` that came from the cache.
    """

    head: str
    outcome: str
    reason: str
    told: tuple[Told, ...] = ()
    standing: dict[str, str] = {}
    said: tuple[Said, ...] = ()
    held_back: tuple[str, ...] = ()
    cost_usd: float | None = None
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0


class CaseResult(_Kept):
    """One fresh pull request of a case; `repeat` counts them from 1. `failed` is why a review is missing.

    `by_hand` is whether the case's own recorded answers were given.
    """

    case: str
    repeat: int
    pushes: tuple[PushResult, ...]
    failed: str | None = None
    by_hand: bool = False


class RunResult(_Kept):
    """All pull requests of a run. `began` is in ISO 8601, `seconds` the time that all took together.

    `violations` is what was wrong with anything that was sent to GitHub or to the model. `missing` has a line for each
    answer that a tape should have had.
    """

    reviewer: str
    began: str
    seconds: float
    results: tuple[CaseResult, ...]
    violations: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        """Keep it in a folder. Raises OSError."""
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
        raise UnreadableRun(f"{file}: {next(complaints(error))}") from error
