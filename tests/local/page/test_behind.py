"""The tab "Behind the bot": each event with what became of it, each run with its findings, calls and cost."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judgement import SuppressedFinding
from kodiai.core.findings.known import Evidence, KnownFinding, Past
from kodiai.core.review.check import Check
from kodiai.core.review.review import PendingReview, Review, ReviewComment, ThreadAction
from kodiai.core.review.run import Run, Spending, UnreadableFindings
from kodiai.core.settings import Price
from kodiai.core.words.markers import answer_marker
from local.github import LocalGitHub
from local.github.views import node_id
from local.github.webhooks import Delivery
from local.journal import Journal
from local.page import Site
from local.page.behind import BehindTheBot
from tests.builders import a_finding, a_known, followed, kept
from tests.git_repository import GitRepository
from tests.local.page.reader import Element, Page, Reader

BEGAN = 1_795_336_150.0
MODEL = "claude-sonnet-5-5"
NOTHING_POSTED = "No review was posted: there was nothing to say that was not said before."
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
    "unread": 1,
    "judged": 4,
    "unjudged": 1,
    "dropped": {"wrong": 2, "not-worth-it": 1},
    "threads_resolved": [],
}


@dataclass
class Memory:
    """A ledger that was filled by hand."""

    kept_runs: list[Run] = field(default_factory=list)
    kept_findings: list[KnownFinding] = field(default_factory=list)
    kept_histories: dict[str, tuple[Past, ...]] = field(default_factory=dict)
    kept_records: list[Mapping[str, Any]] = field(default_factory=list)
    spent: Spending = field(default_factory=lambda: Spending(0.0, 0.0))
    reads: int = 0
    is_readable: bool = True

    def runs(self) -> tuple[Run, ...]:
        self.reads += 1
        return tuple(self.kept_runs)

    def findings(self) -> tuple[KnownFinding, ...]:
        if not self.is_readable:
            raise UnreadableFindings("the findings of earlier reviews cannot be read")
        return tuple(self.kept_findings)

    def histories(self) -> Mapping[str, tuple[Past, ...]]:
        return self.kept_histories

    def records(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.kept_records)

    def spending(self) -> Spending:
        return self.spent


@dataclass
class Scene:
    """One pull request, and what was written down of it."""

    github: LocalGitHub
    reader: Reader
    number: int
    deliveries: list[Delivery] = field(default_factory=list)
    journal: Journal = field(default_factory=lambda: Journal(None))
    ledger: Memory = field(default_factory=Memory)
    prices: dict[str, Price] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=count)

    def comes_in(self, event: str = "pull_request", action: str = "opened", *, guid: str = "", **given: Any) -> str:
        """Have a delivery come in, and return its GUID."""
        at = next(self._ids)
        outcome = given.pop("outcome", "queued")
        response = json.dumps({"outcome": outcome, "reason": given.pop("reason", "It will be looked at.")})
        status = given.pop("status", 202 if outcome == "queued" else 200)
        about = {} if "check_run" in given else {"pull_request": {"number": self.number}}
        payload = {"sender": {"login": given.pop("by", "octocat")}, **about, **given}
        guid = guid or f"guid-{at}"
        again = any(delivery.guid == guid for delivery in self.deliveries)
        self.deliveries.append(
            Delivery(at, guid, event, action, json.dumps(payload).encode(), BEGAN + at, again, status, response)
        )
        return guid

    def says(
        self, guid: str, outcome: str, *, function: str = "ReviewFunction", request: str = "r1", **more: Any
    ) -> None:
        """Have a function tell how a try ended, which took two seconds."""
        line = {"message": "outcome", "outcome": outcome, "reason": "", "attempt": 1, "seconds": 2.0}
        own = {"function": function, "function_request_id": request, "delivery": guid}
        self.journal.add({"timestamp": "2026-11-22 08:29:12,000+0000", **line, **own, **more})

    def calls(self, guid: str, to: str, what: str, at: float, seconds: float, **more: Any) -> None:
        """Have a function tell of a call that began `at` seconds after it did."""
        own = {"function": "ReviewFunction", "function_request_id": "r1", "delivery": guid}
        line = {"message": "call", "to": to, "what": what, "began": BEGAN + at, "seconds": seconds, "status": 200}
        self.journal.add({**line, **own, **more})

    def runs(self, guid: str, *, staged: Mapping[str, Any] | None = None, **given: Any) -> Run:
        """Have a run be written down as completed; `staged` is what is other than in an empty outbox."""
        facts = {**FACTS, **given.pop("facts", {})}
        outbox = PendingReview(
            **{"review": None, "findings": (), "facts": facts, "check": Check("", ""), **(staged or {})}
        )
        at = len(self.ledger.kept_runs)
        made = {"id": f"run{at}", "head": HEAD, "base": OLD_HEAD, "status": "completed", "started": BEGAN + 10 * at}
        more = {"delivery": guid, "staged": outbox, "facts": facts, "ended": BEGAN + 10 * at + 5}
        self.ledger.kept_runs.append(Run(**{**made, **more, **given}))
        return self.ledger.kept_runs[-1]

    def knows(self, *known: KnownFinding, at: float = BEGAN + 5) -> None:
        """Have findings be written down as told at one moment, and as they stand ever since."""
        self.ledger.kept_findings += known
        for each in known:
            told = (Past(int(at), HEAD, "open", "told"),)
            self.ledger.kept_histories[each.id] = (
                told if each.status == "open" else (*told, Past(int(at) + 60, HEAD, each.status, "it was said"))
            )

    def page(self, query: str = "") -> Page:
        """The tab."""
        page = self.reader.read(f"/acme/widgets/pull/{self.number}/behind{query}")
        assert page.status == 200
        return page


class Played:
    """The scene of the test that runs."""

    scene: Scene

    def of(self, delivery: str) -> list[Mapping[str, Any]]:
        return self.scene.journal.of(delivery)


@pytest.fixture(scope="module")
def played(repository: GitRepository) -> Iterator[tuple[Played, LocalGitHub, str, str]]:
    """A site with the tab, which shows whatever scene is played; and a head and a base to open pull requests of."""
    base = repository.commit({"src/app.py": "a = 1\n"}, "refs/heads/main")
    head = repository.commit({"src/app.py": "a = 2\n"}, base)
    now = Played()
    tab = BehindTheBot(lambda _: now.scene.ledger, now, lambda: now.scene.deliveries, lambda: now.scene.prices)
    with LocalGitHub(repository.path) as github:
        github.show(Site(github.world, github, behind=tab.view))
        yield now, github, head, base


@pytest.fixture
def scene(played: tuple[Played, LocalGitHub, str, str]) -> Iterator[Scene]:
    now, github, head, base = played
    with Reader(github.url) as reader:
        now.scene = Scene(github, reader, github.open_pull_request(head, base, title="Totals"))
        yield now.scene


def event(page: Page, guid: str) -> Element:
    return page.by_id(f"event-{guid}")


def tries(shown: Element) -> list[str]:
    """What the functions did, each in its sentence."""
    return [each.all("p")[0].text for each in shown.one("ol", "tries").all("li")]


def fates(shown: Element) -> dict[str, list[str]]:
    """The findings of a run by the title of their group, each as it is read."""
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


def test_before_anything_has_come_in_the_tab_says_so(scene: Scene) -> None:
    page = scene.page()

    assert page.by_id("behind-events").text == "Nothing has come in yet."
    assert page.by_id("behind-standing").one("p").text == "No run has been completed yet."
    assert "It knows of no finding." in page.by_id("behind-ledger").text
    assert "Nothing is written down yet." in page.by_id("behind-records").text


def test_events_of_which_nothing_comes_say_why_in_one_line(scene: Scene) -> None:
    """Those that follow each other for the same reason share the line."""
    ours = {"outcome": "nothing", "reason": "We did this.", "by": "kodiai[bot]"}
    said = {"id": 5, "body": "Nice weather"}
    first = scene.comes_in("pull_request_review", "submitted", **ours)
    scene.comes_in("pull_request_review_comment", "created", **ours, comment={"id": 4, "body": "x"})
    alone = scene.comes_in("issue_comment", "created", outcome="nothing", reason="Nobody is called.", comment=said)

    page = scene.page()

    together, other = event(page, first), event(page, alone)
    assert together.one("summary").text == "2 events by kodiai[bot] nothing followed: We did this."
    assert [each.text.partition("kodiai[bot] ")[2] for each in together.all("li")] == [
        "began a thread on the code pull_request_review_comment · created See it there",
        "submitted a review pull_request_review · submitted",
    ]
    assert other.one("summary").text == "octocat wrote in the conversation nothing followed: Nobody is called."
    assert other.one("a")["href"] == f"/acme/widgets/pull/{scene.number}#issuecomment-5"
    assert [each["id"] for each in page.by_id("behind-events").children if isinstance(each, Element)] == [
        f"event-{alone}",
        f"event-{first}",
    ]


def test_each_try_tells_how_it_ended(scene: Scene) -> None:
    guid = scene.comes_in("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
    scene.says(guid, "queued", function="IngestFunction", request="r0")
    scene.says(guid, "retry", reason="GitHub is busy: 502 Server Error")
    scene.says(guid, "completed", request="r2", attempt=2, run="run0")
    scene.runs(guid)

    shown = event(scene.page(), guid)

    assert shown.one("header").text.startswith("octocat pushed bbbbbbb onto aaaaaaa reviewed")
    assert shown.one("p", "came").text == "pull_request · synchronize queued (202): It will be looked at."
    assert tries(shown) == [
        "Ingest (2 s) put it in line",
        "Review (2 s) could not do it now, so that it is tried again: GitHub is busy: 502 Server Error",
        "Review, try 2 (2 s) completed the review",
    ]


def test_a_push_that_waits_and_gives_way_says_so(scene: Scene) -> None:
    """Being put back is no try."""
    guid = scene.comes_in("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
    scene.says(guid, "waiting", reason="a newer push may come", attempt=0)
    scene.says(guid, "superseded", reason="a newer push came: ccccccc", request="r2")

    shown = event(scene.page(), guid)

    assert tries(shown) == [
        "Review (2 s) put it back for a while: a newer push may come",
        "Review (2 s) gave way: a newer push came: ccccccc",
    ]


@pytest.mark.parametrize(
    ("action", "more", "did"),
    [
        ("labeled", {"label": {"name": "ready"}}, "added the label ready"),
        ("unlabeled", {"label": {"name": "wip"}}, "took the label wip away"),
        ("edited", {"changes": {"base": {"ref": {"from": "main"}}}}, "changed the base branch"),
        ("edited", {"changes": {"title": {"from": "A change"}}}, "edited the pull request"),
    ],
)
def test_a_label_and_another_base_branch_are_said_in_words(
    scene: Scene, action: str, more: Mapping[str, Any], did: str
) -> None:
    guid = scene.comes_in("pull_request", action, **more)
    scene.says(guid, "skipped", reason="labels.only does not name ready")

    shown = event(scene.page(), guid)

    assert shown.one("header").text.startswith(f"octocat {did} skipped")
    assert tries(shown) == ["Review (2 s) did nothing: labels.only does not name ready"]


@pytest.mark.parametrize(
    ("outcome", "more", "result"),
    [
        ("skipped", {"reason": "the pull request is a draft"}, "skipped"),
        ("crashed", {"reason": "KeyError: 'a'", "buried": True, "attempt": 5}, "given up"),
        ("unchanged", {}, "nothing new"),
    ],
)
def test_what_became_of_an_event_stands_beside_it(
    scene: Scene, outcome: str, more: Mapping[str, Any], result: str
) -> None:
    guid = scene.comes_in()
    scene.says(guid, outcome, **more)

    shown = event(scene.page(), guid)

    assert shown.one("header").one("span", "chip").text == result
    assert str(more.get("reason", "")) in tries(shown)[-1]
    assert ("among the dead letters" in tries(shown)[-1]) == bool(more.get("buried"))


def test_an_event_waits_for_its_answer_and_its_run(scene: Scene) -> None:
    waiting = scene.comes_in()
    unheard = scene.comes_in(status=0, outcome="")
    scene.deliveries[-1].response, scene.deliveries[-1].error = "", "Connection refused"
    running = scene.comes_in()
    scene.calls(running, "github", "GET /user", 0.1, 0.2)

    page = scene.page()

    assert event(page, waiting).one("header").one("span", "chip").text == "in line"
    assert event(page, unheard).one("header").one("span", "chip").text == "no answer"
    assert "Connection refused" in event(page, unheard).text
    assert event(page, running).one("header").one("span", "chip").text == "under way"
    assert tries(event(page, running)) == ["Review has not told how it ended"]


def test_a_function_that_dies_is_told_with_the_calls_that_it_made(scene: Scene) -> None:
    guid = scene.comes_in()
    scene.calls(guid, "github", "GET /user", 0.1, 0.2)
    scene.journal.add({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out", "requestId": "r1",
                       "function": "ReviewFunction"})  # fmt: skip
    scene.says(guid, "completed", request="r2", attempt=2)

    shown = event(scene.page(), guid)

    assert tries(shown) == [
        "Review died: Sandbox.Timedout: Task timed out",
        "Review, try 2 (2 s) completed the review",
    ]
    assert "1 outside call in" in shown.one("ol", "tries").all("li")[0].text


def test_an_event_that_comes_again_stands_there_once(scene: Scene) -> None:
    guid = scene.comes_in()
    scene.comes_in(guid=guid, reason="It was seen before.")

    shown = event(scene.page(), guid)

    assert shown.one("p", "came").text == (
        "pull_request · opened queued (202): It will be looked at. delivered again: queued (202): It was seen before."
    )


def test_events_of_other_pull_requests_are_not_shown(scene: Scene) -> None:
    named = "acme/widgets#{}@" + HEAD
    scene.comes_in(pull_request={"number": scene.number + 1})
    scene.comes_in("check_run", "rerequested", check_run={"external_id": named.format(scene.number + 1)})
    ours = scene.comes_in("check_run", "rerequested", check_run={"external_id": named.format(scene.number)})

    page = scene.page()

    assert [each["id"] for each in page.all("article")] == [f"event-{ours}"]
    assert event(page, ours).one("h3").text == "octocat asked for the check run once more"


def test_a_run_tells_what_it_read_and_what_it_cost(scene: Scene) -> None:
    comments = (ReviewComment("src/app.py", 12, None, "text"),)
    guid = scene.comes_in()
    run = scene.runs(guid, staged={"review": Review("COMMENT", "text", comments)}, review_id="77")

    shown = scene.page().by_id(f"run-{run.id}")

    assert shown.one("p", "lead").text == (
        "Everything was read, because it is the first look at this pull request. "
        "Posted a review with 1 inline comment (COMMENT). See the review"
    )
    assert shown.one("p", "lead").one("a")["href"] == f"/acme/widgets/pull/{scene.number}#pullrequestreview-77"
    told = figures(shown)
    assert told.pop("Began")
    assert told == {
        "Commits": "aaaaaaa..bbbbbbb",
        "Files read": "2 of 3",
        "Files left unread": "1",
        "Hunks asked about": "4 of 5",
        "Depth": "lite",
        "Reviewers": "generalist, correctness",
        "Earlier findings asked about": "1",
        "Findings judged": "4, and 1 not verified",
        "Findings dropped": "2 wrong, 1 not worth it",
        "Verdict": "to be addressed before merging",
        "Models": MODEL,
        "Tokens": "2 answers, 5,000 tokens in (4,000 from cache), 300 out",
        "Cost": "$0.0123",
        "Took": "about 5 s",
    }
    read, skipped = shown.all("ul", "paths")
    assert read.texts("li") == ["src/app.py", "src/orders.py"]
    assert skipped.texts("li") == ["poetry.lock lock file"]


def test_a_run_of_offline_checks_has_no_verdict(scene: Scene) -> None:
    """Neither the run nor the pull request is called ready: no model has read it."""
    run = scene.runs(scene.comes_in(), facts={"verdict": "no-verdict", "unread": 0})

    page = scene.page()

    assert figures(page.by_id(f"run-{run.id}"))["Verdict"] == "Offline checks only: no verdict"
    assert page.by_id("behind-standing").one("p").text.endswith(" Offline checks only: no verdict.")


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"mode": "incremental", "reason": "since-aaaaaaa"},
            f"4 of 5 hunks are new since aaaaaaa; only these were asked about. {NOTHING_POSTED}",
        ),
        (
            {"mode": "unchanged", "reason": "since-aaaaaaa"},
            "No changed line is other than at aaaaaaa, so nobody was asked and nothing was posted.",
        ),
        (
            {"reason": "requested"},
            f"Everything was read, because somebody asked for everything anew. {NOTHING_POSTED}",
        ),
        (
            {"reason": "config-changed"},
            "Everything was read, because the repository's settings have changed since the last review. "
            + NOTHING_POSTED,
        ),
    ],
)
def test_a_run_says_why_it_read_this_much(scene: Scene, facts: Mapping[str, Any], sentence: str) -> None:
    run = scene.runs(scene.comes_in(), facts=facts)

    assert scene.page().by_id(f"run-{run.id}").one("p", "lead").text == sentence


def test_a_review_that_is_composed_is_not_yet_posted(scene: Scene) -> None:
    staged = {"review": Review("REQUEST_CHANGES", "text", ())}
    run = scene.runs(scene.comes_in(), staged=staged, status="running", ended=None)

    page = scene.page()

    assert page.by_id(f"run-{run.id}").one("h4").text == f"Run {run.id} full under way"
    assert (
        page.by_id(f"run-{run.id}")
        .one("p", "lead")
        .text.endswith("Composed a review with no comments (REQUEST_CHANGES), which is about to be posted.")
    )
    assert page.by_id("behind-standing").one("p").text == "A run on bbbbbbb is under way."


def test_a_run_that_ended_without_a_review_says_why(scene: Scene) -> None:
    why = "the head moved on to ccccccc"
    run = scene.runs(scene.comes_in(), status="superseded", staged=None, facts={}, ended_why=why)
    scene.ledger.kept_runs[0] = replace(run, staged=None, facts={})

    shown = scene.page().by_id(f"run-{run.id}")

    assert shown.one("h4").text == f"Run {run.id} superseded"
    assert shown.one("p", "lead").text == why


def test_every_finding_of_a_run_is_there_with_its_fate_and_its_reason(scene: Scene) -> None:
    place = "src/app.py:12"
    names = "new body mended settled again graver stays untouched dropped listed"
    new, body, mended, settled, again, graver, stays, untouched, dropped, listed = (
        titled(f"Problem {name}") for name in names.split()
    )
    evidence = Evidence("src/app.py", "return 0")
    was = [
        followed(mended, "resolved", {"evidence": evidence, "comment_id": "21"}, why="The total is set first."),
        followed(settled, "settled", why="ann decided so"),
        followed(again, "reopened", why="the code is as it was"),
        followed(graver, "raised", why="It is read in a loop now."),
        followed(stays, why="The line was moved, not mended."),
    ]
    staged = {
        "findings": (kept(new), kept(body, inline=False)),
        "followed": tuple(was),
        "acts": (ThreadAction("t", was[3].id, say="It is **graver** now."), ThreadAction("t", was[0].id, resolve=True)),
        "dropped": (
            SuppressedFinding(dropped, "The first line returns.", "wrong"),
            SuppressedFinding(listed, "a linter says it", "not-worth-it"),
        ),
    }
    scene.runs(scene.comes_in())
    run = scene.runs(scene.comes_in(), staged=staged, facts={"threads_resolved": [was[0].id]})
    scene.knows(*(each.known for each in was), a_known(untouched))
    scene.knows(
        a_known(new, id=kept(new).id, comment_id=node_id("PRRC", 31)), a_known(body, comment_id=None), at=BEGAN + 15
    )

    shown = scene.page().by_id(f"run-{run.id}")

    shows = "What shows it, in src/app.py: return 0"
    nothing_shows = "nothing shows that it is resolved, and nobody has decided about it"
    assert fates(shown) == {
        "New": [
            f"MAJOR Problem new {place} posted inline",
            f"MAJOR Problem body {place} counts, without an inline comment",
        ],
        "Resolved": [
            f"MAJOR Problem mended {place} the code shows it; its thread was resolved The total is set first. {shows}"
        ],
        "Settled by people": [f"MAJOR Problem settled {place} ann said that it stays as it is ann decided so"],
        "Opened again": [f"MAJOR Problem again {place} the code is as it was"],
        "Graver than before": [
            f"MAJOR Problem graver {place} was MEDIUM It is read in a loop now. Said in its thread: It is graver now."
        ],
        "Still open": [
            f"MAJOR Problem stays {place} The line was moved, not mended.",
            f"MAJOR Problem untouched {place} {nothing_shows}",
        ],
        "Dropped": [
            f"MAJOR Problem dropped {place} wrong The first line returns.",
            f"MAJOR Problem listed {place} not worth it a linter says it",
        ],
    }
    address = f"/acme/widgets/pull/{scene.number}#discussion_r"
    links = {link.text: link["href"] for link in shown.all("a")}
    assert (links["Problem new"], links["Problem mended"]) == (f"{address}31", f"{address}21")
    assert "Problem body" not in links
    assert shown.one("ul", "counts").texts("li")[0] == "2 new"


def test_a_run_knows_nothing_of_what_later_runs_told(scene: Scene) -> None:
    early, late = titled("Early"), titled("Late")
    first = scene.runs(scene.comes_in(), staged={"findings": (kept(early),)})
    second = scene.runs(scene.comes_in(), staged={"findings": (kept(late),)})
    back = scene.runs(scene.comes_in(), staged={"findings": (kept(early),)})
    scene.knows(a_known(early, id=kept(early).id), a_known(late, id=kept(late).id))

    page = scene.page()

    assert {title: len(found) for title, found in fates(page.by_id(f"run-{first.id}")).items()} == {"New": 1}
    assert list(fates(page.by_id(f"run-{second.id}"))) == ["New", "Still open"]
    assert "it was resolved, and is back" in fates(page.by_id(f"run-{back.id}"))["New"][0]


def test_an_answer_tells_what_was_understood_and_what_it_settled(scene: Scene) -> None:
    comment = scene.github.comment(scene.number, "@kodiai won't fix. Why?", login="ann")
    key = f"conversation-{comment}"
    answer = scene.github.comment(scene.number, f"Because.\n\n{answer_marker(key)}", login="kodiai[bot]")
    scene.github.comment(scene.number, f"Mine.\n\n{answer_marker(key)}", login="mallory")
    said = {"id": comment, "body": "@kodiai won't fix. Why?"}
    guid = scene.comes_in("issue_comment", "created", by="ann", comment=said)
    told: dict[str, Any] = {"understood": "won't fix, question", "permission": "write", "key": key, "cost_usd": 0.004}
    scene.says(guid, "answered", function="MentionFunction", **told)
    scene.knows(a_known(titled("Slow"), status="wont_fix", settled_by="ann", decided=key, decided_at=1))

    shown = event(scene.page(), guid)

    assert shown.one("p", "lead").text == (
        "Understood as won't fix, question, from somebody with the permission “write”. "
        "See the answer, which cost $0.0040."
    )
    assert shown.one("p", "lead").one("a")["href"].endswith(f"#issuecomment-{answer}")
    assert shown.one("blockquote").text == "@kodiai won't fix. Why? See it there"
    assert shown.one("p", "finding").text == "MAJOR Slow src/app.py:12 ann said that it stays as it is"
    assert tries(shown) == ["Answer (2 s) answered"]


def test_outside_calls_stand_on_a_time_line_with_a_lane_for_each_system(scene: Scene) -> None:
    """The try took two seconds, so a second is half the width; what is under way at once stands one below the other."""
    scene.prices[MODEL] = Price(input=3, output=15, cache_read=1, cache_write=1)
    guid = scene.comes_in()
    model = {"model": MODEL, "input_tokens": 1_000, "output_tokens": 100, "stop_reason": "end_turn"}
    scene.calls(guid, "model", "POST /v1/messages", 0.0, 1.0, **model, cache_read_tokens=2_000, cache_write_tokens=0)
    scene.calls(guid, "model", "POST /v1/messages", 0.5, 1.0, model="free", input_tokens=7, output_tokens=1)
    scene.calls(guid, "model", "POST /v1/messages", 1.5, 0.5, **model)
    scene.calls(guid, "github", "GET /repos/{owner}/{repo}/pulls", 0.2, 0.4, status=502)
    scene.calls(guid, "github", "GET /repos/{owner}/{repo}/contents", 0.7, 0.1, status=404)
    scene.calls(guid, "github", "GET /user", 0.9, 0.1, status=None, error="ReadTimeout")
    scene.says(guid, "retry")

    shown = event(scene.page(), guid)

    svg = shown.one("svg")
    lanes = [text.text for text in svg.all("text", "lane")]
    assert lanes == [
        "GitHub 3 calls, 600 ms, 2 failed",
        "Model 3 calls, 2.50 s, price unknown",
        "DynamoDB none",
        "SQS none",
        "SSM none",
    ]
    bars = [(bar.one("rect")["x"], bar.one("rect")["width"]) for bar in svg.all("g", "model")]
    assert bars == [("0.000%", "50.000%"), ("25.000%", "50.000%"), ("75.000%", "25.000%")]
    first, second, third = (int(bar.one("rect")["y"]) for bar in svg.all("g", "model"))
    assert first == third < second
    assert [mark.all("text")[0].text for mark in svg.all("g", "failed")] == ["✕", "✕"]
    assert svg.texts("text", "tick") == ["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"]
    assert svg["aria-label"].startswith("6 outside calls in 2 s, 2 failed")
    asked = f"POST /v1/messages {MODEL}"
    cells = [row.texts("td") for row in shown.one("table").one("tbody").all("tr")]
    assert cells == [
        ["+0.000 s", "Model", asked, "200 end_turn", "1 s", "3,000 in (2,000 cached), 100 out", "$0.0065"],
        ["+0.200 s", "GitHub", "GET …/pulls", "✕ 502", "400 ms", "", ""],
        ["+0.500 s", "Model", "POST /v1/messages free", "200", "1 s", "7 in, 1 out", "price unknown"],
        ["+0.700 s", "GitHub", "GET …/contents", "404", "100 ms", "", ""],
        ["+0.900 s", "GitHub", "GET /user", "✕ no answer ReadTimeout", "100 ms", "", ""],
        ["+1.500 s", "Model", asked, "200 end_turn", "500 ms", "1,000 in, 100 out", "$0.0045"],
    ]  # fmt: skip


def test_a_model_that_costs_nothing_says_so(scene: Scene) -> None:
    scene.prices["offline-reviewer"] = Price(input=0, output=0, cache_read=0, cache_write=0)
    guid = scene.comes_in()
    scene.calls(guid, "model", "POST /v1/messages", 0.0, 1.0, model="offline-reviewer", input_tokens=7, output_tokens=1)
    scene.says(guid, "completed")

    shown = event(scene.page(), guid)

    assert shown.one("tbody").texts("td")[-1] == "nothing"
    assert shown.texts("text", "lane")[1] == "Model 1 call, 1 s, cost nothing"


def test_where_it_stands_is_told_in_plain_words(scene: Scene) -> None:
    scene.runs(scene.comes_in())
    scene.knows(
        a_known(titled("Open")),
        a_known(titled("Mended"), status="fixed"),
        a_known(titled("Settled"), status="wont_fix", settled_by="ann"),
    )
    scene.ledger.kept_records.append({"pk": "PR#acme/widgets#1", "sk": "STATE", "paused_by": "ann"})
    scene.ledger.spent = Spending(0.25, 1.5)

    standing = scene.page().by_id("behind-standing")

    assert standing.one("dl").texts("dd") == [
        "1 1 to be addressed",
        "1",
        "1",
        "$0.2500 $1.5000 in the repository this month",
    ]
    head = scene.github.state.pulls[scene.number].head_sha
    assert standing.one("p").text == (
        f"The last completed run read bbbbbbb, and the head is {head[:7]} by now. "
        "Something is to be addressed before merging. "
        "ann has paused the reviews: only who asks for one by name gets one."
    )


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"unread": 1, "verdict": "not-fully-reviewed"}, "It is not fully reviewed."),
        ({"unread": 0, "verdict": "nothing-to-read"}, "There was nothing to read."),
        ({"unread": 0, "verdict": "ready"}, "Nothing stands in the way of merging."),
    ],
)
def test_what_was_not_read_is_never_called_ready(scene: Scene, facts: Mapping[str, Any], sentence: str) -> None:
    """The standing counts what the last completed run left unread, not only the findings that are open."""
    scene.runs(scene.comes_in(), facts=facts)

    assert scene.page().by_id("behind-standing").one("p").text.endswith(f" {sentence}")


def test_the_ledger_is_shown_with_each_findings_history_and_the_raw_records(scene: Scene) -> None:
    known = a_known(titled("Settled"), status="wont_fix", settled_by="ann")
    scene.knows(known)
    scene.ledger.kept_records += [
        {"pk": "p", "sk": "STATE", "turns": 1},
        {"pk": "p", "sk": "LONG", "text": "x" * 5_000},
    ]

    page = scene.page()

    assert [each.text.partition("UTC ")[2] for each in page.by_id(f"behind-{known.id}").one("ol").all("li")] == [
        "bbbbbbb open: told",
        "bbbbbbb won't fix: it was said",
    ]
    state, long = page.by_id("behind-records").all("details", "record")
    assert (state.one("summary").text, json.loads(state.one("pre").text)) == ("STATE", {"turns": 1})
    assert long.one("pre").text.endswith("characters more")


def test_findings_that_cannot_be_read_are_told_of(scene: Scene) -> None:
    scene.ledger.is_readable = False
    scene.runs(scene.comes_in())

    assert "the findings of earlier reviews cannot be read" in scene.page().by_id("behind-standing").text


def test_a_run_whose_delivery_is_not_in_the_log_is_shown_all_the_same(scene: Scene) -> None:
    run = scene.runs("from-elsewhere")

    shown = event(scene.page(), "from-elsewhere")

    assert shown.one("h3").text == "Somebody asked for a review; how is not in the log of deliveries"
    assert shown.one("section", "run")["id"] == f"run-{run.id}"


HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\u202e"


def test_a_script_does_nothing_but_show(scene: Scene) -> None:
    """Wherever a text comes from: people, models, paths, the answers of other systems, the ledger."""
    finding = titled(HOSTILE, path=f"src/{HOSTILE}.py", caveat=HOSTILE)
    away = followed(titled("x" + HOSTILE), "resolved", {"evidence": Evidence(HOSTILE, HOSTILE)}, why=HOSTILE)
    staged = {
        "findings": (kept(finding),),
        "followed": (away,),
        "dropped": (SuppressedFinding(finding, HOSTILE),),
        "acts": (ThreadAction("t", away.id, say=HOSTILE),),
    }
    comment = {"id": 5, "body": HOSTILE}
    guid = scene.comes_in("issue_comment", HOSTILE, by=HOSTILE, reason=HOSTILE, comment=comment)
    quiet: dict[str, Any] = {"outcome": "nothing", "by": HOSTILE, "reason": HOSTILE, "comment": comment}
    scene.comes_in(HOSTILE, HOSTILE, **quiet)
    facts = {"skipped": [{"path": HOSTILE, "reason": HOSTILE}], "changed_files": [HOSTILE], "tier": HOSTILE}
    facts |= {"models": [HOSTILE], "reviewers": [HOSTILE], "reason": HOSTILE}
    scene.runs(guid, staged=staged, facts=facts)
    scene.runs(guid, staged={}, status="failed", ended_why=HOSTILE)
    scene.calls(guid, HOSTILE, HOSTILE, 0.0, 1.0, error=HOSTILE, model=HOSTILE, input_tokens=1, stop_reason=HOSTILE)
    told = {"understood": HOSTILE, "permission": HOSTILE, "warning": HOSTILE, "key": HOSTILE, "run": HOSTILE}
    scene.says(guid, "skipped", reason=HOSTILE, function="MentionFunction", request="r2", **told)
    settled = a_known(titled("y" + HOSTILE), status="wont_fix", settled_by=HOSTILE, decided=HOSTILE)
    scene.knows(away.known, settled)
    scene.ledger.kept_records.append({"sk": HOSTILE, "text": HOSTILE, "paused_by": HOSTILE})
    scene.ledger.kept_records.append({"sk": "STATE", "paused_by": HOSTILE})

    text = scene.reader.get(f"/acme/widgets/pull/{scene.number}/behind").text
    page = scene.page()

    main = page.one("main")
    assert text.count("<script") == 1  # the site's own
    assert main.all("script") == main.all("img") == []
    assert "\u202e" not in text
    assert [each for each in page.walk() if any(name.startswith(("on", "style")) for name in each.attributes)] == []
    assert main.text.count("alert(1)") > 25


def test_every_part_that_changes_has_a_name_of_its_own(scene: Scene) -> None:
    """The script that follows live goes by them."""
    for number in range(3):
        guid = scene.comes_in("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
        scene.calls(guid, "github", "GET /user", 0.1, 0.2)
        scene.says(guid, "completed")
        scene.runs(guid, staged={"dropped": (SuppressedFinding(titled(f"No {number}"), "why"),)})
    scene.knows(a_known(titled("Open")))
    scene.ledger.kept_records.append({"sk": "STATE"})

    page = scene.page()

    assert len(page.ids) == len(set(page.ids))
    assert all("id" in each.attributes for each in page.one("main").all("details"))
    assert {each["id"] for each in page.one("main").walk() if "data-live" in each.attributes} == {
        "behind-standing",
        "behind-events",
        "behind-ledger",
    }


def test_only_the_newest_event_with_a_run_is_open(scene: Scene) -> None:
    for _ in range(2):
        run = scene.runs(scene.comes_in(), staged={"dropped": (SuppressedFinding(titled("No"), "why"),)})

    page = scene.page()

    assert "open" in page.by_id(f"run-{run.id}-findings").attributes
    assert "open" not in page.by_id("run-run0-findings").attributes


def test_of_twenty_runs_with_hundreds_of_calls_only_the_newest_are_drawn(scene: Scene) -> None:
    """The calls of older events are counted, and shown where they are asked for."""
    finding = titled("No")
    for _ in range(20):
        guid = scene.comes_in("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
        for call in range(60):
            scene.calls(guid, "dynamodb", "GetItem", call / 30, 0.02)
        scene.says(guid, "completed")
        scene.runs(guid, staged={"dropped": (SuppressedFinding(finding, "why"),) * 10})
    oldest = scene.deliveries[0].guid
    page = scene.page()

    assert len(page.all("section", "run")) == 20
    assert len(page.all("svg")) == 8
    assert event(page, oldest).all("svg") == []
    asked = event(page, oldest).one("ol", "tries").one("a")
    assert asked.text == "60 outside calls in 2 s"
    assert asked["href"] == f"/acme/widgets/pull/{scene.number}/behind?event={oldest}#event-{oldest}"
    assert len(event(scene.page(f"?event={oldest}"), oldest).all("svg")) == 1


def test_the_ledger_is_read_anew_whenever_a_try_has_ended(scene: Scene) -> None:
    guid = scene.comes_in()
    scene.says(guid, "retry")
    scene.page()
    before = scene.ledger.reads

    scene.says(guid, "completed", request="r2")
    scene.runs(guid)
    page = scene.page()

    assert scene.ledger.reads == before + 1
    assert len(page.all("section", "run")) == 1
