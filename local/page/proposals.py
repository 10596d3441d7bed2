"""The tab "Proposals": intended changes with their diffs, what became of them, and what the viewer may do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodiai.core.diffs.diff import read_diff
from kodiai.core.diffs.file_diff import FileDiff, TextHunk
from kodiai.core.diffs.results import AffectedFile
from kodiai.core.errors import Retry
from kodiai.core.proposals.proposal import ActionName, Proposal, ProposalEvent, Status
from kodiai.core.proposals.protocol import seen_at
from kodiai.ports.stores import ProposalStore
from local.github.answers import api_error
from local.page.header import StateLabel
from local.page.page_request import Context, PageRequest
from local.page.proposal_api import ProposalApi
from local.rendering.diffs import Row, rows_of

_MOST_SHOWN = 80_000  # characters of all patches of a proposal; the files after that are not shown
_STATES: Mapping[Status, StateLabel] = {
    "pending": StateLabel("amber", "●", "Pending"),
    "claimed": StateLabel("blue", "●", "In review"),
    "changes_requested": StateLabel("red", "✕", "Changes requested"),
    "approved": StateLabel("green", "✓", "Approved"),
    "rejected": StateLabel("red", "✕", "Does not apply"),
    "applied": StateLabel("accent", "✓", "Applied"),
    "closed": StateLabel("grey", "✕", "Closed"),
}
_DONE: Mapping[ActionName, str] = {
    "submit": "submitted it",
    "claim": "claimed it",
    "check": "checked its diff",
    "reject": "found that it does not apply",
    "verdict": "gave a verdict",
    "revise": "revised it",
    "close": "closed it",
    "stage": "made its commit",
    "apply": "applied it",
    "release": "released the claim",
    "expire": "lost the claim, which had expired",
}
_FINAL = ("applied", "closed")


@dataclass(frozen=True)
class ShownFile:
    """A file of a diff with its rows; `note` says why there are none."""

    affected: AffectedFile
    rows: Sequence[Row]
    note: str


@dataclass(frozen=True)
class ShownProposal:
    """A proposal as the viewer sees it, with what they may do about it, and why not ("" where they may)."""

    proposal: Proposal
    state: StateLabel
    title: str
    text: str
    files: Sequence[ShownFile]
    events: Sequence[ProposalEvent]
    why_not_claim: str
    why_not_verdict: str
    why_not_apply: str
    why_not_close: str


class ProposalsTab:
    """The tab. It reads what is stored, and acts through the API of the system, as the person who looks."""

    def __init__(self, stored: Callable[[], ProposalStore], api: ProposalApi) -> None:
        self._stored = stored
        self._api = api

    def view(self, request: PageRequest) -> Context:
        """The values that the tab shows: the proposals of the pull request, newest first."""
        stored = self._stored()
        now = request.repository.now()
        found = stored.of_repository(request.repository.ref.id)
        own = [seen_at(each, now) for each in found if each.number == request.pull.number]
        return {"proposals": [_shown(each, stored, request) for each in own], "done": _DONE}

    def act(self, proposal: str, verb: str, request: PageRequest, form: Mapping[str, str]) -> str:
        """Do what a form asks for, and give the address of the place to return to. Raises ApiError."""
        self._api.post(proposal, verb, _body(verb, form), request.viewer.login)
        return f"{request.address}/proposals#{proposal}"


def _body(verb: str, form: Mapping[str, str]) -> dict[str, Any]:
    """The body that is sent to the API for a form."""
    if verb == "verdict":
        generation = form.get("generation", "")
        if not generation.isdecimal():
            raise api_error(422, "The form has no claim's generation.")
        notes = form.get("notes", "").replace("\r\n", "\n")
        return {"decision": form.get("decision", ""), "notes": notes, "generation": int(generation)}
    return {"note": form.get("note", "")} if verb == "close" else {}


def _shown(proposal: Proposal, stored: ProposalStore, request: PageRequest) -> ShownProposal:
    title, _, text = proposal.intent.description.strip().partition("\n")
    is_mine = proposal.proposer.login.lower() == request.viewer.login.lower()
    reviews = proposal.claim is not None and proposal.claim.by.login.lower() == request.viewer.login.lower()
    no_access = "" if request.may("write") else "requires write access"
    return ShownProposal(
        proposal=proposal,
        state=_STATES[proposal.status],
        title=title,
        text=text.strip(),
        files=_files(proposal, stored),
        events=stored.events(proposal.id),
        why_not_claim=no_access or ("you proposed it" if is_mine else ""),
        why_not_verdict=no_access or ("" if reviews else "requires your claim"),
        why_not_apply=no_access,
        why_not_close="" if proposal.status not in _FINAL and (is_mine or not no_access) else "requires write access",
    )


def _files(proposal: Proposal, stored: ProposalStore) -> list[ShownFile]:
    """The files of the diff, as many as fit; none where the content was replaced while this was read."""
    try:
        read = read_diff(stored.content(proposal).diff)
    except Retry:
        return []
    files = [file for file in read if file.name is not None]
    left, shown = _MOST_SHOWN, []
    for affected, file in zip(proposal.files, files, strict=True):
        patch = "\n".join(line for hunk in file.hunks for line in _lines(hunk))
        left -= len(patch)
        rows = rows_of(affected.path, patch) if left >= 0 else ()
        note = "" if rows else _note(file, is_too_long=left < 0)
        shown.append(ShownFile(affected, rows, note))
    return shown


def _note(file: FileDiff, *, is_too_long: bool) -> str:
    if is_too_long:
        return "The diff of this file is too long to be shown here."
    if file.problems:
        return "The diff of this file cannot be read."
    return "Binary file not shown." if file.is_binary else "No line is changed."


def _lines(hunk: TextHunk) -> list[str]:
    """The lines of a hunk as a diff has them."""
    lines = [f"@@ -{hunk.old_start},{len(hunk.old)} +{hunk.new_start},{len(hunk.new)} @@"]
    for line in hunk.lines:
        text = line.content.decode("utf-8", "replace")
        lines.append(line.marker + text.removesuffix("\n"))
        if not text.endswith("\n"):
            lines.append("\\ No newline at end of file")
    return lines
