"""A change is proposed once for each key, revised in place, read by who may, and closed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from kodiai.core.diffs.results import AffectedFile
from kodiai.core.errors import Refused
from kodiai.core.proposals.proposal import Agent, Proposal, Status
from kodiai.core.proposals.protocol import ProposalRefused
from kodiai.flows.proposals.access import Forbidden
from kodiai.flows.proposals.look import list_proposals, look
from kodiai.flows.proposals.not_found import NotFound
from kodiai.flows.proposals.submit import BadContent, KeyReused, Submission, submit
from tests.core.proposals.proposing import DIFF, NAME, STALE, Proposing
from tests.proposal_builders import a_content


def test_a_proposal_is_stored_with_its_identity_and_the_files_that_its_diff_touches(proposing: Proposing) -> None:
    """It is pending, for the pull request that was named, with all that the program says of itself."""
    agent = Agent(agent_type="claude-code", role="implementer", phase="build", plan="totals", task="2")

    proposal = proposing.submit(diff=STALE, agent=agent)

    assert look(proposal.id, proposing.ports("rae")) == (
        proposal,
        a_content(STALE),
        proposing.store.events(proposal.id),
    )
    assert (proposal.status, proposal.ref.name, proposal.ref.id, proposal.number) == ("pending", NAME, 1, 7)
    assert (proposal.proposer.login, proposal.proposer.agent, proposal.created) == ("ann", agent, 1_000)
    assert proposal.files == (AffectedFile(path="app.py", operation="modify", added=1, removed=1),)
    assert proposing.actions(proposal) == ["submit"]


def test_the_same_key_is_the_same_proposal(proposing: Proposing) -> None:
    """As it is by then, also after a revision. A key is a person's own; without one there are as many proposals."""
    first = proposing.submit()
    proposing.clock.time += 60
    again = proposing.submit()
    revised = proposing.revise(first, a_content("another"))

    assert (again, proposing.submit()) == (first, revised)
    assert proposing.store.of_repository(1) == (revised,)
    assert len({each.id for each in (first, proposing.submit("bob"), *(proposing.submit(key=None) for _ in "12"))}) == 4


@pytest.mark.parametrize(
    "other", [{"diff": STALE}, {"reviewed_by": "kodiai"}, {"agent": Agent(agent_type="codex")}, {"number": None}]
)
def test_a_key_of_another_submission_is_refused(proposing: Proposing, other: dict[str, Any]) -> None:
    """Nobody should believe that the second one was stored."""
    if "number" in other:
        other = {**other, "base": proposing.base}
    proposal = proposing.submit()

    with pytest.raises(KeyReused, match=r"^This idempotency key was used for another submission: choose a new key\.$"):
        proposing.submit(**other)

    assert proposing.store.of_repository(1) == (proposal,)


@pytest.mark.parametrize(
    ("diff", "text"),
    [
        ("x" * 1_000_001, "The diff has 1,000,001 bytes; the most is 1,000,000."),
        ("é" * 500_001, "The diff has 1,000,002 bytes; the most is 1,000,000."),
        ("", "The diff is empty."),
        (" \r\n\t", "The diff is empty."),
    ],
)
def test_a_diff_is_checked_for_its_size_at_the_submission_and_for_nothing_that_it_says(
    proposing: Proposing, diff: str, text: str
) -> None:
    """In a submission and in a revision: the tree may change. The size is counted in bytes; the greatest is stored."""
    proposal = proposing.submit(diff="é" * 500_000)

    with pytest.raises(BadContent) as submitted:
        proposing.submit(diff=diff, key="other")
    with pytest.raises(BadContent) as revised:
        proposing.revise(proposal, a_content(diff))

    assert (str(submitted.value), str(revised.value)) == (text, text)
    assert proposing.store.of_repository(1) == (proposal,)
    assert (proposal.status, proposal.files) == ("pending", ())


@pytest.mark.parametrize(
    ("given", "settings", "text"),
    [
        ({"number": 8}, None, "There is no pull request #8."),
        (
            {},
            b"proposals:\n  enabled: false\n",
            "`proposals.enabled` in `.kodiai.yml` is false: changes are not proposed in this repository.",
        ),
        ({"by": "rae"}, None, "This requires write access to acme/widgets."),
        ({"by": "mallory"}, None, "There is no repository acme/widgets, or you may not read it."),
    ],
)
def test_nothing_is_proposed_where_it_cannot_go(
    proposing: Proposing, given: dict[str, Any], settings: bytes | None, text: str
) -> None:
    """No pull request, a repository that does not want it, or a person who may not write."""
    proposing.repository.settings = settings

    with pytest.raises(Refused) as refused:
        proposing.submit(**given)

    assert str(refused.value) == text
    assert proposing.store.of_repository(1) == ()


