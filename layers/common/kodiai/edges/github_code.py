"""The code of a repository on GitHub: who asks, what is there, and commits that people have approved.

References: https://docs.github.com/en/rest/git?apiVersion=2026-03-10 and https://docs.github.com/en/graphql/reference
"""

import base64
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from githubkit.exception import GitHubException, RequestFailed

from kodiai.core.config.read import OWNER_REPOSITORY, OwnerFile
from kodiai.core.config.settings import GitHubSettings
from kodiai.core.diffs.tree import FILE, TreeEntry
from kodiai.core.errors import Refused, Retry
from kodiai.core.github.comment import Permission
from kodiai.core.json_object import JsonObject
from kodiai.core.proposals.target import Caller, NoTarget, NotAuthenticated, ProposalTarget
from kodiai.edges.github_connection import Access
from kodiai.edges.github_errors import Unprocessable, translate_errors
from kodiai.edges.github_files import RepositoryFiles
from kodiai.edges.github_permissions import CODE

_REPO = "/repos/{owner}/{repo}"
_GIT = f"{_REPO}/git"
_CALLER = """
query Caller($owner: String!, $name: String!) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    databaseId nameWithOwner viewerPermission
    owner { ... on Organization { databaseId } ... on User { databaseId } }
  }
}
"""
_PERMISSIONS: dict[str | None, Permission] = {
    "ADMIN": "admin",
    "MAINTAIN": "write",
    "WRITE": "write",
    "TRIAGE": "read",
    "READ": "read",
}
# Always the same content, which is in no tree: to store it changes nothing that anybody sees.
_TRIAL = "Kodiai looks whether this token may write.\n"
# The branches that proposals begin have this prefix.
_OWN_BRANCHES = "kodiai/"
_NOT_FAST_FORWARD, _NO_BRANCH, _BRANCH_EXISTS = "not a fast forward", "Reference does not exist", "already exists"
_UNAUTHORIZED = 401
# All files together that a diff touches.
_MOST_BYTES = 50_000_000


