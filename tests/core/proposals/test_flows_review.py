"""A proposal is claimed by one reviewer, who checks that it applies and gives a verdict."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kodiai.core.diffs.results import Problem
from kodiai.core.proposals.protocol import ProposalRefused
from tests.core.proposals.proposing import DIFF, STALE, TEXT, Proposing, Steps
from tests.proposal_builders import a_content


def test_a_claim_checks_that_the_diff_applies_to_the_head_now(proposing: Proposing) -> None:
    """Not to the head at the submission."""
    proposal = proposing.submit()
    head = proposing.repository.push(TEXT + "four\n")

    claimed = proposing.claim(proposal)

    assert (claimed.status, claimed.checked) == ("claimed", head)
    assert claimed.claim is not None
    assert (claimed.claim.by.login, claimed.claim.generation, claimed.claim.until) == ("bob", 1, 1_060)
    assert proposing.read(proposal) == claimed
    assert proposing.actions(proposal) == ["submit", "claim", "check"]


def test_a_diff_that_does_not_apply_is_rejected_with_what_was_expected_and_found(proposing: Proposing) -> None:
    """So that an agent makes the diff again without a look at the file. A repeated claim gets the same again."""
    proposal = proposing.submit(diff=STALE)

    rejected, again = (proposing.claim(proposal, key="mine") for _ in range(2))

    assert (rejected.status, again) == ("rejected", rejected)
    assert proposing.actions(proposal) == ["submit", "claim", "reject"]
    assert [(each.path, each.hunk, each.line, each.expected, each.found) for each in rejected.problems] == [
        ("app.py", 1, 1, ("one", "TWO", "three"), ("one", "two", "three"))
    ]
    assert proposing.store.events(proposal.id)[-1].note == f"it does not apply to {proposing.base}: 1 problem"


def test_a_claim_is_the_same_with_its_key_and_is_checked_once(proposing: Proposing) -> None:
    """Also if the head has moved meanwhile: what is applied is checked again then."""
    proposal = proposing.submit()
    claimed = proposing.claim(proposal, key="mine")
    proposing.repository.push("something else\n")
    proposing.clock.time += 30

    again = proposing.claim(proposal, key="mine", seconds=600)

    assert again == claimed
    assert proposing.actions(proposal) == ["submit", "claim", "check"]


def test_a_claim_whose_check_was_cut_off_is_checked_with_its_key(proposing: Proposing) -> None:
    """Without the check there is no verdict."""
    proposal = proposing.submit()

    def die_before(number: int, name: str) -> None:  # noqa: ARG001 - the step's number
        if name == "entries":
            raise ConnectionError

    with pytest.raises(ConnectionError):
        proposing.claim(proposal, key="mine", steps=Steps(die_before))
    with pytest.raises(ProposalRefused, match=r"^It is not known yet whether the diff applies: repeat the claim"):
        proposing.verdict(proposal)

    claimed = proposing.claim(proposal, key="mine")

    assert (claimed.claims, claimed.checked) == (1, proposing.base)
    assert proposing.verdict(proposal).status == "approved"


def test_a_claim_that_ends_during_its_check_is_lost(proposing: Proposing) -> None:
    """What a slow check finds does not count for the next claim."""
    proposal = proposing.submit(diff=STALE)

    def sleep_before(number: int, name: str) -> None:  # noqa: ARG001 - the step's number
        if name == "entries":
            proposing.clock.time += 60
            proposing.revise(proposal, a_content(DIFF))
            proposing.claim(proposal, by="eve")

    with pytest.raises(ProposalRefused, match=r"^The claim of generation 1 is over: claim the proposal again\.$"):
        proposing.claim(proposal, steps=Steps(sleep_before))

    assert proposing.read(proposal).status == "claimed"


def test_two_hundred_who_claim_at_once_yield_one_reviewer(proposing: Proposing) -> None:
    """All others learn who it is."""
    proposal = proposing.submit()
    proposing.repository.people = {f"agent{number}": "write" for number in range(200)}

    def claim(number: int) -> str:
        try:
            claimed = proposing.claim(proposal, by=f"agent{number}")
        except ProposalRefused as refused:
            return str(refused)
        return f"agent{number} {claimed.status}"

    with ThreadPoolExecutor(32) as pool:
        outcomes = list(pool.map(claim, range(200)))

    stored = proposing.read(proposal)
    assert stored.claim is not None
    winner = stored.claim.by.login
    refusal = f"{winner} has claimed the proposal, generation 1, for another 60 seconds."
    assert sorted(outcomes) == sorted([f"{winner} claimed", *[refusal] * 199])
    assert proposing.actions(proposal) == ["submit", "claim", "check"]


def test_of_many_things_at_once_each_is_judged_by_what_came_before(proposing: Proposing) -> None:
    """Claims, closings and revisions of many people in any order leave one history without gaps."""
    proposal = proposing.submit()
    proposing.repository.people = {"ann": "write", **{f"agent{number}": "write" for number in range(20)}}

    def act(number: int) -> bool:
        verbs: list[Any] = [
            lambda: proposing.claim(proposal, by=f"agent{number}"),
            lambda: proposing.revise(proposal, a_content(f"{DIFF}{number}\n")),
            lambda: proposing.verdict(proposal, "comment", f"{number}", by=f"agent{number - 2}", generation=1),
            lambda: proposing.close(proposal, by=f"agent{number}") if number > 16 else None,
        ]
        try:
            verbs[number % 4]()
        except ProposalRefused:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(act, range(20)))

    stored, events = proposing.read(proposal), proposing.store.events(proposal.id)
    assert stored.status == "closed"
    assert [event.number for event in events] == list(range(1, stored.version + 1))
    assert proposing.store.content(stored).digest == stored.content
    assert stored.revision == 1 + sum(event.action == "revise" for event in events)


def test_a_reviewer_who_requests_changes_reviews_the_revision(proposing: Proposing) -> None:
    """It is checked at once, against the head now."""
    proposal = proposing.submit()
    proposing.claim(proposal)
    proposing.verdict(proposal, "request_changes", "Keep the second line.")
    head = proposing.repository.push(TEXT + "four\n")

    revised = proposing.revise(proposal, a_content(DIFF.replace("+2", "+two too")))

    assert (revised.status, revised.checked) == ("claimed", head)
    assert proposing.verdict(proposal, generation=2).status == "approved"


def test_a_revision_that_does_not_apply_is_rejected_at_once(proposing: Proposing) -> None:
    """The proposer learns it without the reviewer, and the next revision is for everybody."""
    proposal = proposing.submit()
    proposing.claim(proposal)
    proposing.verdict(proposal, "request_changes", "Keep the second line.")

    rejected = proposing.revise(proposal, a_content(STALE))
    revised = proposing.revise(proposal, a_content(DIFF))

    assert (rejected.status, revised.status, revised.claim) == ("rejected", "pending", None)
    assert all(isinstance(each, Problem) for each in rejected.problems)
    assert proposing.claim(proposal, by="eve").status == "claimed"
