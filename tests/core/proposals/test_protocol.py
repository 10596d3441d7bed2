"""The protocol of proposals: every action in every status leads somewhere, or is refused by name."""

from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kodiai.core.diffs.results import Problem
from kodiai.core.proposals.proposal import (
    MOST_PROBLEMS,
    Agent,
    Content,
    Decision,
    Proposal,
    ProposedCommit,
    Status,
    Verdict,
)
from kodiai.core.proposals.protocol import (
    Action,
    ClaimIt,
    Close,
    GiveVerdict,
    NoteApplied,
    NoteCheck,
    ProposalRefused,
    Reject,
    Release,
    Revise,
    StageCommit,
    Transition,
    act,
    seen_at,
    submitted,
)
from tests.proposal_builders import a_content, a_proposal, a_verdict, an_actor
from tests.tables import each_row

ANN, BOB, EVE = an_actor("ann"), an_actor("bob"), an_actor("eve")
CONTENT, OTHER = a_content("diff"), a_content("another diff")
HEAD, NEXT = "a" * 40, "b" * 40
COMMIT = ProposedCommit(sha="c" * 40, parent=HEAD, branch="topic", by=ANN)
SECOND = ProposedCommit(sha="d" * 40, parent=NEXT, branch="topic", by=BOB)
PROBLEM = Problem(message="the lines are not there", path="a.py", hunk=1)
NOW = 1_000.0
NEW = a_proposal(CONTENT)

CLAIM, CHECK = ClaimIt(BOB, 60, "key"), NoteCheck(HEAD, 1)
APPROVE = GiveVerdict(a_verdict("bob", 1))
REQUEST = GiveVerdict(a_verdict("bob", 1, "request_changes", "Close it in finally."))
COMMENT = GiveVerdict(a_verdict("bob", 1, "comment", "Why here?"))
REJECT = Reject(HEAD, (PROBLEM,), BOB, 1)
STAGE, APPLIED = StageCommit(COMMIT), NoteApplied(COMMIT.sha)

PATHS: Mapping[Status, tuple[Action, ...]] = {
    "pending": (),
    "claimed": (CLAIM, CHECK),
    "changes_requested": (CLAIM, CHECK, REQUEST),
    "approved": (CLAIM, CHECK, APPROVE),
    "rejected": (CLAIM, REJECT),
    "applied": (CLAIM, CHECK, APPROVE, STAGE, APPLIED),
    "closed": (CLAIM, CHECK, Close(ANN, may_write=False)),
}

SAME = "unchanged"
OWN = "own_proposal: Nobody reviews their own proposal: another person has to claim it."
HELD = "claimed_by_another: bob has claimed the proposal, generation 1, for another 60 seconds."
NOT_EVES = "not_the_reviewer: Only the one who has claimed the proposal gives the claim back."
NO_CLAIM = "claim_lost: There is no claim of generation 1."
OVER = "claim_lost: The claim of generation 1 is over: claim the proposal again."
THEIRS = "not_the_proposer: Only ann, who proposes it, can revise the proposal."
READS = "not_the_proposer: Only the proposer, or somebody with write access, can close the proposal."
NO_COMMIT = f"not_for_this_status: The commit {COMMIT.sha} is not the proposal's."
TO_CLAIM = "not_for_this_status: The proposal is {status}. To be claimed it has to be pending."
TO_REJECT = "not_for_this_status: The proposal is {status}. To be rejected it has to be approved."
TO_REVIEW = "not_for_this_status: The proposal is {status}. To be reviewed it has to be claimed."
TO_APPLY = "not_for_this_status: The proposal is {status}. To be applied it has to be approved."
TO_REVISE = (
    "not_for_this_status: The proposal is {status}. To be revised it has to be pending, changes_requested or rejected."
)
TO_CLOSE = (
    "not_for_this_status: The proposal is {status}."
    " To be closed it has to be pending, claimed, changes_requested, rejected or approved."
)

