"""A local GitHub with a folder for its data continues where the last one stopped, even after a kill."""

import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from local.folder import UnusableFolder
from local.github import LocalGitHub, UnusableRepository
from local.github.state import State
from tests.git_repository import GitRepository
from tests.local.github.receiver import Receiver
from tests.local.github.scene import PULL, REPO, Client, Scene, installation_token
from tests.programs import started_python

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]

PROGRAM = """
    import sys, time
    from pathlib import Path
    from local.github import AppSetup, LocalGitHub
    repository, data, url = sys.argv[1:]
    with LocalGitHub(Path(repository), data=Path(data), app=AppSetup(webhook_url=url)) as github:
        number = github.open_pull_request("feature", body="Please.")
        github.comment_on_line(number, "src/a.py", 5, "Why?")
        github.set_role("ann", "triage")
        print(repr(github.state), flush=True)
        time.sleep(600)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def everything(github: LocalGitHub, scene: Scene, connect: Connect) -> None:
    """Have at least one of each thing that a state knows."""
    github.open_pull_request("feature", body="Please.", labels=["wip"], base_files={".kodiai.yml": b"review: {}\n"})
    github.open_issue("Lines are old", "All of them.")
    asked = github.comment_on_line(1, "src/a.py", 5, "Why?", login="ann")
    github.reply(asked, "Because.")
    github.resolve_thread(asked)
    github.react("review comment", asked, "+1")
    github.delete_comment(github.comment(1, "Never mind."))
    github.comment(1, "Gr\u00fc\u00dfe \u2603, and half a pair: \ud83d")
    app = connect(github, installation_token(github))
    note = {"path": "new.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    check = {"name": "kodiai", "head_sha": scene.head, "output": {"title": "t", "summary": "s", "annotations": [note]}}
    made = app.post(f"{REPO}/check-runs", check).json()["id"]
    location = {"startLine": 1, "endLine": 1}
    more = {"path": "new.py", "location": location, "annotationLevel": "NOTICE", "message": "m"}
    app.update_check(made, output={"title": "t", "summary": "s", "annotations": [more]})
    github.review(1, "COMMENT", "Fine.", [{"path": "new.py", "line": 1, "side": "RIGHT", "body": "Nice."}], login="ann")
    github.request_review(1)
    github.require_check("main", "kodiai")
    github.report_status(scene.head, "coverage", "success")
    github.use_merge_queue("main")
    github.report_check(scene.head, "kodiai", "success")
    github.enqueue(1)
    github.push(1, scene.push({"new.py": "x = 2\n"}))


def in_order(state: State) -> dict[str, list[Any]]:
    """Everything by its kind, in the order in which it came."""
    kept = {kind.name: getattr(state, kind.name) for kind in fields(state) if kind.name != "ids"}
    return {name: list(things.items() if isinstance(things, dict) else things) for name, things in kept.items()}


def collect(repository: GitRepository, *dropped: str) -> None:
    """Drop refs, and every object that nothing refers to any more."""
    for ref in repository.git("for-each-ref", "--format=%(refname)", *dropped).decode().split():
        repository.git("update-ref", "-d", ref)
    repository.git("gc", "--quiet", "--prune=now")


def test_everything_that_happened_is_there_again(serve: Serve, scene: Scene, client_of: Connect, data: Path) -> None:
    """People, pull requests, threads, checks and the log of deliveries, to the letter and in their order."""
    first = serve(scene.repository.path, data=data)
    everything(first, scene, client_of)
    first.stop()

    second = serve(scene.repository.path, data=data)

    assert second.state == first.state
    assert in_order(second.state) == in_order(first.state)
    assert second.deliveries == first.deliveries
    assert all(in_order(second.state).values())
    assert [len(check.annotations) for check in second.state.checks.values()] == [2, 0]


def test_new_objects_after_a_restart_have_new_ids(serve: Serve, scene: Scene, data: Path) -> None:
    """The id of a deleted comment does not come again."""
    first = serve(scene.repository.path, data=data)
    first.open_pull_request("feature")
    deleted = first.comment(1, "Never mind.")
    first.delete_comment(deleted)
    last = first.deliveries[-1].id
    first.stop()

    second = serve(scene.repository.path, data=data)
    said = second.comment(1, "Hello.")

    assert said > deleted
    assert second.open_issue("The next") == 2
    assert [delivery.id for delivery in second.deliveries if delivery.id > last] == [last + 1]


def test_a_kill_loses_no_webhook_and_nothing_that_one_reports(
    serve: Serve, scene: Scene, data: Path, receiver: Receiver
) -> None:
    """Killed while the first delivery waits for its answer: everything is there, and all of it is sent, in order."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        silent.settimeout(60)
        with started_python(PROGRAM, scene.repository.path, data, url) as (process, output):
            connection, _ = silent.accept()
            state = output.readline().strip()
            process.send_signal(signal.SIGKILL)
            connection.close()

    github = serve(scene.repository.path, data=data)
    assert repr(github.state) == state
    github.comment(1, "And now?")
    assert github.settle()
    assert [delivery.status for delivery in github.deliveries] == [None] * 4
    github.webhook_url = receiver.url

    assert github.settle()
    sent = [received.headers["x-github-delivery"] for received in receiver.received]
    assert sent == [delivery.guid for delivery in github.deliveries]
    events = [(delivery.event, delivery.action, delivery.status) for delivery in github.deliveries]
    assert events == [
        ("pull_request", "opened", 202),
        ("pull_request_review", "submitted", 202),
        ("pull_request_review_comment", "created", 202),
        ("issue_comment", "created", 202),
    ]


