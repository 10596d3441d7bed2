"""The story: each event with what became of it, run by run and answer by answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kodiai.core.review.run import Run
from kodiai.core.words.finding import counted
from kodiai.core.words.verdict import OFFLINE
from local.page.behind.amounts import duration, money
from local.page.behind.arrivals import Arrival
from local.page.behind.fates import Fate, Group, github_id, in_words
from local.page.behind.timeline import Timeline, timeline
from local.page.behind.tries import INGEST, Try

_WHY = {
    "no-prior-review": "it is the first look at this pull request",
    "requested": "somebody asked for everything anew",
    "snapshot-missing": "what the last run saw is not known any more",
    "config-changed": "the repository's settings have changed since the last review",
}
_STATUSES = {
    "running": "under way",
    "completed": "completed",
    "superseded": "superseded",
    "failed": "failed",
}
_RESULTS = {"completed": "reviewed", "unchanged": "nothing new", "read": "nothing to do"}
_VERDICTS = {
    "address-before-merging": "to be addressed before merging",
    "not-fully-reviewed": "not fully reviewed",
    "nothing-to-read": "nothing to read",
    "minor-items": "only minor items",
    "ready": "ready to merge",
    "no-verdict": OFFLINE,
}


@dataclass(frozen=True)
class ShownTry:
    """A try with the picture of its calls."""

    tried: Try

    @cached_property
    def timeline(self) -> Timeline | None:
        """Its calls; None where it made none."""
        return timeline(self.tried.calls, self.tried.began, self.tried.seconds)


@dataclass(frozen=True)
class RunStory:
    """One run: what it read and why, what it made of each finding, and what it did on GitHub."""

    run: Run
    groups: Sequence[Group]

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the run wrote down about itself, empty where it has not come so far."""
        return self.run.facts or (self.run.staged.facts if self.run.staged else {})

    @property
    def status(self) -> str:
        """How it stands, in words."""
        return _STATUSES.get(self.run.status, self.run.status)

    @property
    def mode(self) -> str:
        """How much was read: "full", "incremental", "unchanged"; "" where that is not written down."""
        return str(self.facts.get("mode", ""))

    @property
    def why(self) -> str:
        """Why this much was read, and how much it was, in words."""
        facts, reason = self.facts, str(self.facts.get("reason", ""))
        if not facts:
            return self.run.ended_why or "What it reads is not written down yet."
        since = reason.removeprefix("since-")
        if self.mode == "unchanged":
            return f"No changed line is other than at {since}, so nobody was asked and nothing was posted."
        if self.mode == "incremental":
            new = f"{facts['hunks_asked']} of {counted(facts['hunks_total'], 'hunk')} are new since {since}"
            return f"{new}; only these were asked about."
        return f"Everything was read, because {_WHY.get(reason, reason)}."

    @property
    def verdict(self) -> str:
        """What everything that was open came to, in words."""
        return _VERDICTS.get(str(self.facts.get("verdict", "")), "")

    @property
    def judged(self) -> str:
        """How many candidates the judge ruled on, and how many have no ruling, in words."""
        unjudged = self.facts.get("unjudged", 0)
        judged = f"{self.facts.get('judged', 0):,}"
        return f"{judged}, and {unjudged:,} not verified" if unjudged else judged

    @property
    def dropped(self) -> str:
        """How many findings were dropped, by their fates, in words."""
        dropped: Mapping[str, int] = self.facts.get("dropped") or {}
        return ", ".join(f"{times:,} {in_words(fate)}".rstrip() for fate, times in dropped.items()) or "none"

    @property
    def tokens(self) -> str:
        """What the model read and wrote, in words."""
        used = self.facts.get("model") or {}
        if not used.get("calls"):
            return "the model was not asked"
        cached = used["cache_read_tokens"]
        read = used["input_tokens"] + cached + used["cache_write_tokens"]
        told = f"{counted(used['calls'], 'answer')}, {read:,} tokens in ({cached:,} from cache)"
        return f"{told}, {used['output_tokens']:,} out"

    @property
    def cost(self) -> str:
        """What the model cost, in words."""
        return money(self.facts.get("cost_usd", 0.0))

    @property
    def took(self) -> str:
        """How long it took from its first try to its end, in words: the ledger knows whole seconds."""
        if self.run.ended is None:
            return "it is not over"
        seconds = self.run.ended - self.run.started
        return f"about {duration(seconds)}" if seconds >= 1 else "about a second"

    @property
    def review(self) -> int | None:
        """GitHub's number of the review that it posted, None where it posted none."""
        return github_id(self.run.review_id)

    @property
    def posts(self) -> str:
        """Whether it posted a review, in words; "" where that is said elsewhere, or not known yet."""
        review = self.run.staged.review if self.run.staged else None
        if review is None:
            if self.review:
                return "Posted a review."
            says_so = self.mode in ("", "unchanged")
            return "" if says_so else "No review was posted: there was nothing to say that was not said before."
        comments = counted(len(review.comments), "inline comment") if review.comments else "no comments"
        said = f"a review with {comments} ({review.event})"
        if self.review:
            return f"Posted {said}."
        return f"Composed {said}, which {'is about to be' if self.run.status == 'running' else 'was not'} posted."


