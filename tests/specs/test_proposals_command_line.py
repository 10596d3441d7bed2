"""People propose, review and apply a change with `kodiai` alone, on the whole system with a GitHub behind it."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cli.running import Done, run_command
from tests.specs.conftest import BASE_FILES, Stage
from tests.specs.scripts import a_report, says

OLD = "def total(prices, discount=0):\n    return sum(prices) + discount\n"
NEW = OLD.replace("+ discount", "- discount")


def test_a_change_becomes_a_commit_with_the_command_line_alone(stage: Stage, tmp_path: Path) -> None:
    """It is sent back once: the reviewer's next verdict needs the new generation."""
    stage.model.answers = says(a_report())
    opened = stage.open({**BASE_FILES, "src/orders.py": OLD})
    tokens = {login: stage.github.token_for(login) for login in ("ann", "ben")}
    checkout = a_checkout(tmp_path, stage.github.full_name, {**BASE_FILES, "src/orders.py": OLD})
    intent = ("--description", "Take the discount off", "--change", "total() subtracts it: it was added")

    def kodiai(login: str, *arguments: str) -> Done:
        url = stage.machine.system.api_url
        return run_command(*arguments, cwd=checkout, KODIAI_URL=url, KODIAI_GITHUB_TOKEN=tokens[login])

    def changed(text: str) -> tuple[str, ...]:
        (checkout / "src/orders.py").write_text(text)
        return "propose", "--base", "HEAD", *intent

    target = ("--pull-request", str(opened.number), "--reviewed-by", "anyone", "--json")
    proposed = kodiai("ann", *changed(OLD.replace("+ discount", "- 2 * discount")), *target)
    proposal = json.loads(proposed.out)["id"]
    own = kodiai("ann", "claim", proposal)
    claimed = kodiai("ben", "claim", proposal)
    verdict = ("verdict", proposal, "request_changes", "--generation", "1", "--notes", "Once, not twice.")
    sent_back = kodiai("ben", *verdict)
    revised = kodiai("ann", *changed(NEW), "--revise", proposal)
    late = kodiai("ben", "verdict", proposal, "approve", "--generation", "1")
    approved = kodiai("ben", "verdict", proposal, "approve", "--generation", "2")
    applied = kodiai("ann", "apply", proposal)
    listed = kodiai("ann", "status", "--status", "applied", "--json")

    done = (proposed, own, claimed, sent_back, revised, late, approved, applied, listed)
    assert [each.status for each in done] == [0, 1, 0, 0, 0, 1, 0, 0, 0], done
    assert own.err == "kodiai: Nobody reviews their own proposal: another person has to claim it.\n"
    assert late.err == "kodiai: The claim of generation 1 is over: claim the proposal again.\n"
    assert applied.out.startswith(f"{proposal} is applied: {stage.github.full_name}#{opened.number}, revision 2\n")
    shown = json.loads(kodiai("ann", "status", proposal, "--json").out)
    assert shown["id"] in [each["id"] for each in json.loads(listed.out)["proposals"]]
    assert file_at(stage, tokens["ann"], shown["commit"]["branch"]) == NEW


def a_checkout(folder: Path, repository: str, files: Any) -> Path:
    """A clone of a repository with these files."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("remote", "add", "origin", f"https://github.com/{repository}.git"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "The start"),
    ):
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True)
    return folder


def file_at(stage: Stage, token: str, branch: str) -> str:
    """src/orders.py on a branch, as GitHub has it."""
    url = f"{stage.github.url}/repos/{stage.github.full_name}/contents/src/orders.py"
    answer = stage.http.get(url, params={"ref": branch}, headers={"Authorization": f"Bearer {token}"})
    return base64.b64decode(answer.raise_for_status().json()["content"]).decode()
