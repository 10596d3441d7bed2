"""What a run does on GitHub besides its review: one mutation for threads, older reviews and the check run.

Mutations: https://docs.github.com/en/graphql/reference/mutations
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.json_object import JsonObject
from kodiai.core.review.check import Annotation, Check
from kodiai.core.review.review import PublishActions
from kodiai.edges.github_connection import Connection
from kodiai.edges.github_graphql import GraphQL, translate

_MOST_ANNOTATIONS = 50
_REVIEW_AGAIN = {
    "label": "Review again",
    "description": "Look at the pull request once more",
    "identifier": "review-again",
}
_COUNT = "query Annotations($id: ID!) { node(id: $id) { ... on CheckRun { annotations(first: 1) { totalCount } } } }"
_INPUTS = {
    "addPullRequestReviewThreadReply": ("AddPullRequestReviewThreadReplyInput!", "comment { id }"),
    "resolveReviewThread": ("ResolveReviewThreadInput!", "thread { isResolved }"),
    "unresolveReviewThread": ("UnresolveReviewThreadInput!", "thread { isResolved }"),
    "minimizeComment": ("MinimizeCommentInput!", "minimizedComment { isMinimized }"),
    "dismissPullRequestReview": ("DismissPullRequestReviewInput!", "pullRequestReview { state }"),
}
_CHECK_INPUT = "UpdateCheckRunInput!"


@dataclass(frozen=True)
class Step:
    """One mutation of a document: its name, its input, what is read of its answer."""

    name: str
    given: JsonObject
    kind: str
    read: str


class Settler:
    """Sends settlements; those with a check run once the queries have said how things stand."""

    def __init__(self, connection: Connection, queries: GraphQL, number: int) -> None:
        self._connection = connection
        self._queries = queries
        self._number = number

    def settle(self, settlement: PublishActions) -> tuple[tuple[str, ...], dict[str, str]]:
        """Do everything; the findings whose threads were resolved, and the ids of our comments by finding id.

        What may not be done in a thread is left; where resolving is refused, something is said instead.
        Raises Refused where the check run may not be closed.
        """
        acts = settlement.thread_actions
        steps = [
            *(_say(act.thread, act.say) for act in acts if act.say is not None),
            *(_resolve(act.thread) for act in acts if act.resolve),
            *(_unresolve(act.thread) for act in acts if act.unresolve),
            *(_step("minimizeComment", subjectId=review, classifier="OUTDATED") for review in settlement.minimized),
            *(
                _step("dismissPullRequestReview", pullRequestReviewId=review, message=settlement.dismissal_message)
                for review in settlement.dismissed
            ),
        ]
        resolving = [act for act in acts if act.resolve]
        first = sum(act.say is not None for act in acts)
        notes = self._unsent(settlement)
        if settlement.check_id is not None:
            check = self._check(settlement.check_id, settlement.check, notes[:_MOST_ANNOTATIONS], reading=True)
            steps.append(check)
        data, errors = self._send(steps, "Settle")
        refused = [act for at, act in enumerate(resolving, first) if not _is_resolved(data.get(f"m{at}"))]
        instead = [_say(act.thread, act.otherwise) for act in refused if act.otherwise is not None]
        self._send(instead, "Settle")
        resolved = tuple(act.finding for act in resolving if act not in refused)
        if settlement.check_id is None:
            return resolved, {}
        last = f"m{len(steps) - 1}"
        _insist(data.get(last), errors.get(last))
        for start in range(_MOST_ANNOTATIONS, len(notes), _MOST_ANNOTATIONS):
            self.update(settlement.check_id, settlement.check, notes[start : start + _MOST_ANNOTATIONS])
        return resolved, self._comments(data[last])

    def update(self, check_id: str, check: Check, notes: Sequence[Annotation] = ()) -> None:
        """Say in a check run how far the work is, or how it ended, with these annotations. Raises Refused."""
        data, errors = self._send([self._check(check_id, check, notes, reading=False)], "UpdateCheck")
        _insist(data.get("m0"), errors.get("m0"))

    def resolve(self, threads: Sequence[str]) -> frozenset[str]:
        """Resolve threads by their global ids; those that GitHub says are resolved. One that may not be is left."""
        try:
            data, _ = self._send([_resolve(thread) for thread in threads], "Resolve")
        except Refused:
            return frozenset()
        return frozenset(thread for at, thread in enumerate(threads) if _is_resolved(data.get(f"m{at}")))

    def unresolve(self, thread: str) -> None:
        """Open a thread again by its global id; one that may not be is left."""
        with suppress(Refused):
            self._send([_unresolve(thread)], "Unresolve")

    def _unsent(self, settlement: PublishActions) -> Sequence[Annotation]:
        """The annotations without those that an earlier try has sent: GitHub adds them up, in the order of sending."""
        notes = settlement.check.annotations
        if not notes or not settlement.is_retry or settlement.check_id is None:
            return notes
        answer = self._connection.graphql("Annotations", _COUNT, {"id": settlement.check_id}, changes=False)
        if answer.get("errors"):
            raise translate(answer["errors"])
        return notes[answer["data"]["node"]["annotations"]["totalCount"] :]

    def _check(self, check_id: str, check: Check, notes: Sequence[Annotation], *, reading: bool) -> Step:
        """The step that writes a check run; `reading` takes our comments along."""
        repository_id = self._queries.repository_id
        if repository_id is None:
            raise Broken("no check run may be changed before it is known how things stand")
        output: dict[str, Any] = {"title": check.title, "summary": check.summary}
        if notes:
            output["annotations"] = [_annotation(note) for note in notes]
        given: dict[str, Any] = {"repositoryId": repository_id, "checkRunId": check_id, "output": output}
        if check.conclusion is None:
            given["status"] = "IN_PROGRESS"
        else:
            given |= {"status": "COMPLETED", "conclusion": check.conclusion.upper(), "actions": [_REVIEW_AGAIN]}
        roots = "nodes { root: comments(first: 1) { nodes { databaseId body author { __typename login } } } }"
        threads = f"repository {{ pullRequest(number: {self._number}) {{ reviewThreads(last: 100) {{ {roots} }} }} }}"
        return Step("updateCheckRun", given, _CHECK_INPUT, f"checkRun {{ id {threads if reading else ''} }}")

    def _send(self, steps: Sequence[Step], operation: str) -> tuple[JsonObject, Mapping[str, JsonObject]]:
        """Run mutations one after the other: what was read by alias, and what failed by alias.

        The `operation` is the name under which the request is counted.
        """
        if not steps:
            return {}, {}
        declared = ", ".join(f"$m{at}: {step.kind}" for at, step in enumerate(steps))
        fields = "\n".join(f"m{at}: {step.name}(input: $m{at}) {{ {step.read} }}" for at, step in enumerate(steps))
        variables = {f"m{at}": step.given for at, step in enumerate(steps)}
        document = f"mutation {operation}({declared}) {{\n{fields}\n}}"
        answer = self._connection.graphql(operation, document, variables, changes=True)
        errors = answer.get("errors") or []
        by_alias = {str(error["path"][0]): error for error in errors if error.get("path")}
        if len(by_alias) < len(errors) and not answer.get("data"):
            raise translate(errors)
        return answer.get("data") or {}, by_alias

    def _comments(self, answered: Any) -> dict[str, str]:
        try:
            threads = answered["checkRun"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
        except (TypeError, KeyError):
            return {}
        return self._queries.comments(threads)


def _is_resolved(answered: Any) -> bool:
    """Whether GitHub says so: what it does not say it may not have done."""
    return bool(((answered or {}).get("thread") or {}).get("isResolved"))


def _insist(answered: Any, error: JsonObject | None) -> None:
    """Raise what a check run was refused with; GitHub may write nothing without a word of why."""
    if (answered or {}).get("checkRun"):
        return
    raise translate([error]) if error is not None else Retry("GitHub did not write the check run")


def _say(thread: str, text: str) -> Step:
    return _step("addPullRequestReviewThreadReply", pullRequestReviewThreadId=thread, body=text)


def _resolve(thread: str) -> Step:
    return _step("resolveReviewThread", threadId=thread)


def _unresolve(thread: str) -> Step:
    return _step("unresolveReviewThread", threadId=thread)


def _step(name: str, **given: str) -> Step:
    kind, read = _INPUTS[name]
    return Step(name, given, kind, read)


def _annotation(note: Annotation) -> JsonObject:
    return {
        "path": note.path,
        "location": {"startLine": note.start_line, "endLine": note.end_line},
        "annotationLevel": note.level.upper(),
        "title": note.title,
        "message": note.message,
    }