def test_an_action_is_stored_before_its_webhook_is_sent(
    serve: Serve, scene: Scene, data: Path, receiver: Receiver
) -> None:
    """Else a kill would leave a webhook of something that never happened."""
    github = serve(scene.repository.path, data=data, webhook_url=receiver.url)
    heard: list[int] = []
    github.repository.watchers.insert(0, lambda: time.sleep(0.3))
    github.repository.watchers.append(lambda: heard.append(len(receiver.received)))

    github.open_pull_request("feature")

    assert github.settle()
    assert heard == [0, 1]


def test_an_answered_delivery_is_repeated_only_by_a_redelivery(
    serve: Serve, scene: Scene, data: Path, receiver: Receiver
) -> None:
    """A redelivery has the same GUID and bytes at any age."""
    first = serve(scene.repository.path, data=data, webhook_url=receiver.url)
    first.open_pull_request("feature")
    assert first.settle()
    first.stop()

    second = serve(scene.repository.path, data=data, webhook_url=receiver.url)
    assert second.settle()
    assert len(receiver.received) == 1
    second.redeliver(first.deliveries[0].guid)

    assert second.settle()
    opened, again = receiver.received
    assert (opened.body, opened.headers["x-github-delivery"]) == (again.body, again.headers["x-github-delivery"])


def test_the_oldest_deliveries_beyond_the_limit_are_deleted(serve: Serve, scene: Scene, data: Path) -> None:
    """The limit is 20,000: the next one takes the place of the oldest."""
    first = serve(scene.repository.path, data=data)
    first.open_pull_request("feature")
    first.comment(1, "Hello.")
    oldest, last = (delivery.id for delivery in first.deliveries)
    first.stop()
    with closing(sqlite3.connect(data / "github.sqlite")) as database, database:
        database.execute("UPDATE deliveries SET id = ? WHERE id = ?", [last + 1 - 20_000, oldest])

    second = serve(scene.repository.path, data=data)
    before = [delivery.event for delivery in second.deliveries]
    second.comment(1, "Hello again.")
    second.stop()

    after = [delivery.event for delivery in serve(scene.repository.path, data=data).deliveries]
    assert before == ["pull_request", "issue_comment"]
    assert after == ["issue_comment", "issue_comment"]