# Each action with its refusal, and the statuses in which it leads to a status, to nothing, or to another refusal.
TABLE: Mapping[str, tuple[Action, str, Mapping[Status, str]]] = {
    "eve claims it": (ClaimIt(EVE, 60, "key"), TO_CLAIM, {"pending": "claimed", "claimed": HELD}),
    "bob claims it with another key": (
        ClaimIt(BOB, 60, "other"),
        TO_CLAIM,
        {"pending": "claimed", "claimed": "claimed"},
    ),
    "bob claims it without a key": (ClaimIt(BOB, 60), TO_CLAIM, {"pending": "claimed", "claimed": "claimed"}),
    "bob claims it with his key": (CLAIM, TO_CLAIM, {"pending": "claimed", "claimed": SAME, "rejected": SAME}),
    "the proposer claims it": (ClaimIt(ANN, 60), OWN, {}),
    "the check succeeds": (CHECK, OVER, {"pending": NO_CLAIM, "claimed": SAME}),
    "it succeeds for another head": (NoteCheck(NEXT, 1), OVER, {"pending": NO_CLAIM, "claimed": "claimed"}),
    "the check fails": (REJECT, OVER, {"pending": NO_CLAIM, "claimed": "rejected"}),
    "it fails when it is to be applied": (Reject(NEXT, (PROBLEM,), ANN), TO_REJECT, {"approved": "rejected"}),
    "bob approves": (APPROVE, TO_REVIEW, {"claimed": "approved", "approved": SAME, "applied": SAME}),
    "bob requests changes": (REQUEST, TO_REVIEW, {"claimed": "changes_requested", "changes_requested": SAME}),
    "bob comments": (COMMENT, TO_REVIEW, {"claimed": "claimed"}),
    "the proposer revises it": (
        Revise(ANN, OTHER, ()),
        TO_REVISE,
        {"pending": "pending", "changes_requested": "claimed", "rejected": "pending"},
    ),
    "the proposer sends the same again": (
        Revise(ANN, CONTENT, ()),
        TO_REVISE,
        {"pending": SAME, "claimed": SAME, "changes_requested": "claimed", "rejected": "pending"},
    ),
    "bob revises it": (Revise(BOB, OTHER, ()), THEIRS, {}),
    "the proposer closes it": (Close(ANN, may_write=False), "closed", {"applied": TO_CLOSE, "closed": SAME}),
    "a writer closes it": (Close(EVE, may_write=True), "closed", {"applied": TO_CLOSE, "closed": SAME}),
    "a reader closes it": (Close(EVE, may_write=False), READS, {}),
    "the claim is given back": (Release(BOB, 1), OVER, {"pending": NO_CLAIM, "claimed": "pending"}),
    "eve gives the claim back": (Release(EVE, 1), OVER, {"pending": NO_CLAIM, "claimed": NOT_EVES}),
    "a commit is staged": (STAGE, TO_APPLY, {"approved": "approved"}),
    "the branch has the commit": (APPLIED, NO_COMMIT, {"applied": SAME}),
}


def after(*actions: Action, proposal: Proposal = NEW, now: float = NOW) -> Proposal:
    """The proposal after these actions."""
    for action in actions:
        proposal = act(proposal, action, now).proposal
    return proposal


def outcome(proposal: Proposal, action: Action, now: float = NOW) -> str:
    """The status that an action leads to, "unchanged", or the refusal."""
    try:
        then = act(proposal, action, now).proposal
    except ProposalRefused as refused:
        return f"{refused.name}: {refused}"
    return SAME if then.version == proposal.version else then.status


@each_row("status", PATHS)
@each_row("name", TABLE)
def test_every_action_in_every_status_leads_to_a_status_or_is_refused_by_name(status: Status, name: str) -> None:
    """The whole protocol, with the whole texts of the refusals."""
    before = after(*PATHS[status])
    action, otherwise, outcomes = TABLE[name]

    assert before.status == status
    assert outcome(before, action) == outcomes.get(status, otherwise).format(status=status)


