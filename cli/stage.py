"""One pull request on the local GitHub: what happens on it goes to the system, and what comes of it is shown."""

from collections.abc import Callable
from typing import Any

from cli.acts import Reply
from cli.collect import Json, PullRequestApi, Said, describe_findings, describe_push, describe_reply
from cli.conversation import Conversation
from cli.follow import REVIEWING, Follower, LogLine, Unfinished
from cli.printout import Progress
from cli.shown import Shown
from kodiai.ports import Ledger
from local.github import LocalGitHub
from local.machine import LocalMachine

_LONGEST_SECONDS = 1_800.0
_NOT_MOVED: LogLine = {"outcome": "skipped", "reason": "the head did not move, so GitHub sends no event"}


def review_outcome(follower: Follower, guid: str, tell: Callable[[str], None], **more: Any) -> LogLine:
    """Wait for what becomes of a review. Raises Unfinished, where we lack access too."""
    outcome = follower.outcome(guid, _LONGEST_SECONDS, tell, **more)
    if outcome["outcome"] == "refused":
        raise Unfinished(outcome["reason"])
    return outcome


class Stage:
    """Follows what is done to the pull request, each act to its end before the next one."""

    def __init__(
        self,
        github: LocalGitHub,
        machine: LocalMachine,
        api: PullRequestApi,
        follower: Follower,
        shown: Shown,
        progress: Progress,
    ) -> None:
        self.conversation = Conversation(github, api)
        self._github = github
        self._machine = machine
        self._api = api
        self._follower = follower
        self._shown = shown
        self._progress = progress

    def review(self, *, moved: bool) -> None:
        """Wait for the review of what was pushed, and show it; where the head did not move there is none."""
        outcome = review_outcome(self._follower, self._last_event(), self._tell) if moved else _NOT_MOVED
        self._read_review(outcome)
        with self._progress.paused():
            self._shown.add(self._ledger(), outcome, **self._commits())

    def reply(self, reply: Reply) -> None:
        """Let somebody say something, wait for what comes of it, a review too, and show it."""
        said = self.conversation.say(reply)
        outcome = self._follower.outcome(said.delivery, _LONGEST_SECONDS, self._tell, of="MentionFunction")
        findings = describe_findings(self._ledger())
        review = self._review_after(said) if outcome.get("review") else None
        told = describe_reply(said, findings, outcome, self._api, self._github.bot_login) | {"review": review}
        with self._progress.paused():
            self._shown.add_reply(told)

    def _review_after(self, said: Said) -> Json:
        """The review that a reply has led to, under the same delivery."""
        outcome = review_outcome(self._follower, said.delivery, self._tell, known=REVIEWING)
        self._read_review(outcome)
        return {**describe_push(self._ledger(), self._api, outcome), **self._commits()}

    def _read_review(self, outcome: LogLine) -> None:
        """Keep the comments of the review that was posted, if any: replies are counted by them."""
        run = self._ledger().run(outcome["run"]) if "run" in outcome else None
        if run is not None and run.review_id is not None:
            self.conversation.read(run.review_id)

    def _last_event(self) -> str:
        """The GUID of the newest event of the pull request itself."""
        return next(delivery.guid for delivery in reversed(self._github.deliveries) if delivery.event == "pull_request")

    def _ledger(self) -> Ledger:
        return self._machine.ledger(self._github.full_name, self._api.number)

    def _commits(self) -> dict[str, str]:
        """The head and the base as they were named, which we know better than the outcome."""
        pull = self._github.state.pulls[self._api.number]
        return {"head": pull.head_sha, "base": pull.base_named}

    def _tell(self, known: str) -> None:
        """Show what is known; where the line can be written over, also how much has been asked so far."""
        questions = f", {len(self._machine.model.requests)} questions to the model" if self._machine.model else ""
        detail = f"{len(self._github.requests)} calls to GitHub{questions}" if self._progress.is_terminal else ""
        self._progress.step(known, detail)
