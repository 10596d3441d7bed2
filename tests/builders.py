"""Things of the field, ready to use: each builder takes what matters to a test and fills in the rest."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.scope import Scope
from kodiai.core.changes.snapshot import Coverage
from kodiai.core.code.comments import comment_spans
from kodiai.core.code.data import shape
from kodiai.core.code.identifiers import identifiers
from kodiai.core.code.names import bound_names
from kodiai.core.code.new_errors import has_new_error
from kodiai.core.code.outline import first_error, outline
from kodiai.core.code.references import references
from kodiai.core.code.statements import changed_code
from kodiai.core.events.job import Job, Mention
from kodiai.core.findings.finding import SEVERITIES, Finding, rank
from kodiai.core.findings.identity import finding_id
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import ReadLines
from kodiai.core.github.comment import Comment, CommentPayload, Reply, Thread
from kodiai.core.github.names import RepositoryRef
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.judge.delta import WHOLE, Delta, delta
from kodiai.core.judge.judgement import Anchor, Judgement, KeptFinding, SuppressedFinding
from kodiai.core.memory.remembered import Neighbor, RememberedFinding
from kodiai.core.model.messages import ModelUse, Usage
from kodiai.core.plan.update import FindingTransition, FindingUpdate
from kodiai.core.words.details import ReviewDetails
from kodiai.core.words.links import Links
from kodiai.core.words.strength import strength


class DirectParser:
    """Parses in this process, for text that is trusted."""

    outline = staticmethod(outline)
    first_error = staticmethod(first_error)
    has_new_error = staticmethod(has_new_error)
    identifiers = staticmethod(identifiers)
    bound_names = staticmethod(bound_names)
    references = staticmethod(references)
    comment_spans = staticmethod(comment_spans)
    changed_code = staticmethod(changed_code)
    shape = staticmethod(shape)


HEAD = "a1b2c3d4" * 5
WIDGETS = RepositoryRef(name="acme/widgets", id=1, owner_id=100)
RUN = "1f2e3d4c5b6a7980"
PULL = "https://github.com/octo/app/pull/7"
LINKS = Links(PULL, HEAD)
PARSER = DirectParser()
PATCH = "@@ -1,2 +1,3 @@\n import os\n+import sys\n print(os.name)"


_EVENT = {"delivery": "d", "repository": "octo/app", "repository_id": 11, "owner_id": 1, "number": 7, "sender": "ann"}


def a_job(**given: Any) -> Job:
    """A job that ann caused by opening a pull request."""
    return Job(**{**_EVENT, "installation": 1, "trigger": "opened", **given})


def a_comment_payload(text: str = "Hm.", **given: Any) -> CommentPayload:
    """A person's comment in the conversation of a pull request."""
    values = {"surface": "conversation", "id": 5, "node_id": "N", "reply_to": None, "text": text, "at": 1, "title": "T"}
    return CommentPayload(**{**values, **given})


def a_mention(comment: CommentPayload, **given: Any) -> Mention:
    """Ann's comment as a job."""
    return Mention(**{**_EVENT, "installation": 1, "said": comment, **given})


def a_comment(number: int, body: str = "No.", **given: Any) -> Comment:
    """A comment of alice, created at the second of its number, and edited then at the latest."""
    created = given.get("created", float(number))
    about = {"id": number, "author": "alice", "is_bot": False, "is_ours": False, "body": body}
    return Comment(**{**about, "created": created, "edited": created, **given})


def reading(files: Mapping[str, list[str]]) -> ReadLines:
    """These files' lines."""
    return ReadLines(files.get, PARSER)


def a_file(path: str = "src/app.py", **given: Any) -> ChangedFile:
    """A changed file; its counts follow from its patch unless they are given."""
    patch = given.get("patch", PATCH)
    rows = (patch or "").split("\n")
    return ChangedFile(
        **{
            "path": path,
            "status": "modified",
            "blob": "b" * 40,
            "additions": sum(row.startswith("+") for row in rows),
            "deletions": sum(row.startswith("-") for row in rows),
            "patch": patch,
            **given,
        }
    )


def added(path: str, *lines: str, **given: Any) -> ChangedFile:
    """A new file with these lines."""
    patch = "\n".join([f"@@ -0,0 +1,{len(lines)} @@", *(f"+{line}" for line in lines)])
    return a_file(path, **{"patch": patch, "status": "added", **given})


def a_finding(**given: Any) -> Finding:
    """A finding that blocks, on line 12 of src/app.py."""
    start = given.get("start_line", 12)
    return Finding(
        **{
            "severity": "MAJOR",
            "category": "correctness",
            "kind": "impact",
            "path": "src/app.py",
            "start_line": start,
            "end_line": start,
            "title": "The total is read before it is set",
            "explanation": "An empty list leaves `total` unset, so the first report fails.",
            "quote": "return total",
            **given,
        }
    )


def kept(finding: Finding, *, inline: bool = True) -> KeptFinding:
    """A finding that is reported, under its own id."""
    return KeptFinding(finding_id(finding), finding, an_anchor(finding) if inline else None)


def an_anchor(finding: Finding) -> Anchor:
    """A finding's own lines."""
    return Anchor(finding.path, finding.start_line, finding.end_line)


def a_judgement(findings: Iterable[Finding] = (), dropped: Iterable[SuppressedFinding] = ()) -> Judgement:
    """A judgement that tells these findings and holds those back."""
    return Judgement(tuple(kept(finding) for finding in findings), tuple(dropped))


def a_known(finding: Finding | None = None, **given: Any) -> KnownFinding:
    """A finding that was told before and is open, under its own id."""
    told = finding or a_finding()
    return KnownFinding(**{"id": finding_id(told), "finding": told, "status": "open", "comment_id": "11", **given})


