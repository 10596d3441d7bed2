"""An approved proposal becomes one commit, whatever happens at the same time."""

from collections.abc import Callable
from functools import partial

import pytest

from kodiai.core.errors import Refused, Retry
from kodiai.core.proposals.proposal import Proposal
from kodiai.core.proposals.protocol import ProposalRefused
from tests.core.proposals.proposing import DIFF, TEXT, TWICE, Killed, Proposing, Steps
from tests.proposal_builders import a_content

_MOST_STEPS = 40

Approved = Callable[[str], Proposal]


def finished(proposing: Proposing, proposal: Proposal) -> Proposal:
    """Apply until it is done, as often as a client may try."""
    for _ in range(4):
        try:
            return proposing.apply(proposal)
        except Retry:
            continue
    raise AssertionError("it is never done")


def test_an_approved_proposal_becomes_one_commit_on_the_branch(proposing: Proposing) -> None:
    """With who proposed, approved and applied it. Repeating it changes nothing."""
    proposal = proposing.approved()

    applied = [proposing.apply(proposal) for _ in range(2)]

    [sha] = proposing.repository.made()
    parent, _, message = proposing.repository.commits[sha]
    assert proposing.repository.text() == "one\n2\nthree\n"
    assert (parent, applied[0].status, applied[0] == applied[1]) == (proposing.base, "applied", True)
    assert applied[0].commit is not None
    assert (applied[0].commit.sha, applied[0].commit.branch) == (sha, "topic")
    assert message == (
        "Close the file\n\n- close the file: it stays open after an error\n\n"
        f"Proposal: {proposal.id}\nProposed-by: ann\nApproved-by: bob\nApplied-by: eve\n"
    )
    assert proposing.actions(proposal)[-2:] == ["stage", "apply"]


def test_a_proposal_for_a_commit_begins_a_branch(proposing: Proposing) -> None:
    """Named after the proposal, at the commit that it was made for, wherever other branches are."""
    proposal = proposing.approved(number=None, base=proposing.base)
    proposing.repository.push("something else\n")

    applied = proposing.apply(proposal)

    branch = f"kodiai/{proposal.id}"
    assert applied.status == "applied"
    assert proposing.repository.history(branch)[1:] == [proposing.base]
    assert proposing.repository.text(branch) == "one\n2\nthree\n"
    assert proposing.repository.made() == []


def test_a_head_that_has_moved_is_checked_again(proposing: Proposing) -> None:
    """The commit goes on top of what is there."""
    proposal = proposing.approved()
    head = proposing.repository.push(TEXT + "four\n")

    applied = proposing.apply(proposal)

    assert (applied.status, applied.checked) == ("applied", head)
    assert proposing.repository.text() == "one\n2\nthree\nfour\n"


def test_what_no_longer_applies_is_rejected_and_not_applied(proposing: Proposing) -> None:
    """The proposer may revise it."""
    proposal = proposing.approved()
    head = proposing.repository.push("something else\n")

    rejected = proposing.apply(proposal)

    assert (rejected.status, rejected.commit, proposing.repository.branches["topic"]) == ("rejected", None, head)
    assert [each.path for each in rejected.problems] == ["app.py"]
    assert proposing.revise(proposal, a_content(DIFF)).status == "pending"


def test_only_what_is_approved_is_applied(proposing: Proposing) -> None:
    """Nothing is read or written for anything else."""
    proposal = proposing.submit()
    steps = Steps(lambda *_: None)

    with pytest.raises(ProposalRefused, match=r"^The proposal is pending\. To be applied it has to be approved\.$"):
        proposing.apply(proposal, steps=steps)

    assert steps.names == ["get", "caller"]


def test_nothing_is_applied_to_a_closed_pull_request(proposing: Proposing) -> None:
    """It says why. What has reached the branch before is recorded all the same."""
    proposal, other = proposing.approved(TWICE), proposing.approved(key="other")
    with pytest.raises(Killed):
        proposing.apply(other, steps=Steps(at_call("write", 1, die)))
    proposing.repository.closed = "The pull request is closed."

    with pytest.raises(Refused, match=r"^The pull request is closed\.$"):
        proposing.apply(proposal)

    assert proposing.read(proposal).status == "approved"
    assert proposing.apply(other).status == "applied"


def attempt(proposing: Proposing, proposal: Proposal, steps: Steps, by: str = "eve") -> str:
    """Apply once; the status then, or why not."""
    try:
        return proposing.apply(proposal, by, steps).status
    except (ProposalRefused, Retry) as refused:
        return str(refused)
    except Killed:
        return "killed"


def die() -> None:
    raise Killed


def at_call(name: str, times: int, do: Callable[[], object]) -> Callable[[int, str], None]:
    """Do something before a call of this name, after so many of them."""
    seen: list[str] = []

    def step(number: int, called: str) -> None:  # noqa: ARG001 - the step's number
        if called == name and seen.count(name) == times:
            do()
        seen.append(called)

    return step


