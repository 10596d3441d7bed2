"""The acts of people on GitHub: each act is stored and reported by webhook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypedDict, TypeVar, Unpack

from local.github.answers import not_found
from local.github.branches import name_base, name_head
from local.github.checks import report_check, report_status
from local.github.hosted_repository import HostedRepository
from local.github.issue_comments import comment_on_issue
from local.github.merge_queue import enqueue, merge
from local.github.pushes import act, move_base, move_head, point
from local.github.reactions import react
from local.github.repository import UnusableRepository
from local.github.review_comments import (
    comment_without_review,
    delete_comment,
    edit_comment,
    find_comment,
    reply,
    set_resolved,
)
from local.github.reviews import NewReview, Verb, write_review
from local.github.rules import change_rules, rules_of
from local.github.state import (
    CheckRun,
    CommitStatus,
    Issue,
    IssueComment,
    LockReason,
    PullRequest,
    ReviewComment,
    Role,
    SubjectKind,
)

P = ParamSpec("P")
R = TypeVar("R")


def _acting(method: Callable[Concatenate["UserActions", P], R]) -> Callable[Concatenate["UserActions", P], R]:
    """Let a method hold the repository's lock, and tell its watchers at the end."""

    @wraps(method)
    def act_alone(self: "UserActions", /, *given: P.args, **named: P.kwargs) -> R:
        with self.repository.acting():
            return method(self, *given, **named)

    return act_alone


class Opening(TypedDict, total=False):
    """The optional properties of a new pull request.

    The title is that of the head's commit unless given, the author octocat. `base_files` are committed on top of the
    base first, which leaves the changes as they are.
    """

    title: str | None
    body: str | None
    author: str
    draft: bool
    from_fork: bool
    labels: Sequence[str]
    base_files: Mapping[str, bytes] | None


