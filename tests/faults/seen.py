"""A pull request once everything is quiet: on GitHub, and in the ledger."""

import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodiai.core.findings.markers import finding_of, review_run
from kodiai.core.github.ci import CHECK_NAME
from kodiai.core.proposals.proposal import Proposal, ProposalEvent
from kodiai.core.review.run import Run
from local.github.state import CheckRun, IssueComment, Review, ReviewComment
from local.github.views import node_id
from tests.faults.scene import Scene

Items = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Seen:
    """A pull request on GitHub and in the ledger, each list in the order in which it came to be; of GitHub, ours.

    A review without a body is how GitHub shows a reply in a thread: it is none of `reviews`.
    `resolved` are the threads that we resolved, by the ids of their first comments. `items` has the runs too that the
    ledger has lost: nothing but they can tell of their reviews. `remembered` is what the ledger says of its memory, by
    vector key, `vectors` is what the index has, by vector key. `rules` counts those that were given there.
    `proposals` are those for it, oldest first, `events` their histories by id; `commits` counts by proposal
    those on its branch. `kept` are the completed runs whose reviews were not to be posted. `in_queue` are its commits
    in the merge queue, `shown` are our check runs on each of them and on the head, for whichever pull request.
    """

    number: int
    head: str
    reviews: list[Review]
    comments: list[ReviewComment]
    replies: list[ReviewComment]
    checks: list[CheckRun]
    conversation: list[IssueComment]
    reactions: list[str]
    resolved: set[int]
    items: Items
    remembered: Items
    vectors: Items
    rules: int
    proposals: list[Proposal]
    events: Mapping[str, Sequence[ProposalEvent]]
    commits: Counter[str]
    kept: Sequence[Run]
    in_queue: Sequence[str]
    shown: Mapping[str, Sequence[CheckRun]]

    def of_kind(self, kind: str) -> dict[str, Mapping[str, Any]]:
        """The ledger's items of one kind, by the rest of their sort keys."""
        return {key.partition("#")[2]: item for key, item in self.items.items() if key.startswith(f"{kind}#")}

    @property
    def completed(self) -> dict[str, Mapping[str, Any]]:
        """The completed runs, but those whose reviews were not to be posted."""
        runs = self.of_kind("RUN").items()
        return {run: item for run, item in runs if item["status"] == "completed" and "kept" not in item}

    @property
    def review_of(self) -> dict[str | None, Review]:
        """Each review by the run that wrote it."""
        return {review_run(review.body): review for review in self.reviews}

    @property
    def check_of(self) -> dict[str, CheckRun]:
        """Each check run by the id that the ledger knows it by."""
        return {node_id("CR", check.id): check for check in self.checks}

    @property
    def finding_of(self) -> dict[int, str | None]:
        """Which finding each of our threads is about, by the id of its first comment."""
        return {comment.id: finding_of(comment.body) for comment in self.comments}


def look(scene: Scene, number: int) -> Seen:
    """Look at a pull request."""
    state, ours = scene.github.state, scene.github.bot_login
    everybody, conversation = state.comments_of(number, ours), state.issue_comments_of(number)
    said = [comment for comment in everybody if comment.author == ours]
    in_queue = [each.head for each in state.groups.values() if each.number == number and each.ended is None]
    commits = [state.pulls[number].head_sha, *in_queue]
    mine = f"{scene.github.repository.id}#{number}@"
    store = scene.proposals()
    found = store.of_repository(scene.github.repository.id)
    proposals = [each for each in reversed(found) if each.number == number]
    subjects = {number, *(each.id for each in everybody), *(each.id for each in conversation)}
    return Seen(
        number=number,
        head=state.pulls[number].head_sha,
        reviews=[each for each in state.reviews_of(number, ours) if each.author == ours and each.body],
        comments=[comment for comment in said if not comment.in_reply_to],
        replies=[comment for comment in said if comment.in_reply_to],
        checks=[check for check in state.checks.values() if check.external_id.startswith(mine)],
        conversation=[each for each in conversation if each.author == ours],
        reactions=[
            f"{each.content} to {each.subject}"
            for each in state.reactions.values()
            if each.author == ours and each.subject in subjects
        ],
        resolved={thread for thread, resolution in state.resolutions.items() if resolution.by == ours},
        items={**_lost_runs(scene, number), **scene.items(number)},
        remembered=scene.remembered(number),
        vectors=scene.vectors(number),
        proposals=proposals,
        events={each.id: store.events(each.id) for each in proposals},
        in_queue=in_queue,
        shown={each: [run for run in state.checks_of(each) if run.name == CHECK_NAME] for each in commits},
        kept=[run for run in scene.machine.ledger(scene.github.repository.ref, number).runs() if run.kept],
        commits=_commits(scene, state.pulls[number].head_sha),
        rules=sum(rule.number == number for rule in scene.machine.memory(scene.github.repository.ref).rules()),
    )


def _commits(scene: Scene, head: str) -> Counter[str]:
    """The number of commits of each proposal on a branch."""
    lines = (line for message in scene.messages(head) for line in message.split("\n"))
    return Counter(line.partition(": ")[2] for line in lines if line.startswith("Proposal: "))


def _lost_runs(scene: Scene, number: int) -> Items:
    return {key: item for key, item in scene.lost.get(number, {}).items() if key.startswith("RUN#")}


def title_of(finding: Mapping[str, Any]) -> str:
    """The title of a finding as the ledger keeps it."""
    return str(json.loads(finding["finding"])["title"])


def reported_title_of(finding: Mapping[str, Any]) -> str:
    """The title of a finding as it was reported first."""
    return str(json.loads(finding["finding"])["reported_title"])


def tokens_of(answer: Mapping[str, Any]) -> int:
    """The tokens of a kept answer, each of which costs a millionth of a dollar here."""
    usage = json.loads(zlib.decompress(bytes(answer["answer"].value)))["usage"]
    return sum(usage[f"{kind}_tokens"] for kind in ("input", "output", "cache_read", "cache_write"))


def facts_of(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """The ledger's facts about a completed run."""
    facts: Mapping[str, Any] = json.loads(zlib.decompress(bytes(run["facts"].value)))
    return facts
