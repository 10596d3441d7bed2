"""The kodiai command as a person runs it: a process of its own, its output, its exit status.

These take long because each one starts the whole system: where one run can show several things, it does.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.config import ReviewConfig
from local.github import LocalGitHub
from local.model import ModelStandIn
from local.sample import Planted, Sample, make_sample
from tests.checkout import Checkout
from tests.git_repository import GitRepository
from tests.review_form.reading import unlinked
from tests.specs.scripts import a_report, says

KODIAI = str(Path(sys.executable).with_name("kodiai"))
NO_VERDICT = "**Offline checks only: no verdict**"
BAD = "def add(item, items=[]):\n    return items\n"
WORSE = 'def is_paid(status):\n    return status is "paid"\n'
PUSH_KEYS = set(
    """
    head base mode reason files_total files_read skipped hunks_total hunks_asked changed_files model github review
    cost_usd delta threads_resolved findings seconds cpu_seconds
    """.split()
)
REPLY_KEYS = set(
    "kind by role to text understood outcome reason answer reactions model cost_usd findings review seconds".split()
)
MODEL_KEYS = set("calls input_tokens output_tokens cache_read_tokens cache_write_tokens prompt_characters".split())
FINDING_KEYS = set("id status severity category path line title settled_by".split())


def environment(**more: str) -> dict[str, str]:
    """The tests' environment without keys that would make it reach out."""
    foreign = ("ANTHROPIC_", "GITHUB_", "KODIAI_", "AWS_")
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | more


