"""One mutation that posts replies, resolves threads, collapses older reviews and updates the check run.

Mutations: https://docs.github.com/en/graphql/reference/mutations
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.findings.markers import finding_of
from kodiai.core.json_object import JsonObject
from kodiai.core.review.check import Annotation, Check
from kodiai.core.review.review import PostedReview, PublishActions, PublishResults
from kodiai.edges.github_errors import translate_errors
from kodiai.edges.github_permissions import Permissions
from kodiai.edges.github_snapshot import PullRequestReader

_MOST_ANNOTATIONS = 50
_REVIEW_AGAIN = {
    "label": "Review again",
    "description": "Look at the pull request once more",
    "identifier": "review-again",
}
_COUNT = "query Annotations($id: ID!) { node(id: $id) { ... on CheckRun { annotations(first: 1) { totalCount } } } }"
# What is read of the answer to each mutation.
_READ = {
    "addPullRequestReviewThreadReply": "comment { id }",
    "resolveReviewThread": "thread { isResolved }",
    "unresolveReviewThread": "thread { isResolved }",
    "minimizeComment": "minimizedComment { isMinimized }",
    "dismissPullRequestReview": "pullRequestReview { state }",
}


@dataclass(frozen=True)
class _Step:
    """One mutation of a document: its name, its input, and what is read of its answer."""

    name: str
    given: JsonObject
    read: str

    @property
    def input_type(self) -> str:
        """The type of its input, by GitHub's rule for naming these."""
        return f"{self.name[0].upper()}{self.name[1:]}Input!"


