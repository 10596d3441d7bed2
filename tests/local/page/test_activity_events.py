"""The tab "Bot activity": each event with its result, the ends of its invocations, and their calls."""

from collections.abc import Mapping
from typing import Any

from kodiai.core.findings.known import Evidence
from kodiai.core.findings.markers import answer_marker
from kodiai.core.judge.judgement import SuppressedFinding
from kodiai.core.model.prices import Price
from kodiai.core.review.review import ThreadAction
from tests.builders import a_known, followed, kept
from tests.local.page.activity_scene import HEAD, MODEL, OLD_HEAD, Scene, event, invocations, titled
from tests.local.page.reader import Element
from tests.tables import each_row


def test_before_the_first_event_the_tab_says_so(scene: Scene) -> None:
    page = scene.page()

    assert page.by_id("activity-events").text == "No events yet."
    assert page.by_id("activity-status").one("p").text == "No review has been completed yet."
    assert "No findings." in page.by_id("activity-ledger").text
    assert "No records yet." in page.by_id("activity-records").text


def test_ignored_events_share_a_line_with_their_reason(scene: Scene) -> None:
    """Consecutive ones with the same reason; the newest come first, and a comment is linked."""
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
    shown = [each["id"] for each in page.by_id("activity-events").children if isinstance(each, Element)]
    assert shown == [f"event-{alone}", f"event-{first}"]


PUSHED: Mapping[str, Any] = {"action": "synchronize", "before": OLD_HEAD, "after": HEAD}


@each_row(("webhook", "outcomes", "title", "shown"), [
    (
        PUSHED,
        [("queued", {"function": "IngestFunction", "request": "r0"}),
         ("retry", {"reason": "GitHub is busy: 502 Server Error"}), ("completed", {"attempt": 2})],
        "octocat pushed bbbbbbb (was aaaaaaa) reviewed",
        ["Ingest (2 s) queued", "Review (2 s) failed, will be retried: GitHub is busy: 502 Server Error",
         "Review, attempt 2 (2 s) completed the review"],
    ),
    (
        PUSHED,
        [("waiting", {"reason": "a newer push may come", "attempt": 0}),
         ("superseded", {"reason": "a newer push came: ccccccc"})],
        "octocat pushed bbbbbbb (was aaaaaaa) superseded",
        ["Review (2 s) delayed: a newer push may come", "Review (2 s) superseded: a newer push came: ccccccc"],
    ),
    (
        {"action": "labeled", "label": {"name": "ready"}}, [("skipped", {"reason": "labels.only does not name ready"})],
        "octocat added the label ready skipped", ["Review (2 s) skipped: labels.only does not name ready"],
    ),
    (
        {"action": "unlabeled", "label": {"name": "wip"}}, [("completed", {})],
        "octocat removed the label wip reviewed", ["Review (2 s) completed the review"],
    ),
    (
        {"action": "edited", "changes": {"base": {"ref": {"from": "main"}}}}, [("unchanged", {})],
        "octocat changed the base branch no changes", ["Review (2 s) no changes to review"],
    ),
    (
        {"action": "edited", "changes": {"title": {"from": "A change"}}}, [("done", {})],
        "octocat edited the pull request done", ["Review (2 s) done"],
    ),
    (
        {}, [("crashed", {"reason": "KeyError: 'a'", "buried": True, "attempt": 5})],
        "octocat opened the pull request dead letter",
        ["Review, attempt 5 (2 s) crashed: KeyError: 'a'; moved to the dead-letter queue"],
    ),
])  # fmt: skip
def test_an_event_has_its_result_and_the_end_of_each_invocation(
    scene: Scene, webhook: Mapping[str, Any], outcomes: Any, title: str, shown: list[str]
) -> None:
    guid = scene.delivered(**webhook)
    for number, (outcome, more) in enumerate(outcomes):
        scene.logs_outcome(guid, outcome, **{"request": f"{guid}-{number}", **more})

    found = event(scene.page(), guid)

    assert found.one("header").text.startswith(title)
    assert invocations(found) == shown


