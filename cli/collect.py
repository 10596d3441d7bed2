"""Collecting what one push, or one reply, came to: from the outcome, the ledger, and GitHub itself."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from kodiai.core.findings.finding import rank
from kodiai.core.model.usage import Usage
from kodiai.core.review.run import Run
from kodiai.core.words.markers import answer_marker
from kodiai.ports import Ledger

Json = dict[str, Any]
_PAGE = 100
_NO_DELTA = {"new": 0, "resolved": 0, "still_open": 0, "settled": 0}


class PullRequestApi:
    """The few reads of one pull request that the command shows, through GitHub's REST API."""

    def __init__(self, api_url: str, token: str, repository: str, number: int) -> None:
        headers = {"authorization": f"Bearer {token}", "accept": "application/vnd.github+json"}
        self._client = httpx.Client(headers=headers, timeout=60, follow_redirects=True)
        self._address = f"{api_url}/repos/{repository}"
        self.repository_name = repository
        self.number = number

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def pull_request(self) -> Json:
        """The pull request. Raises httpx.HTTPStatusError."""
        return self._get(f"/pulls/{self.number}")

    def repository(self) -> Json:
        """The repository. Raises httpx.HTTPStatusError."""
        return self._get("")

    def files(self) -> list[Json]:
        """Its changed files, all pages."""
        return self._pages(f"/pulls/{self.number}/files")

    def review(self, review_id: str) -> Json:
        """A posted review in the form of the result: event, body, comments."""
        review = self._get(f"/pulls/{self.number}/reviews/{review_id}")
        return {
            "event": _EVENTS.get(review["state"], review["state"]),
            "body": review["body"],
            "comments": [_comment(comment) for comment in self.review_comments(review_id)],
        }

    def review_comments(self, review_id: str) -> list[Json]:
        """The inline comments of a posted review, as GitHub gives them, in the order in which they were posted."""
        comments = self._pages(f"/pulls/{self.number}/reviews/{review_id}/comments")
        mine = {comment["id"]: comment for comment in self._pages(f"/pulls/{self.number}/comments")}
        return [mine.get(comment["id"], comment) for comment in comments]

    def answer_to(self, key: str, login: str) -> str | None:
        """What somebody wrote as the answer to what has this key, without the marker; None where they did not."""
        marker = answer_marker(key)
        for kind in ("pulls", "issues"):
            for comment in self._pages(f"/{kind}/{self.number}/comments"):
                body = comment["body"].rstrip()
                if comment["user"]["login"] == login and body.endswith(marker):
                    return str(body.removesuffix(marker).rstrip())
        return None

    def reactions(self, said: "Said", login: str) -> list[str]:
        """Somebody's reactions to what was said, in order: "eyes", "+1"."""
        kind = "pulls" if said.in_thread else "issues"
        found = self._pages(f"/{kind}/comments/{said.id}/reactions")
        return [reaction["content"] for reaction in found if reaction["user"]["login"] == login]

    def _get(self, path: str) -> Json:
        answer: Json = self._client.get(self._address + path).raise_for_status().json()
        return answer

    def _pages(self, path: str) -> list[Json]:
        entries: list[Json] = []
        page = 1
        while True:
            found = (
                self._client.get(self._address + path, params={"per_page": _PAGE, "page": page})
                .raise_for_status()
                .json()
            )
            entries += found
            if len(found) < _PAGE:
                return entries
            page += 1


@dataclass(frozen=True)
class Said:
    """A reply of a person: its id on GitHub, the GUID of the webhook that told of it, by whom it is and to what."""

    id: int
    delivery: str
    by: str
    role: str
    to: Json
    text: str

    @property
    def in_thread(self) -> bool:
        """Whether it stands in a review thread, not in the conversation."""
        return bool(self.to["comment"])

    @property
    def key(self) -> str:
        """Its name among everything that is said in the repository."""
        return f"{'thread' if self.in_thread else 'conversation'}-{self.id}"


_EVENTS = {"COMMENTED": "COMMENT", "APPROVED": "APPROVE", "CHANGES_REQUESTED": "REQUEST_CHANGES"}


def _comment(comment: Json) -> Json:
    """A review's own listing leaves out the lines, the pull request's listing of comments has them."""
    names = ("path", "line", "start_line", "side", "body")
    return {name: comment.get(name) for name in names}


def describe_push(ledger: Ledger, api: PullRequestApi, outcome: Mapping[str, Any]) -> Json:
    """What a push came to, in the form of `--json`; a push that was skipped has no mode."""
    run = ledger.run(outcome["run"]) if "run" in outcome else None
    facts = run.facts if run else {}
    return {
        "head": outcome.get("head", ""),
        "base": outcome.get("base", ""),
        "mode": facts.get("mode"),
        "reason": facts.get("reason") or outcome["reason"],
        "files_total": facts.get("files_total", 0),
        "files_read": facts.get("files_read", 0),
        "skipped": facts.get("skipped", []),
        "hunks_total": facts.get("hunks_total", 0),
        "hunks_asked": facts.get("hunks_asked", 0),
        "changed_files": facts.get("changed_files", []),
        "model": facts.get("model") or asdict(Usage()),
        "cost_usd": facts.get("cost_usd"),
        "github": facts.get("github") or {"calls": 0, "writes": 0, "by_route": {}},
        "review": _review(run, api),
        "delta": facts.get("delta") or _NO_DELTA,
        "threads_resolved": facts.get("threads_resolved", []),
        "findings": describe_findings(ledger),
        "seconds": outcome.get("seconds", 0.0),
        "cpu_seconds": outcome.get("cpu_seconds", 0.0),
    }


def describe_findings(ledger: Ledger) -> list[Json]:
    """How every finding stands, the gravest first."""
    return [
        {
            "id": known.id,
            "status": known.status,
            "severity": known.finding.severity,
            "category": known.finding.category,
            "path": known.finding.path,
            "line": known.finding.start_line,
            "title": known.finding.title,
            "settled_by": known.settled_by,
        }
        for known in sorted(ledger.findings(), key=lambda known: rank(known.finding))
    ]


def describe_reply(said: Said, findings: list[Json], outcome: Mapping[str, Any], api: PullRequestApi, bot: str) -> Json:
    """What a reply came to, in the form of `--json`, before the review that it may have led to.

    `findings` stand so after it, `bot` is the login that answers.
    """
    return {
        "kind": "reply",
        "by": said.by,
        "role": said.role,
        "to": said.to,
        "text": said.text,
        "understood": outcome.get("understood"),
        "outcome": outcome["outcome"],
        "reason": outcome["reason"],
        "answer": api.answer_to(outcome.get("key", said.key), bot),
        "reactions": api.reactions(said, bot),
        "model": outcome.get("model") or asdict(Usage()),
        "cost_usd": outcome.get("cost_usd"),
        "findings": findings,
        "review": None,
        "seconds": outcome.get("seconds", 0.0),
    }


def _review(run: Run | None, api: PullRequestApi) -> Json | None:
    """The review as GitHub has it, or, where this deployment only shows, as it would be posted."""
    if run is None:
        return None
    if run.review_id is not None:
        return api.review(run.review_id)
    if run.staged is None or run.staged.review is None:
        return None
    review = run.staged.review
    return {"event": review.event, "body": review.body, "comments": [asdict(comment) for comment in review.comments]}
