"""The snapshot of a pull request in one query, and its conversation.

Reference: https://docs.github.com/en/graphql/reference
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from kodiai.core.changes.contents import Entry
from kodiai.core.config.read import CONFIG_PATH, OWNER_REPOSITORY, BranchFile, OwnerFile, misnamed
from kodiai.core.errors import Broken, OtherLogin, Refused, Retry
from kodiai.core.findings.embedded import embedded_findings
from kodiai.core.findings.markers import finding_of, review_head, review_run
from kodiai.core.github.comment import GHOST, Comment, Opening, Reply, Thread, Thumb
from kodiai.core.github.pull_request import Guidance, LinkedIssue, PullRequest
from kodiai.core.json_object import JsonObject
from kodiai.core.plan.snapshot import OwnReview, PullRequestSnapshot
from kodiai.edges.github_checks import ci_results, has_more, own_checks, same_head
from kodiai.edges.github_connection import Access
from kodiai.edges.github_errors import LIMITS, NOT_PERMITTED, translate_errors
from kodiai.edges.github_files import RepositoryFiles
from kodiai.edges.github_queries import (
    CHECKS,
    COMMITS,
    CONVERSATION,
    DISPENSABLE,
    FOLDER,
    GUIDANCE_PARTS,
    HEAD,
    ISSUES,
    MORE_THREADS,
    MOST_CHECKS,
    OWNER,
    PULL_REQUESTS,
    TEMPLATES,
    entries_query,
    snapshot_query,
)

_WHAT_FOR = {part: text for part, text in DISPENSABLE.items() if part not in (HEAD, PULL_REQUESTS)}
_MOST_PAGES = 20
_ENTRIES = 100
_MOST_COMMENTS = 100
_THUMBS = {"THUMBS_UP": True, "THUMBS_DOWN": False}
# In a locked conversation they may comment, and no App, whose permission is null here.
# https://docs.github.com/en/communities/moderating-comments-and-conversations/locking-conversations and, for Apps,
# https://github.com/github/gh-aw/issues/41135 and https://github.com/renovatebot/renovate/issues/6215
_WRITERS = frozenset({"ADMIN", "MAINTAIN", "WRITE"})
_REGULAR_FILES = frozenset({0o100644, 0o100755})


class PullRequestReader(RepositoryFiles):
    """Reads the snapshot and the conversation of one pull request.

    `bot_login` is the login under which we write. `hidden_owner_file` gives the owner's settings file where the token
    does not show it.
    """

    # The repository's global id, known from the first snapshot on.
    _repository_id: str | None = None

    def __init__(
        self,
        access: Access,
        bot_login: str,
        repository: str,
        number: int,
        *,
        repository_id: int | None = None,
        hidden_owner_file: Callable[[], OwnerFile | None] = lambda: None,
    ) -> None:
        super().__init__(access, repository, repository_id=repository_id)
        self._number, self._us = number, bot_login
        self._hidden_owner_file = hidden_owner_file
        self._expected_id = repository_id
        self._names["pull_number"] = number
        # With a token we write under a person's login, and what is pending there may be the person's.
        self._login_is_ours = access.settings.token is None

    def snapshot(self, *, briefly: bool = False) -> PullRequestSnapshot:
        """Read all in one query, but a settings file that it cannot show, and the owner's."""
        answer, lost = self._shown(_WHAT_FOR if briefly else {})
        repository = _repository(answer)
        if self._expected_id not in (None, repository["databaseId"]):
            raise Refused(f"the name {self._repository} belongs to another repository now")
        self._repository_id = repository["id"]
        pull = repository["pullRequest"]
        owner_file, owner_unseen = self._owner_file(answer)
        base = (pull["baseRef"] or {}).get("target") or {}
        [head] = [node["commit"] for node in _nodes(pull.get(HEAD))] or [{}]
        more = (f"{DISPENSABLE[CHECKS]} after the first {MOST_CHECKS}",) if has_more(head) else ()
        return PullRequestSnapshot(
            pull_request=self._pull_request(repository),
            config=self._settings_file(pull["baseRefName"], base),
            threads=tuple(thread for node in self._all_threads(pull) if (thread := self._thread(node)) is not None),
            reviews=tuple(review for node in pull["reviews"]["nodes"] if (review := self._review(node)) is not None),
            commits=tuple(node["commit"]["message"] for node in _nodes(pull.get(COMMITS))),
            issues=tuple(_issue(node) for node in _nodes(pull.get(ISSUES))),
            guidance=_guidance(base),
            templates=tuple(form["body"] for form in repository.get(TEMPLATES) or () if form["body"]),
            unseen=(*lost.values(), *more, *owner_unseen),
            default_file=self._default_file(repository),
            owner_file=owner_file,
            misnamed=misnamed(_first_paths(base)),
            ci=ci_results(head, is_shown=not lost.keys() & {HEAD, CHECKS}),
            own_checks=own_checks(head),
            same_head=same_head(head, pull["headRefOid"], self._number),
        )

    def conversation(self) -> tuple[Comment, ...]:
        pull = self._asked("Conversation", CONVERSATION)
        reviews = [node for node in _nodes(pull["reviews"]) if node["body"] and node["state"] != "PENDING"]
        comments = [self._comment(node) for node in [*_nodes(pull["comments"]), *reviews]]
        return tuple(sorted(comments, key=lambda comment: comment.created)[-_MOST_COMMENTS:])

    def entries(self, commit: str, paths: Sequence[str]) -> dict[str, Entry]:
        """GitHub names git's mode as a number: https://docs.github.com/en/graphql/reference/objects#treeentry ."""
        found: dict[str, Entry] = {}
        for page in (paths[at : at + _ENTRIES] for at in range(0, len(paths), _ENTRIES)):
            place = {"owner": self._names["owner"], "name": self._names["repo"], "commit": commit}
            answer = self._graphql("Entries", entries_query(page), place, changes=False)
            if answer["errors"]:
                raise translate_errors(answer["errors"])
            there = ((answer.get("data") or {}).get("repository") or {}).get("object") or {}
            for at, path in enumerate(page):
                if (entry := there.get(f"f{at}")) is not None:
                    found[path] = Entry(f"{entry['mode']:06o}", entry["oid"], entry["size"])
        return found

    def _default_file(self, repository: JsonObject) -> BranchFile | None:
        """The settings file of the default branch, None if that is the base branch."""
        branch = repository["defaultBranchRef"]
        if branch is None or branch["name"] == repository["pullRequest"]["baseRefName"]:
            return None
        return BranchFile(branch["name"], self._settings_file(branch["name"], branch["target"] or {}))

    def _owner_file(self, answer: JsonObject) -> tuple[OwnerFile | None, tuple[str, ...]]:
        """The settings file of the owner's `.github` repository, and whether GitHub has it and does not show it.

        The query shows it if the token may see it.
        """
        repository, shown = f"{self._names['owner']}/{OWNER_REPOSITORY}", answer["data"].get(OWNER)
        errors = [error for error in answer["errors"] if _hides_owner(error)]
        if self._is_owners:
            return None, ()
        if shown is not None and not errors:
            tip = (shown["defaultBranchRef"] or {}).get("target") or {}
            return OwnerFile(repository, self._settings_file(None, tip, repo=OWNER_REPOSITORY)), ()
        file = self._hidden_owner_file()
        is_refused = file is None and any(error["type"] in NOT_PERMITTED for error in errors)
        return file, (f"{CONFIG_PATH} of {repository}: not permitted",) if is_refused else ()

    @property
    def _is_owners(self) -> bool:
        """Whether this is the repository with the owner's settings."""
        return self._names["repo"] == OWNER_REPOSITORY

    def _settings_file(self, branch: str | None, commit: JsonObject, **names: str) -> bytes | None:
        """The settings file at the tip of a branch, read separately if the query cannot show it."""
        file = commit.get("file")
        text = _text(file)
        if text is not None:
            return text.encode()
        return self.settings_file(branch, **names) if file else None

    def _comment_ids(self, threads: Sequence[JsonObject]) -> dict[str, str]:
        """The ids of our threads' first comments by finding id, the newest where there are two of one finding."""
        roots = [node["root"]["nodes"][0] for node in threads if node["root"]["nodes"]]
        return {
            found: str(root["databaseId"])
            for root in sorted(roots, key=lambda root: int(root["databaseId"]))
            if _login(root["author"]) == self._us and (found := finding_of(root["body"]))
        }

    def _shown(self, left_out: Mapping[str, str]) -> tuple[JsonObject, Mapping[str, str]]:
        """The answer about the repository as far as GitHub shows it, and why it does not show which dispensable parts.

        GitHub may show nothing at all because of one part: then it is asked for the others alone.
        """
        lost: dict[str, str] = {}
        while True:
            answer = self._answer(
                "Snapshot", snapshot_query({*left_out, *lost}, with_owner=not self._is_owners), path=CONFIG_PATH
            )
            self._check_login((answer.get("data") or {}).get("viewer"))
            asked = [error for error in answer["errors"] if error.get("path") != ["viewer"] and not _hides_owner(error)]
            errors = [(_dispensable(error), error) for error in asked]
            others = [error for part, error in errors if part is None]
            if others:
                raise translate_errors(others)
            found = {part: _unseen(part, error) for part, error in errors if part is not None and part not in lost}
            lost |= found
            if not found or _holds_pull_request(answer):
                return answer, lost

    def _check_login(self, viewer: JsonObject | None) -> None:
        """Check that GitHub takes us for whom we take ourselves, before anything is written. Raises OtherLogin."""
        if viewer is not None and not same_account(viewer["login"], self._us):
            raise OtherLogin(viewer["login"], self._us)

    def _check_author(self, login: str) -> None:
        """Check that GitHub shows something that we just wrote under our login: later we would not know it as ours.

        Raises Broken, which is not tried again, or it would be written again.
        """
        if not self._is_us(login):
            raise Broken(f"GitHub shows what {self._us} just wrote under the login {login}: nothing more is written")

    def _asked(self, name: str, document: str, **variables: Any) -> Any:
        """Ask about the pull request; what GitHub shows of it. Raises what an error means."""
        answer = self._answer(name, document, **variables)
        if answer["errors"]:
            raise translate_errors(answer["errors"])
        return _repository(answer)["pullRequest"]

    def _answer(self, name: str, document: str, **variables: Any) -> JsonObject:
        place = {"owner": self._names["owner"], "name": self._names["repo"], "number": self._number}
        return self._graphql(name, document, {**place, **variables}, changes=False)

    def _all_threads(self, pull: JsonObject) -> Iterator[JsonObject]:
        page = pull["reviewThreads"]
        for _ in range(_MOST_PAGES):
            yield from page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            page = self._asked("Threads", MORE_THREADS, after=page["pageInfo"]["endCursor"])["reviewThreads"]

    def _pull_request(self, repository: JsonObject) -> PullRequest:
        pull = repository["pullRequest"]
        return PullRequest(
            repository=self._repository,
            repository_id=repository["databaseId"],
            is_private=repository["isPrivate"],
            number=self._number,
            url=pull["url"],
            title=pull["title"],
            body=pull["body"] or "",
            author=_login(pull["author"]),
            author_is_bot=_is_bot(pull["author"]),
            state="open" if pull["state"] == "OPEN" else "closed",
            is_merged=pull["state"] == "MERGED",
            draft=pull["isDraft"],
            head=pull["headRefOid"],
            base=pull["baseRefOid"],
            base_ref=pull["baseRefName"],
            body_edited=epoch(edited) if (edited := pull.get("lastEditedAt")) else None,
            labels=tuple(label["name"] for label in (pull["labels"] or {"nodes": ()})["nodes"]),
            is_locked=bool(pull.get("locked")) and repository.get("viewerPermission") not in _WRITERS,
        )

    def _comment(self, node: JsonObject) -> Comment:
        """A comment; a review counts from when it was submitted."""
        times = node.get("submittedAt") or node["createdAt"], node["lastEditedAt"]
        return self._a_comment(node["databaseId"], _login(node["author"]), _is_bot(node["author"]), node["body"], times)

    def _a_comment(
        self, number: int, author: str, is_bot: bool, body: str | None, times: tuple[str, str | None]
    ) -> Comment:
        """A comment by when it was created and when it was last edited."""
        created, edited = (epoch(time or times[0]) for time in times)
        return Comment(number, author, is_bot, self._is_us(author), body or "", created, max(created, edited))

    def _is_us(self, login: str) -> bool:
        return login.lower() == self._us.lower()

    def _thread(self, node: JsonObject) -> Thread | None:
        """A thread that we began about a finding, None for any other."""
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
            can_resolve=bool(node["viewerCanResolve"]) or (self._login_is_ours and not node["isResolved"]),
            replies=tuple(self._reply(said) for said in replies),
            opening=_opening(node, root),
            thumbs=tuple(_thumbs(root)),
        )

    def _reply(self, said: JsonObject) -> Reply:
        author = said["author"]
        login = _login(author)
        return Reply(
            id=str(said["databaseId"]),
            author=login,
            is_bot=_is_bot(author),
            body=said["body"],
            is_ours=login == self._us,
        )

    def _resolver(self, node: JsonObject) -> str | None:
        """The person who resolved it; GitHub names an App there without "[bot]"."""
        if not node["isResolved"]:
            return None
        login = _login(node["resolvedBy"])
        return self._us if same_account(login, self._us) else login

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
            approves=node["state"] == "APPROVED",
        )


