"""Judge: have a model decide whether a proposed change is made."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.changes.globs import matches_any
from kodiai.core.config.keys import Config
from kodiai.core.conversation.mention import handles
from kodiai.core.findings.finding import Finding
from kodiai.core.model.messages import ModelUse, Text
from kodiai.core.plan.material import part_block
from kodiai.core.proposals.material import is_too_long, review_blocks
from kodiai.core.proposals.proposal import Actor, Content, Proposal, Verdict
from kodiai.core.proposals.ruling import ProposalRuling, UnusableRuling, is_usable, read_ruling
from kodiai.core.repository.tree import ChangedTree, VisibleTree
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.text.outgoing import Withheld, outgoing
from kodiai.core.words import proposals as words
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.flows.proposals.check import CheckedDiff
from kodiai.flows.pull_request_ports import ProposalReviewPorts
from kodiai.prompts.load import load

_TRIES = 2
_TOOL_TURNS = 12


class Unjudged(Exception):
    """We cannot judge this proposal: somebody else has to. The text says why."""


@dataclass(frozen=True)
class Judge:
    """Judges proposals as `us`."""

    us: Actor
    ports: ProposalReviewPorts

    def judge(
        self, proposal: Proposal, content: Content, diff: CheckedDiff, head: str, config: Config
    ) -> tuple[Verdict, ModelUse]:
        """Decide on a claimed proposal whose diff applies to `head`. Raises Unjudged, Retry, Broken."""
        assert proposal.claim is not None  # noqa: S101 - it is claimed
        self._check(content, diff, config)
        ports, is_for_commit = self.ports, proposal.number is None
        answers = ModelAnswers(ports, budget=config.budget, is_for_commit=is_for_commit)
        files = {path: None if entry is None else entry.content for path, entry in diff.changes.items()}
        limits = ports.settings.limits

        def changed_tree() -> ChangedTree:
            return ChangedTree(ports.github.tree(head, limits.archive_bytes), files)

        tree = VisibleTree(changed_tree, config.review.skip_paths)
        view = RepositoryView(tree, ports.parser, time_left=ports.deadline.left)
        turns = min(limits.tool_turns, _TOOL_TURNS)
        reader = Reader(answers, *ports.settings.models.role("proposal"), view, turns, briefs=("proposal",))
        blocks = review_blocks(proposal, content, self._findings(proposal), diff.before, diff.changes, ports.parser)
        try:
            ruling = _ruling(reader, blocks)
        except OverBudget as error:
            raise Unjudged(words.over_budget(error.limit.name)) from error
        verdict = Verdict(
            decision=ruling.decision,
            notes=self._notes(ruling),
            by=self.us,
            generation=proposal.claim.generation,
            at=ports.deadline.clock.now(),
        )
        return verdict, answers.use

    def _check(self, content: Content, diff: CheckedDiff, config: Config) -> None:
        """Check that the model may see the change. Raises Unjudged."""
        hidden = [path for path in diff.changes if matches_any(path, config.review.skip_paths)]
        if hidden:
            raise Unjudged(words.hidden_from_us(hidden[0]))
        if is_too_long(content):
            raise Unjudged(words.TOO_LONG_FOR_US)

    def _findings(self, proposal: Proposal) -> tuple[Finding, ...]:
        """The findings that a proposal is to fix."""
        ids = proposal.origin.findings if proposal.origin is not None else ()
        try:
            return tuple(known.finding for known in self.ports.ledger.findings() if known.id in ids) if ids else ()
        except UnreadableFindings:
            return ()

    def _notes(self, ruling: ProposalRuling) -> str:
        """The notes as they may be posted."""
        try:
            return outgoing(ruling.notes, handles(self.us.login, ()), ())
        except Withheld as why:
            return words.withheld_notes(str(why))


def _ruling(reader: Reader, blocks: Sequence[Text]) -> ProposalRuling:
    """Ask the model, and once more if its answer cannot be followed. Raises OverBudget, and Unjudged after that."""
    prompts = [load("proposal_part")]
    for _ in range(_TRIES):
        try:
            asked = [*blocks, part_block("proposal", prompts)]
            return read_ruling(converse(reader, asked, is_usable).text)
        except UnusableRuling as why:
            prompts = [load("proposal_part"), load("proposal_again", complaint=str(why))]
    raise Unjudged(words.NOT_REVIEWED)