class GitHubCode(RepositoryFiles):
    """The port `Code`, as an installation of our App, or with a token: a caller's or the deployment's.

    The rights are those of the token in `settings`, or else of the installation. `hidden_owner_file` gives the owner's
    settings file where these rights do not show it. Raises NotAuthenticated if GitHub does not take a token.
    """

    def __init__(
        self,
        settings: GitHubSettings,
        repository: str,
        installation: int | None = None,
        *,
        repository_id: int | None = None,
        hidden_owner_file: Callable[[], OwnerFile | None] = lambda: None,
        pause_seconds: float = 0.2,
    ) -> None:
        access = Access(settings, installation, CODE, pause_seconds)
        super().__init__(access, repository, repository_id=repository_id)
        self._has_token = settings.token is not None
        self._hidden_owner_file = hidden_owner_file

    def caller(self, *, writes: bool) -> Caller:
        """Count a role that writes only if GitHub lets the token write.

        GitHub names the person's role, whatever their token may do: a token that a person gave to somebody who only
        wanted to know their name (a classic token without scopes, a fine-grained one for reading, the sign-in of a
        web site) has the role "write" too. Verdicts would be given with it in the person's name. Therefore it stores a
        blob, which is always the same and in no tree. GitHub answers 403 or 404 where the token may not, or where the
        repository is archived. A token of an App is refused: GitHub names no role for it, and it is no person.
        Source: https://docs.github.com/en/graphql/reference/objects#repository (viewerPermission)
        """
        place = {"owner": self._names["owner"], "name": self._names["repo"]}
        answer = self._graphql("Caller", _CALLER, place, changes=False)
        data: JsonObject = answer.get("data") or {}
        errors = [error for error in answer["errors"] if error.get("type") != "NOT_FOUND"]
        if errors:
            raise translate_errors(errors)
        if not data.get("viewer"):
            raise Retry("GitHub does not say whom the token belongs to")
        login = str(data["viewer"]["login"])
        if login.endswith("[bot]"):
            raise NotAuthenticated(f"This token belongs to the App `{login}`: use a token of a person.")
        repository = data.get("repository")
        if repository is None:
            return Caller(login, "none", self._repository, 0, 0)
        permission = _PERMISSIONS.get(repository["viewerPermission"], "none")
        if permission in ("write", "admin") and not (writes and self._may_store()):
            permission = "read"
        ids = repository["databaseId"], repository["owner"]["databaseId"]
        return Caller(login, permission, repository["nameWithOwner"], *ids)

    def target(self, number: int | None, base: str | None) -> ProposalTarget:
        if number is not None:
            return self._pull_request(number)
        commit = self._find(f"{_GIT}/commits/{{commit_sha}}", commit_sha=base) if base else None
        if commit is None:
            raise NoTarget(f"There is no commit {base} in {self._repository}.")
        return ProposalTarget(head=commit["sha"], base_ref=self._get(_REPO)["default_branch"])

    def owner_file(self) -> OwnerFile | None:
        if self._names["repo"] == OWNER_REPOSITORY:
            return None
        content = None
        with suppress(Refused):
            content = self.settings_file(None, repo=OWNER_REPOSITORY)
        if content is None:
            return self._hidden_owner_file()
        return OwnerFile(f"{self._names['owner']}/{OWNER_REPOSITORY}", content)

    def entries(self, commit: str, paths: Iterable[str]) -> Mapping[str, TreeEntry]:
        """Take one request for the listing (one for each folder if GitHub cuts it), and one for each file."""
        wanted = set(paths)
        listed = self._listing(commit, wanted)
        found = {path: listed[path] for path in wanted if path in listed}
        parents = {parent for path in wanted for parent in _parents(path) if parent in listed}
        found |= {parent: listed[parent] for parent in parents if listed[parent]["type"] != "tree"}
        if sum(each.get("size", 0) for each in found.values()) > _MOST_BYTES:
            raise Refused(f"The files at these paths are over {_MOST_BYTES // 1_000_000} MB together.")
        blobs = {sha: self._content(sha) for sha in {each["sha"] for each in found.values() if each["type"] == "blob"}}
        return {path: TreeEntry(each["mode"], blobs.get(each["sha"], b"")) for path, each in found.items()}

    def commit(self, parent: str, changes: Mapping[str, TreeEntry | None], message: str) -> str:
        base = self._get(f"{_GIT}/commits/{{commit_sha}}", commit_sha=parent)["tree"]["sha"]
        try:
            tree = [self._change(path, entry) for path, entry in sorted(changes.items())]
            made = self._push("POST", f"{_GIT}/trees", {"base_tree": base, "tree": tree})
            body = {"message": message, "tree": made["sha"], "parents": [parent]}
            return str(self._push("POST", f"{_GIT}/commits", body)["sha"])
        except Unprocessable as error:
            raise Refused(f"GitHub does not take the change: {error}") from error

    def contains(self, branch: str, commit: str) -> bool:
        ref = self._find(f"{_GIT}/ref/{{ref}}", ref=f"heads/{branch}")
        if ref is None:
            return False
        tip = ref["object"]["sha"]
        if tip == commit:
            return True
        compared = self._find(f"{_REPO}/compare/{{basehead}}", {"per_page": 1}, basehead=f"{commit}...{tip}")
        return compared is not None and compared["status"] in ("ahead", "identical")

    def advance(self, branch: str, commit: str) -> bool:
        try:
            self._push("PATCH", f"{_GIT}/refs/{{ref}}", {"sha": commit, "force": False}, ref=f"heads/{branch}")
        except Unprocessable as error:
            if _NOT_FAST_FORWARD in str(error):
                return False
            if _NO_BRANCH in str(error) and branch.startswith(_OWN_BRANCHES):
                return self._begin(branch, commit)
            raise Refused(f"GitHub does not let me move the branch `{branch}`: {error}") from error
        return True

    def _pull_request(self, number: int) -> ProposalTarget:
        pull = self._find(f"{_REPO}/pulls/{{pull_number}}", pull_number=number)
        if pull is None:
            raise NoTarget(f"There is no pull request #{number} in {self._repository}.")
        head, base = pull["head"], pull["base"]
        closed = None
        if pull["state"] != "open":
            closed = f"The pull request is {'merged' if pull['merged'] else 'closed'}: nothing can be applied to it."
        elif head["repo"] is None or head["repo"]["id"] != base["repo"]["id"]:
            closed = "The branch is in a fork, and I can push only to this repository: apply the diff by hand."
        default = base["repo"]["default_branch"]
        return ProposalTarget(
            head=head["sha"],
            base_ref=base["ref"],
            branch=head["ref"],
            closed=closed,
            default_branch=default if default != base["ref"] else None,
        )

    def _content(self, sha: str) -> bytes:
        content = self.blob(sha)
        if content is None:
            raise Retry(f"GitHub lists the blob {sha}, and does not have it")
        return content

    def _listing(self, commit: str, paths: set[str]) -> dict[str, JsonObject]:
        """GitHub's entries by path: all of them, or where GitHub cuts the listing those of the paths' folders."""
        whole = self._tree(commit, {"recursive": "1"})
        if not whole["truncated"]:
            return {each["path"]: each for each in whole["tree"]}
        listed = {each["path"]: each for each in self._folder("", commit)}
        for folder in sorted({parent for path in paths for parent in _parents(path)}, key=lambda each: each.count("/")):
            entry = listed.get(folder)
            if entry is not None and entry["type"] == "tree":
                listed |= {f"{folder}/{each['path']}": each for each in self._folder(folder, entry["sha"])}
        return listed

    def _folder(self, path: str, sha: str) -> list[JsonObject]:
        listing = self._tree(sha)
        if listing["truncated"]:
            raise Refused(f"The folder `{path or '/'}` has more files than GitHub lists.")
        return list(listing["tree"])

    def _tree(self, sha: str, params: Mapping[str, Any] | None = None) -> Any:
        listing = self._find(f"{_GIT}/trees/{{tree_sha}}", params, tree_sha=sha)
        if listing is None:
            raise Refused(f"There is no commit {sha} in {self._repository}.")
        return listing

    def _change(self, path: str, entry: TreeEntry | None) -> dict[str, Any]:
        """An entry of a new tree: with its text, or else with the id of a blob that is stored for it."""
        if entry is None:
            return {"path": path, "mode": FILE, "type": "blob", "sha": None}
        change = {"path": path, "mode": entry.mode, "type": "blob"}
        try:
            text = entry.content.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" not in text:
            return change | {"content": text}
        blob = {"content": base64.b64encode(entry.content).decode(), "encoding": "base64"}
        return change | {"sha": self._push("POST", f"{_GIT}/blobs", blob)["sha"]}

    def _begin(self, branch: str, commit: str) -> bool:
        """Begin a branch; False if there is one by now."""
        try:
            self._push("POST", f"{_GIT}/refs", {"ref": f"refs/heads/{branch}", "sha": commit})
        except Unprocessable as error:
            if _BRANCH_EXISTS in str(error):
                return False
            raise Refused(f"GitHub does not let me begin the branch `{branch}`: {error}") from error
        return True

    def _may_store(self) -> bool:
        """Whether the token may write to the repository."""
        try:
            self._send("POST", f"{_GIT}/blobs", {}, json={"content": _TRIAL, "encoding": "utf-8"})
        except NotAuthenticated:
            raise
        except Refused:
            return False
        return True

    def _push(self, method: str, route: str, body: JsonObject, **names: str) -> Any:
        """Write, once. Raises Unprocessable, and Refused with what to do where the token may not write."""
        try:
            return self._write(method, route, body, **names)
        except (Unprocessable, NotAuthenticated):
            raise
        except Refused as error:
            may = (
                "the token needs write access to the code (`repo`, or the permission Contents: Read and write)"
                if self._has_token
                else "the App needs the permission Contents: Read and write, and an owner has to accept it"
            )
            raise Refused(f"I may not push to {self._repository}: {may}.") from error

    def _meaning(self, error: GitHubException, wait: float | None = None) -> Exception:
        if self._has_token and isinstance(error, RequestFailed) and error.response.status_code == _UNAUTHORIZED:
            return NotAuthenticated("GitHub does not take this token: it is wrong, expired or revoked.")
        return super()._meaning(error, wait)


def _parents(path: str) -> list[str]:
    """The folders that a path names before its end, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
