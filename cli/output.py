"""The output of `kodiai review`: printed push by push, briefly or in full, then written as JSON and HTML."""

import json
from pathlib import Path

from rich.console import Console

from cli.brief_output import print_push_briefly, print_total
from cli.full_output import print_push, print_reply
from cli.html_report import write_report
from cli.pull_request_api import PullRequestApi
from cli.results import Diff, Push, PushEvent, Reply, Result
from local.rendering.visible import visible_line


class Output:
    """The results so far of a pull request; `of` is how many pushes there will be.

    `in_full` prints complete reviews, as they were posted; `subject` says in words what is reviewed.
    """

    def __init__(
        self, console: Console, api: PullRequestApi, reviewer: str, *, of: int, in_full: bool, subject: str = ""
    ) -> None:
        self._console = console
        self._api = api
        self._reviewer = reviewer
        self._of = of
        self._in_full = in_full
        self._title = str(api.pull_request()["title"])
        self._subject = subject
        self._diffs: list[Diff] = []
        self._pushes: list[Push] = []
        self._events: list[PushEvent | Reply] = []

    @property
    def result(self) -> Result:
        """Everything so far."""
        return Result(
            repository=self._api.repository_name,
            pull_request=self._api.number,
            title=self._title,
            reviewer=self._reviewer,
            pushes=tuple(self._pushes),
            events=tuple(self._events),
        )

    def add_push(self, push: Push) -> None:
        """Take in and print the result of a push."""
        if not self._events:
            self._print_subject()
        self._diffs.append(self._api.diff())
        self._pushes.append(push)
        self._events.append(PushEvent(**push.model_dump()))
        number = len(self._diffs)
        if self._in_full:
            print_push(push, self._console, self._diffs[-1], f"Push {number} of {self._of}")
        else:
            title = f"Push {number} of {self._of}" if self._of > 1 else "Review"
            print_push_briefly(self._pushes, self._console, title, list_open=number == self._of)

    def _print_subject(self) -> None:
        subject = self._subject or f"{self._api.repository_name}#{self._api.number}: {self._title}"
        self._console.print(f"Reviewing {visible_line(subject)}", markup=False, soft_wrap=True)

    def add_reply(self, reply: Reply) -> None:
        """Take in and print the result of a reply."""
        last = self._events[-1]
        before = last.review.findings if isinstance(last, Reply) and last.review else last.findings
        self._events.append(reply)
        print_reply(reply, self._console, before)
        if reply.review is not None:
            title = f"Review for {reply.by}"
            if self._in_full:
                print_push(reply.review, self._console, self._diffs[-1], title)
            else:
                print_push_briefly([*self._pushes, reply.review], self._console, title, list_open=False)

    def add_reaction(self, done: str) -> None:
        """Print that somebody reacted."""
        self._console.print(f"\n{visible_line(done)}", markup=False, soft_wrap=True)

    def finish(self, json_file: Path | None, html_file: Path | None) -> None:
        """Print the cost, and write the requested files."""
        result = self.result
        print_total(result, self._console)
        if json_file:
            text = json.dumps(result.model_dump(mode="json"), indent=2, ensure_ascii=False)
            json_file.write_text(text + "\n", "utf-8")
        if html_file:
            write_report(result, html_file, self._diffs)
        for file in filter(None, (json_file, html_file)):
            self._console.print(f"Written: {file}", markup=False, soft_wrap=True)
        if not html_file and not self._in_full:
            self._console.print("--full prints complete reviews, --html FILE writes a report.", style="dim")
