"""An approved proposal becomes one commit, whatever happens at the same time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest

from kodiai.core.errors import Refused, Retry
from kodiai.core.proposals.proposal import Proposal
from kodiai.core.proposals.protocol import ProposalRefused
from tests.core.proposals.proposing import DIFF, TEXT, TWICE, Killed, Proposing, Steps
from tests.proposal_builders import a_content

Approved = Callable[[str], Proposal]
Do = Callable[[Proposal], object]


def finished(proposing: Proposing, proposal: Proposal) -> Proposal:
    """Apply until it is done, as often as a client may try."""
    for _ in range(4):
        try:
            return proposing.apply(proposal)
        except Retry:
            continue
    raise AssertionError("it is never done")


def attempt(proposing: Proposing, proposal: Proposal, steps: Steps, by: str = "eve") -> str:
    """Apply once; the status then, or why not."""
    try:
        return proposing.apply(proposal, by, steps).status
    except (ProposalRefused, Retry) as refused:
        return str(refused)
    except Killed:
        return "killed"


def die(_: Proposal | None = None) -> None:
    raise Killed


def at_call(name: str, times: int, do: Callable[[], object]) -> Callable[[int, str], None]:
    """Do something before a call of this name, after `after` of them."""
    seen: list[str] = []

    def step(number: int, called: str) -> None:  # noqa: ARG001 - the step's number
        if called == name and seen.count(name) == times:
            do()
        seen.append(called)

    return step


@dataclass(frozen=True)
class Interrupted:
    """An attempt in which something else was done before one of its steps, with its outcome."""

    proposal: Proposal
    outcome: str
    is_last: bool


def interruptions(proposing: Proposing, approved: Approved, diff: str, do: Do) -> Iterator[Interrupted]:
    """Apply again and again, each time with `do` before another step: before the first one, …, after the last one."""
    for at in range(40):
        proposal = approved(diff)

        def step(number: int, _: str, at: int = at, proposal: Proposal = proposal) -> None:
            if number == at:
                do(proposal)

        steps = Steps(step)
        outcome = attempt(proposing, proposal, steps)
        yield Interrupted(proposal, outcome, len(steps.names) <= at)
        if len(steps.names) <= at:
            return


def outcomes_with_one_commit(proposing: Proposing, approved: Approved, diff: str, do: Do, text: str) -> set[str]:
    """The outcomes of attempts that are interrupted at each step; in the end each makes one commit, with this text."""
    outcomes = set()
    for each in interruptions(proposing, approved, diff, do):
        outcomes.add(each.outcome)
        applied = finished(proposing, each.proposal)
        assert (applied.status, len(proposing.made()), proposing.text()) == ("applied", 1, text)
        assert proposing.actions(each.proposal).count("apply") == 1
    return outcomes


ONCE, MORE = "one\n2\nthree\n", "one\nagain\ntwo\nthree\n"


def test_an_approved_proposal_becomes_one_commit_on_the_branch(proposing: Proposing) -> None:
    """The commit is on top of the head. Repeating it changes nothing."""
    proposal = proposing.approved()

    applied = [proposing.apply(proposal) for _ in range(2)]

    [sha] = proposing.made()
    parent, _, message = proposing.repository.commits[sha]
    assert (proposing.text(), parent) == (ONCE, proposing.base)
    assert (applied[0].status, applied[0]) == ("applied", applied[1])
    assert applied[0].commit is not None
    assert (applied[0].commit.sha, applied[0].commit.branch) == (sha, "topic")
    assert message.endswith("Proposed-by: ann\nApproved-by: bob\nApplied-by: eve\n")
    assert proposing.actions(proposal)[-2:] == ["stage", "apply"]


def test_a_proposal_for_a_commit_begins_a_branch(proposing: Proposing) -> None:
    """The branch has the proposal's name and begins at its commit, wherever other branches are."""
    proposal = proposing.approved(number=None, base=proposing.base)
    proposing.push("something else\n")

    applied = proposing.apply(proposal)

    branch = f"kodiai/{proposal.id}"
    assert (applied.status, proposing.text(branch), proposing.made()) == ("applied", ONCE, [])
    assert proposing.repository.history(branch)[1:] == [proposing.base]


