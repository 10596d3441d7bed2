"""The tab "Bot activity": the status by the ledger, and each event with everything that followed."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, KnownFinding
from kodiai.core.findings.markers import answered_key
from kodiai.core.judge.delta import LETS_MERGE, ReviewVerdict, verdict
from kodiai.core.model.prices import Price
from kodiai.core.review.run import Run
from kodiai.core.words.verdict import LABELS
from local.github.webhooks import Delivery
from local.page.activity.events import ShownEvent, ShownRun, grouped
from local.page.activity.findings import current_result, finding_results
from local.page.activity.invocations import LogLine, invocations_of
from local.page.activity.ledger import Ledger, LedgerContents, LedgerReader
from local.page.activity.timeline import SYSTEMS
from local.page.activity.webhooks import WebhookEvent, webhook_events
from local.page.page_request import Context, PageRequest

_RECORD_CHARACTERS = 1_000
_DRAWN_EVENTS = 8


class ActivityTab:
    """The tab. `ledger` gives that of a pull request, by its number; `prices` are by the model's id.

    `log_lines` gives the functions' log lines of one webhook delivery and of what continues it, oldest first.
    """

    def __init__(
        self,
        ledger: Callable[[int], Ledger],
        log_lines: Callable[[str], Sequence[LogLine]],
        deliveries: Callable[[], Sequence[Delivery]],
        prices: Callable[[], Mapping[str, Price]],
    ) -> None:
        self._reader = LedgerReader(ledger)
        self._log_lines = log_lines
        self._deliveries = deliveries
        self._prices = prices

    def view(self, request: PageRequest) -> Context:
        """The values that the tab shows."""
        number = request.pull.number
        webhooks = webhook_events(self._deliveries(), number)
        lines = {webhook.guid: self._log_lines(webhook.guid) for webhook in webhooks}
        ended = sum(line.get("message") == "outcome" for own in lines.values() for line in own)
        contents = self._reader.read(number, ended)
        for webhook in _unlogged(contents.runs, lines):
            webhooks.append(webhook)
            lines[webhook.guid] = self._log_lines(webhook.guid)
        webhooks.sort(key=lambda webhook: webhook.at, reverse=True)
        runs, replies, prices = _shown_runs(contents), _replies(request), self._prices()
        events = []
        for webhook in webhooks:
            own = [shown for shown in runs if shown.run.delivery == webhook.guid]
            event = ShownEvent(webhook, invocations_of(lines[webhook.guid], prices), own)
            events.append(_with_reply(event, replies, contents.findings))
        return {
            "verdicts": {verdict: label for verdict, (_, label) in LABELS.items()},
            "systems": SYSTEMS,
            "status": _status(contents),
            "ledger": contents,
            "findings": _findings(contents),
            "event_groups": grouped(_opened(events, request.query.get("event"))),
            "records": [_record(record) for record in contents.records],
        }


def _status(contents: LedgerContents) -> Mapping[str, Any]:
    """The counts of findings, the last completed and the running run, the verdict, and who paused reviews."""
    still_open = [known.finding for known in contents.findings if known.status == "open"]
    last = next((run for run in reversed(contents.runs) if run.status == "completed"), None)
    state: Mapping[str, Any] = next((record for record in contents.records if record.get("sk") == "STATE"), {})
    return {
        "open": len(still_open),
        "blocking": sum(finding.blocks for finding in still_open),
        "resolved": sum(known.status == "fixed" for known in contents.findings),
        "dismissed": sum(known.status in DECIDED_BY_PEOPLE for known in contents.findings),
        "last": last,
        "running": next((run for run in reversed(contents.runs) if run.status == "running"), None),
        "verdict": last and _verdict(last, still_open),
        "paused_by": state.get("paused_by"),
    }


def _verdict(last: Run, still_open: Sequence[Finding]) -> ReviewVerdict:
    """The verdict as people's decisions have it since the run; CI is as the run saw it."""
    stored = last.facts.get("verdict")
    now = verdict(still_open, _coverage(last), offline=stored == "no-verdict")
    return "ci-red" if stored == "ci-red" and now in LETS_MERGE else now