def kodiai(*arguments: str | Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    command = [KODIAI, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment(**env), cwd=cwd, check=False, timeout=240
    )


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What stands on stderr besides the steps, of which there is at least one."""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("… ")
    return [line for line in lines if not line.startswith("… ")]


Place = tuple[str, int]


def told_in(body: str) -> set[Place]:
    """Every line that the observations, or the new findings, of a review's body are about."""
    found = re.findall(r"^(?::new: )?\[[A-Z]+\] ([^\s`]+) \((\d+)(?:-(\d+))?\): ", body, re.MULTILINE)
    return {(path, line) for path, start, end in found for line in range(int(start), int(end or start) + 1)}


def resolved_in(body: str) -> list[tuple[str, str]]:
    """The path and the title of every finding that a review's body tells as resolved, sorted."""
    return sorted(re.findall(r"^:white_check_mark: \[[A-Z]+\] (\S+): (.+) -- resolved$", body, re.MULTILINE))


def commented_in(comments: list[dict[str, Any]]) -> set[Place]:
    """Every line that inline comments are about."""
    return {
        (comment["path"], line)
        for comment in comments
        for line in range(comment["start_line"] or comment["line"], comment["line"] + 1)
    }


@dataclass(frozen=True)
class SampleRun:
    """What one run of `kodiai review --sample` has left, and the sample that it reviewed."""

    done: subprocess.CompletedProcess[str]
    sample: Sample
    pushes: list[dict[str, Any]]
    page: str

    def brought_by(self, push: int) -> dict[Place, Planted]:
        """What rules can know of what is planted in this push (from 0), by where it stands then."""
        brought = [planted for planted in self.sample.planted if planted.knowable and planted.push == push]
        return {self._place(planted): planted for planted in brought}

    def _place(self, planted: Planted) -> Place:
        """The path and the number of the line that reads so."""
        revision = f"{self.sample.pushes[planted.push].head}:{planted.path}"
        command = ["git", "-C", str(self.sample.path), "show", revision]
        shown = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        return planted.path, [line.strip() for line in shown.split("\n")].index(planted.line) + 1


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> SampleRun:
    """The bundled sample, reviewed once for the tests that only look at what came of it."""
    folder = tmp_path_factory.mktemp("run")
    done = kodiai("review", "--sample", "--json", folder / "r.json", "--html", folder / "r.html")
    assert (done.returncode, complaints(done)) == (0, [])
    pushes = json.loads((folder / "r.json").read_text())["pushes"]
    return SampleRun(done, make_sample(folder / "harbour"), pushes, (folder / "r.html").read_text())


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A repository with a clean main."""
    made = GitRepository(tmp_path / "widgets.git")
    made.commit({"src/a.py": "a = 1\n"}, branch="main")
    return made


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A work tree on the branch "feature", one commit ahead of main."""
    made = Checkout(tmp_path / "shop")
    made.commit({"a.py": "a = 1\n"})
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit({"b.py": "b = 1\n"})
    return made


@pytest.fixture
def github(repository: GitRepository) -> Iterator[tuple[LocalGitHub, int, str]]:
    """A GitHub that is not started by the command, with a pull request, and a token for it."""
    with LocalGitHub(repository.path) as stand_in:
        base = repository.commit({"src/a.py": "a = 1\n"})
        number = stand_in.open_pull_request(repository.commit({"src/b.py": BAD}, base), base)
        yield stand_in, number, stand_in.token_for("kodiai-user", "write")


@pytest.mark.xdist_group("sample")
def test_the_sample_is_reviewed_push_by_push_and_all_is_written_down(sample_run: SampleRun) -> None:
    """Three pushes, the last one rebased; who reviewed is said, the JSON has every field, and there is a page."""
    pushes = sample_run.pushes

    assert [(push["head"], push["base"]) for push in pushes] == [tuple(push) for push in sample_run.sample.pushes]
    assert {frozenset(push) for push in pushes} == {frozenset(PUSH_KEYS)}
    assert {frozenset(finding) for push in pushes for finding in push["findings"]} == {frozenset(FINDING_KEYS)}
    assert "Offline checks only: no verdict" in sample_run.done.stdout
    assert [push["model"]["calls"] for push in pushes] == [0, 0, 0]
    assert "offline checks (no model key)" in sample_run.done.stdout
    assert sample_run.page.startswith("<!doctype html>")


@pytest.mark.xdist_group("sample")
def test_every_planted_defect_of_the_kinds_that_rules_can_know_is_told_when_it_comes(sample_run: SampleRun) -> None:
    """In the body by the review of the push that brings it, and by no later one; the most severe have a comment."""
    for number, push in enumerate(sample_run.pushes):
        brought = sample_run.brought_by(number).keys()
        review = push["review"]

        severe = {(one["path"], one["line"]) for one in push["findings"] if one["severity"] != "MINOR"} & brought
        assert brought == told_in(unlinked(review["body"]))
        assert commented_in(review["comments"]) <= severe
        assert len(review["comments"]) == min(len(severe), ReviewConfig().max_comments)
        assert push["delta"]["new"] == len(brought)


@pytest.mark.xdist_group("sample")
def test_every_planted_defect_is_open_until_the_push_that_mends_it(sample_run: SampleRun) -> None:
    """It keeps its finding from push to push, and nothing else is found; what is mended is told and counted."""
    planted: dict[str, Planted] = {}

    for number, push in enumerate(sample_run.pushes):
        brought = sample_run.brought_by(number)
        fresh = [finding for finding in push["findings"] if finding["id"] not in planted]
        planted |= {finding["id"]: brought[finding["path"], finding["line"]] for finding in fresh}

        statuses = {name: "open" if one.stands_in(number) else "fixed" for name, one in planted.items()}
        assert {finding["id"]: finding["status"] for finding in push["findings"]} == statuses
        assert push["delta"] == {
            "new": len(brought),
            "resolved": sum(one.fixed_in == number for one in planted.values()),
            "still_open": sum(one.push < number and one.stands_in(number) for one in planted.values()),
            "settled": 0,
        }
        assert len(fresh) == len(brought)
        assert resolved_in(unlinked(push["review"]["body"])) == sorted(
            (finding["path"], finding["title"])
            for finding in push["findings"]
            if planted[finding["id"]].fixed_in == number
        )


@pytest.mark.xdist_group("sample")
def test_the_reviews_of_the_sample_tell_how_it_goes_on(sample_run: SampleRun) -> None:
    """Each review has the sections that it has something for; checks without a model come to no verdict."""
    first, second, third = sample_run.pushes

    told = [
        re.findall(r"^(?:### ?|## ?|:\w+: (?=\*\*))(.+)", push["review"]["body"], re.M) for push in sample_run.pushes
    ]

    assert told == [
        [
            f"{NO_VERDICT} · 3 critical, 5 major, 6 medium",
            "What Changed",
            "Observations",
            "Impact",
            "Preference",
            "Verdict",
            f"{NO_VERDICT} -- no model has read this change",
        ],
        [
            f"{NO_VERDICT} · 3 new · 8 resolved · 6 still open",
            f"Re-review -- Changes since {first['head'][:7]}",
            "What Changed",
            "New Findings",
            "Resolved Findings",
            "Still Open",
            "Verdict Update",
            f"{NO_VERDICT} -- no model has read this change",
        ],
        [
            f"{NO_VERDICT} · 6 resolved · 3 still open",
            f"Re-review -- Changes since {second['head'][:7]}",
            "What Changed",
            "Resolved Findings",
            "Still Open",
            "Verdict Update",
            f"{NO_VERDICT} -- no model has read this change",
        ],
    ]
    assert [push["mode"] for push in (first, second, third)] == ["full", "incremental", "incremental"]


@pytest.mark.xdist_group("sample")
def test_the_printout_of_the_sample_fits_on_a_screen(sample_run: SampleRun) -> None:
    """The verdict comes first, then each finding by its place, what became of it push by push, and what it cost."""
    lines = sample_run.done.stdout.splitlines()
    pushes = [line for line in lines if line.startswith("Push ")]

    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert [line.partition(" · ")[0] for line in pushes] == ["Push 1 of 3", "Push 2 of 3", "Push 3 of 3"]
    assert [lines[lines.index(line) + 1][0] for line in pushes] == ["⚪", "⚪", "⚪"]
    for number, push in enumerate(sample_run.pushes):
        for path, line in sample_run.brought_by(number):
            [finding] = [one for one in push["findings"] if (one["path"], one["line"]) == (path, line)]
            place = f" [{finding['severity']}] {path}:{line}  "
            [shown] = [each.partition(place)[2] for each in lines if each.startswith("  new ") and place in each]
            assert finding["title"].startswith(shown.removesuffix("…"))
    assert [line.split()[0] for line in lines[-3:]] == ["Cost:", "Written:", "Written:"]


def test_the_current_branch_is_reviewed_with_what_is_not_committed_yet(checkout: Checkout, tmp_path: Path) -> None:
    """From any folder of the repository, and nothing of it is touched."""
    checkout.commit({"src/new.py": BAD})
    checkout.write({"src/untracked.py": WORSE})
    before = checkout.everything()

    done = kodiai("review", "--json", tmp_path / "r.json", cwd=checkout.path / "src")

    assert (done.returncode, complaints(done)) == (0, [])
    assert checkout.everything() == before
    [push] = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert commented_in(push["review"]["comments"]) == {("src/new.py", 1), ("src/untracked.py", 2)}
    main, head = (checkout.git("rev-parse", "--short=7", name).strip() for name in ("main", "feature"))
    assert done.stdout.splitlines()[0] == (
        f"Reviewing feature: 2 commits since main ({main}..{head}), and uncommitted work in 1 file"
    )


def test_pushes_are_delivered_in_order_and_need_not_descend_from_each_other(
    repository: GitRepository, tmp_path: Path
) -> None:
    """A force-push, a move of the base that moves no head, and a rebase that changes nothing.

    The repository is named as seen from where the command is run.
    """
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    first = repository.commit({"src/b.py": BAD}, base)
    forced = repository.commit({"src/c.py": WORSE}, base)
    moved = repository.commit({"README.md": "News\n"}, base)
    rebased = repository.commit({"src/c.py": WORSE}, moved)
    pushed = [f"{first},{base}", forced, f"{forced},{moved}", rebased]

    done = kodiai(
        "review", "--repo", ".", *(word for push in pushed for word in ("--push", push)),
        "--json", tmp_path / "r.json", cwd=repository.path,
    )  # fmt: skip

    assert (done.returncode, complaints(done)) == (0, [])
    pushes = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert [(push["head"], push["base"]) for push in pushes] == [
        (first, base), (forced, base), (forced, moved), (rebased, moved),
    ]  # fmt: skip
    assert [(push["mode"], push["reason"]) for push in pushes] == [
        ("full", "no-prior-review"),
        ("incremental", f"since-{first[:7]}"),
        (None, "the head did not move, so GitHub sends no event"),
        ("unchanged", f"since-{forced[:7]}"),
    ]
    assert [commented_in(push["review"]["comments"]) if push["review"] else None for push in pushes] == [
        {("src/b.py", 1)}, {("src/c.py", 2)}, None, None,
    ]  # fmt: skip
    assert {finding["path"]: finding["status"] for finding in pushes[3]["findings"]} == {
        "src/b.py": "fixed", "src/c.py": "open",
    }  # fmt: skip


def test_the_settings_that_are_given_decide(repository: GitRepository, tmp_path: Path) -> None:
    """Without `onSynchronize` the second push is skipped, as it would be on GitHub."""
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    first = repository.commit({"src/b.py": BAD}, base)
    second = repository.commit({"src/c.py": BAD}, first)
    (tmp_path / "settings.yml").write_text("review:\n  triggers:\n    onSynchronize: false\n")

    done = kodiai(
        "review", "--repo", repository.path, "--push", f"{first},{base}", "--push", second, "--full",
        "--config", tmp_path / "settings.yml",
    )  # fmt: skip

    assert "Do not use mutable data structures for argument defaults" in done.stdout
    _, _, shown = done.stdout.partition(f"Push 2 of 2 · {second[:7]} onto {base[:7]} · skipped")
    assert "Nothing was posted: onSynchronize is off." in shown
    assert (done.returncode, complaints(done)) == (0, [])


@dataclass(frozen=True)
class TalkRun:
    """What one run of `kodiai review` with replies has left."""

    done: subprocess.CompletedProcess[str]
    result: dict[str, Any]
    page: str

    @property
    def replies(self) -> list[dict[str, Any]]:
        return [event for event in self.result["events"] if event["kind"] == "reply"]


@pytest.fixture(scope="session")
def talk_run(tmp_path_factory: pytest.TempPathFactory) -> TalkRun:
    """Two pushes with replies after each, played once for the tests that only look at what came of it."""
    folder = tmp_path_factory.mktemp("talk")
    repository = GitRepository(folder / "widgets.git")
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    first = repository.commit({"src/a.py": "a = 1\n", "src/b.py": BAD, "src/c.py": WORSE}, base)
    second = repository.commit({"src/d.py": "d = 4\n"}, first)
    done = kodiai(
        "review", "--repo", repository.path, "--push", f"{first},{base}",
        "--reply", "0:Shall we merge?",
        "--as", "bo:read", "--reply", "1:@kodiai why does\\nthat matter?", "--reply", "2:won't fix",
        "--as", "ann", "--reply", "1:Won't fix, by design.", "--reply", "0:@kodiai full review",
        "--push", second,
        "--json", folder / "r.json", "--html", folder / "r.html",
    )  # fmt: skip
    assert (done.returncode, complaints(done)) == (0, [])
    return TalkRun(done, json.loads((folder / "r.json").read_text()), (folder / "r.html").read_text())


@pytest.mark.xdist_group("replies")
def test_replies_are_played_in_their_place_between_the_pushes(talk_run: TalkRun) -> None:
    """The events have everything in its order; the pushes are as they are without replies."""
    events = talk_run.result["events"]
    pushes = [event for event in events if event["kind"] == "push"]

    assert [event["kind"] for event in events] == ["push", *["reply"] * 5, "push"]
    assert [{**push, "kind": "push"} for push in talk_run.result["pushes"]] == pushes
    assert {frozenset(push) for push in talk_run.result["pushes"]} == {frozenset(PUSH_KEYS)}
    assert {frozenset(reply) for reply in talk_run.replies} == {frozenset(REPLY_KEYS)}
    assert {frozenset(reply["model"]) for reply in talk_run.replies} == {frozenset(MODEL_KEYS)}
    assert {frozenset(one) for reply in talk_run.replies for one in reply["findings"]} == {frozenset(FINDING_KEYS)}
    assert [(reply["by"], reply["role"], reply["to"]["comment"]) for reply in talk_run.replies] == [
        ("octocat", "write", 0), ("bo", "read", 1), ("bo", "read", 2), ("ann", "write", 1), ("ann", "write", 0),
    ]  # fmt: skip


@pytest.mark.xdist_group("replies")
def test_what_is_said_to_nobody_comes_to_nothing(talk_run: TalkRun) -> None:
    """It ends where the webhook is received, and that is told with the reason."""
    reply = talk_run.replies[0]

    assert (reply["to"], reply["outcome"]) == ({"comment": 0}, "nothing")
    assert (reply["answer"], reply["reactions"], reply["model"]["calls"]) == (None, [], 0)
    assert f"    nothing: {reply['reason']}" in talk_run.done.stdout


@pytest.mark.xdist_group("replies")
def test_a_question_about_a_finding_is_answered_by_the_model(talk_run: TalkRun) -> None:
    """The offline one says that it has not read it; the answer has no marker, and what it took is counted."""
    reply = talk_run.replies[1]

    [finding] = [one for one in reply["findings"] if one["path"] == "src/b.py"]
    assert reply["to"] == {"comment": 1, "path": "src/b.py", "line": 1, "finding": finding["id"]}
    assert (reply["text"], reply["outcome"]) == ("@kodiai why does\nthat matter?", "answered")
    assert "there is no model key, so no model has read what you said" in reply["answer"]
    assert "<!--" not in reply["answer"]
    assert reply["model"]["calls"] == 1
    assert "eyes" in reply["reactions"]
    assert "bo (read) on comment 1, src/b.py:1:\n> @kodiai why does\n> that matter?\n" in talk_run.done.stdout


@pytest.mark.xdist_group("replies")
def test_who_may_write_settles_a_finding_and_who_may_not_does_not(talk_run: TalkRun) -> None:
    """At once, without the model, and the next review respects it."""
    statuses = [{one["path"]: one["status"] for one in event["findings"]} for event in talk_run.result["events"]]
    settled = talk_run.replies[3]

    assert statuses[:4] == [{"src/b.py": "open", "src/c.py": "open"}] * 4
    assert statuses[4:] == [{"src/b.py": "wont_fix", "src/c.py": "open"}] * 3
    assert (settled["understood"], settled["outcome"], settled["model"]["calls"]) == ("by design", "done", 0)
    assert f"{settled['to']['finding']} is settled: won't fix (ann)" in talk_run.done.stdout


@pytest.mark.xdist_group("replies")
def test_a_reply_that_asks_for_a_review_has_it(talk_run: TalkRun) -> None:
    """As a push has one: everything is read again, and it is printed and on the page."""
    asked = talk_run.replies[4]

    assert asked["understood"] == "full review"
    assert set(asked["review"]) == PUSH_KEYS
    assert asked["review"]["mode"] == "full"
    assert asked["review"]["head"] == talk_run.result["pushes"][0]["head"]
    assert "Review for ann · " in talk_run.done.stdout
    assert talk_run.page.index('id="push-2"') < talk_run.page.index('id="reply-5"')


def test_a_pull_request_on_github_is_reviewed_with_a_token_and_by_any_messages_api(
    github: tuple[LocalGitHub, int, str], tmp_path: Path
) -> None:
    """Checks belong to Apps, so there is none; the review stands. Another API than Anthropic's takes any key."""
    stand_in, number, token = github
    with ModelStandIn(says(a_report(what_changed="Adds a function."))) as model:
        done = kodiai(
            "review", "--pr", f"acme/widgets#{number}", "--json", tmp_path / "r.json",
            GITHUB_API_URL=stand_in.url, GITHUB_TOKEN=token,
            ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="any",
        )  # fmt: skip

        assert (done.returncode, complaints(done)) == (0, [])
        assert model.violations == []
    [review] = stand_in.state.reviews.values()
    result = json.loads((tmp_path / "r.json").read_text())
    [push] = result["pushes"]
    assert (review.author, review.body) == ("kodiai-user", push["review"]["body"])
    assert stand_in.violations == []
    assert result["reviewer"] == "Claude"
    assert "Adds a function." in review.body


def test_a_pull_request_on_github_is_reviewed_once_though_nothing_is_kept_between_the_runs(
    github: tuple[LocalGitHub, int, str], repository: GitRepository, tmp_path: Path
) -> None:
    """Each run has a ledger of its own: what was posted is known by its marks, at the same head and at the next."""
    stand_in, number, token = github

    def review() -> tuple[str, dict[str, Any]]:
        done = kodiai(
            "review", "--pr", f"acme/widgets#{number}", "--json", tmp_path / "r.json",
            GITHUB_API_URL=stand_in.url, GITHUB_TOKEN=token,
        )  # fmt: skip
        assert (done.returncode, complaints(done)) == (0, [])
        [push] = json.loads((tmp_path / "r.json").read_text())["pushes"]
        return done.stdout, push

    _, first = review()
    head = first["head"]
    again, second = review()
    stand_in.push(number, repository.commit({"src/c.py": "c = 3\n"}, head))
    _, third = review()

    assert f"reviewed at {head[:7]} already" in again
    assert (first["delta"]["new"], second["review"], third["review"]) == (1, None, None)
    assert (third["reason"], third["delta"]["still_open"]) == ("snapshot-missing", 1)
    assert [finding["id"] for finding in third["findings"]] == [finding["id"] for finding in first["findings"]]
    assert (len(stand_in.state.reviews), len(stand_in.state.comments)) == (1, 1)
    [answer] = stand_in.state.issue_comments.values()
    assert answer.body.startswith(f"Reviewed at {head[:7]}; nothing changed since.")
    assert stand_in.violations == []


def test_a_dry_run_prints_and_posts_nothing(github: tuple[LocalGitHub, int, str], tmp_path: Path) -> None:
    """Every request to GitHub was a read: what is posted was a question of GraphQL."""
    stand_in, number, token = github

    done = kodiai(
        "review", "--pr", f"acme/widgets#{number}", "--dry-run", "--json", tmp_path / "r.json",
        GITHUB_API_URL=stand_in.url, GITHUB_TOKEN=token,
    )  # fmt: skip

    assert (done.returncode, complaints(done)) == (0, [])
    posted = [request for request in stand_in.requests if request.method != "GET"]
    assert {(request.method, request.path) for request in posted} == {("POST", "/graphql")}
    assert {field for request in posted for field in request.fields} == {"repository"}
    assert (stand_in.state.reviews, stand_in.state.comments, stand_in.state.checks) == ({}, {}, {})
    [push] = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert [comment["path"] for comment in push["review"]["comments"]] == ["src/b.py"]
    assert "Do not use mutable data structures for argument defaults" in done.stdout


def test_up_serves_a_github_that_is_not_ours_until_it_is_stopped(repository: GitRepository) -> None:
    """It prints the webhook's address, reviews what is delivered there, and stops cleanly.

    The line that says how its dead letters are listed can be pasted.
    """
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"src/b.py": BAD}, base)
    with LocalGitHub(repository.path, webhook_secret="s3cret") as stand_in:
        env: dict[str, Any] = {
            "GITHUB_API_URL": stand_in.url,
            "GITHUB_APP_ID": stand_in.app_id,
            "GITHUB_APP_PRIVATE_KEY": stand_in.private_key,
            "KODIAI_WEBHOOK_SECRET": "s3cret",
        }
        with subprocess.Popen([KODIAI, "up"], stdout=subprocess.PIPE, text=True, env=environment(**env)) as running:
            assert running.stdout is not None
            address = re.fullmatch(r"Webhook address: (http://\S+)\n", running.stdout.readline())
            assert address is not None
            stand_in.webhook_url = address[1]
            _, _, listing = running.stdout.readline().partition("Dead letters: kodiai ")

            stand_in.open_pull_request(head, base)
            printed = next(line for line in running.stdout if line.startswith("ReviewFunction"))
            dead = kodiai(*listing.split())
            running.send_signal(signal.SIGINT)

            assert "outcome=completed" in printed
            assert len(stand_in.state.reviews) == 1
            assert running.wait(20) == 0
            assert (dead.returncode, dead.stdout, dead.stderr) == (0, "nothing is dead\n", "")