def same_account(login: str, other: str) -> bool:
    """Whether two logins are the same where GitHub may leave out "[bot]"; a person may have the same login then."""
    return login.lower().removesuffix("[bot]") == other.lower().removesuffix("[bot]")


def _opening(thread: JsonObject, root: JsonObject) -> Opening | None:
    """The comment that began a thread; GitHub says on which lines of the head it is while it is not outdated."""
    lines = _lines(thread["startLine"], thread["line"])
    original = _lines(thread["originalStartLine"], thread["originalLine"]) or lines
    return Opening(root["body"], thread["path"], lines, original, root["diffHunk"]) if original else None


def _thumbs(root: JsonObject) -> Iterator[Thumb]:
    """People's thumbs at a comment; GitHub says nothing of other reactors, such as bots, for they are no users."""
    for group in root["reactionGroups"] or ():
        if group["content"] in _THUMBS:
            for reactor in _nodes(group["reactors"]):
                yield Thumb(reactor["login"], up=_THUMBS[group["content"]])


def _lines(start: int | None, end: int | None) -> tuple[int, int] | None:
    return (start or end, end) if end is not None else None


def epoch(time: str) -> float:
    """A time as GitHub writes it, in seconds since the epoch."""
    return datetime.fromisoformat(time).timestamp()