def test_the_history_says_who_did_what_and_when() -> None:
    """Each entry with the status from then on, and with what was said."""
    story: list[tuple[Action, float]] = [
        (CLAIM, 1_010.0), (CHECK, 1_011.0), (COMMENT, 1_012.0), (REQUEST, 1_013.0), (Revise(ANN, OTHER, ()), 1_014.0),
        (Reject(HEAD, (PROBLEM, PROBLEM), BOB, 2), 1_015.0), (Revise(ANN, CONTENT, ()), 1_016.0),
        (ClaimIt(EVE, 60), 1_017.0), (Release(EVE, 3, "no time"), 1_018.0), (ClaimIt(EVE, 60), 1_019.0),
        (NoteCheck(HEAD, 4), 1_020.0), (GiveVerdict(a_verdict("eve", 4)), 1_021.0), (STAGE, 1_022.0),
        (APPLIED, 1_023.0),
    ]  # fmt: skip

    proposal, events = NEW, list(submitted(NEW).events)
    for action, at in story:
        transition = act(proposal, action, at)
        proposal = transition.proposal
        events += transition.events

    assert [(event.number, event.at, event.by.login, event.action, event.status, event.note) for event in events] == [
        (1, 1_000, "ann", "submit", "pending", ""),
        (2, 1_010, "bob", "claim", "claimed", "generation 1"),
        (3, 1_011, "bob", "check", "claimed", f"it applies to {HEAD}"),
        (4, 1_012, "bob", "verdict", "claimed", "comment: Why here?"),
        (5, 1_013, "bob", "verdict", "changes_requested", "request_changes: Close it in finally."),
        (6, 1_014, "ann", "revise", "claimed", "revision 2"),
        (7, 1_015, "bob", "reject", "rejected", f"it does not apply to {HEAD}: 2 problems"),
        (8, 1_016, "ann", "revise", "pending", "revision 3"),
        (9, 1_017, "eve", "claim", "claimed", "generation 3"),
        (10, 1_018, "eve", "release", "pending", "no time"),
        (11, 1_019, "eve", "claim", "claimed", "generation 4"),
        (12, 1_020, "eve", "check", "claimed", f"it applies to {HEAD}"),
        (13, 1_021, "eve", "verdict", "approved", "approve"),
        (14, 1_022, "ann", "stage", "approved", COMMIT.sha),
        (15, 1_023, "ann", "apply", "applied", COMMIT.sha),
    ]
    assert (proposal.version, proposal.updated) == (15, 1_023)


def test_a_claim_whose_lease_expires_is_none_and_the_proposal_is_pending_again() -> None:
    """From that second on, whatever is stored; the next action records it."""
    claimed = after(CLAIM, CHECK)

    held, over = seen_at(claimed, NOW + 59.9), seen_at(claimed, NOW + 60)
    second = outcome(claimed, ClaimIt(EVE, 30), NOW + 20)
    again = act(claimed, ClaimIt(EVE, 30), NOW + 90)

    # Nothing is recorded of its end until something is done.
    assert outcome(claimed, APPROVE, NOW + 60) == OVER
    assert outcome(claimed, Release(BOB, 1), NOW + 60) == "unchanged"
    assert held == claimed
    assert second == HELD.replace("60", "40")
    assert (over.status, over.claim, over.checked) == ("pending", None, None)
    assert again.proposal.claim is not None
    assert (again.proposal.claim.by, again.proposal.claim.generation, again.proposal.claim.until) == (EVE, 2, NOW + 120)
    assert [(event.number, event.at, event.by, event.action, event.status) for event in again.events] == [
        (4, NOW + 60, BOB, "expire", "pending"),
        (5, NOW + 90, EVE, "claim", "claimed"),
    ]


# Bob's claim was lost to eve.
EVES = after(CLAIM, CHECK, Release(BOB, 1), ClaimIt(EVE, 60), NoteCheck(HEAD, 2))


@each_row(
    ("verdict", "text"),
    [
        (a_verdict("bob", 1), OVER),
        (a_verdict("eve", 1), OVER),
        (a_verdict("eve", 3), "claim_lost: There is no claim of generation 3."),
        (a_verdict("eve", 0), "claim_lost: There is no claim of generation 0."),
    ],
)
def test_a_verdict_of_a_lost_claim_is_refused(verdict: Verdict, text: str) -> None:
    """Also one of the reviewer who has it now: it may be about a tree or a content that is gone."""
    assert outcome(EVES, GiveVerdict(verdict)) == text


def test_only_the_claimer_gives_verdicts() -> None:
    """The generation alone is no right: everybody can read it."""
    refusal = "not_the_reviewer: Only eve, who has claimed the proposal, gives the verdict."

    assert [outcome(EVES, GiveVerdict(a_verdict(login, 2))) for login in ("bob", "EVE")] == [refusal, "approved"]


def test_proposers_never_review_their_own_proposal() -> None:
    """They can neither claim it nor give a verdict, by no spelling of their login and with no program."""
    verdict = "own_proposal: Nobody reviews their own proposal: the verdict has to be another person's."
    by = an_actor("ANN").model_copy(update={"agent": Agent(agent_type="codex")})

    assert [outcome(NEW, ClaimIt(each, 60)) for each in (ANN, by)] == [OWN, OWN]
    assert [outcome(EVES, GiveVerdict(a_verdict(login, 2))) for login in ("ann", "ANN")] == [verdict, verdict]


