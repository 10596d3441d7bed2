"""The sentences about proposals."""

from collections.abc import Iterable

from kodiai.core.diffs.results import AffectedFile, Problem
from kodiai.core.proposals.proposal import MOST_DIFF_BYTES, OFFLINE_CHECKS, Actor, Proposal, Status
from kodiai.core.text import markdown
from kodiai.core.text.incoming import UNSEEN
from kodiai.core.text.layout import bullets, counted, joined
from kodiai.core.text.rewritten import fenced
from kodiai.core.text.secrets import masked, secret_in

TURNED_OFF = "`proposals.enabled` in `.kodiai.yml` is false: changes are not proposed in this repository."
KEY_REUSED = "This idempotency key was used for another submission: choose a new key."
NOT_UTF8 = "The diff is not valid Unicode."
EMPTY_DIFF = "The diff is empty."

PROPOSE_WHAT = "Say what to change: `propose <what>`."
FIX_WHERE = "Use `fix` in the thread of a finding, or `fix all` for every open finding."
PULL_REQUEST_CLOSED = "This pull request is closed, so nothing can be proposed for it."
NOT_DRAFTED = (
    "I could not draft this: two drafts in a row did not fit the code."
    " `propose <what>` may say more precisely what to do."
)
UNREADABLE_FINDINGS = "Earlier findings cannot be read, so I do not know what to fix."
UNDER_REVIEW = "I have drafted this already; it is being reviewed."
NOTHING_TO_APPLY = "No proposal on this pull request can be applied."
NOT_REVIEWED = "I could not review this because something failed on our side. The error is logged."
TOO_LONG_FOR_US = "The diff is too long for me to review. Somebody else has to review it."

_NOT_APPLIED: dict[Status, str] = {
    "pending": "is being reviewed",
    "claimed": "is being reviewed",
    "changes_requested": "is not approved",
    "rejected": "is rejected",
    "applied": "is applied already",
    "closed": "is closed",
}
_SUBJECT_LENGTH = 72
_MOST_FILES = 8
_MOST_PROBLEMS = 5
_MOST_SHOWN_LINES = 6
_OPEN_LINES = 40
_MOST_DIFF_CHARACTERS = 30_000
_CUT = "(The rest is cut here.)"


def over_draft_budget(key: str) -> str:
    """The line where a limit on spending leaves no room for a draft; `key` is its setting."""
    return f"`{key}` leaves no room for a draft of this."


def over_budget(key: str) -> str:
    """The reason where a limit on spending leaves no room for a review of a proposal; `key` is its setting."""
    return f"`{key}` leaves no room for a review of this. Somebody else has to review it."


def no_such_proposal(proposal_id: str) -> str:
    """The answer where there is no proposal of this id, or none that the person may know of."""
    return f"There is no proposal {proposal_id}, or you may not read its repository."


def no_such_repository(repository: str) -> str:
    """The answer where there is no such repository, or none that the person may know of."""
    return f"There is no repository {repository}, or you may not read it."


def no_such_finding(finding_id: str, subject: str) -> str:
    """The answer where no review of a pull request has reported such a finding."""
    return f"There is no finding {finding_id} on {subject}."


def requires_write_access(repository: str) -> str:
    """The answer to somebody who may only read."""
    return f"This requires write access to {repository}."


def too_many_files(count: int) -> str:
    """Why a diff of too many files is rejected."""
    return f"The diff touches {count:,} paths, which is too many to check at once: make several proposals."


def branch_taken(branch: str) -> str:
    """The answer where the branch that a proposal begins is there already, with something else."""
    return f"The branch `{branch}` has other commits already: delete it, and apply the proposal again."


def not_served(repository: str) -> str:
    """The answer to a proposal for a repository in which this deployment has never worked: anybody may own one."""
    return f"Kodiai has not reviewed anything in {repository} yet. It takes proposals after its first review there."


def excluded(repository: str) -> str:
    """The answer to everything about a repository that the operator's lists exclude."""
    return f"This deployment of Kodiai does not serve {repository}: its operator decides which repositories it serves."


def too_large(size: int) -> str:
    """The answer to a diff that is too long."""
    return f"The diff has {size:,} bytes; the most is {MOST_DIFF_BYTES:,}."


