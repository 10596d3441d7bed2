"""Draft: have the model write the changes that a comment asks for, and propose them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kodiai.core.diffs.diff import affected_files
from kodiai.core.findings.known import KnownFinding
from kodiai.core.model.messages import Text
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
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.result import Acted, Drafted, DraftRequest
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.mention.shown import show_conversation, show_thread, visible_tree
from kodiai.flows.mention.understand import Understood
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.conversation import Reader, converse
from kodiai.flows.proposals.submit import queue_review, store_new, store_revision
from kodiai.prompts.load import load

_TOOL_TURNS = 12
_LONGEST_REQUEST = 8_000
_DRAFTER = Agent(agent_type="kodiai", role="author")


def draft(acted: Acted, session: MentionSession) -> Acted:
    """Draft what is to be drafted, propose it, and have it reviewed: the review shows it.

    A redelivery proposes nothing twice. Nothing is drafted that could not be shown. Raises Retry and Broken.
    """
    context, requests = acted.understood.heard.context, acted.result.drafts
    if not requests or context.pull_request.is_locked:
        return acted
    answers = session.model_answers(context.config)
    drafts = [
        _Draft(acted.understood, request, f"{session.key}-{at}", answers, session)
        for at, request in enumerate(requests)
    ]
    made = [each.make() for each in drafts]
    lines = tuple(line for each in made for line in each.lines)
    proposals = tuple(proposal for each in made for proposal in each.proposals)
    return replace(acted, drafted=Drafted(lines, answers.use.by_model, proposals))


@dataclass(frozen=True)
class _Draft:
    """One draft; `key` names it among all drafts of the repository."""

    understood: Understood
    request: DraftRequest
    key: str
    answers: ModelAnswers
    session: MentionSession

    def make(self) -> Drafted:
        """Draft it, unless that was done; a draft that was not accepted is drafted again.

        An attempt that ended between the proposal and its review has queued none: it is queued once more.
        """
        ports, proposer = self.session.ports, self._heard.commenter.login
        new_id = proposal_id(self.session.mention.repository_id, proposer, self.key)
        made = ports.proposals.get(new_id)
        if made is not None:
            queue_review(made, ports.queue)
            return Drafted(proposals=(new_id,))
        earlier = self._earlier()
        if earlier is not None and earlier.status in ("pending", "claimed"):
            queue_review(earlier, ports.queue)
            return Drafted((words.UNDER_REVIEW,))
        if earlier is not None and earlier.status == "approved":
            return Drafted((words.approved_already(earlier.id, ports.bot_login.removesuffix("[bot]")),))
        try:
            content = self._content(earlier)
        except OverBudget as why:
            return Drafted((words.over_draft_budget(why.limit.name),))
        except _NoDraft as why:
            return Drafted((str(why),))
        return Drafted(proposals=(self._propose(new_id, content, earlier).id,))

    @property
    def _heard(self) -> Heard:
        return self.understood.heard

    def _earlier(self) -> Proposal | None:
        """The newest proposal that fixes the same findings and is not over, None if there is none."""
        ids, mention = self._finding_ids, self.session.mention
        for each in self.session.ports.proposals.of_repository(mention.repository_id) if ids else ():
            is_same = each.number == mention.number and each.origin is not None and each.origin.findings == ids
            if is_same and each.status not in ("applied", "closed"):
                return each
        return None

    @property
    def _request(self) -> str:
        """The comment that asks."""
        return cut(incoming(self.session.comment.text), _LONGEST_REQUEST)

    @property
    def _finding_ids(self) -> tuple[str, ...]:
        return tuple(sorted(each.id for each in self.request.findings))

    def _propose(self, new_id: str, content: Content, earlier: Proposal | None) -> Proposal:
        """Store the proposal, or the revision of an earlier one, and queue its review."""
        mention, ports, clock = self.session.mention, self.session.ports, self.session.ports.deadline.clock
        if earlier is not None:
            return store_revision(earlier, content, earlier.proposer, ports.proposals, ports.queue, clock)
        now = clock.now()
        origin = Origin(
            key=self.key,
            thread=self.understood.thread,
            at=self.session.comment.at,
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
            proposer=Actor(login=self._heard.commenter.login, agent=_DRAFTER),
            intent=content.intent,
            files=affected_files(content.diff),
            content=content.digest,
            origin=origin,
            created=now,
            updated=now,
        )
        return store_new(new, content, ports.proposals, ports.queue)

    def _content(self, earlier: Proposal | None) -> Content:
        """Have the model draft, and once more if its draft does not fit the files. Raises OverBudget, _NoDraft."""
        ports, tree = self.session.ports, visible_tree(self._heard.context, self.session)
        settings, view = ports.settings, RepositoryView(tree, ports.parser, time_left=ports.deadline.left)
        blocks = self._blocks(view, earlier)
        turns = min(settings.limits.tool_turns, _TOOL_TURNS)
        reader = Reader(self.answers, *settings.models.role("draft"), view, turns, briefs=("draft",))
        answer = converse(reader, [*blocks, part_block("draft", [load("draft_part")])]).text
        try:
            return self._read(answer, tree)
        except UnusableDraft as why:
            complaints = "\n".join(f"- {each}" for each in why.complaints)
        prompts = [load("draft_part"), load("draft_again", complaints=complaints, answer=answer)]
        try:
            return self._read(converse(reader, [*blocks, part_block("draft", prompts)]).text, tree)
        except UnusableDraft as why:
            raise _NoDraft(words.NOT_DRAFTED) from why

    def _read(self, answer: str, tree: VisibleTree) -> Content:
        """Read a draft. Raises UnusableDraft, and _NoDraft if the model sees no change to draft."""
        written = read_draft(answer)
        if not written.impossible.strip():
            return content_of(written, tree.read)
        try:
            why = outgoing(written.impossible, self._heard.context.handles, ())
        except Withheld as error:
            raise _NoDraft(words.NOT_DRAFTED) from error
        raise _NoDraft(words.impossible(why))

    def _blocks(self, view: RepositoryView, earlier: Proposal | None) -> Sequence[Text]:
        """The material for the model: the place, what to change, and the earlier draft with the notes on it."""
        context, session = self._heard.context, self.session
        if context.thread is not None:
            discussion = self.understood.discussion or session.ports.github.discussion(session.comment)
            if discussion is None:
                raise session.ended("skipped", "the comment was deleted")
            shown = show_thread(context, discussion, view, session)[0]
        else:
            shown = show_conversation(context, session)[0]
        asked = {"by": session.mention.sender, "said": self._request}
        fixes = [finding_row(each.finding, _state(each, view)) for each in self.request.findings]
        blocks = [
            Text(shown),
            rows_block("What to change", [asked] if self.request.what else fixes),
        ]
        if earlier is not None:
            notes = {"notes": earlier.verdict.notes} if earlier.verdict is not None else {}
            rows = [notes, *map(problem_row, earlier.problems)]
            before = session.ports.proposals.content(earlier)
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
