"""GitHub's GraphQL: how things stand in one query, conversations, and what an answer with errors means.

Reference: https://docs.github.com/en/graphql/reference
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from kodiai.core.conversation.comment import Comment, Opening, Reply, Thread
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.json_object import JsonObject
from kodiai.core.pull_request import Guidance, LinkedIssue, OwnReview, PullRequest, PullRequestSnapshot
from kodiai.core.words.embedded import embedded_findings
from kodiai.core.words.markers import finding_of, review_head, review_run
from kodiai.edges.github_answers import Missing
from kodiai.edges.github_connection import Connection
from kodiai.edges.github_queries import (
    COMMITS,
    CONVERSATION,
    DISPENSABLE,
    GUIDANCE_PARTS,
    ISSUES,
    MORE_THREADS,
    TEMPLATES,
    standing_query,
)

_MOST_PAGES = 20
_MOST_SAID = 100
_LIMITED_SECONDS = 60.0
_LIMITED = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
_NOT_PERMITTED = frozenset({"FORBIDDEN", "INSUFFICIENT_SCOPES"})
_REGULAR_FILES = frozenset({0o100644, 0o100755})


class GraphQL:
    """The queries of one pull request; `us` is the login under which we write.

    `repository_id` is the repository's global id once it is known how things stand.
    """

    def __init__(self, connection: Connection, repository: str, number: int, us: str) -> None:
        self.repository_id: str | None = None
        self._connection = connection
        self._repository = repository
        self._number = number
        self._us = us
        owner, _, name = repository.partition("/")
        self._names = {"owner": owner, "name": name, "number": number}

    def standing(
        self, path: str, read_file: Callable[[str, str], bytes | None], left_out: Collection[str]
    ) -> PullRequestSnapshot:
        """Read how things stand, with a file of the base branch. Raises Missing, Refused, Retry.

        `read_file` reads the file at a ref where it is not one that can be read here. `left_out` is what is not asked
        for, of what can be done without.
        """
        repository, unseen = self._seen(path, left_out)
        self.repository_id = repository["id"]
        pull = repository["pullRequest"]
        base = (pull["baseRef"] or {}).get("target") or {}
        file = base.get("file")
        text = _text(file)
        config = text.encode() if text is not None else read_file(path, pull["baseRefName"]) if file else None
        return PullRequestSnapshot(
            pull_request=self._pull_request(pull),
            config=config,
            threads=tuple(thread for node in self._all_threads(pull) if (thread := self._thread(node)) is not None),
            reviews=tuple(review for node in pull["reviews"]["nodes"] if (review := self._review(node)) is not None),
            commits=tuple(node["commit"]["message"] for node in _nodes(pull.get(COMMITS))),
            issues=tuple(_issue(node) for node in _nodes(pull.get(ISSUES))),
            guidance=_guidance(base),
            templates=tuple(form["body"] for form in repository.get(TEMPLATES) or () if form["body"]),
            unseen=unseen,
        )

    def conversation(self) -> tuple[Comment, ...]:
        """The newest comments and reviews' texts, oldest first."""
        pull = self._asked("Conversation", CONVERSATION, {})["pullRequest"]
        reviews = [node for node in _nodes(pull["reviews"]) if node["body"] and node["state"] != "PENDING"]
        said = [self._comment(node) for node in [*_nodes(pull["comments"]), *reviews]]
        return tuple(sorted(said, key=lambda comment: comment.created)[-_MOST_SAID:])

    def comments(self, threads: Sequence[JsonObject]) -> dict[str, str]:
        """The ids of our threads' first comments by finding id, the newest where there are two of one finding."""
        roots = [node["root"]["nodes"][0] for node in threads if node["root"]["nodes"]]
        return {
            found: str(root["databaseId"])
            for root in sorted(roots, key=lambda root: int(root["databaseId"]))
            if _login(root["author"]) == self._us and (found := finding_of(root["body"]))
        }

    def _seen(self, path: str, left_out: Collection[str]) -> tuple[Any, tuple[str, ...]]:
        """What GitHub shows, and what it does not and why, as far as that can be done without.

        It may show nothing at all for want of it: then it is asked for the rest alone.
        """
        lost: dict[str, str] = {}
        while True:
            answer = self._answer("Standing", standing_query({*left_out, *lost}), {"path": path})
            errors = [(_dispensable(error), error) for error in answer.get("errors") or ()]
            others = [error for part, error in errors if part is None]
            if others:
                raise translate(others)
            found = {part: _unseen(part, error) for part, error in errors if part is not None and part not in lost}
            lost |= found
            if not found or _holds_pull_request(answer):
                return _repository(answer), tuple(lost.values())

    def _asked(self, name: str, document: str, variables: JsonObject) -> Any:
        answer = self._answer(name, document, variables)
        if answer.get("errors"):
            raise translate(answer["errors"])
        return _repository(answer)

    def _answer(self, name: str, document: str, variables: JsonObject) -> Any:
        return self._connection.graphql(name, document, {**self._names, **variables}, changes=False)

    def _all_threads(self, pull: JsonObject) -> Iterator[JsonObject]:
        page = pull["reviewThreads"]
        for _ in range(_MOST_PAGES):
            yield from page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            after = {"after": page["pageInfo"]["endCursor"]}
            page = self._asked("Threads", MORE_THREADS, after)["pullRequest"]["reviewThreads"]

    def _pull_request(self, pull: JsonObject) -> PullRequest:
        return PullRequest(
            repository=self._repository,
            number=self._number,
            url=pull["url"],
            title=pull["title"],
            body=pull["body"] or "",
            author=_login(pull["author"]),
            author_is_bot=_is_bot(pull["author"]),
            state="open" if pull["state"] == "OPEN" else "closed",
            draft=pull["isDraft"],
            head=pull["headRefOid"],
            base=pull["baseRefOid"],
            base_ref=pull["baseRefName"],
            body_edited=epoch(edited) if (edited := pull.get("lastEditedAt")) else None,
            labels=tuple(label["name"] for label in (pull["labels"] or {"nodes": ()})["nodes"]),
        )

    def _comment(self, node: JsonObject) -> Comment:
        """Something said; a review is said when it is submitted, however long it was written."""
        login = _login(node["author"])
        created = epoch(node.get("submittedAt") or node["createdAt"])
        edited = node["lastEditedAt"]
        return Comment(
            id=node["databaseId"],
            author=login,
            is_bot=_is_bot(node["author"]),
            is_ours=login.lower() == self._us.lower(),
            body=node["body"] or "",
            created=created,
            edited=max(created, epoch(edited)) if edited else created,
        )

    def _thread(self, node: JsonObject) -> Thread | None:
        """A thread that we began about a finding, None where it is anybody else's."""
        [root] = node["root"]["nodes"] or [None]
        finding = finding_of(root["body"]) if root and _login(root["author"]) == self._us else None
        if root is None or finding is None:
            return None
        replies = [said for said in node["said"]["nodes"] if said["databaseId"] != root["databaseId"]]
        return Thread(
            id=node["id"],
            finding=finding,
            comment_id=str(root["databaseId"]),
            resolved_by=self._resolver(node),
            can_resolve=bool(node["viewerCanResolve"]),
            replies=tuple(self._reply(said) for said in replies),
            opening=_opening(node, root),
        )

    def _reply(self, said: JsonObject) -> Reply:
        author = said["author"]
        login = _login(author)
        return Reply(
            id=str(said["databaseId"]),
            author=login,
            is_bot=_is_bot(author),
            association=said["authorAssociation"],
            body=said["body"],
            is_ours=login == self._us,
        )

    def _resolver(self, node: JsonObject) -> str | None:
        """Who resolved it; GitHub names an App there without the mark of bots."""
        if not node["isResolved"]:
            return None
        login = (node["resolvedBy"] or {"login": ""})["login"]
        return self._us if login == self._us.removesuffix("[bot]") else str(login)

    def _review(self, node: JsonObject) -> OwnReview | None:
        body = node["body"] or "" if _login(node["author"]) == self._us else ""
        run, head = review_run(body), review_head(body)
        if run is None or head is None or node["state"] == "PENDING":
            return None
        return OwnReview(
            id=node["id"],
            run=run,
            requests_changes=node["state"] == "CHANGES_REQUESTED",
            collapsed=node["isMinimized"],
            head=head,
            submitted=epoch(node["submittedAt"]),
            listed=embedded_findings(body),
        )


