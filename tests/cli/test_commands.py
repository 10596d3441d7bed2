"""The kodiai command as a person runs it: a process of its own, its output, its exit status.

These take long because each one starts the whole system.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.github import GitHubStandIn
from local.model import ModelStandIn
from local.sample import make_sample
from tests.git_repository import GitRepository
from tests.specs.scripts import a_report, says

KODIAI = str(Path(sys.executable).with_name("kodiai"))
BAD = "def add(item, items=[]):\n    return items\n"
PUSH_KEYS = set(
    """
    head base mode reason files_total files_read skipped hunks_total hunks_asked changed_files model github review
    threads_resolved findings seconds cpu_seconds
    """.split()
)


def environment(**more: str) -> dict[str, str]:
    """The tests' environment without keys that would make it reach out."""
    foreign = ("ANTHROPIC_", "GITHUB_", "KODIAI_", "AWS_")
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | more


def kodiai(*arguments: str | Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    command = [KODIAI, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment(**env), cwd=cwd, check=False, timeout=240
    )


def places(body: str) -> set[tuple[str, int]]:
    """Every line that a review's observations are about."""
    found = re.findall(r"^\[[A-Z]+\] `?([^\s`]+)`? \((\d+)(?:-(\d+))?\): ", body, re.MULTILINE)
    return {(path, line) for path, start, end in found for line in range(int(start), int(end or start) + 1)}


def line_of(repository: Path, head: str, path: str, text: str) -> int:
    """The number of the line that reads so."""
    shown = subprocess.run(["git", "-C", repository, "show", f"{head}:{path}"], capture_output=True, check=True).stdout
    return [line.strip() for line in shown.decode().split("\n")].index(text) + 1


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A repository with a clean main."""
    made = GitRepository(tmp_path / "widgets.git")
    made.commit({"src/a.py": "a = 1\n"}, branch="main")
    return made


@pytest.fixture
def github(repository: GitRepository) -> Iterator[tuple[GitHubStandIn, int, str]]:
    """A GitHub that is not started by the command, with a pull request, and a token for it."""
    with GitHubStandIn(repository.path) as stand_in:
        base = repository.commit({"src/a.py": "a = 1\n"})
        number = stand_in.open_pull_request(repository.commit({"src/b.py": BAD}, base), base)
        yield stand_in, number, stand_in.token_for("kodiai-user", "write")


def test_the_sample_is_reviewed_and_every_planted_defect_of_the_kinds_it_can_know_is_found(tmp_path: Path) -> None:
    """Three pushes, the last one rebased; the page and the JSON are written."""
    done = kodiai("review", "--sample", "--json", tmp_path / "r.json", "--html", tmp_path / "r.html")

    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads((tmp_path / "r.json").read_text())
    sample = make_sample(tmp_path / "sample")
    assert [(push["head"], push["base"]) for push in result["pushes"]] == [tuple(push) for push in sample.pushes]
    for number, push in enumerate(result["pushes"]):
        assert set(push) == PUSH_KEYS
        told = places(push["review"]["body"])
        for planted in sample.planted_in(number):
            if planted.knowable:
                assert (planted.path, line_of(sample.path, push["head"], planted.path, planted.line)) in told
    assert "offline reviewer" in done.stdout
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")


def test_pushes_are_delivered_in_order_and_need_not_descend_from_each_other(
    repository: GitRepository, tmp_path: Path
) -> None:
    """A force-push, a move of the base, and a push that moves nothing."""
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    first = repository.commit({"src/b.py": BAD}, base)
    forced = repository.commit({"src/c.py": BAD}, base)
    moved = repository.commit({"README.md": "News\n"}, base)

    done = kodiai(
        "review", "--repo", repository.path, "--push", f"{first},{base}", "--push", forced,
        "--push", f"{forced},{moved}", "--json", tmp_path / "r.json",
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    pushes = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert [(push["head"], push["base"]) for push in pushes] == [(first, base), (forced, base), (forced, moved)]
    assert [push["mode"] for push in pushes] == ["full", "full", None]
    assert pushes[2]["reason"] == "the head did not move, so GitHub sends no event"
    assert [[comment["path"] for comment in push["review"]["comments"]] for push in pushes[:2]] == [
        ["src/b.py"],
        ["src/c.py"],
    ]


def test_the_settings_that_are_given_decide(repository: GitRepository, tmp_path: Path) -> None:
    """Without `onSynchronize` the second push is skipped, as it would be on GitHub."""
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    first = repository.commit({"src/b.py": BAD}, base)
    (tmp_path / "settings.yml").write_text("review:\n  maxComments: 5\n")

    done = kodiai(
        "review", "--repo", repository.path, "--push", f"{first},{base}",
        "--push", repository.commit({"src/c.py": BAD}, first),
        "--config", tmp_path / "settings.yml", "--json", tmp_path / "r.json",
    )  # fmt: skip

    assert done.returncode == 0
    second = json.loads((tmp_path / "r.json").read_text())["pushes"][1]
    assert (second["mode"], second["reason"], second["review"]) == (None, "onSynchronize is off", None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--repo", "{empty}"], "kodiai: "),
        (["--repo", "{repository}", "--push", "nowhere"], "nowhere"),
        (["--repo", "{repository}", "--push", "main,main"], "nothing to review"),
        (["--pr", "acme/widgets#1"], "GITHUB_TOKEN is not set"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    repository: GitRepository, tmp_path: Path, arguments: list[str], said: str
) -> None:
    """The exit status is not zero, and no trace is printed."""
    (tmp_path / "empty").mkdir()
    places = {"empty": tmp_path / "empty", "repository": repository.path}

    done = kodiai("review", *(argument.format(**places) for argument in arguments))

    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("kodiai: ")
    assert said in line


def test_a_pull_request_on_github_is_reviewed_with_a_token(
    github: tuple[GitHubStandIn, int, str], tmp_path: Path
) -> None:
    """Checks belong to Apps, so there is none; the review stands."""
    stand_in, number, token = github

    done = kodiai(
        "review", "--pr", f"acme/widgets#{number}", "--json", tmp_path / "r.json",
        GITHUB_API_URL=stand_in.url, GITHUB_TOKEN=token,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    [review] = stand_in.state.reviews.values()
    [push] = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert (review.author, review.body) == ("kodiai-user", push["review"]["body"])
    assert stand_in.violations == []


def test_a_dry_run_prints_and_posts_nothing(github: tuple[GitHubStandIn, int, str], tmp_path: Path) -> None:
    """Every request to GitHub was a read."""
    stand_in, number, token = github

    done = kodiai(
        "review", "--pr", f"acme/widgets#{number}", "--dry-run", "--json", tmp_path / "r.json",
        GITHUB_API_URL=stand_in.url, GITHUB_TOKEN=token,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert {request.method for request in stand_in.requests} == {"GET"}
    [push] = json.loads((tmp_path / "r.json").read_text())["pushes"]
    assert [comment["path"] for comment in push["review"]["comments"]] == ["src/b.py"]
    assert "A mutable default argument" in done.stdout


def test_another_messages_api_can_be_named(repository: GitRepository, tmp_path: Path) -> None:
    """With any key. The repository is named as seen from where the command is run."""
    head = repository.commit({"src/b.py": BAD}, repository.commit({"src/a.py": "a = 1\n"}, branch="main"))
    with ModelStandIn(says(a_report(what_changed="Adds a function."))) as model:
        done = kodiai(
            "review", "--repo", ".", "--push", head, "--json", tmp_path / "r.json", cwd=repository.path,
            ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="any",
        )  # fmt: skip

        assert model.violations == []
    assert done.returncode == 0
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["reviewer"] == "Claude"
    assert "Adds a function." in result["pushes"][0]["review"]["body"]


def test_up_serves_a_github_that_is_not_ours_until_it_is_stopped(repository: GitRepository) -> None:
    """It prints the webhook's address, reviews what is delivered there, and stops cleanly.

    The line that says how its dead letters are listed can be pasted.
    """
    base = repository.commit({"src/a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"src/b.py": BAD}, base)
    with GitHubStandIn(repository.path, webhook_secret="s3cret") as stand_in:
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


def test_up_says_what_it_lacks() -> None:
    """Nothing is started without a secret: anybody could send it events."""
    done = kodiai("up")

    assert done.returncode == 1
    assert done.stderr == (
        "kodiai: KODIAI_WEBHOOK_SECRET is not set: it is the secret that GitHub signs the webhooks with.\n"
    )