def _holds_pull_request(answer: JsonObject) -> bool:
    return bool(((answer.get("data") or {}).get("repository") or {}).get("pullRequest"))


def _repository(answer: JsonObject) -> Any:
    """The repository in an answer, with the pull request. Raises Retry."""
    if not _holds_pull_request(answer):
        raise Retry("GitHub's answer lacks what was asked for")
    return answer["data"]["repository"]


def _dispensable(error: JsonObject) -> str | None:
    """The dispensable part that an error is about, None where it is about more.

    A path names what failed by its keys, or, where the server does not know a field, by the fields of the query.
    """
    if error.get("type") in LIMITS:
        return None
    path = error.get("path") or ()
    return next((key for key in reversed(path) if isinstance(key, str) and key in DISPENSABLE), None)


def _hides_owner(error: JsonObject) -> bool:
    """Whether an error says that the owner's settings are not there for this token; any other one is a failure."""
    is_about_owner = (error.get("path") or [None])[0] == OWNER
    return is_about_owner and error.get("type") in NOT_PERMITTED | {"NOT_FOUND"}


def _unseen(part: str, error: JsonObject) -> str:
    """Say what is not shown, and why."""
    some = "" if error["path"][-1] == part else "some "
    why = "not permitted" if error.get("type") in NOT_PERMITTED else "GitHub could not say"
    return f"{some}{DISPENSABLE[part]}: {why}"


