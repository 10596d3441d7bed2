"""`kodiai review` and `kodiai up` through the whole system: what they review, print and write.

Each run starts the system, which takes seconds: where one run can show several things, it does.
"""

import json
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.config.keys import ReviewConfig
from local.github import AppSetup, LocalGitHub
from local.model import ModelRequest, ModelStandIn, is_find
from local.sample import PlantedProblem, Sample, make_sample
from tests.checkout import Checkout
from tests.cli.running import KODIAI, Done, environment, run_command
from tests.git_repository import GitRepository
from tests.programs import started
from tests.review_form.reading import unlinked
from tests.specs.scripts import a_finding, a_report, says

BAD = "def add(item, items=[]):\n    return items\n"
WORSE = 'def is_paid(status):\n    return status is "paid"\n'
FINDING = a_finding(path="src/b.py", start_line=1, end_line=1, quote="def add(item, items=[]):")
PUSH_KEYS = set(
    """
    head base mode reason files_total files_read skipped hunks_total hunks_asked changed_files model github review
    cost_usd delta memory threads_resolved findings seconds cpu_seconds
    """.split()
)
REPLY_KEYS = set(
    "kind by role to text understood outcome reason answer reactions model cost_usd findings review seconds".split()
)
MODEL_KEYS = set(
    "calls input_tokens output_tokens cache_read_tokens cache_write_tokens prompt_characters hour_write_tokens "
    "thinking_tokens".split()
)
FINDING_KEYS = set("id status severity category path line title text settled_by".split())


Place = tuple[str, int]


def listed_in(body: str) -> set[Place]:
    """Every line that the observations, or the new findings, of a review's body are about."""
    found = re.findall(r"^(?::new: )?\[[A-Z]+\] ([^\s`]+) \((\d+)(?:-(\d+))?\): ", body, re.MULTILINE)
    return {(path, line) for path, start, end in found for line in range(int(start), int(end or start) + 1)}


