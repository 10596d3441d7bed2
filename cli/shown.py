"""The result as it grows: printed push by push, briefly or in full, then written as JSON and HTML."""

import json
from pathlib import Path

from rich.console import Console

from cli.brief import print_push_briefly, print_total
from cli.collect import Json, PullRequestApi, describe_push
from cli.follow import LogLine
from cli.printout import print_push, print_reply, print_summary
from cli.report.report import write_report
from kodiai.ports import Ledger
from local.rendering.visible import visible_line


class Shown:
    """What has been shown of a pull request; `of` is how many pushes there will be.

    `in_full` is whether the reviews are printed whole, as they were posted; `told` says in words what is reviewed.
    """

    def __init__(
        self, console: Console, api: PullRequestApi, reviewer: str, *, of: int, in_full: bool, told: str = ""
    ) -> None:
        self._console = console
        self._api = api
        self._of = of
        self._in_full = in_full
        self._told = told
        self._diffs: list[list[Json]] = []
        self.result: Json = {
            "repository": api.repository_name,
            "pull_request": api.number,
            "title": api.pull_request()["title"],
            "reviewer": reviewer,
            "pushes": [],
            "events": [],
        }

    def add(self, ledger: Ledger, outcome: LogLine, **known: str) -> None:
        """Take in what a push came to and print it; `known` is what we know better than the outcome."""
        push = {**describe_push(ledger, self._api, outcome), **known}
        diff = [_diff_file(file) for file in self._api.files()]
        if not self._diffs:
            self._begin()
        self._diffs.append(diff)
        self.result["pushes"].append(push)
        self.result["events"].append({"kind": "push", **push})
        if self._in_full:
            print_push(push, self._console, diff, number=len(self._diffs), of=self._of)
        else:
            print_push_briefly(self.result["pushes"], self._console, number=len(self._diffs), of=self._of)

    def _begin(self) -> None:
        """Say what is reviewed."""
        name = f"{self._api.repository_name}#{self._api.number}: {self.result['title']}"
        if self._told or not self._in_full:
            self._console.print(f"Reviewing {visible_line(self._told or name)}", markup=False, soft_wrap=True)

    def add_reply(self, reply: Json) -> None:
        """Take in what a reply came to, and print it."""
        last = self.result["events"][-1]
        before = (last.get("review") or last)["findings"] if last["kind"] == "reply" else last["findings"]
        self.result["events"].append(reply)
        if self._in_full or reply["review"] is None:
            print_reply(reply, self._console, self._diffs[-1], before=before)
        else:
            print_reply(reply | {"review": None}, self._console, before=before)
            print_push_briefly([*self.result["pushes"], reply["review"]], self._console, asked_by=reply["by"])

    def conclude(self) -> None:
        """Print what all of it came to."""
        (print_summary if self._in_full else print_total)(self.result, self._console)

    def write(self, json_file: Path | None, html_file: Path | None) -> None:
        """Write the files that were asked for."""
        if json_file:
            json_file.write_text(json.dumps(self.result, indent=2, ensure_ascii=False) + "\n", "utf-8")
        if html_file:
            write_report(self.result, html_file, dict(enumerate(self._diffs)))
        for file in filter(None, (json_file, html_file)):
            self._console.print(f"Written: {file}", markup=False, soft_wrap=True)
        if not html_file and not self._in_full:
            self._console.print("--full prints the reviews whole, --html FILE writes them as a page.", style="dim")


def _diff_file(file: Json) -> Json:
    names = {"path": "filename", "previous_path": "previous_filename", "status": "status", "patch": "patch"}
    return {name: file.get(theirs) for name, theirs in names.items()}