def test_a_head_that_has_moved_is_checked_again(proposing: Proposing) -> None:
    """The commit goes on top of it, or the proposal is rejected, and may be revised."""
    fits, fails = proposing.approved(), proposing.approved(key="other")
    head = proposing.push(TEXT + "four\n")

    applied = proposing.apply(fits)
    after = proposing.push("something else\n")
    rejected = proposing.apply(fails)

    assert (applied.status, applied.checked, len(proposing.made())) == ("applied", head, 1)
    assert (rejected.status, rejected.commit, proposing.repository.branches["topic"]) == ("rejected", None, after)
    assert [each.path for each in rejected.problems] == ["app.py"]
    assert proposing.revise(fails, a_content(DIFF)).status == "pending"


def test_only_what_is_approved_is_applied(proposing: Proposing) -> None:
    """Nothing else is read or written."""
    proposal = proposing.submit()
    steps = Steps(lambda *_: None)

    with pytest.raises(ProposalRefused, match=r"^The proposal is pending\."):
        proposing.apply(proposal, steps=steps)

    assert steps.names == ["get", "caller", "get"]


def test_nothing_is_applied_to_a_closed_pull_request(proposing: Proposing) -> None:
    """A commit that has reached the branch before is recorded all the same."""
    proposal, other = proposing.approved(TWICE), proposing.approved(key="other")
    assert attempt(proposing, other, Steps(at_call("write", 1, die))) == "killed"
    proposing.repository.closed = "The pull request is closed."

    with pytest.raises(Refused, match=r"^The pull request is closed\.$"):
        proposing.apply(proposal)

    assert proposing.read(proposal).status == "approved"
    assert proposing.apply(other).status == "applied"


@pytest.mark.parametrize("pushed", ["", "pushed\n"])
def test_an_attempt_that_is_killed_anywhere_is_finished_and_not_repeated(
    proposing: Proposing, approved: Approved, pushed: str
) -> None:
    """Also where somebody pushes before the next attempt."""
    outcomes = []
    for each in interruptions(proposing, approved, TWICE, die):
        outcomes.append(each.outcome)
        if pushed:
            proposing.push(proposing.text() + pushed)

        applied = finished(proposing, each.proposal)

        assert (applied.status, len(proposing.made()), proposing.text()) == ("applied", 1, MORE + pushed)
        assert proposing.actions(each.proposal).count("apply") == 1
    assert outcomes.count("killed") == len(outcomes) - 1 > 10


def test_one_of_two_who_apply_at_once_makes_the_commit(proposing: Proposing, approved: Approved) -> None:
    """The second overtakes the first at any step; the diff would apply twice. Both end with the applied proposal."""
    overtake = partial(proposing.apply, by="bob")

    assert outcomes_with_one_commit(proposing, approved, TWICE, overtake, MORE) == {"applied"}


@pytest.mark.parametrize(
    ("last", "times", "diff"),
    [("commit", 0, TWICE), ("write", 0, TWICE), ("advance", 0, TWICE), ("write", 1, TWICE), ("write", 1, DIFF)],
)
def test_the_other_one_makes_the_commit_where_one_of_two_is_killed(
    proposing: Proposing, approved: Approved, last: str, times: int, diff: str
) -> None:
    """The second one comes at any step of the first, and dies before one of the calls that change something.

    Its commit on the branch applies again, or does not apply again.
    """

    def come_and_die(proposal: Proposal) -> None:
        attempt(proposing, proposal, Steps(at_call(last, times, die)), by="bob")

    outcomes = outcomes_with_one_commit(proposing, approved, diff, come_and_die, MORE if diff == TWICE else ONCE)

    assert outcomes == {"applied"}


def test_the_commit_goes_on_top_of_a_push_at_any_step(proposing: Proposing, approved: Approved) -> None:
    """It is checked again, and made again if it did not reach the branch before."""

    def push(_: Proposal) -> None:
        proposing.push("changed\n", path="other.py")

    outcomes = outcomes_with_one_commit(proposing, approved, DIFF, push, ONCE)

    assert outcomes == {"applied"}


def test_a_proposal_that_is_closed_while_it_is_applied_is_applied_or_closed(
    proposing: Proposing, approved: Approved
) -> None:
    """A closed proposal never has a commit on the branch."""
    ends = set()
    for each in interruptions(proposing, approved, DIFF, proposing.close):
        status = proposing.read(each.proposal).status
        assert each.outcome in ("applied", "The proposal is closed. To be applied it has to be approved.")
        assert (status == "applied") == bool(proposing.made())
        ends.add(status)
    assert ends == {"applied", "closed"}