@dataclass(frozen=True)
class EventStory:
    """One event, and what became of it. `answer` is the place of the comment that answers it, "" where none does.

    `settled` are the findings about which it decided. `opens` is whether its details are shown at once, `draws` whether
    its calls are shown, not only counted.
    """

    arrival: Arrival
    tries: Sequence[ShownTry]
    runs: Sequence[RunStory]
    answer: str = ""
    settled: Sequence[Fate] = ()
    opens: bool = False
    draws: bool = False

    @property
    def is_quiet(self) -> bool:
        """Whether nothing came of it."""
        worked = any(shown.tried.function != INGEST for shown in self.tries)
        return self.arrival.led_to_nothing and not worked and not self.runs

    @property
    def work(self) -> Sequence[ShownTry]:
        """The tries behind a queue."""
        return [shown for shown in self.tries if shown.tried.function != INGEST]

    @property
    def last(self) -> Try | None:
        """The last try behind a queue, None where there was none yet."""
        return self.work[-1].tried if self.work else None

    @property
    def resumed(self) -> str:
        """The id of the run that it ended though another event had begun it, "" where there is none."""
        line = self.last.line if self.last is not None else None
        run = str(line.get("run", "")) if line is not None else ""
        return "" if run in [story.run.id for story in self.runs] else run

    @property
    def heard(self) -> Mapping[str, Any]:
        """What the door of answers said of what somebody wrote; empty for every other event."""
        last = self.last
        return last.line if last is not None and last.line is not None and "understood" in last.line else {}

    @property
    def heard_cost(self) -> str:
        """What the answer cost, in words."""
        return money(self.heard.get("cost_usd", 0.0))

    @property
    def result(self) -> tuple[str, str]:
        """What came of it in a word or two, and its tone."""
        last = self.last
        if last is None:
            if not self.arrival.decisions:
                return "not in the log", "grey"
            decision = self.arrival.decisions[-1]
            if decision.outcome == "queued":
                return "in line", "blue"
            return ("no answer", "red") if decision.status in (None, 0) else (decision.outcome or "failed", "red")
        if last.line is None:
            return ("died", "red") if last.went_wrong else ("under way", "blue")
        if last.went_wrong:
            return "given up" if last.line.get("buried") else last.outcome, "red"
        idle = last.outcome in ("skipped", "read", "superseded", "continued", "waiting")
        return _RESULTS.get(last.outcome, last.outcome), "grey" if idle else "green"


@dataclass(frozen=True)
class Quiet:
    """Events one after another of which nothing came, for the same reason; the newest comes first."""

    events: Sequence[EventStory]

    @property
    def id(self) -> str:
        """Its name on the page: the oldest event's, because newer ones join it."""
        return self.events[-1].arrival.guid

    @property
    def reason(self) -> str:
        """Why nothing came of them."""
        return self.events[0].arrival.decisions[-1].reason

    @property
    def people(self) -> Sequence[str]:
        """Who caused them."""
        return list(dict.fromkeys(event.arrival.by for event in self.events))


def gathered(events: Sequence[EventStory]) -> list[EventStory | Quiet]:
    """Put those together of which nothing came, newest first."""
    made: list[EventStory | Quiet] = []
    for event in events:
        if not event.is_quiet:
            made.append(event)
            continue
        alone = Quiet([event])
        before = made[-1] if made else None
        if isinstance(before, Quiet) and before.reason == alone.reason:
            made[-1] = Quiet([*before.events, event])
        else:
            made.append(alone)
    return made