class UserActions:
    """The actions of users on `repository`. Unknown subjects and actions that GitHub refuses raise ApiError."""

    def __init__(self, repository: HostedRepository) -> None:
        self.repository = repository

    @_acting
    def open_pull_request(self, head: str, base: str | None = None, **opening: Unpack[Opening]) -> int:
        """Open a pull request of two revisions of the repository, and return its number.

        Without `base` it goes into the default branch, or, where that already holds the head, into the head's first
        parent.
        Raises UnusableRepository where the revisions have no difference, or nothing in common.
        """
        repository = self.repository
        author, from_fork = opening.get("author", "octocat"), opening.get("from_fork", False)
        number = repository.state.new_number()
        head_sha, base_ref, base_sha = self._ends(head, base, number)
        repository.compare(repository.base_of(base_sha, head_sha), head_sha)
        head_ref = name_head(repository, head, base_ref, number)
        if author not in repository.state.users:
            repository.user(author).role = "read" if from_fork else "write"
        pull = PullRequest(
            id=repository.state.new_id(),
            number=number,
            title=opening.get("title") or self._subject(head_sha),
            body=opening.get("body"),
            author=author,
            head_ref=head_ref,
            head_sha=head_sha,
            base_ref=base_ref,
            base_sha=base_sha,
            base_named=base_sha,
            draft=opening.get("draft", False),
            from_fork=from_fork,
            created_at=repository.now(),
            updated_at=repository.now(),
            labels=[repository.state.label(name).id for name in opening.get("labels", ())],
        )
        repository.state.pulls[number] = pull
        point(repository, pull, head_sha)
        move_base(repository, base_ref, base_sha, opening.get("base_files"))
        self._act(pull, "opened", author)
        for label in repository.state.labels_of(pull):
            self._act(pull, "labeled", author, label=label)
        return number

    def check_pull_request(self, head: str, base: str | None = None) -> None:
        """Check that a pull request of these revisions can be opened, is all here, and has changes.

        Raises UnusableRepository.
        """
        repository = self.repository
        with repository.lock:
            head_sha, base_ref, base_sha = self._ends(head, base, number=0)
            repository.copy.check_commit(base_sha)
            fork = repository.base_of(base_sha, head_sha)
            with repository.copy.reading(fork):
                files = repository.compare(fork, head_sha)
            if not files:
                raise UnusableRepository(f"nothing to review: {head!r} changes no file of {base or base_ref!r}")

    def check_revision(self, revision: str) -> None:
        """Check that this names a commit, and all its files are here and whole. Raises UnusableRepository."""
        self.repository.copy.check_commit(revision)

    @_acting
    def open_issue(self, title: str, body: str = "", *, author: str = "octocat") -> int:
        """Open an issue, and return its number. The App has not subscribed to what happens to issues."""
        state, now = self.repository.state, self.repository.now()
        number, author = state.new_number(), self.repository.user(author).login
        state.issues[number] = Issue(state.new_id(), number, title, body, author, now)
        return number

    @_acting
    def push(
        self,
        number: int,
        head: str,
        base: str | None = None,
        *,
        login: str | None = None,
        base_files: Mapping[str, bytes] | None = None,
    ) -> str:
        """Move the head to any revision, and the base branch's tip where `base` is given; return the head's id.

        `base_files` are committed on top of the base first.
        """
        repository = self.repository
        pull = repository.pull(number)
        after = repository.copy.resolve(head)
        base_sha = repository.copy.resolve(base) if base is not None else pull.base_named
        repository.compare(repository.base_of(base_sha, after), after)
        pull.base_named = base_sha
        if base is not None or base_files is not None:
            move_base(repository, pull.base_ref, base_sha, base_files)
        move_head(repository, pull, after, login or pull.author)
        return after

    def _ends(self, head: str, base: str | None, number: int) -> tuple[str, str, str]:
        """The head's commit, and the base's name and commit, for a pull request of these revisions."""
        repository = self.repository
        head_sha = repository.copy.resolve(head)
        base_ref, base_sha = name_base(repository, base, head_sha, number)
        if repository.copy.contains(head_sha, base_sha):
            raise UnusableRepository(f"nothing to review: {head!r} is part of {base or base_ref!r}")
        return head_sha, base_ref, base_sha

    @_acting
    def set_base_file(self, number: int, path: str, content: bytes) -> str:
        """Commit a file on top of the base branch; what the pull request changes stays the same."""
        pull = self.repository.pull(number)
        move_base(self.repository, pull.base_ref, pull.base_sha, {path: content})
        return pull.base_sha

    @_acting
    def close(self, number: int, *, login: str = "octocat", merged: bool = False) -> None:
        """Close a pull request, merged or not."""
        pull = self.repository.pull(number)
        pull.state, pull.closed_at = "closed", self.repository.now()
        if merged:
            pull.merged_at, pull.merged_by = self.repository.now(), login
        self._act(pull, "closed", login)

    @_acting
    def reopen(self, number: int, *, login: str = "octocat") -> None:
        """Open a closed pull request again."""
        pull = self.repository.pull(number)
        pull.state, pull.closed_at = "open", None
        self._act(pull, "reopened", login)

    @_acting
    def ready(self, number: int, *, login: str = "octocat") -> None:
        """Take a draft out of draft."""
        pull = self.repository.pull(number)
        pull.draft = False
        self._act(pull, "ready_for_review", login)

    @_acting
    def describe(self, number: int, body: str, *, login: str | None = None) -> None:
        """Change a pull request's description, as its author unless `login` is given."""
        pull = self.repository.pull(number)
        before, pull.body, pull.body_edited_at = pull.body, body, self.repository.now()
        self._act(pull, "edited", login or pull.author, changes={"body": {"from": before or ""}})

    @_acting
    def label(self, number: int, name: str, *, login: str = "octocat") -> None:
        """Put a label on a pull request; one that it carries already is not reported."""
        pull, label = self.repository.pull(number), self.repository.state.label(name)
        if label.id not in pull.labels:
            pull.labels.append(label.id)
            self._act(pull, "labeled", login, label=label)

    @_acting
    def unlabel(self, number: int, name: str, *, login: str = "octocat") -> None:
        """Take a label away from a pull request that carries it."""
        pull, label = self.repository.pull(number), self.repository.state.label(name)
        if label.id in pull.labels:
            pull.labels.remove(label.id)
            self._act(pull, "unlabeled", login, label=label)

    def lock(self, number: int, reason: LockReason | None = None, *, login: str = "octocat") -> None:
        """Lock the conversation of a pull request."""
        self._set_lock(number, reason, login, locked=True)

    def unlock(self, number: int, *, login: str = "octocat") -> None:
        """Unlock the conversation of a pull request."""
        self._set_lock(number, None, login, locked=False)

    @_acting
    def _set_lock(self, number: int, reason: LockReason | None, login: str, *, locked: bool) -> None:
        pull = self.repository.pull(number)
        pull.locked, pull.lock_reason = locked, reason
        self._act(pull, "locked" if locked else "unlocked", login)

    @_acting
    def retarget(self, number: int, base: str, *, login: str | None = None) -> None:
        """Let a pull request go into another branch, or revision, as its author unless `login` is given."""
        pull = self.repository.pull(number)
        was = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        ref, sha = name_base(self.repository, base, pull.head_sha, number)
        self.repository.compare(self.repository.base_of(sha, pull.head_sha), pull.head_sha)
        pull.base_ref, pull.base_sha, pull.base_named = ref, sha, sha
        move_base(self.repository, ref, sha)
        self._act(pull, "edited", login or pull.author, changes={"base": was})

    @_acting
    def request_review(self, number: int, reviewer: str | None = None, *, login: str = "octocat") -> None:
        """Request a review, from the bot unless `reviewer` is given."""
        pull = self.repository.pull(number)
        asked = reviewer or self.repository.app.login
        if asked not in pull.requested_reviewers:
            pull.requested_reviewers.append(asked)
        self._act(pull, "review_requested", login, reviewer=asked)

    @_acting
    def comment(self, number: int, body: str, *, login: str = "octocat") -> int:
        """Comment in the conversation, and return the comment's id."""
        return comment_on_issue(self.repository, self.repository.pull(number), login, body).id

    @_acting
    def comment_on_line(
        self, number: int, path: str, line: int, body: str, *, side: str = "RIGHT", login: str = "octocat"
    ) -> int:
        """Begin a review thread on a line of the present head, and return the comment's id."""
        pull = self.repository.pull(number)
        given = {"path": path, "line": line, "side": side, "body": body}
        return comment_without_review(self.repository, pull, login, given).id

    @_acting
    def reply(self, comment: int, body: str, *, login: str = "octocat") -> int:
        """Answer in the thread of a review comment, and return the new comment's id."""
        thread = find_comment(self.repository, comment, login).thread
        return reply(self.repository, find_comment(self.repository, thread, login), login, body).id

    @_acting
    def edit_comment(self, comment: int, body: str, *, login: str | None = None) -> None:
        """Change a comment in a thread or in the conversation, as its author unless `login` is given."""
        found = self._comment(comment, login)
        edit_comment(self.repository, found, login or found.author, body)

    @_acting
    def delete_comment(self, comment: int, *, login: str | None = None) -> None:
        """Delete a comment in a thread or in the conversation, as its author unless `login` is given."""
        found = self._comment(comment, login)
        delete_comment(self.repository, found, login or found.author)

    @_acting
    def review(
        self,
        number: int,
        event: Verb,
        body: str = "",
        comments: Sequence[dict[str, Any]] = (),
        *,
        login: str = "octocat",
    ) -> int:
        """Submit a review, and return its id."""
        pull = self.repository.pull(number)
        return write_review(self.repository, pull, login, NewReview(event, body, comments)).id

    @_acting
    def react(self, kind: SubjectKind, subject: int, content: str, *, login: str = "octocat") -> None:
        """React to a comment or a review, by its id, or to the pull request, by its number. There is no webhook."""
        react(self.repository, kind, subject, login, content)

    @_acting
    def take_reaction_back(self, kind: SubjectKind, subject: int, content: str, *, login: str = "octocat") -> None:
        """Remove a reaction, if it is there. There is no webhook."""
        for reaction in self.repository.reactions(kind, subject):
            if (reaction.author, reaction.content) == (login, content):
                del self.repository.state.reactions[reaction.id]

    @_acting
    def resolve_thread(self, comment: int, *, login: str = "octocat", resolved: bool = True) -> None:
        """Resolve the thread of a review comment, or open it again. There is no webhook."""
        set_resolved(self.repository, find_comment(self.repository, comment, login).thread, login, resolved)

    @_acting
    def rerequest_check(self, check: int, *, login: str = "octocat") -> None:
        """Press "Re-run" at a check run."""
        self._press(check, "rerequested", login)

    @_acting
    def rerun_checks(self, head: str, *, login: str = "octocat") -> None:
        """Press "Re-run all checks": the App whose suite it is hears of it, and of the others we do not."""
        own = [each for each in self.repository.state.checks_of(head) if each.app is None]
        if not own:
            raise not_found()
        self.repository.send_webhook("check_suite.rerequested", {"check": own[-1], "sender": login})

    @_acting
    def request_action(self, check: int, identifier: str, *, login: str = "octocat") -> None:
        """Press one of the buttons that a check run offers."""
        self._press(check, "requested_action", login, identifier=identifier)

    @_acting
    def report_check(
        self,
        head: str,
        name: str,
        conclusion: str | None,
        *,
        annotations: Sequence[dict[str, Any]] = (),
        app: str = "github-actions",
    ) -> int:
        """Let another App report a check run on a commit, in progress where there is no conclusion; return its id.

        `annotations` have REST's own fields.
        """
        sha = self.repository.copy.resolve(head)
        return report_check(self.repository, sha, name, conclusion, annotations, app).id

    @_acting
    def report_status(
        self,
        head: str,
        context: str,
        state: Literal["pending", "success", "failure", "error"],
        description: str = "",
        *,
        login: str = "octocat",
    ) -> None:
        """Give a commit a status."""
        here = self.repository
        sha, creator = here.copy.resolve(head), here.user(login).login
        status = CommitStatus(here.state.new_id(), sha, context, state, description, creator, here.now())
        report_status(here, status)

    @_acting
    def require_check(self, branch: str, *names: str, app: str | None = None, classic: bool = False) -> None:
        """Require checks of the pull requests into a branch, from the App of that slug only, or from anybody.

        They are in a ruleset, or in the `classic` protection of the branch.
        """
        number = None if app is None else self.repository.app_named(app).id
        rules, kind = rules_of(self.repository, branch), "classic" if classic else "checks"
        known = getattr(rules, kind) if rules else {}
        change_rules(self.repository, branch, **{kind: known | dict.fromkeys(names, number)})

    @_acting
    def merge(self, number: int, *, login: str = "octocat") -> None:
        """Merge a pull request whose required checks have passed."""
        merge(self.repository, self.repository.pull(number), login)

    @_acting
    def set_rules(self, branch: str, checks: Sequence[str], *, has_queue: bool) -> None:
        """Let a branch require these checks and no others, of the same Apps as before, and a merge queue or none."""
        rules = rules_of(self.repository, branch)
        known = rules.checks if rules else {}
        change_rules(self.repository, branch, checks={name: known.get(name) for name in checks}, has_queue=has_queue)

    @_acting
    def use_merge_queue(self, branch: str, strategy: Literal["ALLGREEN", "HEADGREEN"] = "ALLGREEN") -> None:
        """Let pull requests into a branch be merged by a merge queue only."""
        change_rules(self.repository, branch, has_queue=True, strategy=strategy)

    @_acting
    def enqueue(self, number: int, *, login: str = "octocat") -> None:
        """Put a pull request whose required checks have passed into the merge queue of its base branch."""
        enqueue(self.repository, self.repository.pull(number), login)

    @_acting
    def set_role(self, login: str, role: Role) -> None:
        """Give somebody a role in the repository."""
        self.repository.state.user(login, role)

    @_acting
    def set_private(self, private: bool) -> None:
        """Make the repository private, as it is at first, or public. There is no webhook of it here."""
        self.repository.is_private = private

    @_acting
    def uninstall(self, *, login: str = "octocat") -> None:
        """Uninstall the App."""
        self.repository.installation.exists = False
        self.repository.send_webhook("installation.deleted", {"sender": login})

    @_acting
    def remove_repository(self, *, login: str = "octocat") -> None:
        """Take the repository out of the App's installation, which stays for the owner's other repositories."""
        self.repository.installation.has_repository = False
        self.repository.send_webhook("installation_repositories.removed", {"sender": login})

    @_acting
    def replace_repository(self) -> None:
        """Delete the repository, and make another one of the same name, on which the App is installed too."""
        state = self.repository.state
        for kind in fields(state):
            if kind.name not in ("users", "installations", "ids"):
                getattr(state, kind.name).clear()
        self.repository.id = state.new_id()

    @_acting
    def rename_repository(self, name: str) -> None:
        """Give the repository another name; its id stays."""
        self.repository.full_name = f"{self.repository.owner}/{name}"

    @_acting
    def install(self, *, login: str = "octocat") -> None:
        """Install the App again, or put the repository back into its installation."""
        self.repository.install(login=login)

    def _comment(self, comment: int, login: str | None) -> IssueComment | ReviewComment:
        found = self.repository.state.issue_comments.get(comment)
        return found or find_comment(self.repository, comment, login)

    def _press(self, check: int, action: Literal["rerequested", "requested_action"], login: str, **more: str) -> None:
        found: CheckRun | None = self.repository.state.checks.get(check)
        if found is None:
            raise not_found()
        if found.app is not None:  # only the App that made it hears of it
            return
        self.repository.send_webhook(f"check_run.{action}", {"check": found, "sender": login, **more})

    def _act(self, pull: PullRequest, action: str, login: str, **more: Any) -> None:
        act(self.repository, pull, action, login, **more)

    def _subject(self, sha: str) -> str:
        text = self.repository.copy.git("log", "-1", "--format=%s", "--encoding=UTF-8", sha)
        return text.decode("utf-8", "replace").strip() or sha[:7]