def resolved_in(body: str) -> list[tuple[str, str]]:
    """The path and the title of every finding that a review's body lists as resolved, sorted."""
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
    """The output of one run of `kodiai review --sample`, and the sample that it reviewed."""

    done: Done
    sample: Sample
    pushes: list[dict[str, Any]]
    page: str

    def brought_by(self, push: int) -> dict[Place, PlantedProblem]:
        """Return the planted problems of this push (from 0) that rules can find, by their place then."""
        brought = [planted for planted in self.sample.planted if planted.knowable and planted.push == push]
        return {self._place(planted): planted for planted in brought}

    def _place(self, planted: PlantedProblem) -> Place:
        """The path and the number of the line that reads so."""
        revision = f"{self.sample.pushes[planted.push].head}:{planted.path}"
        command = ["git", "-C", str(self.sample.path), "show", revision]
        shown = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        return planted.path, [line.strip() for line in shown.split("\n")].index(planted.line) + 1


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> SampleRun:
    """The bundled sample, reviewed once for the tests that only look at the result."""
    folder = tmp_path_factory.mktemp("run")
    done = run_command("review", "--sample", "--json", folder / "r.json", "--html", folder / "r.html")
    assert (done.status, done.errors) == (0, [])
    pushes = json.loads((folder / "r.json").read_text())["pushes"]
    return SampleRun(done, make_sample(folder / "harbour"), pushes, (folder / "r.html").read_text())


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A work tree on the branch "feature", one commit ahead of main."""
    made = Checkout(tmp_path / "shop")
    made.commit({"a.py": "a = 1\n"})
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit({"b.py": "b = 1\n"})
    return made


@pytest.mark.xdist_group("sample")
def test_the_sample_is_reviewed_push_by_push_and_the_files_are_written(sample_run: SampleRun) -> None:
    """Three pushes, the last one rebased; who reviewed is said, the JSON has every field, and there is a page."""
    pushes = sample_run.pushes

    assert [(push["head"], push["base"]) for push in pushes] == [tuple(push) for push in sample_run.sample.pushes]
    assert [push["mode"] for push in pushes] == ["full", "incremental", "incremental"]
    assert {frozenset(push) for push in pushes} == {frozenset(PUSH_KEYS)}
    assert {frozenset(finding) for push in pushes for finding in push["findings"]} == {frozenset(FINDING_KEYS)}
    assert "Offline checks only: no verdict" in sample_run.done.out
    assert [push["model"]["calls"] for push in pushes] == [0, 0, 0]
    assert "offline checks (no model key)" in sample_run.done.out
    assert sample_run.page.startswith("<!doctype html>")


@pytest.mark.xdist_group("sample")
def test_every_planted_defect_is_reported_once_and_open_until_the_push_that_fixes_it(sample_run: SampleRun) -> None:
    """The review of its push has it in the body, the most severe with a comment; fixes are listed, no more is found."""
    planted: dict[str, PlantedProblem] = {}

    for number, push in enumerate(sample_run.pushes):
        brought, review = sample_run.brought_by(number), push["review"]
        severe = {(one["path"], one["line"]) for one in push["findings"] if one["severity"] != "MINOR"} & brought.keys()
        fresh = [finding for finding in push["findings"] if finding["id"] not in planted]
        planted |= {finding["id"]: brought[finding["path"], finding["line"]] for finding in fresh}
        fixed = {name for name, one in planted.items() if one.fixed_in == number}

        assert brought.keys() == listed_in(unlinked(review["body"]))
        assert commented_in(review["comments"]) <= severe
        assert len(review["comments"]) == min(len(severe), ReviewConfig().max_comments)
        statuses = {name: "open" if one.stands_in(number) else "fixed" for name, one in planted.items()}
        assert {finding["id"]: finding["status"] for finding in push["findings"]} == statuses
        assert push["delta"] == {
            "new": len(brought),
            "resolved": len(fixed),
            "still_open": sum(one.push < number and one.stands_in(number) for one in planted.values()),
            "settled": 0,
        }
        assert len(fresh) == len(brought)
        assert resolved_in(unlinked(review["body"])) == sorted(
            (finding["path"], finding["title"]) for finding in push["findings"] if finding["id"] in fixed
        )


@pytest.mark.xdist_group("sample")
def test_the_output_of_the_sample_fits_on_a_screen(sample_run: SampleRun) -> None:
    """The verdict comes first, then each finding by its place, its changes push by push, and the cost."""
    lines = sample_run.done.out.splitlines()
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


def test_the_current_branch_is_reviewed_with_what_is_not_committed_yet_and_the_given_settings(
    checkout: Checkout, tmp_path: Path
) -> None:
    """The command works in any folder of the repository, and changes nothing in it.

    The model sees the title and the description, and a setting of the deployment holds: it chooses the model.
    """
    checkout.commit({"src/new.py": BAD, "src/generated.py": BAD})
    checkout.write({"src/untracked.py": WORSE})
    (tmp_path / "settings.yml").write_text("review:\n  skipPaths: ['src/generated.py']\n")
    before = checkout.everything()

    with ModelStandIn(None) as model:
        done = run_command(
            "review", "--json", tmp_path / "r.json", "--config", tmp_path / "settings.yml",
            "--title", "Add items", "--description", "-", "--set", "models/reviewer=claude-opus-5-5",
            cwd=checkout.path / "src", answer="So that it can't be lost.\n",
            ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="any",
        )  # fmt: skip

    assert (done.status, done.errors) == (0, [])
    asked = [request.body for request in model.requests if request.body and is_find(request.body)]
    assert {body["model"] for body in asked} == {"claude-opus-5-5"}
    facts = [ModelRequest(body).facts for body in asked]
    assert {(each["title"], each["description"]) for each in facts} == {("Add items", "So that it can't be lost.")}
    assert checkout.everything() == before
    [push] = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert commented_in(push["review"]["comments"]) == {("src/new.py", 1), ("src/untracked.py", 2)}
    assert [file["path"] for file in push["skipped"]] == ["src/generated.py"]
    main, head = (checkout.git("rev-parse", "--short=7", name).strip() for name in ("main", "feature"))
    assert done.out.splitlines()[0] == (
        f"Reviewing feature: 2 commits since main ({main}..{head}), and uncommitted work in 1 file"
    )


@dataclass(frozen=True)
class ScenarioRun:
    """The output of one run of `kodiai review` with pushes and replies; `commits` are those that were pushed."""

    done: Done
    commits: list[tuple[str, str]]
    result: dict[str, Any]
    page: str

    @property
    def pushes(self) -> list[dict[str, Any]]:
        pushes: list[dict[str, Any]] = self.result["pushes"]
        return pushes

    @property
    def replies(self) -> list[dict[str, Any]]:
        return [event for event in self.result["events"] if event["kind"] == "reply"]


@pytest.fixture(scope="session")
def scenario_run(tmp_path_factory: pytest.TempPathFactory) -> ScenarioRun:
    """A push with replies, a force-push, a move of the base that moves no head, and a rebase that changes nothing.

    It is played once for the tests that only look at the result. The repository is named relative to the folder.
    """
    folder = tmp_path_factory.mktemp("scenario")
    repository = GitRepository(folder / "widgets.git")
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    first = repository.commit({"src/b.py": BAD, "src/c.py": WORSE}, base)
    change = {"src/b.py": BAD, "src/d.py": WORSE.replace("paid", "open")}
    forced = repository.commit(change, base)
    moved = repository.commit({"README.md": "News\n"}, base)
    rebased = repository.commit(change, moved)
    done = run_command(
        "review", "--repo", ".", "--push", f"{first},{base}",
        "--reply", "0:Shall we merge?",
        "--as", "bo:read", "--reply", "1:@kodiai why does\\nthat matter?", "--reply", "2:won't fix",
        "--as", "ann", "--react", "1:-1", "--reply", "1:Won't fix, by design.", "--reply", "0:@kodiai full review",
        "--push", forced, "--push", f"{forced},{moved}", "--push", rebased,
        "--full", "--json", folder / "r.json", "--html", folder / "r.html", cwd=repository.path,
    )  # fmt: skip
    assert (done.status, done.errors) == (0, [])
    result = json.loads((folder / "r.json").read_text())
    commits = [(first, base), (forced, base), (forced, moved), (rebased, moved)]
    return ScenarioRun(done, commits, result, (folder / "r.html").read_text())


@pytest.mark.xdist_group("scenario")
def test_pushes_are_delivered_in_order_and_need_not_descend_from_each_other(scenario_run: ScenarioRun) -> None:
    """A force-push is reviewed; a head that did not move, and hunks that did not change, are not."""
    pushes = scenario_run.pushes
    first, forced = (push["head"][:7] for push in pushes[:2])

    assert [(push["head"], push["base"]) for push in pushes] == scenario_run.commits
    assert [(push["mode"], push["reason"]) for push in pushes] == [
        ("full", "no-prior-review"),
        ("incremental", f"since-{first}"),
        (None, "the head did not move, so GitHub sends no event"),
        ("unchanged", f"since-{forced}"),
    ]
    assert [commented_in(push["review"]["comments"]) if push["review"] else None for push in pushes] == [
        {("src/b.py", 1), ("src/c.py", 2)}, {("src/d.py", 2)}, None, None,
    ]  # fmt: skip
    assert {finding["path"]: finding["status"] for finding in pushes[3]["findings"]} == {
        "src/b.py": "wont_fix", "src/c.py": "fixed", "src/d.py": "open",
    }  # fmt: skip
    assert [push["memory"]["written"] for push in pushes] == [2, 2, 0, 0]  # a mention has written the others
    assert [push["memory"]["unavailable"] for push in pushes] == [None] * 4


@pytest.mark.xdist_group("scenario")
def test_replies_are_played_in_their_place_between_the_pushes(scenario_run: ScenarioRun) -> None:
    """The events have everything in its order; the pushes are the same as without replies."""
    events = scenario_run.result["events"]
    pushes = [event for event in events if event["kind"] == "push"]

    assert [event["kind"] for event in events] == ["push", *["reply"] * 5, *["push"] * 3]
    assert [{**push, "kind": "push"} for push in scenario_run.pushes] == pushes
    assert {frozenset(push) for push in scenario_run.pushes} == {frozenset(PUSH_KEYS)}
    assert "\nann reacts with 👎 to comment 1, src/b.py:1\n" in scenario_run.done.out
    assert {frozenset(reply) for reply in scenario_run.replies} == {frozenset(REPLY_KEYS)}
    assert {frozenset(reply["model"]) for reply in scenario_run.replies} == {frozenset(MODEL_KEYS)}
    assert {frozenset(one) for reply in scenario_run.replies for one in reply["findings"]} == {frozenset(FINDING_KEYS)}
    assert [(reply["by"], reply["role"], reply["to"]["comment"]) for reply in scenario_run.replies] == [
        ("octocat", "write", 0), ("bo", "read", 1), ("bo", "read", 2), ("ann", "write", 1), ("ann", "write", 0),
    ]  # fmt: skip


@pytest.mark.xdist_group("scenario")
def test_each_reply_has_its_outcome(scenario_run: ScenarioRun) -> None:
    """A reply without a mention has no answer, the offline model reads nothing, a role that writes decides at once."""
    remark, question, refused, dismissal, request = scenario_run.replies
    statuses = [{one["path"]: one["status"] for one in event["findings"]} for event in scenario_run.result["events"]]
    out = scenario_run.done.out

    [finding] = [one for one in question["findings"] if one["path"] == "src/b.py"]
    assert (remark["outcome"], remark["answer"], remark["reactions"]) == ("nothing", None, [])
    assert f"    nothing: {remark['reason']}" in out
    assert question["to"] == {"comment": 1, "path": "src/b.py", "line": 1, "finding": finding["id"]}
    assert (question["text"], question["outcome"]) == ("@kodiai why does\nthat matter?", "answered")
    assert "There is no model key, so nobody has read this reply." in question["answer"]
    assert "<!--" not in question["answer"]
    assert "eyes" in question["reactions"]
    assert "bo (read) on comment 1, src/b.py:1:\n> @kodiai why does\n> that matter?\n" in out
    assert (dismissal["understood"], dismissal["outcome"]) == ("by design", "done")
    assert f"{dismissal['to']['finding']} dismissed (won't fix) by ann" in out
    assert [status["src/b.py"] for status in statuses] == ["open"] * 4 + ["wont_fix"] * 5
    assert [status["src/c.py"] for status in statuses[:6]] == ["open"] * 6
    calls = [reply["model"]["calls"] for reply in (remark, question, dismissal)]
    assert (refused["by"], calls) == ("bo", [0, 1, 0])
    assert request["understood"] == "full review"
    assert set(request["review"]) == PUSH_KEYS
    assert (request["review"]["mode"], request["review"]["head"]) == ("full", scenario_run.pushes[0]["head"])
    assert "\nReview for ann · " in out
    assert scenario_run.page.index('id="push-2"') < scenario_run.page.index('id="reply-5"')


def test_a_pull_request_on_github_is_reviewed_with_a_token_and_a_dry_run_posts_nothing(tmp_path: Path) -> None:
    """Every request of a dry run is a read: what is posted is a GraphQL query.

    Checks belong to Apps, so there is none. Another Messages API than Anthropic's accepts any key.
    """
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"src/b.py": BAD}, base)
    with LocalGitHub(repository.path) as github, ModelStandIn(says(a_report(FINDING))) as model:
        number = github.open_pull_request(head, base)
        access: dict[str, Any] = {
            "GITHUB_API_URL": github.url,
            "GITHUB_TOKEN": github.token_for("kodiai-user", "write"),
        }

        def review(*options: str, **env: Any) -> tuple[str, dict[str, Any]]:
            file = tmp_path / "r.json"
            done = run_command("review", "--pr", f"acme/widgets#{number}", "--json", file, *options, **access, **env)
            assert (done.status, done.errors) == (0, [])
            return done.out, json.loads(file.read_text())

        out, dry = review("--dry-run")
        posted = [request for request in github.requests if request.method != "GET"]
        _, reviewed = review(ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="any")

        assert {(request.method, request.path) for request in posted} == {("POST", "/graphql")}
        assert {field for request in posted for field in request.fields} == {"repository", "viewer"}
        assert [comment["path"] for comment in dry["pushes"][0]["review"]["comments"]] == ["src/b.py"]
        assert "Do not use mutable data structures for argument defaults" in out
        [posted_review] = github.state.reviews.values()
        assert (posted_review.author, posted_review.body) == ("kodiai-user", reviewed["pushes"][0]["review"]["body"])
        assert reviewed["reviewer"] == "Claude"
        assert "Orders take a discount." in posted_review.body
        assert github.state.checks == {}
        assert [*github.violations, *model.violations] == []


def test_up_serves_another_github_until_it_is_stopped(tmp_path: Path) -> None:
    """It prints the webhook's address, reviews what is delivered there, and stops cleanly.

    The lines that say how its dead letters and its memory are listed can be pasted.
    """
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"src/b.py": BAD}, base)
    with LocalGitHub(repository.path, app=AppSetup(webhook_secret="s3cret")) as stand_in:
        env: dict[str, Any] = {
            "GITHUB_API_URL": stand_in.url,
            "GITHUB_APP_ID": stand_in.app_id,
            "GITHUB_APP_PRIVATE_KEY": stand_in.private_key,
            "KODIAI_WEBHOOK_SECRET": "s3cret",
        }
        with started([KODIAI, "up"], stdout=subprocess.PIPE, env=environment(**env)) as running:
            assert running.stdout is not None
            address = re.fullmatch(r"Webhook address: (http://\S+)\n", running.stdout.readline())
            assert address is not None
            stand_in.webhook_url = address[1]
            api = running.stdout.readline()
            _, _, listing = running.stdout.readline().partition("Dead letters: kodiai ")
            _, _, memory = running.stdout.readline().partition("Remembered: kodiai ")

            stand_in.open_pull_request(head, base)
            printed = next(line for line in running.stdout if line.startswith("ReviewFunction"))
            letters = run_command(*listing.split())
            remembered = run_command(*memory.replace("OWNER/NAME", stand_in.full_name).split())
            running.send_signal(signal.SIGINT)

            assert api == f"Proposals: {_api_of(address[1])}/proposals, for agents {_api_of(address[1])}/mcp\n"
            assert "outcome=completed" in printed
            assert len(stand_in.state.reviews) == 1
            assert running.wait(20) == 0
            assert letters == Done(0, "No dead letters.\n", "")
            assert (remembered.status, remembered.err) == (0, "")
            assert remembered.out.startswith(f"{stand_in.full_name}: 0 rules, ")


def _api_of(webhook: str) -> str:
    return webhook.removesuffix("/webhook")