def an_answer(**given: Any) -> EarlierAnswer:
    """A reader's answer about an earlier finding: it is not addressed, as the code shows that was complained of."""
    said = {"finding": "F", "answer": "NOT_ADDRESSED", "path": "src/app.py", "quote": "return total"}
    return EarlierAnswer(**{**said, "why": "It is so.", **given})


def followed(
    finding: Finding, transition: FindingTransition = "stays", known: Mapping[str, Any] | None = None, **given: Any
) -> FindingUpdate:
    """A finding of an earlier review, with what became of it in a run; a raised one was less severe by one step."""
    was = finding
    if transition == "raised":
        milder = SEVERITIES[SEVERITIES.index(finding.severity) + 1]
        was = finding.model_copy(update={"severity": milder})
    before = a_known(was, status="fixed" if transition == "reopened" else "open")
    ended: dict[FindingTransition, dict[str, str]] = {
        "resolved": {"status": "fixed"},
        "dismissed": {"status": "wont_fix", "settled_by": "ann"},
    }
    after = a_known(finding, **{"id": before.id, **ended.get(transition, {}), **(known or {})})
    return FindingUpdate(after, before, transition, **given)


def a_reply(body: str, by: str = "ann", **given: Any) -> Reply:
    """A person's comment in a thread; its id follows from author and text unless it is given."""
    return Reply(**{"id": f"{by}: {body}", "author": by, "is_bot": False, "body": body, **given})


def a_thread(*replies: Reply, finding: str = "F-0123456789ab", **given: Any) -> Thread:
    """The open thread of a finding, which we may resolve."""
    return Thread(
        **{
            "id": f"thread of {finding}",
            "finding": finding,
            "comment_id": "11",
            "resolved_by": None,
            "can_resolve": True,
            "replies": replies,
            **given,
        }
    )


def a_delta(
    new: Iterable[Finding] = (),
    *before: FindingUpdate,
    coverage: Coverage = WHOLE,
    coverage_before: Coverage | None = None,
    inline: bool = True,
) -> Delta:
    """New findings, most severe first, and the outcomes of earlier ones; everything was read unless given.

    `inline` is whether the new ones get comments.
    """
    found = [kept(finding, inline=inline) for finding in sorted(new, key=rank)]
    return delta(found, before, coverage, coverage_before)


def a_scope(files: Sequence[ChangedFile] | None = None, skipped: Sequence[Skipped] = (), **given: Any) -> Scope:
    """A first, full look at one file in one batch."""
    read = tuple([a_file()] if files is None else files)
    return Scope(
        **{
            "mode": "full",
            "reason": "no-prior-review",
            "tier": "lite",
            "files": read,
            "batches": (read,) if read else (),
            "skipped": tuple(skipped),
            "total_files": len(read) + len(skipped),
            "total_hunks": sum(len(file.hunks) for file in read),
            **given,
        }
    )


def some_use(cost_usd: float | None = 0.0123) -> ModelUse:
    """The tokens that two models read and wrote."""
    read = Usage(input_tokens=3_345, output_tokens=678, cache_read_tokens=9_000)
    return ModelUse({"claude-haiku-5-5": Usage(), "claude-sonnet-5-5": read}, cost_usd)


def some_details(strengths: Iterable[str] = (), **given: Any) -> ReviewDetails:
    """The facts of a short and cheap run."""
    shown = [found for text in strengths if (found := strength(text, lambda *_: True, LINKS)) is not None]
    return ReviewDetails(
        **{
            "run": RUN,
            "head": HEAD,
            "links": LINKS,
            "what_changed": ["The report is written as a stream."],
            "strengths": shown,
            "problems": [],
            "use": some_use(),
            "seconds": 41.6,
            **given,
        }
    )


def a_pull_request(**given: Any) -> PullRequest:
    """An open pull request by octocat."""
    return PullRequest(
        **{
            "repository": "octo/app",
            "repository_id": 1,
            "is_private": True,
            "number": 7,
            "url": PULL,
            "title": "Add totals",
            "body": "",
            "author": "octocat",
            "author_is_bot": False,
            "state": "open",
            "is_merged": False,
            "draft": False,
            "head": HEAD,
            "base": "b" * 40,
            "base_ref": "main",
            **given,
        }
    )


class FilesTree:
    """A repository's files at one commit, held in memory."""

    def __init__(self, files: Mapping[str, bytes | str], *, searchable: bool = True) -> None:
        self.searchable = searchable
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    def paths(self) -> Sequence[str]:
        return sorted(self._files)

    def prefetch(self, paths: Collection[str], others: Collection[str] = ()) -> None:
        pass

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)


class CountedTree(FilesTree):
    """A tree that knows which files were read of it, in their order."""

    def __init__(self, files: Mapping[str, bytes | str]) -> None:
        super().__init__(files)
        self.reads: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        return super().read(path)


def a_remembered(number: int = 7, finding: str = "F-1", **given: Any) -> RememberedFinding:
    """A remembered finding of octo/app that nobody has said anything about."""
    return RememberedFinding(
        **{
            "repository_id": 1,
            "repository": "octo/app",
            "number": number,
            "finding": finding,
            "severity": "MEDIUM",
            "category": "correctness",
            "path": "src/app.py",
            "title": "The last page is never fetched",
            "problem": "A list of eleven ends after ten.",
            "outcome": "open",
            **given,
        }
    )


def a_neighbor(number: int = 7, finding: str = "F-1", distance: float = 0.1, **given: Any) -> Neighbor:
    """A remembered finding near to something."""
    return Neighbor(a_remembered(number, finding, **given), distance)
