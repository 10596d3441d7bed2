"""GitHub through githubkit: authentication, paging, what its answers mean.

REST reference: https://docs.github.com/en/rest?apiVersion=2026-03-10
"""

import base64
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import quote

import httpx
from githubkit import AppInstallationAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, RequestError, RequestFailed
from githubkit.response import Response

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.settings import GitHubSettings
from kodiai.core.words.markers import finding_of, review_run
from kodiai.edges.trees import ArchiveTree, ContentsTree
from kodiai.ports import Check, Posted, PullRequest, Review, Tree, Unplaceable

_VERSION = {"X-GitHub-Api-Version": "2026-03-10"}
_TIMEOUT = httpx.Timeout(20.0, connect=5.0)
_PAGE = 100
_MOST_FILES = 3_000
_MOST_ANNOTATIONS = 50
# Not symbolic links (120000) and not submodules (160000).
_FILE_MODES = frozenset({"100644", "100755"})
_CHECK_NAME = "Kodiai"
_TRIES = 3
_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"


class GitHubPullRequest:
    """One pull request, spoken to as an installation of our App or with a token."""

    def __init__(
        self, settings: GitHubSettings, bot_login: str, repository: str, number: int, installation: int | None
    ) -> None:
        self._calls: Counter[str] = Counter()
        self._route = ""
        self._github = _connect(settings, installation, self._count)
        self._bot_login = bot_login
        owner, _, repo = repository.partition("/")
        self._names: dict[str, str | int] = {"owner": owner, "repo": repo, "pull_number": number}
        self._repository = repository
        self._number = number

    def __enter__(self) -> "GitHubPullRequest":
        self._github.__enter__()  # type: ignore[no-untyped-call]  # githubkit leaves it untyped
        return self

    def __exit__(self, *why: Any) -> None:
        self._github.__exit__(*why)

    def calls(self) -> Mapping[str, int]:
        """How often each route was called so far."""
        return dict(self._calls)

    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        pull = self._read(_PULL)
        if pull is None:
            raise Refused(f"there is no pull request {self._repository}#{self._number}, or it may not be seen")
        user = pull["user"] or {"login": "ghost", "type": "User"}
        return PullRequest(
            repository=self._repository,
            number=self._number,
            title=pull["title"],
            body=pull["body"] or "",
            author=user["login"],
            author_is_bot=user["type"] == "Bot",
            state=pull["state"],
            draft=bool(pull.get("draft")),
            head=pull["head"]["sha"],
            base=pull["base"]["sha"],
            base_ref=pull["base"]["ref"],
        )

    def changed_files(self) -> tuple[ChangedFile, ...]:
        """Its files, at most 3,000: https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files ."""
        return tuple(
            ChangedFile(
                path=entry["filename"],
                status=entry["status"],
                blob=entry["sha"] or "",
                additions=entry["additions"],
                deletions=entry["deletions"],
                patch=entry.get("patch"),
                previous_path=entry.get("previous_filename"),
            )
            for entry in self._pages(f"{_PULL}/files", most=_MOST_FILES)
        )

    def file(self, path: str, ref: str) -> bytes | None:
        """A file's content at a ref, None where it does not exist or is no file."""
        content = self._read("/repos/{owner}/{repo}/contents/{path}", {"ref": ref}, path=path)
        if not isinstance(content, dict) or content.get("type") != "file":
            return None
        if content.get("encoding") == "base64":
            return base64.b64decode(content["content"])
        blob = self._read("/repos/{owner}/{repo}/git/blobs/{file_sha}", file_sha=content["sha"])
        return base64.b64decode(blob["content"]) if blob else None

    def tree(self, sha: str, limit_bytes: int) -> Tree:
        """All files at a commit: from one archive, or file by file where the archive is over the limit."""
        archive = self._download("/repos/{owner}/{repo}/tarball/{ref}", limit_bytes, ref=sha)
        if archive is not None:
            return ArchiveTree(archive, limit_bytes)
        listing = self._read("/repos/{owner}/{repo}/git/trees/{tree_sha}", {"recursive": "1"}, tree_sha=sha)
        entries = listing["tree"] if listing else []
        blobs = {entry["path"]: entry["sha"] for entry in entries if entry["mode"] in _FILE_MODES}
        return ContentsTree(blobs, self._blob)

    def find_review(self, run: str) -> Posted | None:
        """The review that a run has already posted, found by its marker in what our own login wrote."""
        for review in self._pages(f"{_PULL}/reviews"):
            if self._is_ours(review) and review_run(review["body"] or "") == run:
                return self._posted(review["id"])
        return None

    def post_review(self, head: str, review: Review) -> Posted:
        """Post a review: all or nothing. Raises Unplaceable where GitHub takes one of its lines for off the diff."""
        body = {
            "commit_id": head,
            "event": review.event,
            "body": review.body,
            "comments": [
                {"path": comment.path, "line": comment.line, "side": comment.side, "body": comment.body}
                | ({"start_line": comment.start_line, "start_side": comment.side} if comment.start_line else {})
                for comment in review.comments
            ],
        }
        try:
            created = self._call("POST", f"{_PULL}/reviews", json=body).json()
        except _Unprocessable as error:
            if review.comments:
                raise Unplaceable(str(error)) from error
            raise Broken(f"GitHub refused the review: {error}") from error
        return self._posted(created["id"]) if review.comments else Posted(str(created["id"]), {})

    def start_check(self, head: str, external_id: str, check: Check, look_first: bool) -> str | None:
        """Open a check run, or find the one of the same external id; None where checks are not permitted."""
        try:
            found = self._find_check(head, external_id) if look_first else None
            if found is not None:
                return found
            body = {"name": _CHECK_NAME, "head_sha": head, "external_id": external_id, **_check_body(check)}
            created = self._call("POST", "/repos/{owner}/{repo}/check-runs", json=body).json()
        except Refused:
            return None
        return str(created["id"])

    def update_check(self, check_id: str, check: Check) -> None:
        """Say how far the work is, or how it ended; annotations go fifty at a time."""
        route = "/repos/{owner}/{repo}/check-runs/{check_run_id}"
        rest = check.annotations[_MOST_ANNOTATIONS:]
        self._call("PATCH", route, json=_check_body(check), check_run_id=check_id)
        while rest:
            more = Check(check.title, check.summary, annotations=rest[:_MOST_ANNOTATIONS])
            output = {"output": _check_body(more)["output"]}
            self._call("PATCH", route, json=output, check_run_id=check_id)
            rest = rest[_MOST_ANNOTATIONS:]

    def _find_check(self, head: str, external_id: str) -> str | None:
        route = "/repos/{owner}/{repo}/commits/{ref}/check-runs"
        for page in self._pages(route, {"check_name": _CHECK_NAME, "filter": "all"}, key="check_runs", ref=head):
            if page["external_id"] == external_id:
                return str(page["id"])
        return None

    def _posted(self, review_id: int) -> Posted:
        comments = self._pages(f"{_PULL}/reviews/{{review_id}}/comments", review_id=review_id)
        ids = {found: str(comment["id"]) for comment in comments if (found := finding_of(comment["body"]))}
        return Posted(str(review_id), ids)

    def _is_ours(self, item: Mapping[str, Any]) -> bool:
        return bool(item["user"]) and item["user"]["login"] == self._bot_login

    def _blob(self, sha: str) -> bytes | None:
        blob = self._read("/repos/{owner}/{repo}/git/blobs/{file_sha}", file_sha=sha)
        return base64.b64decode(blob["content"]) if blob else None

    def _read(self, route: str, params: Mapping[str, Any] | None = None, **names: str | int) -> Any:
        """Get a resource's JSON, None where there is none."""
        try:
            return self._call("GET", route, params=params, **names).json()
        except _Missing:
            return None

    def _pages(
        self,
        route: str,
        params: Mapping[str, Any] | None = None,
        *,
        most: int | None = None,
        key: str | None = None,
        **names: str | int,
    ) -> Iterator[Any]:
        """Get every entry of a listing, page by page."""
        page = 1
        while True:
            query = {**(params or {}), "per_page": _PAGE, "page": page}
            answer = self._call("GET", route, params=query, **names).json()
            entries = answer[key] if key else answer
            yield from entries
            if len(entries) < _PAGE or (most is not None and page * _PAGE >= most):
                return
            page += 1

    def _call(
        self,
        method: str,
        route: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        **names: str | int,
    ) -> Response[Any]:
        """Call a route. Only a GET is tried again: a write may have had its effect."""
        url = self._url(route, names)
        self._route = route
        return _tried(
            lambda: self._github.request(method, url, params=params, json=json, headers=_VERSION),
            tries=_TRIES if method == "GET" else 1,
        )

    def _count(self, request: httpx.Request) -> None:
        """Count what is really sent: tries, redirects and new tokens too."""
        if request.url.path.endswith("/access_tokens"):
            route = "/app/installations/{installation_id}/access_tokens"
        elif "legacy.tar.gz" in request.url.path:
            route = "/{owner}/{repo}/legacy.tar.gz/{ref}"
        else:
            route = self._route
        self._calls[f"{request.method} {route}"] += 1

    def _url(self, route: str, names: Mapping[str, str | int]) -> str:
        quoted = {name: quote(str(value), safe="/") for name, value in {**self._names, **names}.items()}
        return route.format(**quoted)

    def _download(self, route: str, limit_bytes: int, **names: str | int) -> Path | None:
        """Stream a file to the disk, None where it is over the limit."""
        self._route = route
        size = 0
        with (
            self._github.get_sync_client() as client,
            NamedTemporaryFile(suffix=".tar.gz", delete=False) as file,
        ):
            try:
                with client.stream("GET", self._url(route, names), headers=_VERSION) as response:
                    if response.is_error:
                        response.read()
                        raise _translate_status(response)
                    for chunk in response.iter_bytes():
                        size += len(chunk)
                        if size > limit_bytes:
                            Path(file.name).unlink()
                            return None
                        file.write(chunk)
            except httpx.HTTPError as error:
                raise Retry(f"GitHub did not send the archive: {type(error).__name__}") from error
        return Path(file.name)


