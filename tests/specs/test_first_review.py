"""A pull request is opened, and one review is posted: the whole way, over real HTTP, through the real store."""

from tests.specs.conftest import Stage

DEFECTS = """\
import subprocess


def add(item, items=[]):
    items.append(item)
    return items


def run(command):
    return subprocess.run(f"tar {command}", shell=True)
"""


def test_an_opened_pull_request_gets_one_review(stage: Stage) -> None:
    """Its summary has the first-review form, and its comments stand on the lines that they are about.

    It says that the offline reviewer wrote it: nobody takes ruff for Claude. The check run is completed, named, and
    knows its run; the findings are remembered with their comments.
    """
    opened = stage.open({"src/add.py": DEFECTS})

    [review] = opened.reviews
    assert review["user"]["login"] == "kodiai[bot]"
    assert review["state"] == "COMMENTED"
    assert review["commit_id"] == opened.head
    assert review["body"].startswith(
        ":red_circle: **Address before merging** · 1 major · not blocking: 1 medium\n\n"
        "<details><summary>Kodiai Review Summary</summary>\n\n## What Changed\n\n"
    )
    assert ":red_circle: **Address before merging** -- " in review["body"]
    assert "Offline checks only" in review["body"]
    lines = {comment["line"]: comment["body"].splitlines()[0] for comment in opened.comments}
    assert set(lines) == {4, 10}
    assert all(first.startswith("**[") for first in lines.values())
    # The next review and a reply find the finding by its comment.
    known = {finding.comment_id: finding.finding.start_line for finding in opened.ledger.findings()}
    assert known == {str(comment["id"]): comment["line"] for comment in opened.comments}
    check = opened.check
    assert (check["name"], check["status"], check["conclusion"]) == ("Kodiai", "completed", "neutral")
    assert check["output"]["title"] == "Address before merging · 1 major · not blocking: 1 medium"
    assert check["external_id"].startswith(f"{stage.github.repository.id}#{opened.number}@")
