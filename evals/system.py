"""The system that reviews the cases: the whole deployment on this machine, with one local GitHub for all cases."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evals.case import Case
from evals.progress import Progress
from evals.recorded import RecordedAnswers
from evals.tape import Recorder, Tape, TapeAnswers
from local.connected import Connected, connected
from local.follower import Follower, LogLine
from local.model import Answers, OfflineReviewer

_SUPPRESSED = "\nSuppressed:\n"
# Settings for a real model: the deployment's defaults instead of the offline reviewer's values.
_OWN_MODELS = dict.fromkeys(("models/reviewer", "models/replies", "models/fallback", "models/prices"), "")
# All cases are pull requests of one repository, on one day; each keeps the cap of a pull request.
_NO_SHARED_CAPS = dict.fromkeys(("spending/per-repository-per-day-usd", "spending/per-owner-per-month-usd"), "1000000")


@dataclass(frozen=True)
class Reviewer:
    """Answers the model requests: `answers`, or the model that the parameters name. `name` is for the report.

    `replays` describes replayed answers: their source, and for how many cases. `missing` are answers that the tape
    lacks. `recorded` holds the cases' own recordings, if they are used.
    """

    name: str
    answers: Answers | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    recorded: RecordedAnswers | None = None
    replays: str = ""
    missing: Sequence[str] = ()


def offline() -> Reviewer:
    """The offline reviewer: rules, no model."""
    return Reviewer("offline reviewer", answers=OfflineReviewer())


def recordings(cases: Sequence[Case], progress: Progress) -> Reviewer:
    """The recordings of the cases."""
    answers = RecordedAnswers(cases, progress)
    replays = f"answers written by hand for {len(cases)} cases"
    return Reviewer("recorded answers", answers=answers, recorded=answers, replays=replays)


def tape_or_recordings(tape: Path, cases: Sequence[Case], progress: Progress) -> Reviewer:
    """The tape for its cases, and the recordings for the others.

    Raises UnreadableTape.
    """
    read = Tape(tape)
    taped = sum(case.slug in read.cases for case in cases)
    others = recordings([case for case in cases if case.slug not in read.cases], progress)
    if not taped or others.recorded is None:
        return others
    return Reviewer(
        f"answers on tape ({tape.name}), and recorded answers",
        answers=TapeAnswers(read, progress, others.recorded),
        recorded=others.recorded,
        replays=_replays(read.whose, taped, len(cases) - taped),
        missing=read.missing,
    )


def from_tape(folder: Path, cases: Sequence[Case], progress: Progress) -> Reviewer:
    """The tape in that folder. Raises UnreadableTape."""
    tape = Tape(folder)
    return Reviewer(
        f"answers on tape ({folder.name})",
        answers=TapeAnswers(tape, progress),
        parameters=_OWN_MODELS,
        replays=_replays(tape.whose, len(cases)),
        missing=tape.missing,
    )


def _replays(whose: str, taped: int, by_hand: int = 0) -> str:
    words = f"the answers of {whose} for {taped} cases"
    return f"{words}, and answers written by hand for {by_hand}" if by_hand else words


def claude(model: str | None, record: Path | None, progress: Progress) -> Reviewer:
    """The model at the address and with the key of the environment, recorded to a tape if `record` is a folder.

    `model` replaces the reviewer's model for changes of every size.
    """
    parameters = {"models/reviewer": model, "models/tiers": "{}"} if model else {}
    name = model or "the deployment's own models"
    if record is None:
        return Reviewer(name, parameters=parameters)
    import anthropic  # noqa: PLC0415 - it takes a second

    client = anthropic.Anthropic(api_key=os.environ.get("ANTHROPIC_API_KEY") or "none")
    answers = Recorder(record, progress, client, whose=name)
    return Reviewer(name, answers=answers, parameters={**_OWN_MODELS, **parameters})


class System(Connected):
    """A running system in front of one repository. Several threads may drive it."""

    def suppressed(self, number: int, head: str) -> tuple[str, ...]:
        """The lines of the posted review of a head on suppressed findings, with reasons."""
        bot = self.github.bot_login
        reviews = [one for one in self.github.state.reviews_of(number, bot) if one.commit == head and one.body]
        if not reviews:
            return ()
        lines = reviews[-1].body.partition(_SUPPRESSED)[2].lstrip("\n").partition("\n\n")[0]
        return tuple(line.removeprefix("- ") for line in lines.split("\n") if line.startswith("- "))

    def open(self, head: str, base: str, case: Case) -> int:
        """Open a pull request and return its number."""
        return self.github.open_pull_request(
            head, base, title=case.definition.title, body=case.definition.description or None
        )

    def push(self, number: int, head: str) -> None:
        """Push to it."""
        self.github.push(number, head)

    def outcome(self, number: int, follower: Follower, longest_seconds: float) -> LogLine:
        """Wait for the outcome of the last event of a pull request. Raises DeliveryFailed."""
        guid = next(
            sent.guid
            for sent in reversed(self.github.deliveries)
            if sent.event == "pull_request" and sent.subject.pull_request == number
        )
        return follower.outcome(guid, longest_seconds, lambda _: None)


@contextmanager
def running(repository: Path, reviewer: Reviewer) -> Iterator[System]:
    """Start a system whose model requests the reviewer answers."""
    parameters = {**_NO_SHARED_CAPS, **reviewer.parameters}
    with connected(repository, answers=reviewer.answers, parameters=parameters) as both:
        yield System(both.github, both.machine)
