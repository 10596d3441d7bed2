"""What we say about proposals."""

from kodiai.core.proposals.proposal import MOST_DIFF_BYTES, Actor, Proposal

TURNED_OFF = "`proposals.enabled` in `.kodiai.yml` is false: changes are not proposed in this repository."
KEY_REUSED = "This idempotency key was used for another submission: choose a new key."
NOT_UTF8 = "The diff is not valid Unicode."
EMPTY_DIFF = "The diff is empty."

_SUBJECT_LENGTH = 72


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


def too_large(size: int) -> str:
    """The answer to a diff that is too long."""
    return f"The diff has {size:,} bytes; the most is {MOST_DIFF_BYTES:,}."


def branch_name(proposal: Proposal) -> str:
    """The branch of a proposal that is for no pull request."""
    return f"kodiai/{proposal.id}"


def commit_message(proposal: Proposal, by: Actor) -> str:
    """The message of a proposal's commit: what it does, who proposes it, who approved it, who applies it."""
    verdict = proposal.verdict
    subject = _one_line(proposal.intent.description.strip().partition("\n")[0])
    body = "\n".join(f"- {_one_line(change.what)}: {_one_line(change.why)}" for change in proposal.intent.changes)
    trailers = [
        f"Proposal: {proposal.id}",
        f"Proposed-by: {_name(proposal.proposer)}",
        *([f"Approved-by: {_name(verdict.by)}"] if verdict is not None else []),
        f"Applied-by: {_name(by)}",
    ]
    return f"{_cut(subject)}\n\n{body}\n\n" + "\n".join(trailers) + "\n"


def _name(actor: Actor) -> str:
    """A person, and the program that acts for them, on one line."""
    program = _one_line(actor.agent.agent_type) if actor.agent is not None else ""
    return f"{actor.login} ({program})" if program else actor.login


def _one_line(text: str) -> str:
    """A text on one line which notifies nobody: people are notified by their names in commits too."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split()).replace("@", "@\u2060")


def _cut(subject: str) -> str:
    return subject if len(subject) <= _SUBJECT_LENGTH else f"{subject[: _SUBJECT_LENGTH - 1].rstrip()}…"