def branch_name(proposal: Proposal) -> str:
    """The branch of a proposal that is for no pull request."""
    return f"kodiai/{proposal.id}"


def commit_message(proposal: Proposal, by: Actor) -> str:
    """The message of a proposal's commit: what it does, who proposes it, who approved it, who applies it."""
    verdict = proposal.verdict
    body = "\n".join(f"- {_one_line(each.what).rstrip('.')}: {_one_line(each.why)}" for each in proposal.intent.changes)
    trailers = [
        f"Proposal: {proposal.id}",
        f"Proposed-by: {_name(proposal.proposer)}",
        *([f"Approved-by: {_name(verdict.by)}"] if verdict is not None else []),
        f"Applied-by: {_name(by)}",
    ]
    return f"{_one_line(subject(proposal))}\n\n{body}\n\n" + "\n".join(trailers) + "\n"


def _name(actor: Actor) -> str:
    """A person, and the program that acts for them, on one line."""
    program = _one_line(actor.agent.agent_type) if actor.agent is not None else ""
    return f"{actor.login} ({program})" if program else actor.login


def _one_line(text: str) -> str:
    """A text on one line which notifies nobody and closes no issue: names and numbers count in commits too."""
    return (
        " ".join("".join(char if char.isprintable() else " " for char in text).split())
        .replace("@", "@\u2060")
        .replace("#", "#\u2060")
    )


def _cut(subject: str) -> str:
    """Cut a subject at a word."""
    if len(subject) <= _SUBJECT_LENGTH:
        return subject
    room = subject[: _SUBJECT_LENGTH - 1]
    return f"{room.rpartition(' ')[0] or room}…"


def hidden_from_us(path: str) -> str:
    """Why we do not review a proposal that touches a file which we may not read."""
    return f"`review.skipPaths` hides {markdown.path(path)} from me. Somebody else has to review this."


def withheld_notes(reason: str) -> str:
    """The notes in place of those that must not be posted."""
    return f"The notes are withheld: {reason}"


def subject(proposal: Proposal) -> str:
    """The change of a proposal, on one line."""
    return _cut(" ".join(proposal.intent.description.strip().partition("\n")[0].split()))


def proposal_comment(proposal: Proposal, diff: str, suggestion: str | None, why: str, handle: str) -> str:
    """The comment that shows a proposal, what became of it, and what people can do.

    `suggestion` replaces the lines of the thread's comment, None if the diff does not fit there. `why` is why there is
    no verdict. `handle` is our name.
    """
    state, notes, then = _state(proposal, why, handle)
    files = f"{_files(proposal.files)} · `{proposal.id}`"
    reasons = [
        f"{markdown.line(each.what.rstrip('. '))}: {markdown.line(each.why)}" for each in proposal.intent.changes
    ]
    return joined(
        f"**{state}: {markdown.line(subject(proposal))}**",
        notes,
        _left(proposal),
        bullets(reasons) if proposal.status == "approved" else "",
        _shown(diff, suggestion, is_open=proposal.status == "approved"),
        files,
        then,
    )


def _state(proposal: Proposal, why: str, handle: str) -> tuple[str, str, str]:
    """The state of a proposal, what was said about it, and what people can do then."""
    said = markdown.prose(proposal.verdict.notes) if proposal.verdict is not None else ""
    us = f"@\u2060{handle}"
    match proposal.status:
        case "approved":
            judged = "not judged" if proposal.verdict and proposal.verdict.by.agent == OFFLINE_CHECKS else "approved"
            return f"Proposed change, {judged}", said, f"`{us} apply` commits it to this branch (write access)."
        case "changes_requested":
            return "Proposed change, not approved", said, _again(proposal, us)
        case "rejected":
            return "Proposed change, rejected", problem_list(proposal.problems), _again(proposal, us)
        case "applied":
            return "Proposed change, applied", said, ""
        case "closed":
            return "Proposed change, closed", "", ""
        case "pending" | "claimed":
            return "Proposed change, not reviewed", why, ""


def _left(proposal: Proposal) -> str:
    """The text below the subject of a draft for several findings: those that it does not fix."""
    if proposal.origin is None or len(proposal.origin.findings) <= 1:
        return ""
    return markdown.prose(masked(proposal.intent.description.strip().partition("\n")[2].strip()))