def _coverage(run: Run) -> Coverage:
    """The share of the pull request that was read when the run ended; its verdict says whether anything was."""
    was_read = run.facts.get("verdict") != "nothing-to-read"
    return Coverage(read=int(was_read), unread=run.facts.get("unread", 0))


def _findings(contents: LedgerContents) -> list[Mapping[str, Any]]:
    """The findings with their histories, the open ones before the others, the most severe first."""
    ordered = sorted(contents.findings, key=lambda known: (known.status != "open", rank(known.finding)))
    return [
        {"id": known.id, "result": current_result(known), "history": contents.histories.get(known.id, ())}
        for known in ordered
    ]


def _shown_runs(contents: LedgerContents) -> list[ShownRun]:
    known = {each.id: each for each in contents.findings}
    reported = [{kept.id for kept in run.staged.findings} if run.staged else set() for run in contents.runs]
    shown = []
    for at, run in enumerate(contents.runs):
        earlier: set[str] = set().union(*reported[:at])
        later = set().union(*reported[at + 1 :]) - earlier - reported[at]
        shown.append(ShownRun(run, finding_results(run, known, contents.histories, earlier=earlier, later=later)))
    return shown


def _unlogged(runs: Iterable[Run], logged: Collection[str]) -> list[WebhookEvent]:
    """Stand in for the events whose deliveries are not in the log, one for each that started a run."""
    first = {run.delivery: run for run in reversed(list(runs)) if run.delivery not in logged}
    action = "requested a review (the delivery is not in the log)"
    return [WebhookEvent(guid, run.started, "", "Somebody", action) for guid, run in first.items()]


def _with_reply(event: ShownEvent, replies: Mapping[str, str], findings: Iterable[KnownFinding]) -> ShownEvent:
    """Find the reply to an event, and the findings that it decided."""
    guid, key = event.webhook.guid, event.mention.get("key")
    decided = [current_result(known) for known in findings if key is not None and known.decided == key]
    return replace(event, reply=replies.get(guid) or replies.get(str(key), ""), decided=decided)


def _opened(events: Sequence[ShownEvent], asked_for: str | None) -> list[ShownEvent]:
    """Open the details of the event that is asked for by its GUID, else of the newest with a run, or with anything.

    Only that one and the newest ones that were not ignored have their timelines drawn, which are most of a page.
    """
    handled = [event for event in events if not event.ignored]
    opened = next((event for event in handled if event.webhook.guid == asked_for), None)
    opened = opened or next((event for event in handled if event.runs), None) or next(iter(handled), None)
    drawn = [opened, *handled[:_DRAWN_EVENTS]]
    return [replace(event, opens=event is opened, draws=any(event is each for each in drawn)) for event in events]


def _replies(request: PageRequest) -> Mapping[str, str]:
    """The places of our own replies, by what they answer."""
    state, number = request.repository.state, request.pull.number
    comments = [(each.body, f"#issuecomment-{each.id}", each.author) for each in state.issue_comments_of(number)]
    comments += [(each.body, f"#discussion_r{each.id}", each.author) for each in state.comments_of(number, None)]
    return {
        key: anchor
        for body, anchor, author in comments
        if request.repository.is_app(author) and (key := answered_key(body)) is not None
    }


def _record(record: Mapping[str, Any]) -> tuple[str, str]:
    """A raw item: its key, and the rest as JSON, cut where it is long."""
    rest = {name: value for name, value in record.items() if name not in ("pk", "sk")}
    text = json.dumps(rest, indent=1, ensure_ascii=False, default=str)
    left = len(text) - _RECORD_CHARACTERS
    return str(record.get("sk", "")), text if left <= 0 else f"{text[:_RECORD_CHARACTERS]}… {left:,} more characters"