class _Missing(Refused):
    """404: there is no such thing, or we may not see it."""


class _Unprocessable(Refused):
    """422: GitHub read the request and refuses its content."""


def _connect(
    settings: GitHubSettings, installation: int | None, on_request: Callable[[httpx.Request], None]
) -> GitHub[Any]:
    auth: TokenAuthStrategy | AppInstallationAuthStrategy
    if settings.token is not None:
        auth = TokenAuthStrategy(settings.token.get_secret_value())
    elif settings.app_id is None or settings.private_key is None or installation is None:
        raise Broken("the delivery names no installation, and there is no token to do without one")
    else:
        auth = AppInstallationAuthStrategy(settings.app_id, settings.private_key.get_secret_value(), installation)
    return GitHub(
        auth,
        base_url=settings.api_url,
        auto_retry=False,
        timeout=_TIMEOUT,
        http_cache=False,
        # A token of this event's own: githubkit's shared cache would keep a revoked one until its hour is over.
        cache_strategy=MemCacheStrategy(),
        event_hooks={"request": [on_request]},
    )


def _tried(call: Callable[[], Response[Any]], tries: int) -> Response[Any]:
    for left in range(tries - 1, -1, -1):
        try:
            return call()
        except RequestFailed as error:
            translated = _translate_status(error.response.raw_response)
            if left and error.response.status_code >= 500:  # noqa: PLR2004 - HTTP status code
                time.sleep(0.2 * (tries - left))
                continue
            raise translated from error
        except RequestError as error:
            if left:
                continue
            raise Retry(f"GitHub did not answer: {type(error.exc).__name__}") from error
        except GitHubException as error:
            raise Broken(f"GitHub did not let us in: {error}") from error
    raise AssertionError("unreachable")