def test_an_event_without_an_outcome_has_the_state_of_its_work(scene: Scene) -> None:
    """Queued, not accepted, in progress, killed; a killed function is shown with its calls."""
    waiting = scene.delivered()
    refused = scene.delivered(status=0, outcome="")
    scene.deliveries[-1].response, scene.deliveries[-1].error = "", "Connection refused"
    running, killed = scene.delivered(), scene.delivered()
    scene.logs_call(running, "github", "GET /user", 0.1, 0.2)
    scene.logs_call(killed, "github", "GET /user", 0.1, 0.2, function_request_id="r2")
    scene.journal.add({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out", "requestId": "r2",
                       "function": "ReviewFunction"})  # fmt: skip

    page = scene.page()

    results = [event(page, guid).one("header").one("span", "chip").text for guid in (waiting, refused, running, killed)]
    assert results == ["queued", "no response", "in progress", "killed"]
    assert "Connection refused" in event(page, refused).text
    assert invocations(event(page, running)) == ["Review no outcome yet"]
    assert invocations(event(page, killed)) == ["Review killed: Sandbox.Timedout: Task timed out"]
    assert "1 external call in" in event(page, killed).one("ol", "invocations").text


def test_an_event_is_shown_once_on_the_page_of_its_pull_request(scene: Scene) -> None:
    """A redelivery has the same GUID. A check run names its pull request in its external id."""
    named = "1#{}@" + HEAD
    scene.delivered(pull_request={"number": scene.number + 1})
    scene.delivered("check_run", "rerequested", check_run={"external_id": named.format(scene.number + 1)})
    ours = scene.delivered("check_run", "rerequested", check_run={"external_id": named.format(scene.number)})
    scene.delivered("check_run", "rerequested", guid=ours, check_run={"external_id": named.format(scene.number)},
                    reason="It was seen before.")  # fmt: skip

    page = scene.page()

    assert [each["id"] for each in page.all("article")] == [f"event-{ours}"]
    assert event(page, ours).one("h3").text == "octocat requested the check run again"
    assert event(page, ours).one("p", "came").text == (
        "check_run · rerequested queued (202): A review is queued. redelivered: queued (202): It was seen before."
    )


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
    scene.prices["free"] = Price(input=0, output=0, cache_read=0, cache_write=0)
    priced = event(scene.page(), guid)
    assert priced.one("tbody").all("tr")[2].texts("td")[-1] == "$0.00"
    assert priced.texts("text", "lane")[1] == "Model 3 calls, 2.5 s, cost $0.0110"


HOSTILE = "</title><script>alert(1)</script><iframe onload=alert(2)>\u202e"


def test_texts_of_others_cannot_act(scene: Scene) -> None:
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


def test_only_the_newest_of_twenty_runs_are_drawn_and_open(scene: Scene) -> None:
    """The calls of older events are counted, and shown on request.

    The live script finds every changing part by its id.
    """
    suppressed = (SuppressedFinding(titled("No"), "why"),) * 10
    for _ in range(20):
        guid = scene.delivered("pull_request", "synchronize", before=OLD_HEAD, after=HEAD)
        for call in range(60):
            scene.logs_call(guid, "dynamodb", "GetItem", call / 30, 0.02)
        scene.logs_outcome(guid, "completed")
        run = scene.records_run(guid, staged={"suppressed": suppressed})
    scene.records(a_known(titled("Open")))
    scene.ledger.kept_records.append({"sk": "STATE"})
    oldest = scene.deliveries[0].guid

    page = scene.page()

    main = page.one("main")
    assert (len(page.all("section", "run")), len(page.all("svg"))) == (20, 8)
    assert event(page, oldest).all("svg") == []
    asked = event(page, oldest).one("ol", "invocations").one("a")
    assert asked.text == "60 external calls in 2 s"
    assert asked["href"] == f"/acme/widgets/pull/{scene.number}/activity?event={oldest}#event-{oldest}"
    assert len(event(scene.page(f"?event={oldest}"), oldest).all("svg")) == 1
    opened = [
        each["id"] for each in main.all("details") if each["id"].endswith("-findings") and "open" in each.attributes
    ]
    assert opened == [f"run-{run.id}-findings"]
    assert len(page.ids) == len(set(page.ids))
    assert all("id" in each.attributes for each in main.all("details"))
    live = {each["id"] for each in main.walk() if "data-live" in each.attributes}
    assert live == {"activity-status", "activity-events", "activity-ledger"}


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