def test_a_repository_in_which_we_never_worked_is_not_served(proposing: Proposing) -> None:
    """Anybody has a repository of their own to which they may write: nothing of it is stored, and nothing is queued."""
    submission = Submission(NAME, 7, None, a_content(DIFF), key="key")

    with pytest.raises(Forbidden) as raised:
        submit(submission, proposing.ports("ann"))

    assert str(raised.value) == (
        "Kodiai has not reviewed anything in acme/widgets yet. It takes proposals after its first review there."
    )
    assert proposing.table.scan()["Items"] == []


@pytest.mark.parametrize("reviewed_by", ["kodiai", "anyone"])
def test_a_pending_proposal_is_revised_in_place(proposing: Proposing, reviewed_by: Any) -> None:
    """Same id, new content. Kodiai reviews each revision: the job names it, so that it is reviewed once."""
    proposal = proposing.submit(reviewed_by=reviewed_by)
    content = a_content(STALE, description="Close it twice")

    revised, again = (proposing.revise(proposal, content) for _ in range(2))

    assert (revised.id, revised.status, revised.revision) == (proposal.id, "pending", 2)
    assert (again, proposing.store.content(again)) == (revised, content)
    assert proposing.actions(proposal) == ["submit", "revise"]
    jobs = [(f"{proposal.id}-1", 1), *[(f"{proposal.id}-2", 2)] * 2]
    assert proposing.jobs() == (jobs if reviewed_by == "kodiai" else [])


def test_the_proposer_and_who_may_write_close(proposing: Proposing) -> None:
    """Also a proposer who may only read by now; nobody else."""
    own, others = proposing.submit(), proposing.submit(key="other")
    with pytest.raises(ProposalRefused, match="Only the proposer, or somebody with write access"):
        proposing.close(own, by="rae")
    proposing.repository.people = {**proposing.repository.people, "ann": "read"}

    closed = [proposing.close(own, note="not needed"), proposing.close(others, by="bob")]

    assert [each.status for each in closed] == ["closed"] * 2
    assert proposing.store.events(own.id)[-1].note == "not needed"


def verbs_of(proposing: Proposing, proposal: Proposal, login: str) -> list[Callable[[], object]]:
    """The verbs that require write access, done to a proposal by somebody."""
    return [
        partial(proposing.claim, proposal, login),
        partial(proposing.verdict, proposal, by=login),
        partial(proposing.revise, proposal, a_content(DIFF), login),
        partial(proposing.apply, proposal, login),
    ]


def test_a_stranger_finds_no_proposal(proposing: Proposing) -> None:
    """In the same words as where there is none, for every verb."""
    proposal = proposing.submit()
    nothing = proposal.model_copy(update={"id": "P-" + "0" * 20})
    texts = []

    for login, each in (("mallory", proposal), ("eve", nothing)):
        others: list[Callable[[], object]] = [
            partial(look, each.id, proposing.ports(login)),
            partial(proposing.close, each, login),
        ]
        for verb in (*verbs_of(proposing, each, login), *others):
            with pytest.raises(NotFound) as refused:
                verb()
            texts.append(str(refused.value).replace(each.id, "ID"))

    assert set(texts) == {"There is no proposal ID, or you may not read its repository."}
    assert proposing.actions(proposal) == ["submit"]
    with pytest.raises(NotFound):
        list_proposals(NAME, None, None, proposing.ports("mallory"))


def test_a_reader_only_reads(proposing: Proposing) -> None:
    """Claims, verdicts, revisions and commits are for people with write access."""
    proposal = proposing.submit()

    for verb in verbs_of(proposing, proposal, "rae"):
        with pytest.raises(Forbidden, match=r"^This requires write access to acme/widgets\.$"):
            verb()

    assert look(proposal.id, proposing.ports("rae"))[0] == proposal


def test_proposals_are_listed_by_status_and_pull_request(proposing: Proposing) -> None:
    """As they are now: a claim that has ended is none."""
    claimed = proposing.submit(key="claimed")
    proposing.clock.time += 1
    other = proposing.submit(key="other", number=None, base=proposing.base)
    proposing.claim(claimed, seconds=60)
    ports = proposing.ports("rae")
    wanted: dict[tuple[Status | None, int | None], list[str]] = {
        (None, None): [other.id, claimed.id],
        ("claimed", None): [claimed.id],
        ("pending", None): [other.id],
        (None, 7): [claimed.id],
        ("pending", 7): [],
    }

    listed = {each: [found.id for found in list_proposals(NAME, *each, ports)] for each in wanted}
    proposing.clock.time += 60
    later = list_proposals(NAME, "pending", 7, ports)

    assert listed == wanted
    assert [(each.id, each.status, each.claim) for each in later] == [(claimed.id, "pending", None)]
    assert look(claimed.id, ports)[0] == later[0]
