"""Plays pushes, replies and reactions on a pull request of the local GitHub, and waits for what follows from each."""

from collections.abc import Callable, Sequence
from typing import Any

from cli.errors import CommandError
from cli.output import Output
from cli.progress import Progress
from cli.pull_request_api import Json, PostedReply, PullRequestApi, findings_of, push_result, reply_result
from cli.results import Push, Target, reading_order
from cli.scenario import React, Reply, Speaker
from kodiai.core.findings.markers import finding_of
from kodiai.ports.ledger import Ledger
from local.follower import REVIEWING, Follower, LogLine
from local.github import LocalGitHub
from local.machine import LocalMachine

_LONGEST_SECONDS = 1_800.0
_NOT_MOVED: LogLine = {"outcome": "skipped", "reason": "the head did not move, so GitHub sends no event"}


def review_outcome(follower: Follower, guid: str, report: Callable[[str], None], **more: Any) -> LogLine:
    """Wait for the outcome of a review. Raises DeliveryFailed, and CommandError where access is missing."""
    outcome = follower.outcome(guid, _LONGEST_SECONDS, report, **more)
    if outcome["outcome"] == "refused":
        raise CommandError(outcome["reason"])
    return outcome


def newest_event(github: LocalGitHub) -> str:
    """The GUID of the newest event of a pull request itself."""
    return next(delivery.guid for delivery in reversed(github.deliveries) if delivery.event == "pull_request")


class Simulation:
    """One pull request on the local GitHub; its author replies and reacts until another speaker is named."""

    def __init__(
        self,
        github: LocalGitHub,
        machine: LocalMachine,
        api: PullRequestApi,
        follower: Follower,
        output: Output,
        progress: Progress,
    ) -> None:
        self._github = github
        self._machine = machine
        self._api = api
        self._follower = follower
        self._output = output
        self._progress = progress
        self.replies = Replies(github, api)

    def review(self, *, moved: bool) -> None:
        """Wait for the review of a push, and show it; where the head did not move there is none."""
        outcome = review_outcome(self._follower, newest_event(self._github), self._report) if moved else _NOT_MOVED
        push = self._push_result(outcome)
        with self._progress.paused():
            self._output.add_push(push)

    def reply(self, reply: Reply) -> None:
        """Post a reply, wait for what follows, a review too, and show it."""
        posted = self.replies.post(reply)
        outcome = self._follower.outcome(posted.delivery, _LONGEST_SECONDS, self._report, of="MentionFunction")
        result = reply_result(posted, findings_of(self._ledger()), outcome, self._api, self._github.bot_login)
        if outcome.get("review"):
            reviewed = review_outcome(self._follower, posted.delivery, self._report, known=REVIEWING)
            result = result.model_copy(update={"review": self._push_result(reviewed)})
        with self._progress.paused():
            self._output.add_reply(result)

    def react(self, reaction: React) -> None:
        """React to a comment, and show it. GitHub has no webhook of that: the next review sees it."""
        done = self.replies.react(reaction)
        with self._progress.paused():
            self._output.add_reaction(done)

    def _push_result(self, outcome: LogLine) -> Push:
        """The result of a review, whose comments replies refer to from now on."""
        run = self._ledger().run(outcome["run"]) if "run" in outcome else None
        if run is not None and run.review_id is not None:
            self.replies.number(run.review_id)
        pull = self._github.state.pulls[self._api.number]
        return push_result(self._ledger(), self._api, outcome, head=pull.head_sha, base=pull.base_named)

    def _ledger(self) -> Ledger:
        return self._machine.ledger(self._github.repository.ref, self._api.number)

    def _report(self, known: str) -> None:
        """Show the current step; where the line can be overwritten, also how many calls there were so far."""
        questions = f", {len(self._machine.model.requests)} model calls" if self._machine.model else ""
        detail = f"{len(self._github.requests)} GitHub calls{questions}" if self._progress.is_terminal else ""
        self._progress.step(known, detail)


class Replies:
    """People who reply and react to the reviewer; comments are counted in the order in which they are printed."""

    def __init__(self, github: LocalGitHub, api: PullRequestApi) -> None:
        self._github = github
        self._api = api
        self._speaker = github.state.pulls[api.number].author
        self._comments: Sequence[Json] = ()

    def number(self, review_id: str) -> None:
        """Count the inline comments of a new review, if it has any."""
        posted = self._api.review_comments(review_id)
        order = reading_order([(comment["path"], comment["line"]) for comment in posted])
        self._comments = [posted[at] for at in order] or self._comments

    def switch(self, speaker: Speaker) -> None:
        """Let another person reply and react from now on, in this role."""
        self._github.set_role(speaker.login, speaker.role)
        self._speaker = speaker.login

    def post(self, reply: Reply) -> PostedReply:
        """Post a reply. Raises CommandError where there is no such comment."""
        by = self._speaker
        to = Target()
        if reply.comment:
            comment = self._comment(reply.comment, "--reply")
            finding = finding_of(comment["body"])
            to = Target(comment=reply.comment, path=comment["path"], line=comment["line"], finding=finding)
            number = self._github.reply(comment["id"], reply.text, login=by)
        else:
            number = self._github.comment(self._api.number, reply.text, login=by)
        return PostedReply(number, self._delivery(number), by, self._github.state.users[by].role, to, reply.text)

    def react(self, reaction: React) -> str:
        """React to a comment, and say so. Raises CommandError where there is no such comment."""
        comment = self._comment(reaction.comment, "--react")
        self._github.react("review comment", comment["id"], reaction.content, login=self._speaker)
        emoji = "👍" if reaction.content == "+1" else "👎"
        return f"{self._speaker} reacts with {emoji} to comment {reaction.comment}, {comment['path']}:{comment['line']}"

    def _comment(self, number: int, option: str) -> Json:
        if number > len(self._comments):
            raise CommandError(f"{option} {number}: the latest review with inline comments has {len(self._comments)}")
        return self._comments[number - 1]

    def _delivery(self, comment: int) -> str:
        """The GUID of the webhook of a new comment."""
        return next(
            delivery.guid
            for delivery in reversed(self._github.deliveries)
            if delivery.action == "created" and delivery.payload.get("comment", {}).get("id") == comment
        )
