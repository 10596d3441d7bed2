"""The tab "Bot activity": each event with its result, each run with its findings, calls and cost."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from kodiai.core.config.spending import Spending
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence, HistoryEntry, KnownFinding
from kodiai.core.findings.markers import answer_marker
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.model.prices import Price
from kodiai.core.review.check import Check
from kodiai.core.review.review import Review, ReviewComment, ThreadAction
from kodiai.core.review.run import PendingReview, Run, UnreadableFindings
from local.github import LocalGitHub
from local.github.views import node_id
from local.github.webhooks import Delivery, packed
from local.journal import Journal
from local.page import Site
from local.page.activity import ActivityTab
from tests.builders import a_finding, a_known, followed, kept
from tests.git_repository import GitRepository
from tests.local.page.reader import Element, Page, Reader
from tests.tables import each_row

BEGAN = 1_795_336_150.0
MODEL = "claude-sonnet-5-5"
NOT_POSTED = "No review was posted: nothing new to report."
OLD_HEAD, HEAD = "a" * 40, "b" * 40
FACTS: Mapping[str, Any] = {
    "mode": "full",
    "reason": "no-prior-review",
    "tier": "lite",
    "files_total": 3,
    "files_read": 2,
    "skipped": [{"path": "poetry.lock", "reason": "lock file"}],
    "hunks_total": 5,
    "hunks_asked": 4,
    "changed_files": ["src/app.py", "src/orders.py"],
    "verdict": "address-before-merging",
    "model": {
        "calls": 2,
        "input_tokens": 1_000,
        "output_tokens": 300,
        "cache_read_tokens": 4_000,
        "cache_write_tokens": 0,
        "prompt_characters": 9,
    },
    "models": [MODEL],
    "cost_usd": 0.0123,
    "reviewers": ["generalist", "correctness"],
    "asked_back": 1,
    "memory": {"recalled": 2, "rules": 1, "offline": True, "written": 3, "unavailable": "no answer within 3 seconds"},
    "unread": 1,
    "judged": 4,
    "unjudged": 1,
    "dropped": {"wrong": 2, "not-worth-it": 1},
    "threads_resolved": [],
}


@dataclass
class FilledLedger:
    """A ledger that was filled by hand."""

    kept_runs: list[Run] = field(default_factory=list)
    kept_findings: list[KnownFinding] = field(default_factory=list)
    kept_histories: dict[str, tuple[HistoryEntry, ...]] = field(default_factory=dict)
    kept_records: list[Mapping[str, Any]] = field(default_factory=list)
    spent: Spending = field(default_factory=lambda: Spending(0.0, 0.0, 0.0, 0.0))
    reads: int = 0
    is_readable: bool = True

    def runs(self) -> tuple[Run, ...]:
        self.reads += 1
        return tuple(self.kept_runs)

    def findings(self) -> tuple[KnownFinding, ...]:
        if not self.is_readable:
            raise UnreadableFindings("the findings of earlier reviews cannot be read")
        return tuple(self.kept_findings)

    def histories(self) -> Mapping[str, tuple[HistoryEntry, ...]]:
        return self.kept_histories

    def records(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.kept_records)

    def spending(self) -> Spending:
        return self.spent


@dataclass
class Scene:
    """One pull request, and what was recorded about it."""

    github: LocalGitHub
    reader: Reader
    number: int
    deliveries: list[Delivery] = field(default_factory=list)
    journal: Journal = field(default_factory=lambda: Journal(None))
    ledger: FilledLedger = field(default_factory=FilledLedger)
    prices: dict[str, Price] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=count)

    def delivered(self, event: str = "pull_request", action: str = "opened", *, guid: str = "", **given: Any) -> str:
        """Have a webhook delivered, and return its GUID."""
        at = next(self._ids)
        outcome = given.pop("outcome", "queued")
        response = json.dumps({"outcome": outcome, "reason": given.pop("reason", "A review is queued.")})
        status = given.pop("status", 202 if outcome == "queued" else 200)
        about = {} if "check_run" in given else {"pull_request": {"number": self.number}}
        repository = {"full_name": "acme/widgets"}
        payload = {"sender": {"login": given.pop("by", "octocat")}, "repository": repository, **about, **given}
        guid = guid or f"guid-{at}"
        again = any(delivery.guid == guid for delivery in self.deliveries)
        self.deliveries.append(
            Delivery(at, guid, event, action, packed(json.dumps(payload).encode()), BEGAN + at, again, status, response)
        )
        return guid

    def logs_outcome(
        self, guid: str, outcome: str, *, function: str = "ReviewFunction", request: str = "r1", **more: Any
    ) -> None:
        """Have a function log the outcome of an invocation, which took two seconds."""
        line = {"message": "outcome", "outcome": outcome, "reason": "", "attempt": 1, "seconds": 2.0}
        own = {"function": function, "function_request_id": request, "delivery": guid}
        self.journal.add({"timestamp": "2026-11-22 08:29:12,000+0000", **line, **own, **more})

    def logs_call(self, guid: str, to: str, what: str, at: float, seconds: float, **more: Any) -> None:
        """Have a function log a call that started `at` seconds after the function."""
        own = {"function": "ReviewFunction", "function_request_id": "r1", "delivery": guid}
        line = {"message": "call", "to": to, "what": what, "began": BEGAN + at, "seconds": seconds, "status": 200}
        self.journal.add({**line, **own, **more})

    def records_run(self, guid: str, *, staged: Mapping[str, Any] | None = None, **given: Any) -> Run:
        """Have a run recorded as completed; `staged` is what differs from an empty pending review."""
        facts = {**FACTS, **given.pop("facts", {})}
        outbox = PendingReview(
            **{"review": None, "findings": (), "facts": facts, "check": Check("", ""), **(staged or {})}
        )
        at = len(self.ledger.kept_runs)
        made = {"id": f"run{at}", "head": HEAD, "base": OLD_HEAD, "status": "completed", "started": BEGAN + 10 * at}
        more = {"delivery": guid, "staged": outbox, "facts": facts, "ended": BEGAN + 10 * at + 5}
        self.ledger.kept_runs.append(Run(**{**made, **more, **given}))
        return self.ledger.kept_runs[-1]

    def records(self, *known: KnownFinding, at: float = BEGAN + 5) -> None:
        """Have findings recorded as reported at one moment, and with their status since then."""
        self.ledger.kept_findings += known
        for each in known:
            reported = (HistoryEntry(int(at), HEAD, "open", "reported"),)
            self.ledger.kept_histories[each.id] = (
                reported
                if each.status == "open"
                else (*reported, HistoryEntry(int(at) + 60, HEAD, each.status, "ann decided"))
            )

    def page(self, query: str = "") -> Page:
        """The tab."""
        page = self.reader.read(f"/acme/widgets/pull/{self.number}/activity{query}")
        assert page.status == 200
        return page


class CurrentScene:
    """The scene of the running test."""

    scene: Scene

    def log_lines(self, delivery: str) -> list[Mapping[str, Any]]:
        return self.scene.journal.of(delivery)


@pytest.fixture(scope="module")
def served(repository: GitRepository) -> Iterator[tuple[CurrentScene, LocalGitHub, str, str]]:
    """A site with the tab, which shows the current scene; and a head and a base to open pull requests of."""
    base = repository.commit({"src/app.py": "a = 1\n"}, "refs/heads/main")
    head = repository.commit({"src/app.py": "a = 2\n"}, base)
    now = CurrentScene()
    tab = ActivityTab(
        lambda _: now.scene.ledger,
        now.log_lines,
        lambda: now.scene.deliveries,
        lambda: now.scene.prices,
    )
    with LocalGitHub(repository.path) as github:
        github.show(Site(github.repository, github, activity=tab.view))
        yield now, github, head, base


@pytest.fixture
def scene(served: tuple[CurrentScene, LocalGitHub, str, str]) -> Iterator[Scene]:
    now, github, head, base = served
    with Reader(github.url) as reader:
        now.scene = Scene(github, reader, github.open_pull_request(head, base, title="Totals"))
        yield now.scene


def event(page: Page, guid: str) -> Element:
    return page.by_id(f"event-{guid}")


def invocations(shown: Element) -> list[str]:
    """The invocations of the functions, each in its sentence."""
    return [each.all("p")[0].text for each in shown.one("ol", "invocations").all("li")]


def results(shown: Element) -> dict[str, list[str]]:
    """The findings of a run by the title of their group, each as text."""
    return {
        group.one("h5").text.rpartition(" ")[0]: [each.text for each in group.one("ul").all("li")]
        for group in shown.all("section", "group")
    }


def figures(shown: Element) -> dict[str, str]:
    """The figures of a run."""
    rows = shown.one("dl", "figures").all("div")
    return {row.one("dt").text: row.one("dd").text for row in rows}


def titled(title: str, **given: Any) -> Finding:
    return a_finding(title=title, quote=title, **given)


def test_before_the_first_event_the_tab_says_so(scene: Scene) -> None:
    page = scene.page()

    assert page.by_id("activity-events").text == "No events yet."
    assert page.by_id("activity-status").one("p").text == "No review has been completed yet."
    assert "No findings." in page.by_id("activity-ledger").text
    assert "No records yet." in page.by_id("activity-records").text


def test_ignored_events_say_why_in_one_line(scene: Scene) -> None:
    """Consecutive ones with the same reason share the line."""
    ours = {"outcome": "nothing", "reason": "We did this.", "by": "kodiai[bot]"}
    said = {"id": 5, "body": "Nice weather"}
    first = scene.delivered("pull_request_review", "submitted", **ours)
    scene.delivered("pull_request_review_comment", "created", **ours, comment={"id": 4, "body": "x"})
    alone = scene.delivered("issue_comment", "created", outcome="nothing", reason="Nobody is mentioned.", comment=said)

    page = scene.page()

    together, other = event(page, first), event(page, alone)
    assert together.one("summary").text == "2 events by kodiai[bot] ignored: We did this."
    assert [each.text.partition("kodiai[bot] ")[2] for each in together.all("li")] == [
        "started a thread pull_request_review_comment · created View comment",
        "submitted a review pull_request_review · submitted",
    ]
    assert other.one("summary").text == "octocat commented ignored: Nobody is mentioned."
    assert other.one("a")["href"] == f"/acme/widgets/pull/{scene.number}#issuecomment-5"
    assert [each["id"] for each in page.by_id("activity-events").children if isinstance(each, Element)] == [
        f"event-{alone}",
        f"event-{first}",
    ]


def test_each_invocation_says_how_it_ended(scene: Scene) -> None:
    guid = scene.delivered("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
    scene.logs_outcome(guid, "queued", function="IngestFunction", request="r0")
    scene.logs_outcome(guid, "retry", reason="GitHub is busy: 502 Server Error")
    scene.logs_outcome(guid, "completed", request="r2", attempt=2, run="run0")
    scene.records_run(guid)

    shown = event(scene.page(), guid)

    assert shown.one("header").text.startswith("octocat pushed bbbbbbb (was aaaaaaa) reviewed")
    assert shown.one("p", "came").text == "pull_request · synchronize queued (202): A review is queued."
    assert invocations(shown) == [
        "Ingest (2 s) queued",
        "Review (2 s) failed, will be retried: GitHub is busy: 502 Server Error",
        "Review, attempt 2 (2 s) completed the review",
    ]


def test_a_delayed_push_and_a_superseded_one_say_so(scene: Scene) -> None:
    """A delay is not an attempt."""
    guid = scene.delivered("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
    scene.logs_outcome(guid, "waiting", reason="a newer push may come", attempt=0)
    scene.logs_outcome(guid, "superseded", reason="a newer push came: ccccccc", request="r2")

    shown = event(scene.page(), guid)

    assert invocations(shown) == [
        "Review (2 s) delayed: a newer push may come",
        "Review (2 s) superseded: a newer push came: ccccccc",
    ]


@each_row(
    ("action", "more", "did"),
    [
        ("labeled", {"label": {"name": "ready"}}, "added the label ready"),
        ("unlabeled", {"label": {"name": "wip"}}, "removed the label wip"),
        ("edited", {"changes": {"base": {"ref": {"from": "main"}}}}, "changed the base branch"),
        ("edited", {"changes": {"title": {"from": "A change"}}}, "edited the pull request"),
    ],
)
def test_a_label_and_another_base_branch_are_said_in_words(
    scene: Scene, action: str, more: Mapping[str, Any], did: str
) -> None:
    guid = scene.delivered("pull_request", action, **more)
    scene.logs_outcome(guid, "skipped", reason="labels.only does not name ready")

    shown = event(scene.page(), guid)

    assert shown.one("header").text.startswith(f"octocat {did} skipped")
    assert invocations(shown) == ["Review (2 s) skipped: labels.only does not name ready"]


@each_row(
    ("outcome", "more", "result"),
    [
        ("skipped", {"reason": "the pull request is a draft"}, "skipped"),
        ("crashed", {"reason": "KeyError: 'a'", "buried": True, "attempt": 5}, "dead letter"),
        ("unchanged", {}, "no changes"),
        ("completed", {"trigger": "opened"}, "reviewed"),
        ("done", {"trigger": "checks_requested"}, "done"),
    ],
)
def test_the_result_of_an_event_is_next_to_its_title(
    scene: Scene, outcome: str, more: Mapping[str, Any], result: str
) -> None:
    guid = scene.delivered()
    scene.logs_outcome(guid, outcome, **more)

    shown = event(scene.page(), guid)

    assert shown.one("header").one("span", "chip").text == result
    assert str(more.get("reason", "")) in invocations(shown)[-1]
    assert ("moved to the dead-letter queue" in invocations(shown)[-1]) == bool(more.get("buried"))


def test_an_event_without_an_outcome_says_what_it_waits_for(scene: Scene) -> None:
    waiting = scene.delivered()
    unheard = scene.delivered(status=0, outcome="")
    scene.deliveries[-1].response, scene.deliveries[-1].error = "", "Connection refused"
    running = scene.delivered()
    scene.logs_call(running, "github", "GET /user", 0.1, 0.2)

    page = scene.page()

    assert event(page, waiting).one("header").one("span", "chip").text == "queued"
    assert event(page, unheard).one("header").one("span", "chip").text == "no response"
    assert "Connection refused" in event(page, unheard).text
    assert event(page, running).one("header").one("span", "chip").text == "in progress"
    assert invocations(event(page, running)) == ["Review no outcome yet"]


def test_a_killed_function_is_shown_with_its_calls(scene: Scene) -> None:
    guid = scene.delivered()
    scene.logs_call(guid, "github", "GET /user", 0.1, 0.2)
    scene.journal.add({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out", "requestId": "r1",
                       "function": "ReviewFunction"})  # fmt: skip
    scene.logs_outcome(guid, "completed", request="r2", attempt=2)

    shown = event(scene.page(), guid)

    assert invocations(shown) == [
        "Review killed: Sandbox.Timedout: Task timed out",
        "Review, attempt 2 (2 s) completed the review",
    ]
    assert "1 external call in" in shown.one("ol", "invocations").all("li")[0].text


def test_a_redelivered_event_is_shown_once(scene: Scene) -> None:
    guid = scene.delivered()
    scene.delivered(guid=guid, reason="It was seen before.")

    shown = event(scene.page(), guid)

    assert shown.one("p", "came").text == (
        "pull_request · opened queued (202): A review is queued. redelivered: queued (202): It was seen before."
    )


def test_events_of_other_pull_requests_are_not_shown(scene: Scene) -> None:
    named = "1#{}@" + HEAD
    scene.delivered(pull_request={"number": scene.number + 1})
    scene.delivered("check_run", "rerequested", check_run={"external_id": named.format(scene.number + 1)})
    ours = scene.delivered("check_run", "rerequested", check_run={"external_id": named.format(scene.number)})

    page = scene.page()

    assert [each["id"] for each in page.all("article")] == [f"event-{ours}"]
    assert event(page, ours).one("h3").text == "octocat requested the check run again"


def test_a_run_shows_its_scope_and_its_cost(scene: Scene) -> None:
    comments = (ReviewComment("src/app.py", 12, None, "text"),)
    guid = scene.delivered()
    run = scene.records_run(guid, staged={"review": Review("COMMENT", "text", comments)}, review_id="77")

    shown = scene.page().by_id(f"run-{run.id}")

    assert shown.one("p", "lead").text == (
        "Scope: full (first review). Posted a review with 1 inline comment (COMMENT). View review"
    )
    assert shown.one("p", "lead").one("a")["href"] == f"/acme/widgets/pull/{scene.number}#pullrequestreview-77"
    told = figures(shown)
    assert told.pop("Started")
    assert told == {
        "Commits": "aaaaaaa..bbbbbbb",
        "Scope": "full (first review)",
        "Depth": "lite",
        "Files read": "2 of 3",
        "Files still to read": "1",
        "Hunks reviewed": "4 of 5",
        "Reviewers": "generalist, correctness",
        "Earlier findings rechecked": "1",
        "Findings verified": "4, 1 not verified",
        "Findings suppressed": "2 wrong, 1 not worth it",
        "Verdict": "Address before merging",
        "Memory": "2 recalled by words alone (offline), 1 rule, 3 written; unavailable: no answer within 3 seconds",
        "Models": MODEL,
        "Tokens": "2 calls, 5,000 tokens in (4,000 from cache), 300 out",
        "Cost": "$0.0123",
        "Duration": "about 5 s",
    }
    read, skipped = shown.all("ul", "paths")
    assert read.texts("li") == ["src/app.py", "src/orders.py"]
    assert skipped.texts("li") == ["poetry.lock lock file"]


def test_a_run_of_offline_checks_has_no_verdict(scene: Scene) -> None:
    """Neither the run nor the pull request is called ready: no model has read it."""
    facts = {"verdict": "no-verdict", "unread": 0, "mode": "incremental", "reason": "since-aaaaaaa"}
    run = scene.records_run(scene.delivered(), facts=facts)

    page = scene.page()

    shown = page.by_id(f"run-{run.id}")
    assert shown.one("p", "lead").text == f"Scope: incremental (since aaaaaaa). {NOT_POSTED}"
    assert figures(shown)["Verdict"] == "Offline checks only: no verdict"
    assert page.by_id("activity-status").one("p").text.endswith(" Verdict: Offline checks only: no verdict.")


def test_a_run_over_a_failed_required_check_is_not_called_ready(scene: Scene) -> None:
    facts = {"verdict": "ci-red", "unread": 0, "mode": "incremental", "reason": "since-aaaaaaa"}
    run = scene.records_run(scene.delivered(), facts=facts)

    page = scene.page()

    assert figures(page.by_id(f"run-{run.id}"))["Verdict"] == "CI is red"
    assert page.by_id("activity-status").one("p").text.endswith(" Verdict: CI is red.")


def test_a_prepared_review_is_not_yet_posted(scene: Scene) -> None:
    staged = {"review": Review("REQUEST_CHANGES", "text", ())}
    run = scene.records_run(scene.delivered(), staged=staged, status="running", ended=None)

    page = scene.page()

    assert page.by_id(f"run-{run.id}").one("h4").text == f"Run {run.id} full in progress"
    assert (
        page.by_id(f"run-{run.id}")
        .one("p", "lead")
        .text.endswith("About to post a review with no inline comments (REQUEST_CHANGES).")
    )
    assert page.by_id("activity-status").one("p").text == "A review of bbbbbbb is in progress."


def test_a_run_that_ended_without_a_review_says_why(scene: Scene) -> None:
    why = "the head moved on to ccccccc"
    run = scene.records_run(scene.delivered(), status="superseded", staged=None, facts={}, ended_why=why)
    scene.ledger.kept_runs[0] = replace(run, staged=None, facts={})

    shown = scene.page().by_id(f"run-{run.id}")

    assert shown.one("h4").text == f"Run {run.id} superseded"
    assert shown.one("p", "lead").text == why


def test_every_finding_of_a_run_is_shown_with_its_result_and_its_reason(scene: Scene) -> None:
    place = "src/app.py:12"
    names = "new body fixed dismissed again worse stays untouched dropped listed"
    new, body, fixed, dismissed, again, worse, stays, untouched, dropped, listed = (
        titled(f"Problem {name}") for name in names.split()
    )
    evidence = Evidence("src/app.py", "return 0")
    was = [
        followed(fixed, "resolved", {"evidence": evidence, "comment_id": "21"}, why="The total is set first."),
        followed(dismissed, "dismissed", why="ann decided so"),
        followed(again, "reopened", why="the code is as it was"),
        followed(worse, "raised", why="It is read in a loop now."),
        followed(stays, why="The line was moved, not fixed."),
    ]
    staged = {
        "findings": (kept(new), kept(body, inline=False)),
        "updates": tuple(was),
        "thread_actions": (
            ThreadAction("t", was[3].id, say="It is **worse** now."),
            ThreadAction("t", was[0].id, resolve=True),
        ),
        "suppressed": (
            SuppressedFinding(dropped, "The first line returns.", "wrong"),
            SuppressedFinding(listed, "a linter says it", "not-worth-it"),
        ),
    }
    scene.records_run(scene.delivered())
    run = scene.records_run(scene.delivered(), staged=staged, facts={"threads_resolved": [was[0].id]})
    scene.records(*(each.known for each in was), a_known(untouched))
    scene.records(
        a_known(new, id=kept(new).id, comment_id=node_id("PRRC", 31)), a_known(body, comment_id=None), at=BEGAN + 15
    )

    shown = scene.page().by_id(f"run-{run.id}")

    evidence_shown = "Evidence in src/app.py: return 0"
    no_evidence = "no evidence of a fix, and no decision"
    assert results(shown) == {
        "New": [
            f"MAJOR Problem new {place} inline comment",
            f"MAJOR Problem body {place} no inline comment",
        ],
        "Resolved": [
            f"MAJOR Problem fixed {place} fixed in the code; thread resolved The total is set first. {evidence_shown}"
        ],
        "Dismissed": [f"MAJOR Problem dismissed {place} dismissed by ann (won't fix) ann decided so"],
        "Reopened": [f"MAJOR Problem again {place} the code is as it was"],
        "More severe": [
            f"MAJOR Problem worse {place} was MEDIUM It is read in a loop now. Reply in its thread: It is worse now."
        ],
        "Still open": [
            f"MAJOR Problem stays {place} The line was moved, not fixed.",
            f"MAJOR Problem untouched {place} {no_evidence}",
        ],
        "Suppressed": [
            f"MAJOR Problem dropped {place} wrong The first line returns.",
            f"MAJOR Problem listed {place} not worth it a linter says it",
        ],
    }
    address = f"/acme/widgets/pull/{scene.number}#discussion_r"
    links = {link.text: link["href"] for link in shown.all("a")}
    assert (links["Problem new"], links["Problem fixed"]) == (f"{address}31", f"{address}21")
    assert "Problem body" not in links
    assert shown.one("ul", "counts").texts("li")[0] == "2 new"


def test_a_run_does_not_show_findings_of_later_runs(scene: Scene) -> None:
    early, late = titled("Early"), titled("Late")
    first = scene.records_run(scene.delivered(), staged={"findings": (kept(early),)})
    second = scene.records_run(scene.delivered(), staged={"findings": (kept(late),)})
    back = scene.records_run(scene.delivered(), staged={"findings": (kept(early),)})
    scene.records(a_known(early, id=kept(early).id), a_known(late, id=kept(late).id))

    page = scene.page()

    assert {title: len(found) for title, found in results(page.by_id(f"run-{first.id}")).items()} == {"New": 1}
    assert list(results(page.by_id(f"run-{second.id}"))) == ["New", "Still open"]
    assert "it was resolved and is back" in results(page.by_id(f"run-{back.id}"))["New"][0]


def test_a_reply_shows_what_was_understood_and_decided(scene: Scene) -> None:
    comment = scene.github.comment(scene.number, "@kodiai won't fix. Why?", login="ann")
    key = f"conversation-{comment}"
    answer = scene.github.comment(scene.number, f"Because.\n\n{answer_marker(key)}", login="kodiai[bot]")
    scene.github.comment(scene.number, f"Mine.\n\n{answer_marker(key)}", login="mallory")
    said = {"id": comment, "body": "@kodiai won't fix. Why?"}
    guid = scene.delivered("issue_comment", "created", by="ann", comment=said)
    told: dict[str, Any] = {"understood": "won't fix, question", "permission": "write", "key": key, "cost_usd": 0.004}
    scene.logs_outcome(guid, "answered", function="MentionFunction", **told)
    scene.records(a_known(titled("Slow"), status="wont_fix", settled_by="ann", decided=key, decided_at=1))

    shown = event(scene.page(), guid)

    assert shown.one("p", "lead").text == (
        "Understood as won't fix, question (permission: write). Cost: $0.0040. View reply"
    )
    assert shown.one("p", "lead").one("a")["href"].endswith(f"#issuecomment-{answer}")
    assert shown.one("blockquote").text == "@kodiai won't fix. Why? View comment"
    assert shown.one("p", "finding").text == "MAJOR Slow src/app.py:12 dismissed by ann (won't fix)"
    assert invocations(shown) == ["Mention (2 s) replied"]


def test_external_calls_are_on_a_timeline_with_a_lane_for_each_system(scene: Scene) -> None:
    """The invocation took two seconds, so a second is half the width; simultaneous calls are below each other."""
    scene.prices[MODEL] = Price(input=3, output=15, cache_read=1, cache_write=1)
    guid = scene.delivered()
    model = {"model": MODEL, "input_tokens": 1_000, "output_tokens": 100, "stop_reason": "end_turn"}
    scene.logs_call(
        guid, "model", "POST /v1/messages", 0.0, 1.0, **model, cache_read_tokens=2_000, cache_write_tokens=0
    )
    scene.logs_call(guid, "model", "POST /v1/messages", 0.5, 1.0, model="free", input_tokens=7, output_tokens=1)
    scene.logs_call(guid, "model", "POST /v1/messages", 1.5, 0.5, **model)
    scene.logs_call(guid, "github", "GET /repos/{owner}/{repo}/pulls", 0.2, 0.4, status=502)
    scene.logs_call(guid, "github", "GET /repos/{owner}/{repo}/contents", 0.7, 0.1, status=404)
    scene.logs_call(guid, "github", "GET /user", 0.9, 0.1, status=None, error="ReadTimeout")
    scene.logs_outcome(guid, "retry")

    shown = event(scene.page(), guid)

    svg = shown.one("svg")
    lanes = [text.text for text in svg.all("text", "lane")]
    assert lanes == [
        "GitHub 3 calls, 600 ms, 2 failed",
        "Model 3 calls, 2.5 s, cost unknown",
        "DynamoDB none",
        "SQS none",
        "SSM none",
    ]
    bars = [(bar.one("rect")["x"], bar.one("rect")["width"]) for bar in svg.all("g", "model")]
    assert bars == [("0.000%", "50.000%"), ("25.000%", "50.000%"), ("75.000%", "25.000%")]
    first, second, third = (int(bar.one("rect")["y"]) for bar in svg.all("g", "model"))
    assert first == third < second
    assert [mark.all("text")[0].text for mark in svg.all("g", "failed")] == ["✕", "✕"]
    assert svg.texts("text", "tick") == ["0 ms", "500 ms", "1 s", "1.5 s", "2 s"]
    assert svg["aria-label"].startswith("6 external calls in 2 s, 2 failed")
    asked = f"POST /v1/messages {MODEL}"
    cells = [row.texts("td") for row in shown.one("table").one("tbody").all("tr")]
    assert cells == [
        ["+0.000 s", "Model", asked, "200 end_turn", "1 s", "3,000 tokens in (2,000 from cache), 100 out", "$0.0065"],
        ["+0.200 s", "GitHub", "GET …/pulls", "✕ 502", "400 ms", "", ""],
        ["+0.500 s", "Model", "POST /v1/messages free", "200", "1 s", "7 tokens in, 1 out", "unknown"],
        ["+0.700 s", "GitHub", "GET …/contents", "404", "100 ms", "", ""],
        ["+0.900 s", "GitHub", "GET /user", "✕ no response ReadTimeout", "100 ms", "", ""],
        ["+1.500 s", "Model", asked, "200 end_turn", "500 ms", "1,000 tokens in, 100 out", "$0.0045"],
    ]  # fmt: skip


def test_a_free_model_costs_zero_dollars(scene: Scene) -> None:
    scene.prices["offline-reviewer"] = Price(input=0, output=0, cache_read=0, cache_write=0)
    guid = scene.delivered()
    scene.logs_call(
        guid, "model", "POST /v1/messages", 0.0, 1.0, model="offline-reviewer", input_tokens=7, output_tokens=1
    )
    scene.logs_outcome(guid, "completed")

    shown = event(scene.page(), guid)

    assert shown.one("tbody").texts("td")[-1] == "$0.00"
    assert shown.texts("text", "lane")[1] == "Model 1 call, 1 s, cost $0.00"


def test_the_status_is_shown_in_plain_words(scene: Scene) -> None:
    scene.records_run(scene.delivered())
    scene.records(
        a_known(titled("Open")),
        a_known(titled("Fixed"), status="fixed"),
        a_known(titled("Dismissed"), status="wont_fix", settled_by="ann"),
    )
    scene.ledger.kept_records.append({"pk": "PR#acme/widgets#1", "sk": "STATE", "paused_by": "ann"})
    scene.ledger.spent = Spending(0.25, 0.5, 1.5, 2.5)

    status = scene.page().by_id("activity-status")

    assert status.one("dl").texts("dd") == [
        "1 1 blocking",
        "1",
        "1",
        "$0.25 $1.50 in this repository this month",
    ]
    head = scene.github.state.pulls[scene.number].head_sha
    assert status.one("p").text == (
        f"Last completed review: bbbbbbb (the head is now {head[:7]}). Verdict: Address before merging. "
        "Reviews are paused by ann; a review can still be requested."
    )


@each_row(
    ("facts", "sentence"),
    [
        ({"unread": 1, "verdict": "not-fully-reviewed"}, "Verdict: Not fully reviewed."),
        ({"unread": 0, "verdict": "nothing-to-read"}, "Verdict: Nothing to read."),
        ({"unread": 0, "verdict": "ready"}, "Verdict: Ready to merge."),
    ],
)
def test_what_was_not_read_is_never_called_ready(scene: Scene, facts: Mapping[str, Any], sentence: str) -> None:
    """The status counts what the last completed run left unread, not only the open findings."""
    scene.records_run(scene.delivered(), facts=facts)

    assert scene.page().by_id("activity-status").one("p").text.endswith(f" {sentence}")


def test_the_ledger_is_shown_with_each_findings_history_and_the_raw_records(scene: Scene) -> None:
    known = a_known(titled("Dismissed"), status="wont_fix", settled_by="ann")
    scene.records(known)
    scene.ledger.kept_records += [
        {"pk": "p", "sk": "STATE", "turns": 1},
        {"pk": "p", "sk": "LONG", "text": "x" * 5_000},
    ]

    page = scene.page()

    assert [each.text.partition("UTC ")[2] for each in page.by_id(f"activity-{known.id}").one("ol").all("li")] == [
        "bbbbbbb open: reported",
        "bbbbbbb won't fix: ann decided",
    ]
    state, long = page.by_id("activity-records").all("details", "record")
    assert (state.one("summary").text, json.loads(state.one("pre").text)) == ("STATE", {"turns": 1})
    assert long.one("pre").text.endswith("more characters")


def test_unreadable_findings_are_reported(scene: Scene) -> None:
    scene.ledger.is_readable = False
    scene.records_run(scene.delivered())

    assert "the findings of earlier reviews cannot be read" in scene.page().by_id("activity-status").text


def test_a_run_whose_delivery_is_not_in_the_log_is_shown_all_the_same(scene: Scene) -> None:
    run = scene.records_run("from-elsewhere")

    shown = event(scene.page(), "from-elsewhere")

    assert shown.one("h3").text == "Somebody requested a review (the delivery is not in the log)"
    assert shown.one("section", "run")["id"] == f"run-{run.id}"


HOSTILE = "</title><script>alert(1)</script><iframe onload=alert(2)>\u202e"


def test_a_script_does_nothing_but_show(scene: Scene) -> None:
    """Wherever a text comes from: people, models, paths, the answers of other systems, the ledger."""
    finding = titled(HOSTILE, path=f"src/{HOSTILE}.py", caveat=HOSTILE)
    away = followed(titled("x" + HOSTILE), "resolved", {"evidence": Evidence(HOSTILE, HOSTILE)}, why=HOSTILE)
    staged = {
        "findings": (kept(finding),),
        "updates": (away,),
        "suppressed": (SuppressedFinding(finding, HOSTILE),),
        "thread_actions": (ThreadAction("t", away.id, say=HOSTILE),),
    }
    comment = {"id": 5, "body": HOSTILE}
    guid = scene.delivered("issue_comment", HOSTILE, by=HOSTILE, reason=HOSTILE, comment=comment)
    quiet: dict[str, Any] = {"outcome": "nothing", "by": HOSTILE, "reason": HOSTILE, "comment": comment}
    scene.delivered(HOSTILE, HOSTILE, **quiet)
    facts = {"skipped": [{"path": HOSTILE, "reason": HOSTILE}], "changed_files": [HOSTILE], "tier": HOSTILE}
    facts |= {"models": [HOSTILE], "reviewers": [HOSTILE], "reason": HOSTILE}
    scene.records_run(guid, staged=staged, facts=facts)
    scene.records_run(guid, staged={}, status="failed", ended_why=HOSTILE)
    scene.logs_call(guid, HOSTILE, HOSTILE, 0.0, 1.0, error=HOSTILE, model=HOSTILE, input_tokens=1, stop_reason=HOSTILE)
    told = {"understood": HOSTILE, "permission": HOSTILE, "warning": HOSTILE, "key": HOSTILE, "run": HOSTILE}
    scene.logs_outcome(guid, "skipped", reason=HOSTILE, function="MentionFunction", request="r2", **told)
    settled = a_known(titled("y" + HOSTILE), status="wont_fix", settled_by=HOSTILE, decided=HOSTILE)
    scene.records(away.known, settled)
    scene.ledger.kept_records.append({"sk": HOSTILE, "text": HOSTILE, "paused_by": HOSTILE})
    scene.ledger.kept_records.append({"sk": "STATE", "paused_by": HOSTILE})

    text = scene.reader.get(f"/acme/widgets/pull/{scene.number}/activity").text
    page = scene.page()

    main = page.one("main")
    assert text.count("<script") == 1  # the site's own
    assert main.all("script") == main.all("iframe") == []
    assert "\u202e" not in text
    assert [each for each in page.walk() if any(name.startswith(("on", "style")) for name in each.attributes)] == []
    assert main.text.count("alert(1)") > 25


def test_every_part_that_changes_has_a_name_of_its_own(scene: Scene) -> None:
    """The script that follows live goes by them."""
    for number in range(3):
        guid = scene.delivered("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
        scene.logs_call(guid, "github", "GET /user", 0.1, 0.2)
        scene.logs_outcome(guid, "completed")
        scene.records_run(guid, staged={"suppressed": (SuppressedFinding(titled(f"No {number}"), "why"),)})
    scene.records(a_known(titled("Open")))
    scene.ledger.kept_records.append({"sk": "STATE"})

    page = scene.page()

    assert len(page.ids) == len(set(page.ids))
    assert all("id" in each.attributes for each in page.one("main").all("details"))
    assert {each["id"] for each in page.one("main").walk() if "data-live" in each.attributes} == {
        "activity-status",
        "activity-events",
        "activity-ledger",
    }


def test_only_the_newest_event_with_a_run_is_open(scene: Scene) -> None:
    for _ in range(2):
        run = scene.records_run(scene.delivered(), staged={"suppressed": (SuppressedFinding(titled("No"), "why"),)})

    page = scene.page()

    assert "open" in page.by_id(f"run-{run.id}-findings").attributes
    assert "open" not in page.by_id("run-run0-findings").attributes


def test_of_twenty_runs_with_hundreds_of_calls_only_the_newest_are_drawn(scene: Scene) -> None:
    """The calls of older events are counted, and shown where they are asked for."""
    finding = titled("No")
    for _ in range(20):
        guid = scene.delivered("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
        for call in range(60):
            scene.logs_call(guid, "dynamodb", "GetItem", call / 30, 0.02)
        scene.logs_outcome(guid, "completed")
        scene.records_run(guid, staged={"suppressed": (SuppressedFinding(finding, "why"),) * 10})
    oldest = scene.deliveries[0].guid
    page = scene.page()

    assert len(page.all("section", "run")) == 20
    assert len(page.all("svg")) == 8
    assert event(page, oldest).all("svg") == []
    asked = event(page, oldest).one("ol", "invocations").one("a")
    assert asked.text == "60 external calls in 2 s"
    assert asked["href"] == f"/acme/widgets/pull/{scene.number}/activity?event={oldest}#event-{oldest}"
    assert len(event(scene.page(f"?event={oldest}"), oldest).all("svg")) == 1


def test_the_ledger_is_read_again_after_each_invocation(scene: Scene) -> None:
    guid = scene.delivered()
    scene.logs_outcome(guid, "retry")
    scene.page()
    before = scene.ledger.reads

    scene.logs_outcome(guid, "completed", request="r2")
    scene.records_run(guid)
    page = scene.page()

    assert scene.ledger.reads == before + 1
    assert len(page.all("section", "run")) == 1