class PullRequestThreads(PullRequestReader):
    """Updates the threads, the older reviews and the check run of a pull request, which needs a snapshot first."""

    def update_threads(self, actions: PublishActions) -> PublishResults:
        """Skip an action in a thread that is not permitted; a thread that may not be resolved gets a reply."""
        acts = actions.thread_actions
        settles = any(act.resolve or act.unresolve for act in acts)
        if settles and not self._may(self._permissions.resolves):
            acts = tuple(replace(act, say=act.say or act.otherwise, resolve=False, unresolve=False) for act in acts)
            settles = False
        steps = [
            *(_say(act.thread, act.say) for act in acts if act.say is not None),
            *(_step("resolveReviewThread", threadId=act.thread) for act in acts if act.resolve),
            *(_step("unresolveReviewThread", threadId=act.thread) for act in acts if act.unresolve),
            *(_step("minimizeComment", subjectId=review, classifier="OUTDATED") for review in actions.minimized),
            *(
                _step("dismissPullRequestReview", pullRequestReviewId=review, message=actions.dismissal_message)
                for review in actions.dismissed
            ),
        ]
        resolving = [act for act in acts if act.resolve]
        first = sum(act.say is not None for act in acts)
        notes = self._unsent(actions)
        if actions.check_id is not None:
            steps.append(self._check_step(actions.check_id, actions.check, notes[:_MOST_ANNOTATIONS], reading=True))
        data, errors = self._mutate(steps, "UpdateThreads", self._permissions.resolves if settles else None)
        refused = [act for at, act in enumerate(resolving, first) if not _is_resolved(data.get(f"m{at}"))]
        instead = [_say(act.thread, act.otherwise) for act in refused if act.otherwise is not None]
        self._mutate(instead, "UpdateThreads")
        resolved = tuple(act.finding for act in resolving if act not in refused)
        comments: Mapping[str, str] = {}
        if actions.check_id is not None:
            last = f"m{len(steps) - 1}"
            _insist(data.get(last), errors.get(last))
            for start in range(_MOST_ANNOTATIONS, len(notes), _MOST_ANNOTATIONS):
                self.update_check(actions.check_id, actions.check, notes[start : start + _MOST_ANNOTATIONS])
            comments = self._comments(data[last])
        if actions.posted is None or actions.commented <= comments.keys():
            return PublishResults(resolved, comments if actions.posted else {})
        return PublishResults(resolved, self._posted(int(actions.posted.review_id)).comment_ids)

    def update_check(self, check_id: str, check: Check, notes: Sequence[Annotation] = ()) -> None:
        data, errors = self._mutate([self._check_step(check_id, check, notes, reading=False)], "UpdateCheck")
        _insist(data.get("m0"), errors.get("m0"))

    def _unsent(self, actions: PublishActions) -> Sequence[Annotation]:
        """The annotations without those that an earlier try has sent: GitHub adds them up, in the order of sending."""
        notes = actions.check.annotations
        if not notes or not actions.is_retry or actions.check_id is None:
            return notes
        answer = self._graphql("Annotations", _COUNT, {"id": actions.check_id}, changes=False)
        if answer["errors"]:
            raise translate_errors(answer["errors"])
        return notes[answer["data"]["node"]["annotations"]["totalCount"] :]

    def _check_step(self, check_id: str, check: Check, notes: Sequence[Annotation], *, reading: bool) -> _Step:
        """The step that writes a check run; `reading` asks for our comments too."""
        if self._repository_id is None:
            raise Broken("a check run cannot be changed before the snapshot is read")
        output: dict[str, Any] = {"title": check.title, "summary": check.summary}
        if notes:
            output["annotations"] = [_annotation(note) for note in notes]
        given: dict[str, Any] = {"repositoryId": self._repository_id, "checkRunId": check_id, "output": output}
        if check.conclusion is None:
            given["status"] = "IN_PROGRESS"
        else:
            given |= {"status": "COMPLETED", "conclusion": check.conclusion.upper(), "actions": [_REVIEW_AGAIN]}
        roots = "nodes { root: comments(first: 1) { nodes { databaseId body author { __typename login } } } }"
        threads = f"repository {{ pullRequest(number: {self._number}) {{ reviewThreads(last: 100) {{ {roots} }} }} }}"
        return _Step("updateCheckRun", given, f"checkRun {{ id {threads if reading else ''} }}")

    def _mutate(
        self, steps: Sequence[_Step], operation: str, needs: Permissions | None = None
    ) -> tuple[JsonObject, Mapping[str, JsonObject]]:
        """Run mutations one after the other: what was read by alias, and the errors by alias.

        The `operation` is the name under which the request is counted; `needs` are more permissions than usual.
        """
        if not steps:
            return {}, {}
        declared = ", ".join(f"$m{at}: {step.input_type}" for at, step in enumerate(steps))
        fields = "\n".join(f"m{at}: {step.name}(input: $m{at}) {{ {step.read} }}" for at, step in enumerate(steps))
        variables = {f"m{at}": step.given for at, step in enumerate(steps)}
        document = f"mutation {operation}({declared}) {{\n{fields}\n}}"
        answer = self._graphql(operation, document, variables, changes=True, needs=needs)
        errors = answer["errors"]
        by_alias = {str(error["path"][0]): error for error in errors if error.get("path")}
        if len(by_alias) < len(errors) and not answer.get("data"):
            raise translate_errors(errors)
        return answer.get("data") or {}, by_alias

    def _comments(self, answered: Any) -> dict[str, str]:
        try:
            threads = answered["checkRun"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
        except (TypeError, KeyError):
            return {}
        return self._comment_ids(threads)

    def _posted(self, review_id: int) -> PostedReview:
        """Read a review's comments. Raises Retry if GitHub refuses: the review is posted."""
        route = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"
        comments = self._pages(route, review_id=review_id)
        try:
            ids = {found: str(comment["id"]) for comment in comments if (found := finding_of(comment["body"]))}
        except Refused as why:
            raise Retry(f"the review's comments could not be read: {why}") from why
        return PostedReview(str(review_id), ids)


def _is_resolved(answered: Any) -> bool:
    """Whether GitHub confirms it; what it does not confirm may not have happened."""
    return bool(((answered or {}).get("thread") or {}).get("isResolved"))


def _insist(answered: Any, error: JsonObject | None) -> None:
    """Raise the error with which a check run was refused; GitHub may also write nothing and give no error."""
    if (answered or {}).get("checkRun"):
        return
    raise translate_errors([error]) if error is not None else Retry("GitHub did not write the check run")


def _say(thread: str, text: str) -> _Step:
    return _step("addPullRequestReviewThreadReply", pullRequestReviewThreadId=thread, body=text)


def _step(name: str, **given: str) -> _Step:
    return _Step(name, given, _READ[name])


def _annotation(note: Annotation) -> JsonObject:
    return {
        "path": note.path,
        "location": {"startLine": note.start_line, "endLine": note.end_line},
        "annotationLevel": note.level.upper(),
        "title": note.title,
        "message": note.message,
    }
