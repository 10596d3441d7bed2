"""What the tab on the bot shows: where the ledger stands, and each event with what became of it."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from kodiai.core.findings.known import KnownFinding
from kodiai.core.review.run import Run
from kodiai.core.settings import Price
from kodiai.core.words.markers import answered_key
from local.github.webhooks import Delivery
from local.page.behind.arrivals import Arrival, arrivals_of
from local.page.behind.fates import Fate, decided, fates, github_id
from local.page.behind.standing import standing_of
from local.page.behind.story import EventStory, RunStory, ShownTry, gathered
from local.page.behind.tries import tries_of
from local.page.behind.written import Ledger, Reading, Written
from local.page.visit import Shown, Visit

_RECORD_CHARACTERS = 1_000
_DRAWN_EVENTS = 8


class Journal(Protocol):
    """The functions' log lines, by what they are about."""

    def of(self, delivery: str) -> list[Mapping[str, Any]]:
        """Give those of one webhook delivery and of what continues it, oldest first."""


class BehindTheBot:
    """The tab's view. `ledger` gives that of a pull request, by its number; `prices` are by the model's id."""

    def __init__(
        self,
        ledger: Callable[[int], Ledger],
        journal: Journal,
        deliveries: Callable[[], Sequence[Delivery]],
        prices: Callable[[], Mapping[str, Price]],
    ) -> None:
        self._reading = Reading(ledger)
        self._journal = journal
        self._deliveries = deliveries
        self._prices = prices

    def view(self, visit: Visit) -> Shown:
        """What the tab shows."""
        number = visit.pull.number
        arrivals = arrivals_of(self._deliveries(), visit.world.full_name, number)
        lines = {arrival.guid: self._journal.of(arrival.guid) for arrival in arrivals}
        ended = sum(line.get("message") == "outcome" for own in lines.values() for line in own)
        written = self._reading.read(number, ended)
        for arrival in _unlogged(written.runs, lines):
            arrivals.append(arrival)
            lines[arrival.guid] = self._journal.of(arrival.guid)
        arrivals.sort(key=lambda arrival: arrival.at, reverse=True)
        runs, answers, prices = _run_stories(written), _answers(visit), self._prices()
        events = []
        for arrival in arrivals:
            tries = [ShownTry(tried) for tried in tries_of(lines[arrival.guid], prices)]
            event = EventStory(arrival, tries, [story for story in runs if story.run.delivery == arrival.guid])
            events.append(_with_answer(event, answers, written.findings))
        return {
            "standing": standing_of(written, visit.pull.head_sha),
            "events": gathered(_opened(events, visit.query.get("event"))),
            "records": [_record(record) for record in written.records],
        }


def _run_stories(written: Written) -> list[RunStory]:
    known = {each.id: each for each in written.findings}
    told = [{kept.id for kept in run.staged.findings} if run.staged else set() for run in written.runs]
    stories = []
    for at, run in enumerate(written.runs):
        earlier: set[str] = set().union(*told[:at])
        later = set().union(*told[at + 1 :]) - earlier - told[at]
        stories.append(RunStory(run, fates(run, known, written.histories, earlier=earlier, later=later)))
    return stories


def _unlogged(runs: Iterable[Run], logged: Collection[str]) -> list[Arrival]:
    """Stand in for the events whose deliveries are not in the log, one for each that began a run."""
    first = {run.delivery: run for run in reversed(list(runs)) if run.delivery not in logged}
    did = "asked for a review; how is not in the log of deliveries"
    return [Arrival(guid, run.started, "", "Somebody", did, "", "", ()) for guid, run in first.items()]


def _with_answer(event: EventStory, answers: Mapping[str, str], findings: Iterable[KnownFinding]) -> EventStory:
    """Find what was answered, and which findings it decided about."""
    guid, key = event.arrival.guid, event.heard.get("key")
    return replace(
        event,
        answer=answers.get(guid) or answers.get(str(key), ""),
        settled=[
            Fate(known.finding, decided(known.status, known), "", github_id(known.comment_id))
            for known in findings
            if key is not None and known.decided == key
        ],
    )


def _opened(events: Sequence[EventStory], asked_for: str | None) -> list[EventStory]:
    """Open the details of the event that is asked for by its GUID, else of the newest with a run, or with anything.

    That one, and the newest of which something came, are shown with their calls: of many these are most of the page.
    """
    worked = [event for event in events if not event.is_quiet]
    opened = next((event for event in worked if event.arrival.guid == asked_for), None)
    opened = opened or next((event for event in worked if event.runs), None) or next(iter(worked), None)
    drawn = [opened, *worked[:_DRAWN_EVENTS]]
    return [replace(event, opens=event is opened, draws=any(event is each for each in drawn)) for event in events]


def _answers(visit: Visit) -> Mapping[str, str]:
    """Where what we answered stands, by what it answers."""
    state, number = visit.world.state, visit.pull.number
    said = [(each.body, f"#issuecomment-{each.id}", each.author) for each in state.issue_comments_of(number)]
    said += [(each.body, f"#discussion_r{each.id}", each.author) for each in state.comments_of(number, None)]
    return {
        key: anchor
        for body, anchor, author in said
        if visit.world.is_app(author) and (key := answered_key(body)) is not None
    }


def _record(record: Mapping[str, Any]) -> tuple[str, str]:
    """A raw item: its key, and the rest as JSON, cut where it is long."""
    rest = {name: value for name, value in record.items() if name not in ("pk", "sk")}
    text = json.dumps(rest, indent=1, ensure_ascii=False, default=str)
    left = len(text) - _RECORD_CHARACTERS
    return str(record.get("sk", "")), text if left <= 0 else f"{text[:_RECORD_CHARACTERS]}… {left:,} characters more"