def test_only_an_approval_needs_no_notes() -> None:
    """Blank ones are none."""
    refusals = [outcome(EVES, GiveVerdict(a_verdict("eve", 2, each, " \n"))) for each in ("request_changes", "comment")]

    assert refusals == [
        "notes_required: The verdict request_changes requires notes.",
        "notes_required: The verdict comment requires notes.",
    ]
    assert outcome(EVES, GiveVerdict(a_verdict("eve", 2, "approve"))) == "approved"


def test_a_comment_is_recorded_and_changes_no_state() -> None:
    """The claim goes on as it was, and its reviewer decides later."""
    claimed = after(CLAIM, CHECK)

    commented = act(claimed, COMMENT, NOW + 9).proposal

    kept = {"verdict": claimed.verdict, "version": claimed.version, "updated": claimed.updated}
    assert commented.verdict == COMMENT.verdict
    assert commented.model_copy(update=kept) == claimed
    assert outcome(commented, APPROVE) == "approved"


@each_row("ends", [(Release(BOB, 1),), (REQUEST, Revise(ANN, OTHER, ()), Release(BOB, 2))])
def test_every_claim_has_its_own_check(ends: tuple[Action, ...]) -> None:
    """The check of an earlier claim says nothing about the tree now."""
    claimed = after(CLAIM, CHECK, *ends, ClaimIt(EVE, 60))

    assert (claimed.status, claimed.checked) == ("claimed", None)


def test_there_is_no_verdict_before_the_check() -> None:
    """Nobody approves what may not apply."""
    assert outcome(after(CLAIM), APPROVE) == (
        "not_checked: It is not known yet whether the diff applies: repeat the claim with its key."
    )


def test_a_verdict_is_the_same_whoever_the_program_is_that_repeats_it() -> None:
    """And whenever: it stays as it was given first."""
    approved = after(CLAIM, CHECK, APPROVE)
    by = BOB.model_copy(update={"agent": Agent(agent_type="codex")})

    again = act(approved, GiveVerdict(APPROVE.verdict.model_copy(update={"by": by, "at": 2_000.0})), NOW + 999)

    assert again == Transition(approved)


def test_a_revision_replaces_the_content_and_keeps_the_reviewer_who_requested_changes() -> None:
    """For as many seconds as before, with a new generation: a verdict about the former content is refused."""
    requested = after(CLAIM, CHECK, REQUEST)

    revised = act(requested, Revise(ANN, OTHER, ()), NOW + 500).proposal

    assert revised.claim is not None
    assert (revised.claim.by, revised.claim.generation, revised.claim.until) == (BOB, 2, NOW + 560)
    assert (revised.status, revised.revision, revised.content) == ("claimed", 2, OTHER.digest)
    assert (revised.checked, revised.verdict, revised.problems) == (None, None, ())
    assert outcome(revised, APPROVE, NOW + 500) == OVER


def test_a_revision_of_a_rejected_proposal_is_pending_for_everybody() -> None:
    """The problems of the former content are gone."""
    revised = after(CLAIM, REJECT, Revise(ANN, OTHER, ()))

    assert (revised.status, revised.claim, revised.problems) == ("pending", None, ())
    assert outcome(revised, CLAIM) == "claimed"


def test_many_problems_are_cut_and_counted() -> None:
    """Nobody reads thousands, and an item of the table has its limits."""
    problems = tuple(PROBLEM.model_copy(update={"hunk": number}) for number in range(1, MOST_PROBLEMS + 12))

    rejected = after(CLAIM, Reject(HEAD, problems, BOB, 1))

    assert rejected.problems[:-1] == problems[:MOST_PROBLEMS]
    assert rejected.problems[-1] == Problem(message="There is more that does not apply: 11 problems.")
    assert after(CLAIM, Reject(HEAD, problems[:MOST_PROBLEMS], BOB, 1)).problems == problems[:MOST_PROBLEMS]


