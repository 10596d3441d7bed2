"""What people say on a pull request: reactions to it, the thread it stands in, and our answers.

REST reference: https://docs.github.com/en/rest/pulls/comments?apiVersion=2026-03-10
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from kodiai.core.conversation.comment import Comment, Discussion, Reaction
from kodiai.core.errors import Broken, Refused
from kodiai.core.events.job import CommentPayload
from kodiai.core.words.markers import answer_marker, answered_key
from kodiai.edges.github_answers import Missing, Unprocessable
from kodiai.edges.github_connection import Connection
from kodiai.edges.github_graphql import epoch, translate
from kodiai.edges.github_queries import REACT

_MOST = 100
_THREADS = "/repos/{owner}/{repo}/pulls/{pull_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/pulls/comments/{comment_id}"
_CONVERSATION = "/repos/{owner}/{repo}/issues/{pull_number}/comments"
_REACTIONS = {
    "thread": f"{_COMMENT}/reactions",
    "conversation": "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
}
# https://docs.github.com/en/graphql/reference/enums#reactioncontent
_WORDS: dict[Reaction, str] = {"eyes": "EYES", "+1": "THUMBS_UP", "heart": "HEART", "confused": "CONFUSED"}
_Entry = Mapping[str, Any]


class Comments:
    """The comments of one pull request; `us` is the login under which we write."""

    def __init__(self, connection: Connection, us: str) -> None:
        self._connection = connection
        self._us = us

    def react(self, said: CommentPayload, content: Reaction) -> bool:
        """React to what somebody said, which GitHub does once; False where it is gone.

        A reaction is a courtesy: where it is refused, that is left.
        """
        try:
            if said.surface in _REACTIONS:
                body = {"content": content}
                self._connection.write("POST", _REACTIONS[said.surface], body, comment_id=said.id)
            else:
                self._react_to_review(said, content)
        except Missing:
            return False
        except (Refused, Broken):
            return True
        return True

    def _react_to_review(self, said: CommentPayload, content: Reaction) -> None:
        """GraphQL alone lets reviews be reacted to."""
        variables = {"id": said.node_id, "content": _WORDS[content]}
        errors = self._connection.graphql("React", REACT, variables, changes=True).get("errors")
        if errors:
            raise translate(errors)

    def discussion(self, said: CommentPayload) -> Discussion | None:
        """The thread of a comment, out of the newest comments of the pull request; None where it was deleted.

        A thread's comments point to its first one, at times by way of a reply. What becomes of that where the first
        one is deleted GitHub does not say: they may go on pointing to it, or to the oldest one that is left.
        """
        newest = {"sort": "created", "direction": "desc"}
        known = {entry["id"]: entry for entry in self._connection.pages(_THREADS, newest, most=_MOST)}
        own = self._known(said.id, known)
        if own is None:
            return None
        first = self._known(_above(own), known)
        if first is not None and _above(first) != first["id"]:
            first = self._known(_above(first), known)
        if said.reply_to not in (None, own.get("in_reply_to_id")):
            first = None
        beginning = _thread_of(own, known)
        entries = sorted((each for each in known.values() if _thread_of(each, known) == beginning), key=_age)
        return self._discussion(first, own, entries)

    def _known(self, number: int, known: dict[int, _Entry]) -> _Entry | None:
        """A comment, got where it is not among those that are known, None where there is none."""
        if number not in known:
            found = self._connection.find(_COMMENT, comment_id=number)
            if found is None:
                return None
            known[number] = found
        return known[number]

    def _discussion(self, first: _Entry | None, own: _Entry, entries: Sequence[_Entry]) -> Discussion:
        oldest = first or entries[0]
        kept = {own["id"], oldest["id"]}
        others = [each["id"] for each in entries if each["id"] not in kept]
        kept.update(others[len(kept) - _MOST :])
        stands = oldest.get("side", "RIGHT") == "RIGHT" and oldest.get("subject_type") != "file"
        return Discussion(
            root=oldest["id"],
            opening=self._comment(first) if first is not None else None,
            path=oldest["path"],
            line=oldest.get("line") if stands else None,
            hunk=oldest.get("diff_hunk") or "",
            comments=tuple(self._comment(each) for each in entries if each["id"] in kept),
        )

    def _comment(self, entry: _Entry) -> Comment:
        author = entry["user"] or {"login": "ghost", "type": "User"}
        return Comment(
            id=entry["id"],
            author=author["login"],
            is_bot=author["type"] == "Bot",
            is_ours=self._is_us(author["login"]),
            body=entry["body"] or "",
            created=epoch(entry["created_at"]),
            edited=epoch(entry["updated_at"]),
        )

    def answer(self, key: str, text: str, thread: int | None, since: float | None) -> None:
        """Answer once: in the thread that a comment began, where it takes no answer in the conversation."""
        body = f"{text}\n\n{answer_marker(key)}"
        if thread is not None:
            if self._is_answered(key, _THREADS, since):
                return
            # It may be gone, or be no first comment: then the answer is better said elsewhere than not at all.
            with suppress(Missing, Unprocessable):
                self._connection.write("POST", f"{_THREADS}/{{comment_id}}/replies", {"body": body}, comment_id=thread)
                return
        if not self._is_answered(key, _CONVERSATION, since):
            self._connection.write("POST", _CONVERSATION, {"body": body})

    def _is_answered(self, key: str, route: str, since: float | None) -> bool:
        """Whether one of our comments carries the mark."""
        newer = {} if since is None else {"since": f"{datetime.fromtimestamp(int(since), UTC):%Y-%m-%dT%H:%M:%SZ}"}
        return any(
            self._is_us((comment["user"] or {}).get("login", "")) and answered_key(comment["body"] or "") == key
            for comment in self._connection.pages(route, newer)
        )

    def _is_us(self, login: str) -> bool:
        return login.lower() == self._us.lower()


def _above(entry: _Entry) -> int:
    """The comment that one points to, itself where it begins a thread."""
    return int(entry.get("in_reply_to_id") or entry["id"])


def _thread_of(entry: _Entry, known: Mapping[int, _Entry]) -> int:
    """The id of the comment that began its thread, which may be gone: at most one reply lies between."""
    above = _above(entry)
    return _above(known[above]) if above in known else above


def _age(entry: _Entry) -> tuple[str, int]:
    return entry["created_at"], entry["id"]
