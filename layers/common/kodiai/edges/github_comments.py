"""People's comments on a pull request: reactions to them, their threads, and our answers.

REST reference: https://docs.github.com/en/rest/pulls/comments?apiVersion=2026-03-10
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from kodiai.core.errors import Broken, Refused
from kodiai.core.findings.markers import answer_marker, answered_key
from kodiai.core.github.comment import Comment, CommentPayload, Discussion, Reaction
from kodiai.edges.github_errors import Missing, Unprocessable, translate_errors
from kodiai.edges.github_snapshot import PullRequestReader

_MOST = 100
_THREADS = "/repos/{owner}/{repo}/pulls/{pull_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/pulls/comments/{comment_id}"
_CONVERSATION = "/repos/{owner}/{repo}/issues/{pull_number}/comments"
_REACTIONS = {
    "thread": f"{_COMMENT}/reactions",
    "conversation": "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
}
# https://docs.github.com/en/graphql/reference/enums#reactioncontent
_REACT = """
mutation React($id: ID!, $content: ReactionContent!) {
  addReaction(input: {subjectId: $id, content: $content}) { clientMutationId }
}
"""
_WORDS: dict[Reaction, str] = {"eyes": "EYES", "+1": "THUMBS_UP", "heart": "HEART", "confused": "CONFUSED"}
_Entry = Mapping[str, Any]


class PullRequestComments(PullRequestReader):
    """Reads, reacts to and answers the comments of one pull request."""

    def react(self, comment: CommentPayload, content: Reaction) -> bool:
        """Ignore a refusal: a reaction is a courtesy."""
        try:
            if comment.surface in _REACTIONS:
                self._write("POST", _REACTIONS[comment.surface], {"content": content}, comment_id=comment.id)
            else:  # reviews have reactions in GraphQL only
                variables = {"id": comment.node_id, "content": _WORDS[content]}
                errors = self._graphql("React", _REACT, variables, changes=True)["errors"]
                if errors:
                    raise translate_errors(errors)
        except Missing:
            return False
        except (Refused, Broken):
            return True
        return True

    def discussion(self, comment: CommentPayload) -> Discussion | None:
        """Read it from the newest comments of the pull request, where a thread's comments point to its first one.

        Where that was deleted, GitHub does not say whether they still point to it, or to the oldest one that is left.
        """
        newest = {"sort": "created", "direction": "desc"}
        known = {entry["id"]: entry for entry in self._pages(_THREADS, newest, most=_MOST)}
        own = self._known(comment.id, known)
        if own is None:
            return None
        first = self._known(_thread_of(own), known)
        if comment.reply_to not in (None, own.get("in_reply_to_id")):
            first = None
        thread = _thread_of(own)
        entries = sorted((each for each in known.values() if _thread_of(each) == thread), key=_age)
        oldest = first or entries[0]
        kept = {own["id"], oldest["id"]}
        others = [each["id"] for each in entries if each["id"] not in kept]
        kept.update(others[len(kept) - _MOST :])
        has_line = oldest.get("side", "RIGHT") == "RIGHT" and oldest.get("subject_type") != "file"
        return Discussion(
            root=oldest["id"],
            opening=self._rest_comment(first) if first is not None else None,
            path=oldest["path"],
            line=oldest.get("line") if has_line else None,
            hunk=oldest.get("diff_hunk") or "",
            comments=tuple(self._rest_comment(each) for each in entries if each["id"] in kept),
        )

    def answer(self, key: str, text: str, *, thread: int | None = None, since: float | None = None) -> None:
        body = f"{text}\n\n{answer_marker(key)}"
        if thread is not None:
            if self._is_answered(key, _THREADS, since):
                return
            # It may be gone, or not the first comment of a thread: then the conversation gets the answer.
            with suppress(Missing, Unprocessable):
                posted = self._write("POST", f"{_THREADS}/{{comment_id}}/replies", {"body": body}, comment_id=thread)
                self._check_author(posted["user"]["login"])
                return
        if not self._is_answered(key, _CONVERSATION, since):
            posted = self._write("POST", _CONVERSATION, {"body": body})
            self._check_author(posted["user"]["login"])

    def _known(self, number: int, known: dict[int, _Entry]) -> _Entry | None:
        """A comment, fetched where it is not among the known ones; None where there is none."""
        if number not in known:
            found = self._find(_COMMENT, comment_id=number)
            if found is None:
                return None
            known[number] = found
        return known[number]

    def _rest_comment(self, entry: _Entry) -> Comment:
        author = entry["user"] or {"login": "ghost", "type": "User"}
        times = entry["created_at"], entry["updated_at"]
        return self._a_comment(entry["id"], author["login"], author["type"] == "Bot", entry["body"], times)

    def _is_answered(self, key: str, route: str, since: float | None) -> bool:
        """Whether one of our comments carries the marker of this answer."""
        newer = {} if since is None else {"since": f"{datetime.fromtimestamp(int(since), UTC):%Y-%m-%dT%H:%M:%SZ}"}
        return any(
            self._is_us((comment["user"] or {}).get("login", "")) and answered_key(comment["body"] or "") == key
            for comment in self._pages(route, newer)
        )


def _thread_of(entry: _Entry) -> int:
    """The id of the comment that began its thread, which may be gone."""
    return int(entry.get("in_reply_to_id") or entry["id"])


def _age(entry: _Entry) -> tuple[str, int]:
    return entry["created_at"], entry["id"]
