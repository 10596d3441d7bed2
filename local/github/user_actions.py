"""The acts of people on GitHub: each act is stored and reported by webhook."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from local.github.answers import not_found
from local.github.branches import name_base, name_head
from local.github.checks import report_check, report_status
from local.github.hosted_repository import HostedRepository
from local.github.issue_comments import comment_on_issue, delete_issue_comment, edit_issue_comment
from local.github.merge_queue import enqueue, expire, merge
from local.github.pushes import act, move_base, move_head, point
from local.github.reactions import react, remove_reaction
from local.github.repository import UnusableRepository
from local.github.review_comments import (
    comment_without_review,
    delete_comment,
    edit_comment,
    find_comment,
    reply,
    set_resolved,
)
from local.github.reviews import Verb, write_review
from local.github.rules import require, set_rules, use_queue
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


class UserActions:
    """The actions of users on a repository. Unknown subjects and actions that GitHub refuses raise ApiError."""

    def __init__(self, repository: HostedRepository) -> None:
        self._repository = repository

    def open_pull_request(
        self,
        head: str,
        base: str | None = None,
        *,
        title: str | None = None,
        body: str | None = None,
        author: str = "octocat",
        draft: bool = False,
        from_fork: bool = False,
        labels: Sequence[str] = (),
        base_files: Mapping[str, bytes] | None = None,
    ) -> int:
        """Open a pull request of two revisions of the repository, and return its number.

        Without `base` it goes into the default branch, or, where that already holds the head, into the head's first
        parent. It carries `labels` from the beginning. `base_files` are committed on top of the base first, which
        leaves the changes as they are.
        Raises UnusableRepository where the revisions have no difference, or nothing in common.
        """
        repository = self._repository
        with repository.acting():
            number = repository.state.new_number()
            head_sha, base_ref, base_sha = self._ends(head, base, number)
            repository.compare(repository.base_of(base_sha, head_sha), head_sha)
            head_ref = name_head(repository, head, base_ref, number)
            if author not in repository.state.users:
                kind: Literal["User", "Bot"] = "Bot" if author.endswith("[bot]") else "User"
                repository.state.user(author, "read" if from_fork else "write", kind)
            pull = PullRequest(
                id=repository.state.new_id(),
                number=number,
                title=title or self._subject(head_sha),
                body=body,
                author=author,
                head_ref=head_ref,
                head_sha=head_sha,
                base_ref=base_ref,
                base_sha=base_sha,
                base_named=base_sha,
                draft=draft,
                from_fork=from_fork,
                created_at=repository.now(),
                updated_at=repository.now(),
                labels=[repository.state.label(name).id for name in labels],
            )
            repository.state.pulls[number] = pull
            point(repository, pull, head_sha)
            move_base(repository, base_ref, base_sha, base_files)
            self._act(pull, "opened", author)
            for label in repository.state.labels_of(pull):
                self._act(pull, "labeled", author, label=label)
        return number

    def check_pull_request(self, head: str, base: str | None = None) -> None:
        """Check that a pull request of these revisions can be opened, is all here, and has changes.

        Raises UnusableRepository.
        """
        repository = self._repository
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
        self._repository.copy.check_commit(revision)

    def open_issue(self, title: str, body: str = "", *, author: str = "octocat") -> int:
        """Open an issue, and return its number. The App has not subscribed to what happens to issues."""
        repository = self._repository
        with repository.acting():
            number = repository.state.new_number()
            issue = Issue(
                repository.state.new_id(), number, title, body, repository.user(author).login, repository.now()
            )
            repository.state.issues[number] = issue
        return number

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
        repository = self._repository
        with repository.acting():
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
        repository = self._repository
        head_sha = repository.copy.resolve(head)
        base_ref, base_sha = name_base(repository, base, head_sha, number)
        if repository.copy.contains(head_sha, base_sha):
            raise UnusableRepository(f"nothing to review: {head!r} is part of {base or base_ref!r}")
        return head_sha, base_ref, base_sha

    def set_base_file(self, number: int, path: str, content: bytes) -> str:
        """Commit a file on top of the base branch; what the pull request changes stays the same."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            move_base(self._repository, pull.base_ref, pull.base_sha, {path: content})
            return pull.base_sha

    def close(self, number: int, *, login: str = "octocat", merged: bool = False) -> None:
        """Close a pull request, merged or not."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            pull.state, pull.closed_at = "closed", self._repository.now()
            if merged:
                pull.merged_at, pull.merged_by = self._repository.now(), login
            self._act(pull, "closed", login)

    def reopen(self, number: int, *, login: str = "octocat") -> None:
        """Open a closed pull request again."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            pull.state, pull.closed_at = "open", None
            self._act(pull, "reopened", login)

    def ready(self, number: int, *, login: str = "octocat") -> None:
        """Take a draft out of draft."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            pull.draft = False
            self._act(pull, "ready_for_review", login)

    def describe(self, number: int, body: str, *, login: str | None = None) -> None:
        """Change a pull request's description, as its author unless `login` is given."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            before, pull.body, pull.body_edited_at = pull.body, body, self._repository.now()
            self._act(pull, "edited", login or pull.author, changes={"body": {"from": before or ""}})

    def label(self, number: int, name: str, *, login: str = "octocat") -> None:
        """Put a label on a pull request; one that it carries already is not reported."""
        with self._repository.acting():
            pull, label = self._repository.pull(number), self._repository.state.label(name)
            if label.id not in pull.labels:
                pull.labels.append(label.id)
                self._act(pull, "labeled", login, label=label)

    def unlabel(self, number: int, name: str, *, login: str = "octocat") -> None:
        """Take a label away from a pull request that carries it."""
        with self._repository.acting():
            pull, label = self._repository.pull(number), self._repository.state.label(name)
            if label.id in pull.labels:
                pull.labels.remove(label.id)
                self._act(pull, "unlabeled", login, label=label)

    def lock(self, number: int, reason: LockReason | None = None, *, login: str = "octocat") -> None:
        """Lock the conversation of a pull request."""
        self._set_lock(number, reason, login, locked=True)

    def unlock(self, number: int, *, login: str = "octocat") -> None:
        """Unlock the conversation of a pull request."""
        self._set_lock(number, None, login, locked=False)

    def _set_lock(self, number: int, reason: LockReason | None, login: str, *, locked: bool) -> None:
        with self._repository.acting():
            pull = self._repository.pull(number)
            pull.locked, pull.lock_reason = locked, reason
            self._act(pull, "locked" if locked else "unlocked", login)

    def retarget(self, number: int, base: str, *, login: str | None = None) -> None:
        """Let a pull request go into another branch, or revision, as its author unless `login` is given."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            was = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
            ref, sha = name_base(self._repository, base, pull.head_sha, number)
            self._repository.compare(self._repository.base_of(sha, pull.head_sha), pull.head_sha)
            pull.base_ref, pull.base_sha, pull.base_named = ref, sha, sha
            move_base(self._repository, ref, sha)
            self._act(pull, "edited", login or pull.author, changes={"base": was})

    def request_review(self, number: int, reviewer: str | None = None, *, login: str = "octocat") -> None:
        """Request a review, from the bot unless `reviewer` is given."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            asked = reviewer or self._repository.app.login
            if asked not in pull.requested_reviewers:
                pull.requested_reviewers.append(asked)
            self._act(pull, "review_requested", login, reviewer=asked)

    def comment(self, number: int, body: str, *, login: str = "octocat") -> int:
        """Comment in the conversation, and return the comment's id."""
        with self._repository.acting():
            return comment_on_issue(self._repository, self._repository.pull(number), login, body).id

    def comment_on_line(
        self, number: int, path: str, line: int, body: str, *, side: str = "RIGHT", login: str = "octocat"
    ) -> int:
        """Begin a review thread on a line of the present head, and return the comment's id."""
        with self._repository.acting():
            pull = self._repository.pull(number)
            given = {"path": path, "line": line, "side": side, "body": body}
            return comment_without_review(self._repository, pull, login, given).id

    def reply(self, comment: int, body: str, *, login: str = "octocat") -> int:
        """Answer in the thread of a review comment, and return the new comment's id."""
        with self._repository.acting():
            thread = find_comment(self._repository, comment, login).thread
            return reply(self._repository, find_comment(self._repository, thread, login), login, body).id

    def edit_comment(self, comment: int, body: str, *, login: str | None = None) -> None:
        """Change a comment in a thread or in the conversation, as its author unless `login` is given."""
        with self._repository.acting():
            found = self._comment(comment, login)
            if isinstance(found, IssueComment):
                edit_issue_comment(self._repository, found, login or found.author, body)
            else:
                edit_comment(self._repository, found, login or found.author, body)

    def delete_comment(self, comment: int, *, login: str | None = None) -> None:
        """Delete a comment in a thread or in the conversation, as its author unless `login` is given."""
        with self._repository.acting():
            found = self._comment(comment, login)
            if isinstance(found, IssueComment):
                delete_issue_comment(self._repository, found, login or found.author)
            else:
                delete_comment(self._repository, found, login or found.author)

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
        with self._repository.acting():
            pull = self._repository.pull(number)
            return write_review(self._repository, pull, login, event=event, body=body, comments=comments).id

    def react(self, kind: SubjectKind, subject: int, content: str, *, login: str = "octocat") -> None:
        """React to a comment or a review, by its id, or to the pull request, by its number. There is no webhook."""
        with self._repository.acting():
            react(self._repository, kind, subject, login, content)

    def take_reaction_back(self, kind: SubjectKind, subject: int, content: str, *, login: str = "octocat") -> None:
        """Remove a reaction, if it is there. There is no webhook."""
        with self._repository.acting():
            remove_reaction(self._repository, kind, subject, login, content)

    def resolve_thread(self, comment: int, *, login: str = "octocat", resolved: bool = True) -> None:
        """Resolve the thread of a review comment, or open it again. There is no webhook."""
        with self._repository.acting():
            set_resolved(self._repository, find_comment(self._repository, comment, login).thread, login, resolved)

    def rerequest_check(self, check: int, *, login: str = "octocat") -> None:
        """Press "Re-run" at a check run."""
        with self._repository.acting():
            self._press(check, "rerequested", login)

    def rerun_checks(self, head: str, *, login: str = "octocat") -> None:
        """Press "Re-run all checks": the App whose suite it is hears of it, and of the others we do not."""
        with self._repository.acting():
            own = [each for each in self._repository.state.checks_of(head) if each.app is None]
            if not own:
                raise not_found()
            self._repository.send_webhook("check_suite.rerequested", {"check": own[-1], "sender": login})

    def request_action(self, check: int, identifier: str, *, login: str = "octocat") -> None:
        """Press one of the buttons that a check run offers."""
        with self._repository.acting():
            self._press(check, "requested_action", login, identifier=identifier)

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
        with self._repository.acting():
            sha = self._repository.copy.resolve(head)
            return report_check(self._repository, sha, name, conclusion, annotations, app).id

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
        here = self._repository
        with here.acting():
            sha, creator = here.copy.resolve(head), here.user(login).login
            status = CommitStatus(here.state.new_id(), sha, context, state, description, creator, here.now())
            report_status(here, status)

    def require_check(self, branch: str, *names: str, app: str | None = None, classic: bool = False) -> None:
        """Require checks of the pull requests into a branch, from the App of that slug only, or from anybody.

        They are in a ruleset, or in the `classic` protection of the branch.
        """
        with self._repository.acting():
            number = None if app is None else self._repository.app_named(app).id
            require(self._repository, branch, names, number, classic=classic)

    def merge(self, number: int, *, login: str = "octocat") -> None:
        """Merge a pull request whose required checks have passed."""
        with self._repository.acting():
            merge(self._repository, self._repository.pull(number), login)

    def set_rules(self, branch: str, checks: Sequence[str], *, has_queue: bool) -> None:
        """Let a branch require these checks and no others, and a merge queue or none."""
        with self._repository.acting():
            set_rules(self._repository, branch, checks, has_queue=has_queue)

    def use_merge_queue(self, branch: str, strategy: Literal["ALLGREEN", "HEADGREEN"] = "ALLGREEN") -> None:
        """Let pull requests into a branch be merged by a merge queue only."""
        with self._repository.acting():
            use_queue(self._repository, branch, strategy)

    def enqueue(self, number: int, *, login: str = "octocat") -> None:
        """Put a pull request whose required checks have passed into the merge queue of its base branch."""
        with self._repository.acting():
            enqueue(self._repository, self._repository.pull(number), login)

    def expire_queue(self) -> None:
        """Let the time be over that merge queues wait for required checks."""
        with self._repository.acting():
            expire(self._repository)

    def set_role(self, login: str, role: Role) -> None:
        """Give somebody a role in the repository."""
        with self._repository.acting():
            self._repository.state.user(login, role)

    def set_private(self, private: bool) -> None:
        """Make the repository private, as it is at first, or public. There is no webhook of it here."""
        with self._repository.acting():
            self._repository.is_private = private

    def uninstall(self, *, login: str = "octocat") -> None:
        """Uninstall the App."""
        with self._repository.acting():
            self._repository.installation.exists = False
            self._repository.send_webhook("installation.deleted", {"sender": login})

    def remove_repository(self, *, login: str = "octocat") -> None:
        """Take the repository out of the App's installation, which stays for the owner's other repositories."""
        with self._repository.acting():
            self._repository.installation.has_repository = False
            self._repository.send_webhook("installation_repositories.removed", {"sender": login})

    def replace_repository(self) -> None:
        """Delete the repository, and make another one of the same name, on which the App is installed too."""
        state = self._repository.state
        with self._repository.acting():
            for kind in (state.pulls, state.issues, state.labels, state.reviews, state.comments, state.issue_comments):
                kind.clear()
            for others in (state.resolutions, state.reactions, state.checks, state.statuses):
                others.clear()
            state.rules.clear()
            state.groups.clear()
            state.timeline.clear()
            self._repository.id = state.new_id()

    def rename_repository(self, name: str) -> None:
        """Give the repository another name; its id stays."""
        with self._repository.acting():
            self._repository.full_name = f"{self._repository.owner}/{name}"

    def install(self, *, login: str = "octocat") -> None:
        """Install the App again, or put the repository back into its installation."""
        with self._repository.acting():
            self._repository.install(login=login)

    def _comment(self, comment: int, login: str | None) -> IssueComment | ReviewComment:
        found = self._repository.state.issue_comments.get(comment)
        return found or find_comment(self._repository, comment, login)

    def _press(self, check: int, action: Literal["rerequested", "requested_action"], login: str, **more: str) -> None:
        found: CheckRun | None = self._repository.state.checks.get(check)
        if found is None:
            raise not_found()
        if found.app is not None:  # only the App that made it hears of it
            return
        self._repository.send_webhook(f"check_run.{action}", {"check": found, "sender": login, **more})

    def _act(self, pull: PullRequest, action: str, login: str, **more: Any) -> None:
        act(self._repository, pull, action, login, **more)

    def _subject(self, sha: str) -> str:
        text = self._repository.copy.git("log", "-1", "--format=%s", "--encoding=UTF-8", sha)
        return text.decode("utf-8", "replace").strip() or sha[:7]
