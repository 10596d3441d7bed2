"""People who talk with the reviewer on the local GitHub: who speaks, and what they say to which comment."""

from collections.abc import Sequence

from cli.acts import Reply, Speaker
from cli.collect import Json, PullRequestApi, Said
from cli.follow import Unfinished
from cli.report.result import reading_order
from kodiai.core.words.markers import finding_of
from local.github import LocalGitHub


class Conversation:
    """The talk about one pull request; its author speaks until somebody else is named."""

    def __init__(self, github: LocalGitHub, api: PullRequestApi) -> None:
        self._github = github
        self._api = api
        self._speaker = github.state.pulls[api.number].author
        self._comments: Sequence[Json] = ()

    def read(self, review_id: str) -> None:
        """Keep the inline comments of a new review, if it has any, in the order in which they are printed."""
        posted = self._api.review_comments(review_id)
        order = reading_order([(comment["path"], comment["line"]) for comment in posted])
        self._comments = [posted[at] for at in order] or self._comments

    def hand_over(self, speaker: Speaker) -> None:
        """Let somebody else speak, in the role that they have from now on."""
        self._github.set_role(speaker.login, speaker.role)
        self._speaker = speaker.login

    def say(self, reply: Reply) -> Said:
        """Post a reply. Raises Unfinished where it answers a comment that there is not."""
        by = self._speaker
        if not reply.comment:
            to: Json = {"comment": 0}
            number = self._github.comment(self._api.number, reply.text, login=by)
        else:
            comment = self._comment(reply.comment)
            place = {"path": comment["path"], "line": comment["line"], "finding": finding_of(comment["body"])}
            to = {"comment": reply.comment, **place}
            number = self._github.reply(comment["id"], reply.text, login=by)
        role = self._github.state.users[by].role
        return Said(number, self._delivery(number), by, role, to, reply.text)

    def _comment(self, number: int) -> Json:
        if number > len(self._comments):
            count = len(self._comments)
            there_are = (
                f"the latest review with inline comments has {count}" if count else "there are 0 inline comments"
            )
            raise Unfinished(f"--reply {number}: {there_are}")
        return self._comments[number - 1]

    def _delivery(self, comment: int) -> str:
        """The GUID of the webhook that told of a new comment."""
        return next(
            delivery.guid
            for delivery in reversed(self._github.deliveries)
            if delivery.action == "created" and delivery.payload.get("comment", {}).get("id") == comment
        )