def at_step(at: int, do: Callable[[], object]) -> Callable[[int, str], None]:
    """Do something before one step."""

    def step(number: int, name: str) -> None:  # noqa: ARG001 - the step's name
        if number == at:
            do()

    return step


def test_wherever_it_is_killed_it_is_finished_and_not_repeated(proposing: Proposing, approved: Approved) -> None:
    """Between each two calls of anything outside; somebody pushes before it is tried again, or nobody does."""
    killed = 0
    for at in range(_MOST_STEPS):
        for pushes in (False, True):
            proposal = approved(TWICE)
            steps = Steps(at_step(at, die))
            killed += attempt(proposing, proposal, steps) == "killed"
            if pushes:
                proposing.repository.push(proposing.repository.text() + "pushed\n")

            applied = finished(proposing, proposal)

            assert (at, applied.status, len(proposing.repository.made())) == (at, "applied", 1)
            assert proposing.repository.text() == "one\nagain\ntwo\nthree\n" + ("pushed\n" if pushes else "")
            assert proposing.actions(proposal).count("apply") == 1
        if len(steps.names) <= at:
            break

    assert killed == 2 * len(steps.names) > 20


def test_of_two_who_apply_at_once_one_makes_the_commit(proposing: Proposing, approved: Approved) -> None:
    """Whenever the second overtakes the first; the diff would apply twice."""
    outcomes = set()
    for at in range(_MOST_STEPS):
        proposal = approved(TWICE)
        steps = Steps(at_step(at, partial(proposing.apply, proposal, by="bob")))

        outcomes.add(attempt(proposing, proposal, steps))

        applied = finished(proposing, proposal)
        assert (at, applied.status, len(proposing.repository.made())) == (at, "applied", 1)
        assert proposing.repository.text() == "one\nagain\ntwo\nthree\n"
        assert proposing.actions(proposal).count("apply") == 1
        if len(steps.names) <= at:
            break
    assert outcomes == {
        "applied",
        "The proposal is applied. To be applied it has to be approved.",
        "The proposal is applied. To be rejected it has to be approved.",
    }


@pytest.mark.parametrize(
    ("last", "times", "diff"),
    [("commit", 0, TWICE), ("write", 0, TWICE), ("advance", 0, TWICE), ("write", 1, TWICE), ("write", 1, DIFF)],
)
def test_of_two_of_whom_one_is_killed_the_other_makes_the_commit(
    proposing: Proposing, approved: Approved, last: str, times: int, diff: str
) -> None:
    """The second one comes at any step of the first, and dies before one of the calls that change something.

    What it leaves on the branch applies again, or does not apply again.
    """
    outcomes = set()
    for at in range(_MOST_STEPS):
        proposal = approved(diff)
        second = Steps(at_call(last, times, die))
        steps = Steps(at_step(at, partial(attempt, proposing, proposal, second, by="bob")))

        outcomes.add(attempt(proposing, proposal, steps))

        applied = finished(proposing, proposal)
        assert (at, applied.status, len(proposing.repository.made())) == (at, "applied", 1)
        assert proposing.repository.text() == ("one\nagain\ntwo\nthree\n" if diff == TWICE else "one\n2\nthree\n")
        if len(steps.names) <= at:
            break
    meanwhile = "Somebody else is applying the proposal at this moment: try again."
    assert outcomes == ({"applied"} if (last, times) in {("commit", 0), ("write", 0)} else {"applied", meanwhile})


def test_whenever_somebody_pushes_the_commit_goes_on_top_of_it(proposing: Proposing, approved: Approved) -> None:
    """It is checked again, and made again if it did not reach the branch before."""
    outcomes = set()
    for at in range(_MOST_STEPS):
        proposal = approved(DIFF)
        steps = Steps(at_step(at, partial(proposing.repository.push, "changed\n", path="other.py")))

        outcomes.add(attempt(proposing, proposal, steps))

        applied = finished(proposing, proposal)
        assert (at, applied.status, len(proposing.repository.made())) == (at, "applied", 1)
        assert proposing.repository.text() == "one\n2\nthree\n"
        if len(steps.names) <= at:
            break
        assert proposing.repository.commits[proposing.repository.branches["topic"]][1]["other.py"] == b"changed\n"
    assert outcomes == {"applied", "the branch has moved meanwhile"}


def test_what_is_closed_while_it_is_applied_is_applied_or_closed(proposing: Proposing, approved: Approved) -> None:
    """Never a commit on the branch of a proposal that is said to be closed."""
    ends = set()
    for at in range(_MOST_STEPS):
        proposal = approved(DIFF)
        steps = Steps(at_step(at, partial(proposing.close, proposal)))

        outcome = attempt(proposing, proposal, steps)

        status = proposing.read(proposal).status
        assert outcome in ("applied", "The proposal is closed. To be applied it has to be approved.")
        assert (status == "applied") == bool(proposing.repository.made())
        ends.add(status)
        if len(steps.names) <= at:
            break
    assert ends == {"applied", "closed"}
