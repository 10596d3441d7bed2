"""Reads what the command shows of one pull request, through GitHub's REST API and from the ledger."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from cli.results import ChangedFile, Diff, Finding, Push, Reply, Review, Target
from kodiai.core.findings.finding import rank
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.markers import answer_marker
from kodiai.core.review.run import Run
from kodiai.core.words.finding import plain_text
from kodiai.edges.github_connection import version_header
from kodiai.ports.ledger import Ledger

Json = dict[str, Any]
_PAGE = 100
_EVENTS = {"COMMENTED": "COMMENT", "APPROVED": "APPROVE", "CHANGES_REQUESTED": "REQUEST_CHANGES"}
FACTS = (
    "mode files_total files_read skipped hunks_total hunks_asked changed_files model cost_usd github delta memory"
    " threads_resolved".split()
)


@dataclass(frozen=True)
class PostedReply:
    """A reply of a person on GitHub: its id, the GUID of its webhook, its author with their role, and its text."""

    id: int
    delivery: str
    by: str
    role: str
    to: Target
    text: str

    @property
    def key(self) -> str:
        """Its name among everything that is written in the repository."""
        return f"{'thread' if self.to.comment else 'conversation'}-{self.id}"


class PullRequestApi:
    """One pull request on GitHub. Every method raises httpx.HTTPError."""

    def __init__(self, api_url: str, token: str, repository: str, number: int) -> None:
        headers = {"authorization": f"Bearer {token}", "accept": "application/vnd.github+json"}
        headers |= version_header(api_url)
        self._client = httpx.Client(headers=headers, timeout=60, follow_redirects=True)
        self._url = f"{api_url}/repos/{repository}"
        self.repository_name = repository
        self.number = number

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def pull_request(self) -> Json:
        """The pull request."""
        return self._get(f"/pulls/{self.number}")

    def repository(self) -> Json:
        """The repository."""
        return self._get("")

    def diff(self) -> Diff:
        """Its changed files."""
        names = {"path": "filename", "previous_path": "previous_filename", "status": "status", "patch": "patch"}
        files = self._pages(f"/pulls/{self.number}/files")
        return {
            file["filename"]: ChangedFile.model_validate({name: file.get(key) for name, key in names.items()})
            for file in files
        }

    def review(self, review_id: str) -> Review:
        """A posted review."""
        review = self._get(f"/pulls/{self.number}/reviews/{review_id}")
        event = _EVENTS.get(review["state"], review["state"])
        comments = self.review_comments(review_id)
        return Review.model_validate({"event": event, "body": review["body"], "comments": comments})

    def review_comments(self, review_id: str) -> list[Json]:
        """The inline comments of a posted review, as GitHub gives them, in the order in which they were posted."""
        comments = self._pages(f"/pulls/{self.number}/reviews/{review_id}/comments")
        # A review's own list has no lines, the pull request's list has them.
        with_lines = {comment["id"]: comment for comment in self._pages(f"/pulls/{self.number}/comments")}
        return [with_lines.get(comment["id"], comment) for comment in comments]

    def answer_to(self, key: str, login: str) -> str | None:
        """The answer of a user to what has this key, without the marker; None where there is none."""
        marker = answer_marker(key)
        for kind in ("pulls", "issues"):
            for comment in self._pages(f"/{kind}/{self.number}/comments"):
                body = comment["body"].rstrip()
                if comment["user"]["login"] == login and body.endswith(marker):
                    return str(body.removesuffix(marker).rstrip())
        return None

    def reactions(self, reply: PostedReply, login: str) -> list[str]:
        """A user's reactions to a reply, in order: "eyes", "+1"."""
        found = self._pages(f"/{'pulls' if reply.to.comment else 'issues'}/comments/{reply.id}/reactions")
        return [reaction["content"] for reaction in found if reaction["user"]["login"] == login]

    def _get(self, path: str) -> Json:
        answer: Json = self._client.get(self._url + path).raise_for_status().json()
        return answer

    def _pages(self, path: str) -> list[Json]:
        entries: list[Json] = []
        while len(entries) % _PAGE == 0:
            query = {"per_page": _PAGE, "page": len(entries) // _PAGE + 1}
            found = self._client.get(self._url + path, params=query).raise_for_status().json()
            entries += found
            if not found:
                break
        return entries


def push_result(ledger: Ledger, api: PullRequestApi, outcome: Mapping[str, Any], **known: str) -> Push:
    """The result of a push; one that was skipped has no mode. `known` takes the place of the outcome's values."""
    run = ledger.run(outcome["run"]) if "run" in outcome else None
    facts = run.facts if run else {}
    timing = {name: outcome.get(name, 0.0) for name in ("seconds", "cpu_seconds")}
    ends = {name: known.get(name) or outcome.get(name, "") for name in ("head", "base")}
    return Push.model_validate(
        {name: facts[name] for name in FACTS if name in facts}
        | {"reason": facts.get("reason") or outcome["reason"], "review": _review(run, api)}
        | {"findings": findings_of(ledger, run), **timing, **ends}
    )


def findings_of(ledger: Ledger, run: Run | None = None) -> list[Finding]:
    """Every finding with its status, the most severe first; after a run whose review was only kept, as that says."""
    is_preview = run is not None and run.kept == "preview"  # which goes on from nothing
    known = {each.id: each for each in (() if is_preview else ledger.findings())}
    if run is not None and run.kept and run.staged:
        known |= {each.known.id: each.known for each in run.staged.updates}
        known |= {each.id: KnownFinding(each.id, each.finding, "open", None) for each in run.staged.findings}
    return [
        Finding(
            id=each.id,
            status=each.status,
            severity=each.finding.severity,
            category=each.finding.category,
            path=each.finding.path,
            line=each.finding.start_line,
            title=each.finding.title,
            text=plain_text(each.finding),
            settled_by=each.settled_by,
        )
        for each in sorted(known.values(), key=lambda each: rank(each.finding))
    ]


def reply_result(
    reply: PostedReply, findings: list[Finding], outcome: Mapping[str, Any], api: PullRequestApi, bot: str
) -> Reply:
    """The result of a reply, before a review that it may have requested; `findings` are those after it.

    `bot` is the login that answers.
    """
    return Reply.model_validate(
        {
            **{name: getattr(reply, name) for name in ("by", "role", "to", "text")},
            **{name: outcome.get(name) for name in ("understood", "model", "cost_usd")},
            "outcome": outcome["outcome"],
            "reason": outcome["reason"],
            "answer": api.answer_to(outcome.get("key", reply.key), bot),
            "reactions": api.reactions(reply, bot),
            "findings": findings,
            "seconds": outcome.get("seconds", 0.0),
        }
    )


def _review(run: Run | None, api: PullRequestApi) -> Review | Json | None:
    """The review as GitHub has it, or as it would be posted where this deployment does not post."""
    if run is None:
        return None
    if run.review_id is not None:
        return api.review(run.review_id)
    return asdict(run.staged.review) if run.staged and run.staged.review else None