def _translate_status(response: httpx.Response) -> Exception:
    """Say what an error answer means: wait, give up, or go on without."""
    status = response.status_code
    said = _said(response)
    wait = _wait_seconds(response)
    if status >= 500 or status in (408, 409, 429) or (status == 403 and wait is not None):  # noqa: PLR2004
        return Retry(f"GitHub is busy: {status} {said}", after_seconds=wait)
    if status in (404, 410):
        return _Missing(f"GitHub has no such thing: {said}")
    if status == 422:  # noqa: PLR2004
        return _Unprocessable(said)
    if status == 401:  # noqa: PLR2004
        return Retry("GitHub no longer takes our token", after_seconds=1)
    return Refused(f"GitHub does not permit this: {status} {said}")


def _wait_seconds(response: httpx.Response) -> float | None:
    """How long GitHub asks us to wait, in seconds, None where it does not.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    if (after := response.headers.get("retry-after", "")).isdigit():
        return float(after)
    if response.headers.get("x-ratelimit-remaining") == "0":
        return max(float(response.headers.get("x-ratelimit-reset", "0")) - time.time(), 1.0)
    return None


def _said(response: httpx.Response) -> str:
    try:
        body = response.json()
    except ValueError:
        return response.reason_phrase
    if not isinstance(body, dict):
        return response.reason_phrase
    errors = [
        error if isinstance(error, str) else str(error.get("message", error)) for error in body.get("errors") or ()
    ]
    return ": ".join([str(body.get("message", "")), *errors])


def _check_body(check: Check) -> dict[str, Any]:
    output: dict[str, Any] = {"title": check.title, "summary": check.summary}
    if check.annotations:
        output["annotations"] = [
            {
                "path": note.path,
                "start_line": note.start_line,
                "end_line": note.end_line,
                "annotation_level": note.level,
                "title": note.title,
                "message": note.message,
            }
            for note in check.annotations[:_MOST_ANNOTATIONS]
        ]
    if check.conclusion is None:
        return {"status": "in_progress", "output": output}
    return {"status": "completed", "conclusion": check.conclusion, "output": output}