def _again(proposal: Proposal, us: str) -> str:
    """The way to have it drafted again."""
    if proposal.origin is None or not proposal.origin.findings:
        return ""
    command = "fix" if proposal.origin.thread is not None else "fix all"
    return f"`{us} {command}` drafts it again with this in view."


def problem_list(problems: Iterable[Problem]) -> str:
    """Why a diff does not apply, file by file and hunk by hunk, at most five."""
    every = tuple(problems)
    shown = [_problem(each) for each in every[:_MOST_PROBLEMS]]
    rest = len(every) - len(shown)
    return bullets([*shown, *([f"{counted(rest, 'more problem')}."] if rest else [])])


def _problem(problem: Problem) -> str:
    place = markdown.path(problem.path) if problem.path is not None else "The diff"
    hunk = f", hunk {problem.hunk}" if problem.hunk is not None else ""
    lines = [*_lines("-", problem.expected), *_lines("+", problem.found)]
    code = f"\n\n{fenced(masked(chr(10).join(lines)), 'diff')}" if lines else ""
    return f"{place}{hunk}: {markdown.line(problem.message)}{code}"


def _lines(marker: str, lines: Iterable[str]) -> list[str]:
    return [f"{marker} {line}" for line in tuple(lines)[:_MOST_SHOWN_LINES]]


def _files(files: Iterable[AffectedFile]) -> str:
    every = tuple(files)
    shown = [f"{markdown.path(each.path)} +{each.added} −{each.removed}" for each in every[:_MOST_FILES]]
    rest = len(every) - len(shown)
    return ", ".join([*shown, *([f"{counted(rest, 'more file')}"] if rest else [])])


def _shown(diff: str, suggestion: str | None, *, is_open: bool) -> str:
    """The diff, as a suggestion if it fits; a long one, or one that is not approved, is folded."""
    if suggestion is not None and secret_in(suggestion) is None and not UNSEEN.search(suggestion):
        return fenced(suggestion, "suggestion")
    shown = masked(diff)
    if len(shown) > _MOST_DIFF_CHARACTERS:
        shown = shown[:_MOST_DIFF_CHARACTERS].rpartition("\n")[0] + f"\n{_CUT}\n"
    code = fenced(shown, "diff")
    return code if is_open and shown.count("\n") <= _OPEN_LINES else markdown.folded("The diff", code)


def may_not_ask(command: str) -> str:
    """The answer to somebody who may not have a change drafted."""
    return f"`{command}` requires write access to this repository, or to be the author of this pull request."


def only_some(most: int, count: int) -> str:
    """The note where more findings are open than one draft fixes."""
    return f"{count} findings are open; I draft a fix for the {most} most severe ones."


def impossible(why: str) -> str:
    """The answer where the model sees no change to draft."""
    return f"I drafted nothing: {why}"


def approved_already(proposal_id: str, handle: str) -> str:
    """The answer where the change was drafted before, and can be applied."""
    return f"`{proposal_id}` does this. `@\u2060{handle} apply` commits it."


def which_proposal(proposals: Iterable[Proposal], handle: str) -> str:
    """The answer to `apply` where several proposals can be applied, or none that is of the thread."""
    rows = bullets(f"`@\u2060{handle} apply {each.id}`: {markdown.line(subject(each))}" for each in proposals)
    return f"Say which proposal:\n\n{rows}"


def not_applied(proposal: Proposal) -> str:
    """The answer to `apply` in a thread whose proposal cannot be applied."""
    return (
        f"`{proposal.id}` {_NOT_APPLIED[proposal.status]}, so nothing is committed: {markdown.line(subject(proposal))}"
    )


def not_here(proposal_id: str) -> str:
    """The answer to `apply` with the id of a proposal that is for something else."""
    return f"`{proposal_id}` is no proposal for this pull request."


def committed(proposal: Proposal) -> str:
    """The answer to `apply`."""
    assert proposal.commit is not None  # noqa: S101 - it is applied
    commit = proposal.commit
    return f"Committed {commit.sha} to `{commit.branch}` (`{proposal.id}`): {markdown.line(subject(proposal))}"


def no_longer_applies(problems: Iterable[Problem]) -> str:
    """The answer to `apply` where the code has changed since the review."""
    return f"The change no longer applies to the head, so it is rejected:\n\n{problem_list(problems)}"