def _opening(thread: JsonObject, root: JsonObject) -> Opening | None:
    """The comment that began a thread; GitHub says on which lines of the head it stands while it is not outdated."""
    lines = _lines(thread["startLine"], thread["line"])
    original = _lines(thread["originalStartLine"], thread["originalLine"]) or lines
    return Opening(root["body"], thread["path"], lines, original, root["diffHunk"]) if original else None


def _lines(start: int | None, end: int | None) -> tuple[int, int] | None:
    return (start or end, end) if end is not None else None


def epoch(time: str) -> float:
    """A time as GitHub writes it, in seconds since the epoch."""
    return datetime.fromisoformat(time).timestamp()


def translate(errors: Sequence[JsonObject]) -> Exception:
    """Say what an answer with errors means."""
    kinds = {error.get("type") for error in errors}
    said = "; ".join(str(error.get("message", "")) for error in errors)[:500]
    if kinds & _LIMITED:
        return Retry(f"GitHub is busy: {said}", after_seconds=_LIMITED_SECONDS)
    if "NOT_FOUND" in kinds:
        return Missing(f"GitHub says {said}: it is gone, or the App may not see it")
    if kinds & _NOT_PERMITTED:
        return Refused(f"GitHub says {said}: look at what the App is permitted here")
    if kinds == {None}:
        return Retry(f"GitHub could not answer: {said}")
    return Broken(f"GitHub refused the request: {said}")


