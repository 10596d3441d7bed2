"""Acts on a pull request that is there."""

from typing import Any

import httpx

from kodiai.core.events.job import OPERATOR, RerunJob
from tests.faults.scene import DISCOUNT, Scene
from tests.git_repository import Files
from tests.queued import job_of, put_into_queue


def push(scene: Scene, number: int, files: Files | None = None) -> None:
    """Push a commit of these files, or of one more file in which nothing is wrong."""
    head = scene.github.state.pulls[number].head_sha
    scene.github.push(number, scene.commit(files or {f"src/more_{number}.py": f"n = {number}\n"}, head))


def push_same(scene: Scene, number: int) -> None:
    """Push a commit with the same changes: the model is shown one more, and its thinking came behind the others."""
    push(scene, number, {"src/orders.py": DISCOUNT})


def push_later(scene: Scene, number: int) -> None:
    """Push a head that makes what was said before an old argument."""
    push(scene, number, {"later.txt": f"{number}\n"})


def reply(scene: Scene, number: int, body: str, login: str = "octocat") -> None:
    """Reply in the thread of the finding that is inline."""
    ours = scene.github.state.comments_of(number, scene.github.bot_login)
    [comment] = [each for each in ours if not each.in_reply_to]
    scene.github.reply(comment.id, body, login=login)


def push_on_github(scene: Scene, number: int) -> None:
    """Push one more file, in which nothing is wrong, on top of a head that was made on GitHub and is only there."""
    pull = scene.github.state.pulls[number]
    headers = {"authorization": f"Bearer {scene.github.token_for('octocat', 'write')}"}
    git = f"{scene.github.url}/repos/{scene.github.full_name}/git"
    with httpx.Client(headers=headers, timeout=60) as client:

        def ask(method: str, path: str, body: Any = None) -> Any:
            return client.request(method, f"{git}/{path}", json=body).raise_for_status().json()

        file = {"path": f"src/more_{number}.py", "mode": "100644", "type": "blob", "content": f"n = {number}\n"}
        base = ask("GET", f"commits/{pull.head_sha}")["tree"]["sha"]
        tree = ask("POST", "trees", {"base_tree": base, "tree": [file]})["sha"]
        commit = ask("POST", "commits", {"message": "One more", "tree": tree, "parents": [pull.head_sha]})["sha"]
        ask("PATCH", f"refs/heads/{pull.head_ref}", {"sha": commit})


def commit_anew(scene: Scene, number: int) -> None:
    """Push the same change in a new commit, to a pull request that is opened again where it was closed.

    Where the run before it was completed and remembered, nothing is asked and nothing is posted.
    """
    pull = scene.github.state.pulls[number]
    if pull.state == "closed":
        scene.github.reopen(number)
    scene.github.push(number, scene.repository.commit_again(pull.head_sha))


def ask_for_preview(scene: Scene, number: int) -> None:
    """Ask for a preview, as an operator does."""
    guid = f"preview-of-{number}"
    job = job_of(scene.github, number, delivery=guid, trigger="review_requested", sender=OPERATOR, preview=True)
    put_into_queue(scene.machine, job.to_message(), job.group_id, guid)


def tell_that_checks_completed(scene: Scene, number: int) -> None:
    """Tell that the checks of another App have completed on the head."""
    guid = f"suite-of-{number}"
    job = job_of(scene.github, number, delivery=guid, trigger="checks_completed")
    put_into_queue(scene.machine, job.to_message(), job.group_id, guid)


def ask_again(scene: Scene, number: int) -> None:
    """Let the last request for a review come once more, so late that SQS no longer knows that it is a repeat."""
    last = [each for each in scene.github.deliveries if each.payload.get("number") == number][-1]
    job = job_of(scene.github, number, delivery=last.guid, trigger="review_requested")
    put_into_queue(scene.machine, job.to_message(), job.group_id, f"late-{last.guid}")


def rerun_again(scene: Scene, number: int) -> None:
    """Let the last request to run all checks of a head again come once more, as late."""
    head, ref = scene.github.state.pulls[number].head_sha, scene.github.repository.ref
    suites = [each for each in scene.github.deliveries if each.event == "check_suite"]
    last = next(each for each in suites[::-1] if each.payload["check_suite"]["head_sha"] == head)
    job = RerunJob(
        delivery=last.guid,
        repository=ref.name,
        repository_id=ref.id,
        owner_id=ref.owner_id,
        installation=last.payload["installation"]["id"],
        sender="octocat",
        head=head,
    )
    put_into_queue(scene.machine, job.to_message(), job.group_id, f"late-{last.guid}")