def test_one_of_two_who_apply_at_once_stages_a_commit() -> None:
    """The other may neither stage another one nor reject the proposal: the first commit may be on the branch already.

    A commit that can no longer reach the branch is replaced by who has seen it.
    """
    meanwhile = "applied_by_another: Somebody else is applying the proposal at this moment: try again."
    staged = after(CLAIM, CHECK, APPROVE, STAGE)

    actions: tuple[Action, ...] = (
        STAGE,
        StageCommit(SECOND),
        StageCommit(SECOND, instead="e" * 40),
        Reject(NEXT, (PROBLEM,), BOB),
        StageCommit(SECOND, instead=COMMIT.sha),
        Reject(NEXT, (PROBLEM,), BOB, staged=COMMIT.sha),
    )
    outcomes = [outcome(staged, action) for action in actions]

    assert outcomes == ["unchanged", meanwhile, meanwhile, meanwhile, "approved", "rejected"]
    rejected = after(Reject(NEXT, (PROBLEM,), BOB, staged=COMMIT.sha), proposal=staged)
    assert (rejected.commit, outcome(rejected, APPLIED)) == (None, NO_COMMIT)
    replaced = after(StageCommit(SECOND, instead=COMMIT.sha), proposal=staged)
    assert (replaced.commit, replaced.checked) == (SECOND, NEXT)
    assert outcome(replaced, APPLIED) == NO_COMMIT
    assert outcome(replaced, NoteApplied(SECOND.sha)) == "applied"


def test_a_commit_that_is_on_the_branch_is_recorded_whatever_was_done_meanwhile() -> None:
    """Closing a proposal does not undo it."""
    closed = after(CLAIM, CHECK, APPROVE, STAGE, Close(EVE, may_write=True, note="not now"))

    applied = act(closed, APPLIED, NOW)

    assert (applied.proposal.status, applied.events[0].by) == ("applied", ANN)


def test_a_proposer_is_the_same_in_capitals_and_with_any_program() -> None:
    """Another agent of the proposer may revise."""
    by = an_actor("ANN").model_copy(update={"agent": Agent(agent_type="codex")})

    assert outcome(NEW, Revise(by, OTHER, ())) == "pending"


LOGINS = st.sampled_from(["ann", "ANN", "bob", "Bob", "eve"])
OFFSETS = st.sampled_from([0, 0, 0, -1, 1])
HEADS = st.sampled_from([HEAD, NEXT])
COMMITS = st.sampled_from([COMMIT, SECOND])


