"""Draft: have the model write the changes that a comment asks for, and propose them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from kodiai.core.diffs.diff import affected_files
from kodiai.core.findings.known import KnownFinding
from kodiai.core.model.messages import Text, Usage
from kodiai.core.outcome import Ended
from kodiai.core.plan.earlier import nearest_place
from kodiai.core.plan.material import part_block, rows_block
from kodiai.core.proposals.draft import UnusableDraft, content_of, read_draft
from kodiai.core.proposals.material import finding_row, problem_row
from kodiai.core.proposals.proposal import Actor, Agent, Content, Origin, Proposal, proposal_id
from kodiai.core.repository.tree import VisibleTree
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.incoming import cut, incoming
from kodiai.core.text.outgoing import Withheld, outgoing
from kodiai.core.words import proposals as words
from kodiai.flows.mention.decisions import DraftRequest, MentionResult
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.shown import show_conversation, show_thread
from kodiai.flows.mention.understand import Intent
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.flows.proposals.submit import queue_review, store_new, store_revision
from kodiai.ports import GitHub, JobQueue, Ledger, Model, ProposalStore
from kodiai.prompts.load import load

_TOOL_TURNS = 12
_LONGEST_REQUEST = 8_000
_DRAFTER = Agent(agent_type="kodiai", role="author")


@dataclass(frozen=True)
class Drafted:
    """What to say about drafts, what they took, by model, and the ids of the proposals that were made."""

    lines: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    proposals: tuple[str, ...] = ()


def draft(
    context: MentionContext,
    commenter: Commenter,
    intent: Intent,
    result: MentionResult,
    github: GitHub,
    ledger: Ledger,
    model: Model,
    store: ProposalStore,
    queue: JobQueue,
) -> Drafted:
    """Draft what is to be drafted, propose it, and have it reviewed: the review shows it.

    A redelivery proposes nothing twice. Nothing is drafted that could not be shown. Raises Retry and Broken.
    """
    if not result.drafts or context.pull_request.is_locked:
        return Drafted()
    answers = ModelAnswers(model, ledger, context.settings, context.deadline, budget=context.config.budget)
    drafts = [
        _Draft(context, commenter, intent, request, f"{context.key}-{at}", github, ledger, answers, store, queue)
        for at, request in enumerate(result.drafts)
    ]
    made = [each.make() for each in drafts]
    return Drafted(
        tuple(each.line for each in made if each.line),
        answers.use.by_model,
        tuple(each.proposal for each in made if each.proposal),
    )


@dataclass(frozen=True)
class _Made:
    """What became of one draft: a line to say, or the id of the proposal."""

    line: str = ""
    proposal: str = ""


@dataclass(frozen=True)
class _Draft:
    """One draft; `key` names it among all drafts of the repository."""

    context: MentionContext
    commenter: Commenter
    intent: Intent
    request: DraftRequest
    key: str
    github: GitHub
    ledger: Ledger
    answers: ModelAnswers
    store: ProposalStore
    queue: JobQueue

    def make(self) -> _Made:
        """Draft it, unless that was done; a draft that was not accepted is drafted again.

        An attempt that ended between the proposal and its review has queued none: it is queued once more.
        """
        new_id = proposal_id(self.context.mention.repository_id, self.commenter.login, self.key)
        made = self.store.get(new_id)
        if made is not None:
            queue_review(made, self.queue)
            return _Made(proposal=new_id)
        earlier = self._earlier()
        if earlier is not None and earlier.status in ("pending", "claimed"):
            queue_review(earlier, self.queue)
            return _Made(words.UNDER_REVIEW)
        if earlier is not None and earlier.status == "approved":
            us = self.context.bot_login.removesuffix("[bot]")
            return _Made(words.approved_already(earlier.id, us))
        try:
            content = self._content(earlier)
        except OverBudget as why:
            return _Made(words.over_draft_budget(why.limit.name))
        except _NoDraft as why:
            return _Made(str(why))
        return _Made(proposal=self._propose(new_id, content, earlier).id)

    def _earlier(self) -> Proposal | None:
        """The newest proposal that fixes the same findings and is not over, None if there is none."""
        ids = self._finding_ids
        if not ids:
            return None
        mention = self.context.mention
        return next(
            (
                each
                for each in self.store.of_repository(mention.repository_id)
                if each.number == mention.number
                and each.origin is not None
                and each.origin.findings == ids
                and each.status not in ("applied", "closed")
            ),
            None,
        )

    @property
    def _request(self) -> str:
        """The comment that asks."""
        return cut(incoming(self.context.comment.text), _LONGEST_REQUEST)

    @property
    def _finding_ids(self) -> tuple[str, ...]:
        return tuple(sorted(each.id for each in self.request.findings))

    def _propose(self, new_id: str, content: Content, earlier: Proposal | None) -> Proposal:
        """Store the proposal, or the revision of an earlier one, and queue its review."""
        mention, context = self.context.mention, self.context
        clock = context.deadline.clock
        if earlier is not None:
            return store_revision(earlier, content, earlier.proposer, self.store, self.queue, clock)
        now = clock.now()
        origin = Origin(
            key=self.key,
            thread=self.intent.thread,
            at=context.comment.at,
            findings=self._finding_ids,
            installation=mention.installation,
            request=self._request if self.request.what else "",
        )
        new = Proposal(
            id=new_id,
            repository=mention.repository,
            repository_id=mention.repository_id,
            owner_id=mention.owner_id,
            number=mention.number,
            proposer=Actor(login=self.commenter.login, agent=_DRAFTER),
            intent=content.intent,
            files=affected_files(content.diff),
            content=content.digest,
            origin=origin,
            created=now,
            updated=now,
        )
        return store_new(new, content, self.store, self.queue)

    def _content(self, earlier: Proposal | None) -> Content:
        """Have the model draft, and once more if its draft does not fit the files. Raises OverBudget, _NoDraft."""
        context = self.context
        settings, config = context.settings, context.config
        limit = settings.limits.archive_bytes
        tree = VisibleTree(partial(self.github.tree, context.pull_request.head, limit), config.review.skip_paths)
        blocks = self._blocks(RepositoryView(tree, context.parser), earlier)
        turns = min(settings.limits.tool_turns, _TOOL_TURNS)
        reader = Reader(self.answers, *settings.models.role("draft"), tree, turns, briefs=("draft",))
        answer = converse(reader, [*blocks, part_block("draft", [load("draft_part")])], ()).text
        try:
            return self._read(answer, tree)
        except UnusableDraft as why:
            complaints = "\n".join(f"- {each}" for each in why.complaints)
        prompts = [load("draft_part"), load("draft_again", complaints=complaints, answer=answer)]
        try:
            return self._read(converse(reader, [*blocks, part_block("draft", prompts)], ()).text, tree)
        except UnusableDraft as why:
            raise _NoDraft(words.NOT_DRAFTED) from why

    def _read(self, answer: str, tree: VisibleTree) -> Content:
        """Read a draft. Raises UnusableDraft, and _NoDraft if the model sees no change to draft."""
        written = read_draft(answer)
        if not written.impossible.strip():
            return content_of(written, tree.read)
        try:
            why = outgoing(written.impossible, self.context.handles, ())
        except Withheld as error:
            raise _NoDraft(words.NOT_DRAFTED) from error
        raise _NoDraft(words.impossible(why))

    def _blocks(self, view: RepositoryView, earlier: Proposal | None) -> Sequence[Text]:
        """What the model is shown: the place, what to change, and the earlier draft with what was said about it."""
        context, intent = self.context, self.intent
        if context.thread is not None:
            discussion = intent.discussion or self.github.discussion(context.comment)
            if discussion is None:
                raise Ended("skipped", "it was deleted", {"key": context.key})
            shown = show_thread(context, discussion, view)[0]
        else:
            shown = show_conversation(context, self.github, self.ledger)[0]
        said = {"by": context.mention.sender, "said": self._request}
        fixes = [finding_row(each.finding, _state(each, view)) for each in self.request.findings]
        blocks = [
            Text(shown),
            rows_block("What to change", [said] if self.request.what else fixes),
        ]
        if earlier is not None:
            notes = {"notes": earlier.verdict.notes} if earlier.verdict is not None else {}
            rows = [notes, *map(problem_row, earlier.problems)]
            before = self.store.content(earlier)
            diff = "\n".join(f"| {line}" for line in before.diff.split("\n"))
            blocks.append(rows_block("Why your earlier draft was not accepted", filter(None, rows)))
            blocks.append(Text(f"# Your earlier draft\n\n{diff}"))
        return blocks


def _state(finding: KnownFinding, view: RepositoryView) -> str:
    """Where the code of a finding is now."""
    place = nearest_place(finding.finding, view.lines)
    return "its code is gone" if place is None else f"stands at line {place.start_line}"


class _NoDraft(Exception):
    """There is no draft; the text is for the person."""
