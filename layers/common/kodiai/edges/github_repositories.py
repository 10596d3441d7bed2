"""All repositories of an installation, or of a token's account, and their open pull requests.

References: https://docs.github.com/en/rest/apps/installations and https://docs.github.com/en/graphql/reference
"""

from collections.abc import Iterator, Sequence
from typing import Any

from kodiai.core.config.settings import GitHubSettings
from kodiai.core.errors import Refused
from kodiai.core.events.missed import Installation, LastEvents, OpenPullRequest
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.aws import batches
from kodiai.edges.github_connection import Access, GitHubConnection
from kodiai.edges.github_errors import translate_errors
from kodiai.edges.github_permissions import LIST, TokenPermissions, granted_part
from kodiai.edges.github_snapshot import epoch

_OF_TOKEN = {"affiliation": "owner,collaborator,organization_member", "sort": "pushed"}
_MOST_OF_TOKEN = 1_000
# A query may ask for 500,000 nodes; GitHub ends it after ten seconds.
# https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
_REPOSITORIES_AT_ONCE = 50
_FIRST, _MORE, _MOST_PAGES = 20, 100, 50
_PULL_REQUESTS = """
pullRequests(states: OPEN, first: $first, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) {
  pageInfo { hasNextPage endCursor }
  nodes {
    id number headRefOid isDraft createdAt updatedAt authorAssociation
    author { __typename login }
  }
}
"""
_OPEN = f"""
query OpenPullRequests($ids: [ID!]!, $first: Int!, $after: String) {{
  nodes(ids: $ids) {{ ... on Repository {{ {_PULL_REQUESTS} }} }}
}}
"""
_LAST_EVENTS = """
query LastEvents($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on PullRequest {
      commits(last: 1) { nodes { commit { committedDate } } }
      timelineItems(last: 1, itemTypes: [READY_FOR_REVIEW_EVENT]) { nodes { ... on ReadyForReviewEvent { createdAt } } }
    }
  }
}
"""


class GitHubRepositories(GitHubConnection):
    """The port `OpenPullRequests`, with a token that may read all repositories and nothing else."""

    def __init__(self, settings: GitHubSettings, installation: Installation, *, pause_seconds: float = 0.2) -> None:
        may = LIST if installation.id is None else TokenPermissions(granted_part(LIST.reads, installation.permissions))
        super().__init__(Access(settings, installation.id, may, pause_seconds), repository="")
        self._only = {}
        self._ids: dict[int, str] = {}

    def repositories(self) -> Sequence[RepositoryRef]:
        """List at most 1,000 of a token's, last pushed to first.

        Raises Refused where the installation may not read pull requests.
        """
        if "pull_requests" not in self._permissions.reads:
            raise Refused("the App may not read pull requests here")
        if self._signs_in:
            listed = self._pages("/installation/repositories", key="repositories")
        else:
            listed = self._pages("/user/repos", _OF_TOKEN, most=_MOST_OF_TOKEN)
        # What is added meanwhile moves others to the next page, where they are listed once more.
        active = {each["id"]: each for each in listed if not (each["archived"] or each["disabled"])}
        self._ids = {id_: each["node_id"] for id_, each in active.items()}
        return [
            RepositoryRef(name=each["full_name"], id=each["id"], owner_id=each["owner"]["id"])
            for each in active.values()
        ]

    def updated(self, repositories: Sequence[RepositoryRef], since: float) -> Iterator[OpenPullRequest]:
        for some in batches(repositories, _REPOSITORIES_AT_ONCE):
            ids = [self._ids[each.id] for each in some]
            nodes = self._nodes("OpenPullRequests", _OPEN, ids=ids, first=_FIRST, after=None)
            for repository, node in zip(some, nodes, strict=True):
                if node:
                    yield from self._updated(repository, node["pullRequests"], since)

    def _updated(self, repository: RepositoryRef, page: Any, since: float) -> Iterator[OpenPullRequest]:
        seen: set[int] = set()  # what changes meanwhile moves others to the next page
        for _ in range(_MOST_PAGES):
            found = [_pull_request(repository, node) for node in page["nodes"]]
            recent = [each for each in found if each.updated_at >= since]
            yield from (each for each in recent if each.number not in seen)
            seen |= {each.number for each in recent}
            if len(recent) < len(found) or not page["pageInfo"]["hasNextPage"]:
                return
            ids, after = [self._ids[repository.id]], page["pageInfo"]["endCursor"]
            [node] = self._nodes("OpenPullRequests", _OPEN, ids=ids, first=_MORE, after=after)
            if not node:
                return
            page = node["pullRequests"]

    def last_events(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[LastEvents]:
        nodes = self._nodes("LastEvents", _LAST_EVENTS, ids=[each.id for each in pull_requests])
        return [_last_events(node or {}) for node in nodes]

    def _nodes(self, name: str, query: str, **variables: Any) -> Sequence[Any]:
        """Ask for nodes by their ids; None for one that is gone or that we may not see."""
        answer = self._graphql(name, query, variables, changes=False)
        nodes = (answer.get("data") or {}).get("nodes")
        if nodes is None:
            raise translate_errors(answer["errors"])
        return list(nodes)


def _pull_request(repository: RepositoryRef, node: Any) -> OpenPullRequest:
    author = node["author"]
    by_bot = author is not None and author["__typename"] == "Bot"
    return OpenPullRequest(
        repository=repository,
        number=node["number"],
        id=node["id"],
        head=node["headRefOid"],
        draft=node["isDraft"],
        created_at=epoch(node["createdAt"]),
        updated_at=epoch(node["updatedAt"]),
        # GraphQL gives a bot's login without "[bot]".
        author=None if author is None else f"{author['login']}[bot]" if by_bot else author["login"],
        by_bot=by_bot,
        association=node["authorAssociation"],
    )


def _last_events(node: Any) -> LastEvents:
    commits, items = ((node.get(name) or {}).get("nodes") or [None] for name in ("commits", "timelineItems"))
    commit, ready = (commits[-1] or {}).get("commit"), items[-1]
    return LastEvents(
        committed_at=epoch(commit["committedDate"]) if commit else None,
        ready_at=epoch(ready["createdAt"]) if ready else None,
    )