def test_a_head_that_was_pushed_away_and_collected_still_shows(
    serve: Serve, scene: Scene, client_of: Connect, data: Path
) -> None:
    """Its commits and those of its base are kept apart from the person's repository, in which nothing is changed."""
    lower = scene.repository.commit({"lower.py": "l = 1\n"}, scene.base, branch="lower")
    upper = scene.repository.commit({"upper.py": "u = 1\n"}, lower, branch="upper")
    github = serve(scene.repository.path, data=data)
    github.open_pull_request("upper", "lower")
    before = github.repository.compare(lower, upper)
    later = scene.repository.commit({"upper.py": "u = 2\n"}, scene.base, branch="upper")
    github.push(1, later, "main")

    collect(scene.repository, "refs/heads/lower", "refs/made/")

    with pytest.raises(subprocess.CalledProcessError):
        scene.repository.git("cat-file", "-e", lower)
    github.stop()
    again = serve(scene.repository.path, data=data)
    client = client_of(again, again.token_for("ann"))
    assert again.repository.compare(lower, upper) == before
    assert [file["filename"] for file in client.get(f"{PULL}/files").json()] == ["upper.py"]


def test_the_branches_are_where_the_state_says_that_they_are(serve: Serve, scene: Scene, data: Path) -> None:
    """An act that was killed halfway has happened not at all; what its git has left is in nobody's way."""
    first = serve(scene.repository.path, data=data)
    first.open_pull_request("feature")
    first.set_base_file(1, ".kodiai.yml", b"review: {}\n")
    base = first.state.pulls[1].base_sha
    copy = first.repository.copy
    for ref in ("refs/pull/1/head", "refs/heads/feature", "refs/heads/main"):
        copy.set_ref(ref, scene.push({"half.py": "done"}))
    for lock in ("index-of-one-commit.lock", "refs/heads/main.lock"):
        (copy.folder / lock).touch()
    first.stop()

    second = serve(scene.repository.path, data=data)

    heads = [second.repository.copy.tip(ref) for ref in ("refs/pull/1/head", "feature", "main")]
    assert heads == [scene.head, scene.head, base]
    second.set_base_file(1, ".kodiai.yml", b"review: {maxComments: 1}\n")


def test_a_branch_that_no_pull_request_goes_into_follows_the_persons(serve: Serve, scene: Scene, data: Path) -> None:
    """The next pull request is compared with its present place."""
    serve(scene.repository.path, data=data).stop()
    merged = scene.repository.commit({"merged.py": "m = 1\n"}, scene.base, branch="main")

    github = serve(scene.repository.path, data=data)
    github.open_pull_request(scene.repository.commit({"next.py": "n = 1\n"}, merged))

    assert github.state.pulls[1].base_sha == merged


def test_the_data_of_another_repository_is_refused(
    serve: Serve, scene: Scene, repository: GitRepository, data: Path
) -> None:
    """Its pull requests would be of commits that are not there."""
    serve(scene.repository.path, data=data).stop()

    with pytest.raises(
        UnusableRepository,
        match=f"^{data} belongs to the repository {scene.repository.path}, not to {repository.path}$",
    ):
        LocalGitHub(repository.path, data=data)

    serve(scene.repository.path, data=data)


def test_data_serves_one_process_at_a_time(serve: Serve, scene: Scene, data: Path) -> None:
    """Only the owner of the folder can read it."""
    serve(scene.repository.path, data=data)

    with pytest.raises(UnusableFolder, match=f"^{data} is in use by another process$"):
        LocalGitHub(scene.repository.path, data=data)

    assert data.stat().st_mode & 0o077 == 0
    assert (data / "github.sqlite").stat().st_mode & 0o077 == 0


def test_a_port_that_is_taken_lets_go_of_the_data(serve: Serve, scene: Scene, data: Path) -> None:
    """Another port may be used instead."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(OSError, match="in use"):
            LocalGitHub(scene.repository.path, data=data, port=taken.getsockname()[1])

        serve(scene.repository.path, data=data)