def _nodes(connection: JsonObject | None) -> list[Any]:
    """A connection's nodes without those that are not shown."""
    return [node for node in (connection or {}).get("nodes") or () if node]


def _issue(node: JsonObject) -> LinkedIssue:
    return LinkedIssue(node["number"], node["title"], node["body"], node["repository"]["nameWithOwner"])


def _first_paths(base: JsonObject) -> Iterator[str]:
    """The paths of the top folder of a commit, and of `.github`."""
    folder = (base.get(FOLDER) or {}).get("object") or {}
    for prefix, tree in (("", base.get("tree") or {}), (f"{OWNER_REPOSITORY}/", folder)):
        yield from (f"{prefix}{entry['name']}" for entry in tree.get("entries") or ())


def _guidance(base: JsonObject) -> tuple[Guidance, ...]:
    """The files of the base branch that say how to work, each text once."""
    found: dict[str, Guidance] = {}
    for part, path in GUIDANCE_PARTS.items():
        text = _text(base.get(part))
        if text and text.strip():
            found.setdefault(text, Guidance(path, text))
    return tuple(found.values())


def _login(author: JsonObject | None) -> str:
    """An account's login as REST has it; one that is gone is a ghost."""
    if author is None:
        return GHOST
    return f"{author['login']}[bot]" if _is_bot(author) else str(author["login"])


def _is_bot(author: JsonObject | None) -> bool:
    return author is not None and author["__typename"] == "Bot"


def _text(file: JsonObject | None) -> str | None:
    """A regular file's text; None for a link, a submodule, and what is cut or no text."""
    blob = (file and file["object"]) or {}
    if not file or file["mode"] not in _REGULAR_FILES or blob.get("isTruncated") or blob.get("text") is None:
        return None
    return str(blob["text"])
