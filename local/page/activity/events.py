"""Events as the tab shows them: each webhook with its invocations, its runs, its reply and its decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from kodiai.core.model.messages import Usage
from kodiai.core.review.run import Run
from kodiai.core.words.details import scope_reason
from local.page.activity.findings import FindingResult, ResultGroup, github_id
from local.page.activity.invocations import INGEST, Invocation
from local.page.activity.webhooks import WebhookEvent

_RESULTS = {"completed": "reviewed", "unchanged": "no changes", "read": "no action", "answered": "replied"}
_IDLE = ("skipped", "read", "superseded", "continued", "waiting")


@dataclass(frozen=True)
class ShownRun:
    """One run, with its result for each finding."""

    run: Run
    groups: Sequence[ResultGroup]

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts that the run recorded about itself, empty if it has not come so far."""
        return self.run.facts or (self.run.staged.facts if self.run.staged else {})

    @property
    def mode(self) -> str:
        """The share that was read: "full", "incremental", "unchanged"; "" if it is not recorded."""
        return str(self.facts.get("mode", ""))

    @property
    def scope(self) -> str:
        """The share that was read, and why: "full (first review)"."""
        return f"{self.mode} ({scope_reason(str(self.facts.get('reason', '')))})"

    @property
    def usage(self) -> Usage:
        """The tokens that the model read and wrote."""
        return Usage(**self.facts.get("model") or {})

    @property
    def review(self) -> int | None:
        """GitHub's number of the review that it posted, None where it posted none."""
        return github_id(self.run.review_id)


@dataclass(frozen=True)
class ShownEvent:
    """One event, with everything that followed. `reply` is the place of the comment that answers it, "" without one.

    `decided` are the findings that it decided. `opens` is whether its details are shown at once, `draws` whether the
    timelines of its calls are shown, not only counted.
    """

    webhook: WebhookEvent
    invocations: Sequence[Invocation]
    runs: Sequence[ShownRun]
    reply: str = ""
    decided: Sequence[FindingResult] = ()
    opens: bool = False
    draws: bool = False

    @property
    def ignored(self) -> bool:
        """Whether nothing followed."""
        return self.webhook.ignored and self.last is None and not self.runs

    @property
    def last(self) -> Invocation | None:
        """The last invocation of a function behind a queue, None where there was none yet."""
        return next((each for each in reversed(self.invocations) if each.function != INGEST), None)

    @property
    def resumed(self) -> str:
        """The id of a run that it ended and another event had started, "" where there is none."""
        line = self.last.line if self.last is not None else None
        run = str(line.get("run", "")) if line is not None else ""
        return "" if run in [shown.run.id for shown in self.runs] else run

    @property
    def mention(self) -> Mapping[str, Any]:
        """The outcome line of the mention function for a comment that it understood; empty for every other event."""
        last = self.last
        return last.line if last is not None and last.line is not None and "understood" in last.line else {}

    @property
    def result(self) -> tuple[str, str]:
        """The result in a word or two, and its tone."""
        last = self.last
        if last is None:
            if not self.webhook.responses:
                return "not in the log", "grey"
            response = self.webhook.responses[-1]
            if response.outcome == "queued":
                return "queued", "blue"
            return ("no response", "red") if response.status in (None, 0) else (response.outcome or "failed", "red")
        if last.line is None:
            return ("killed", "red") if last.failed else ("in progress", "blue")
        if last.failed:
            return "dead letter" if last.line.get("buried") else last.outcome, "red"
        return _RESULTS.get(last.outcome, last.outcome), "grey" if last.outcome in _IDLE else "green"


def grouped(events: Iterable[ShownEvent]) -> list[list[ShownEvent]]:
    """Put consecutive events that were ignored for the same reason together; every other event is alone."""

    def key(event: ShownEvent) -> tuple[bool, str]:
        return event.ignored, event.webhook.responses[-1].reason if event.ignored else event.webhook.guid

    return [list(group) for _, group in groupby(events, key)]
