"""GitHub's GraphQL: how things stand in one query, and everything beside the review in one mutation.

Reference: https://docs.github.com/en/graphql/reference
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.words.markers import finding_of, review_run
from kodiai.edges.github_answers import Missing
from kodiai.edges.github_connection import Connection
from kodiai.ports import JsonObject, OwnReview, PullRequest

_MOST_PAGES = 20
_LIMITED_SECONDS = 60.0
_REGULAR_FILES = frozenset({0o100644, 0o100755})

_AUTHOR = "author { __typename login }"
_THREADS = f"""
pageInfo {{ hasNextPage endCursor }}
nodes {{
  id isResolved viewerCanResolve
  resolvedBy {{ login }}
  root: comments(first: 1) {{ nodes {{ databaseId body {_AUTHOR} }} }}
  said: comments(last: 30) {{ nodes {{ databaseId body authorAssociation {_AUTHOR} }} }}
}}
"""
_STANDING = f"""
query Standing($owner: String!, $name: String!, $number: Int!, $path: String!) {{
  repository(owner: $owner, name: $name) {{
    id
    pullRequest(number: $number) {{
      title body state isDraft headRefOid baseRefOid baseRefName {_AUTHOR}
      baseRef {{ target {{ ... on Commit {{
        file(path: $path) {{ mode object {{ ... on Blob {{ text isTruncated }} }} }}
      }} }} }}
      reviewThreads(first: 100) {{ {_THREADS} }}
      reviews(last: 100) {{ nodes {{ id state body isMinimized {_AUTHOR} }} }}
    }}
  }}
}}
"""
_MORE_THREADS = f"""
query Threads($owner: String!, $name: String!, $number: Int!, $after: String!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{ reviewThreads(first: 100, after: $after) {{ {_THREADS} }} }}
  }}
}}
"""


@dataclass(frozen=True)
class Found:
    """What the query found: the repository's global id, the file's text (None: not one that can be read here)."""

    repository_id: str
    pull_request: PullRequest
    file_is_there: bool
    file_text: str | None
    threads: tuple[Thread, ...]
    reviews: tuple[OwnReview, ...]


class GraphQL:
    """The queries of one pull request; `us` is the login under which we write."""

    def __init__(self, connection: Connection, repository: str, number: int, us: str) -> None:
        self._connection = connection
        self._repository = repository
        self._number = number
        self._us = us
        owner, _, name = repository.partition("/")
        self._names = {"owner": owner, "name": name, "number": number}

    def standing(self, path: str) -> Found:
        """Read how things stand, with a file of the base branch. Raises Missing, Refused, Retry."""
        repository = self._asked("Standing", _STANDING, {"path": path})
        pull = repository["pullRequest"]
        file = ((pull["baseRef"] or {}).get("target") or {}).get("file")
        return Found(
            repository_id=repository["id"],
            pull_request=self._pull_request(pull),
            file_is_there=file is not None,
            file_text=_text(file) if file else None,
            threads=tuple(thread for node in self._all_threads(pull) if (thread := self._thread(node)) is not None),
            reviews=tuple(review for node in pull["reviews"]["nodes"] if (review := self._review(node)) is not None),
        )

    def comments(self, threads: Sequence[JsonObject]) -> dict[str, str]:
        """The ids of our threads' first comments by finding id, the newest where there are two of one finding."""
        roots = [node["root"]["nodes"][0] for node in threads if node["root"]["nodes"]]
        return {
            found: str(root["databaseId"])
            for root in sorted(roots, key=lambda root: int(root["databaseId"]))
            if _login(root["author"]) == self._us and (found := finding_of(root["body"]))
        }

    def _asked(self, name: str, document: str, variables: JsonObject) -> Any:
        answer = self._connection.graphql(name, document, {**self._names, **variables}, changes=False)
        if answer.get("errors"):
            raise translate(answer["errors"])
        repository = (answer.get("data") or {}).get("repository")
        if not repository or not repository.get("pullRequest"):
            raise Retry("GitHub's answer lacks what was asked for")
        return repository

    def _all_threads(self, pull: JsonObject) -> Iterator[JsonObject]:
        page = pull["reviewThreads"]
        for _ in range(_MOST_PAGES):
            yield from page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            after = {"after": page["pageInfo"]["endCursor"]}
            page = self._asked("Threads", _MORE_THREADS, after)["pullRequest"]["reviewThreads"]

    def _pull_request(self, pull: JsonObject) -> PullRequest:
        return PullRequest(
            repository=self._repository,
            number=self._number,
            title=pull["title"],
            body=pull["body"] or "",
            author=_login(pull["author"]),
            author_is_bot=_is_bot(pull["author"]),
            state="open" if pull["state"] == "OPEN" else "closed",
            draft=pull["isDraft"],
            head=pull["headRefOid"],
            base=pull["baseRefOid"],
            base_ref=pull["baseRefName"],
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
        run = review_run(node["body"] or "") if _login(node["author"]) == self._us else None
        if run is None or node["state"] == "PENDING":
            return None
        return OwnReview(node["id"], run, node["state"] == "CHANGES_REQUESTED", node["isMinimized"])


def translate(errors: Sequence[JsonObject]) -> Exception:
    """Say what an answer with errors means."""
    kinds = {error.get("type") for error in errors}
    said = "; ".join(str(error.get("message", "")) for error in errors)[:500]
    if kinds & {"RATE_LIMITED", "RATE_LIMIT"}:
        return Retry(f"GitHub is busy: {said}", after_seconds=_LIMITED_SECONDS)
    if "NOT_FOUND" in kinds:
        return Missing(f"GitHub says {said}: it is gone, or the App may not see it")
    if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
        return Refused(f"GitHub says {said}: look at what the App is permitted here")
    if kinds == {None}:
        return Retry(f"GitHub could not answer: {said}")
    return Broken(f"GitHub refused the request: {said}")


def _login(author: JsonObject | None) -> str:
    """An account's login as REST has it; one that is gone is a ghost."""
    if author is None:
        return "ghost"
    return f"{author['login']}[bot]" if _is_bot(author) else str(author["login"])


def _is_bot(author: JsonObject | None) -> bool:
    return author is not None and author["__typename"] == "Bot"


def _text(file: JsonObject) -> str | None:
    """A regular file's text; a link, a submodule, what is cut or is no text is left to REST."""
    blob = file["object"] or {}
    if file["mode"] not in _REGULAR_FILES or blob.get("isTruncated") or blob.get("text") is None:
        return None
    return str(blob["text"])
