"""A proposal is claimed by one reviewer, who checks that it applies and gives a verdict."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kodiai.core.proposals.protocol import ProposalRefused
from kodiai.flows.proposals.check import MOST_FILES
from tests.core.proposals.proposing import DIFF, STALE, TEXT, Proposing, Steps
from tests.proposal_builders import a_content


def before_entries(do: Callable[[], object]) -> Steps:
    """Steps with something done before the files are read."""
    return Steps(lambda _, name: do() if name == "entries" else None)


def test_a_claim_checks_that_the_diff_applies_to_the_head_now(proposing: Proposing) -> None:
    """The head at the submission does not count."""
    proposal = proposing.submit()
    head = proposing.push(TEXT + "four\n")

    claimed = proposing.claim(proposal)

    assert (claimed.status, claimed.checked) == ("claimed", head)
    assert proposing.read(proposal) == claimed
    assert proposing.actions(proposal) == ["submit", "claim", "check"]


def test_a_claim_rejects_a_diff_that_does_not_apply(proposing: Proposing) -> None:
    """The problems say what was expected and found. A repeated claim gets the same again."""
    proposal = proposing.submit(diff=STALE)

    rejected, again = (proposing.claim(proposal, key="mine") for _ in range(2))

    assert (rejected.status, again) == ("rejected", rejected)
    assert proposing.actions(proposal) == ["submit", "claim", "reject"]
    assert [(each.path, each.hunk, each.line, each.expected, each.found) for each in rejected.problems] == [
        ("app.py", 1, 1, ("one", "TWO", "three"), ("one", "two", "three"))
    ]


def test_a_rejection_names_each_forbidden_file_and_each_hunk_that_fails(proposing: Proposing) -> None:
    """All at once: nobody fixes one and is rejected for the other. No line of a forbidden file is shown."""
    proposing.repository.settings = b"proposals:\n  denyPaths: [secret/]\n"
    proposing.push("one\n", "secret/key.txt")
    forbidden = [
        STALE.replace("app.py", path) for path in ("secret/key.txt", ".github/workflows/ci.yml", ".git/config")
    ]
    proposal = proposing.submit(diff="".join((*forbidden, STALE)))

    rejected = proposing.claim(proposal)

    assert [(each.path, each.hunk, each.found) for each in rejected.problems] == [
        ("secret/key.txt", None, ()),
        (".github/workflows/ci.yml", None, ()),
        (".git/config", None, ()),
        ("app.py", 1, ("one", "two", "three")),
    ]


def test_a_diff_of_too_many_paths_is_rejected_and_no_file_is_read(proposing: Proposing) -> None:
    """A forbidden path is named all the same: that needs no file."""
    paths = [".github/workflows/ci.yml", *(f"lib/{number}.py" for number in range(MOST_FILES))]
    proposal = proposing.submit(diff="".join(DIFF.replace("app.py", path) for path in paths))
    steps = Steps(lambda *_: None)

    rejected = proposing.claim(proposal, steps=steps)

    assert [(each.path, each.message) for each in rejected.problems] == [
        (paths[0], "A proposal may not change workflows of GitHub Actions."),
        (None, "The diff touches 151 paths, which is too many to check at once: make several proposals."),
    ]
    assert "entries" not in steps.names


def test_a_claim_is_the_same_with_its_key_and_is_checked_once(proposing: Proposing) -> None:
    """Also where the head has moved meanwhile: it is checked again when it is applied."""
    proposal = proposing.submit()
    claimed = proposing.claim(proposal, key="mine")
    proposing.push("something else\n")
    proposing.clock.time += 30

    assert proposing.claim(proposal, key="mine", seconds=600) == claimed
    assert proposing.actions(proposal) == ["submit", "claim", "check"]


def test_a_claim_whose_check_was_cut_off_is_checked_with_its_key(proposing: Proposing) -> None:
    """The claim was stored before the check."""
    proposal = proposing.submit()

    def fail() -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        proposing.claim(proposal, key="mine", steps=before_entries(fail))
    claimed = proposing.claim(proposal, key="mine")

    assert (claimed.claims, claimed.checked) == (1, proposing.base)


def test_a_claim_that_ends_during_its_check_is_lost(proposing: Proposing) -> None:
    """The result of a slow check does not count for the next claim."""
    proposal = proposing.submit(diff=STALE)

    def overtake() -> None:
        proposing.clock.time += 60
        proposing.revise(proposal, a_content(DIFF))
        proposing.claim(proposal, by="eve")

    with pytest.raises(ProposalRefused, match=r"^The claim of generation 1 is over"):
        proposing.claim(proposal, steps=before_entries(overtake))

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


def test_a_revision_after_requested_changes_is_checked_at_once(proposing: Proposing) -> None:
    """One that applies to the head now has the same reviewer; one that does not is rejected."""
    fits, fails = proposing.submit(), proposing.submit(key="other")
    for each in (fits, fails):
        proposing.claim(each)
        proposing.verdict(each, "request_changes", "Keep the second line.")
    head = proposing.push(TEXT + "four\n")

    revised = proposing.revise(fits, a_content(DIFF.replace("+2", "+two too")))
    rejected = proposing.revise(fails, a_content(STALE))

    assert (revised.status, revised.checked, rejected.status) == ("claimed", head, "rejected")
    assert proposing.verdict(fits, generation=2).status == "approved"