def _holds_pull_request(answer: JsonObject) -> bool:
    return bool(((answer.get("data") or {}).get("repository") or {}).get("pullRequest"))


def _repository(answer: JsonObject) -> Any:
    """The repository in an answer, with the pull request. Raises Retry."""
    if not _holds_pull_request(answer):
        raise Retry("GitHub's answer lacks what was asked for")
    return answer["data"]["repository"]


def _dispensable(error: JsonObject) -> str | None:
    """What a review can do without and this error is about, None where it is about more.

    A path names what failed by its keys, or, where the server does not know a field, by the fields of the query.
    """
    if error.get("type") in _LIMITED:
        return None
    return next((key for key in error.get("path") or () if isinstance(key, str) and key in DISPENSABLE), None)


def _unseen(part: str, error: JsonObject) -> str:
    """Say what is missing, and why."""
    some = "" if error["path"][-1] == part else "some "
    why = "not permitted" if error.get("type") in _NOT_PERMITTED else "GitHub could not say"
    return f"{some}{DISPENSABLE[part]}: {why}"


def _nodes(connection: JsonObject | None) -> list[Any]:
    """A connection's nodes without those that are not shown."""
    return [node for node in (connection or {}).get("nodes") or () if node]


def _issue(node: JsonObject) -> LinkedIssue:
    return LinkedIssue(node["number"], node["title"], node["body"], node["repository"]["nameWithOwner"])


def _guidance(base: JsonObject) -> tuple[Guidance, ...]:
    """What the base branch says of how to work, each text once."""
    found: dict[str, Guidance] = {}
    for part, path in GUIDANCE_PARTS.items():
        text = _text(base.get(part))
        if text and text.strip():
            found.setdefault(text, Guidance(path, text))
    return tuple(found.values())


def _login(author: JsonObject | None) -> str:
    """An account's login as REST has it; one that is gone is a ghost."""
    if author is None:
        return "ghost"
    return f"{author['login']}[bot]" if _is_bot(author) else str(author["login"])


def _is_bot(author: JsonObject | None) -> bool:
    return author is not None and author["__typename"] == "Bot"


def _text(file: JsonObject | None) -> str | None:
    """A regular file's text; a link, a submodule, what is cut or is no text has none here."""
    blob = (file and file["object"]) or {}
    if not file or file["mode"] not in _REGULAR_FILES or blob.get("isTruncated") or blob.get("text") is None:
        return None
    return str(blob["text"])