class Histories(RuleBasedStateMachine):
    """Anybody does anything at any time; each action is judged by rules that know nothing of the protocol's code."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.proposal = NEW
        self.events = list(submitted(NEW).events)
        self.reviewed = 0

    def do(self, action: Action) -> None:
        before, seen = self.proposal, seen_at(self.proposal, self.now)
        try:
            transition = act(before, action, self.now)
        except ProposalRefused:
            return
        then = transition.proposal
        assert then.version == before.version + len(transition.events)
        if not transition.events:
            assert then == seen
            return
        with suppress(ProposalRefused):
            assert act(then, action, self.now) == Transition(then), "the same at once again changes nothing"
        assert before.status != "applied"
        assert before.status != "closed" or (then.status, then.commit) == ("applied", before.commit)
        assert (then.claims, then.revision) >= (before.claims, before.revision)
        self.check(action, seen, then)
        self.proposal = then
        self.events += transition.events

    def check(self, action: Action, seen: Proposal, then: Proposal) -> None:
        """Check what an action led to."""
        match action:
            case GiveVerdict(verdict):
                # It is of the claim that holds, of the one who has it, about a diff that was found to apply.
                assert seen.claim is not None
                assert (seen.status, seen.claim.generation) == ("claimed", verdict.generation)
                assert seen.claim.by.is_same_person(verdict.by)
                assert (seen.claim.until > self.now, seen.checked is not None) == (True, True)
                self.reviewed = then.revision if verdict.decision == "approve" else self.reviewed
            case ClaimIt() | Revise() if then.claim is not None:
                # A claim, also one that is kept for a new content, has a generation that was never given.
                assert then.claim.generation == then.claims == seen.claims + 1
                assert then.checked is None
            case StageCommit() if seen.commit is not None:
                assert action.instead == seen.commit.sha, "who replaces a commit has seen it"
            case Reject() if seen.commit is not None:
                assert action.staged == seen.commit.sha, "who drops a commit has seen it"

    @rule(login=LOGINS, seconds=st.integers(1, 100), key=st.sampled_from([None, "one", "two"]))
    def claim(self, login: str, seconds: int, key: str | None) -> None:
        self.do(ClaimIt(an_actor(login), seconds, key))

    @rule(head=HEADS, offset=OFFSETS)
    def note_check(self, head: str, offset: int) -> None:
        self.do(NoteCheck(head, self.proposal.claims + offset))

    @rule(login=LOGINS, head=HEADS, offset=st.none() | OFFSETS, staged=st.none() | COMMITS)
    def reject(self, login: str, head: str, offset: int | None, staged: ProposedCommit | None) -> None:
        generation = None if offset is None else self.proposal.claims + offset
        self.do(Reject(head, (PROBLEM,), an_actor(login), generation, staged.sha if staged else None))

    @rule(login=LOGINS, offset=OFFSETS, decision=st.sampled_from(["approve", "request_changes", "comment"]),
          notes=st.sampled_from(["", "x"]))  # fmt: skip
    def give_verdict(self, login: str, offset: int, decision: Decision, notes: str) -> None:
        generation = self.proposal.claims + offset
        self.do(GiveVerdict(a_verdict(login, generation, decision, notes, at=self.now)))

    @precondition(lambda self: self.proposal.claim is not None)
    @rule(decision=st.sampled_from(["approve", "approve", "request_changes", "comment"]))
    def review(self, decision: Decision) -> None:
        """Do the most frequent thing: the reviewer's own verdict after a check."""
        claim = self.proposal.claim
        assert claim is not None
        self.do(NoteCheck(HEAD, claim.generation))
        self.do(GiveVerdict(a_verdict(claim.by.login, claim.generation, decision, "x", at=self.now)))

    @rule(login=LOGINS, content=st.sampled_from([CONTENT, OTHER]))
    def revise(self, login: str, content: Content) -> None:
        self.do(Revise(an_actor(login), content, ()))

    @rule(login=LOGINS, may_write=st.booleans(), really=st.integers(0, 5))
    def close(self, login: str, really: int, *, may_write: bool) -> None:
        if really == 0:
            self.do(Close(an_actor(login), may_write=may_write))

    @rule(login=LOGINS, offset=OFFSETS)
    def release(self, login: str, offset: int) -> None:
        self.do(Release(an_actor(login), self.proposal.claims + offset))

    @rule(commit=COMMITS, instead=st.none() | COMMITS)
    def stage(self, commit: ProposedCommit, instead: ProposedCommit | None) -> None:
        self.do(StageCommit(commit, instead.sha if instead else None))

    @rule(commit=COMMITS)
    def note_applied(self, commit: ProposedCommit) -> None:
        self.do(NoteApplied(commit.sha))

    @rule(seconds=st.integers(0, 60))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def the_history_has_no_gaps_and_leads_to_the_proposal(self) -> None:
        assert [event.number for event in self.events] == list(range(1, self.proposal.version + 1))
        assert [event.at for event in self.events] == sorted(event.at for event in self.events)
        assert self.events[-1].status == self.proposal.status

    @invariant()
    def nobody_reviews_their_own_proposal(self) -> None:
        for each in (self.proposal.claim, self.proposal.verdict):
            assert each is None or each.by.login.lower() != "ann"

    @invariant()
    def only_what_was_approved_is_applied(self) -> None:
        if self.proposal.status in ("approved", "applied"):
            verdict = self.proposal.verdict
            assert verdict is not None
            assert (verdict.decision, self.reviewed) == ("approve", self.proposal.revision)
            assert self.proposal.checked is not None
        else:
            assert self.proposal.commit is None or self.proposal.status == "closed"
        assert (self.proposal.commit is not None) or self.proposal.status != "applied"

    @invariant()
    def a_claim_ends(self) -> None:
        claim = self.proposal.claim
        seen = seen_at(self.proposal, self.now)
        assert seen.status != "claimed" or (seen.claim is not None and seen.claim.until > self.now)
        assert claim is None or claim.generation <= self.proposal.claims

    @invariant()
    def a_rejected_proposal_says_why(self) -> None:
        assert (self.proposal.status == "rejected") == bool(self.proposal.problems) or self.proposal.status == "closed"


class TestHistories(Histories.TestCase):  # type: ignore[misc, valid-type]
    """Some of them, with every change."""

    settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


@pytest.mark.proof
class TestManyHistories(Histories.TestCase):  # type: ignore[misc, valid-type]
    """Many more, and longer ones."""

    settings = settings(max_examples=1_000, stateful_step_count=50, deadline=None)
