"""What a reply means for the finding of its thread: by the table, else as a model reads it."""

from dataclasses import dataclass, field

from kodiai.core.config import BudgetConfig
from kodiai.core.conversation.parsed_comment import ParsedComment
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.thread import Reply
from kodiai.core.errors import Retry
from kodiai.core.model.usage import Usage, cost_usd
from kodiai.flows.mention.heard import Heard
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.budget import allowance, budget_refusal
from kodiai.flows.model.replies import NotRead, ReplyReader
from kodiai.flows.world import World


@dataclass(frozen=True)
class Meant:
    """What a reply says of the finding, None where it decides nothing; and what it took to read it.

    `cost_usd` is None where a model has no price.
    """

    meaning: Meaning | None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0


def meant(world: World, heard: Heard, understood: ParsedComment) -> Meant:
    """Tell what a reply means. A model reads it where it could decide something, and the table does not know it.

    What cannot be read now is left to the next review. Raises Retry where the model is busy and there are more tries.
    """
    known = heard.known
    if understood.meaning or understood.commands or not understood.says_more:
        return Meant(understood.meaning)
    if known is None or not heard.can_be_decided(known) or not heard.could_decide:
        return Meant(None)
    models, budget = world.settings.models, heard.config.budget
    if budget != BudgetConfig() and budget_refusal(models, budget, world.ledger.spending()) is not None:
        return Meant(None)
    answers = ModelAnswers(
        world.model, world.ledger, world.settings, world.deadline, allowance=allowance(world.ledger, budget)
    )
    said = heard.mention.said
    reply = Reply(str(said.id), heard.by, is_bot=False, association="", body=said.text)
    turns = next((each.replies for each in heard.standing.threads if each.finding == known.id), ())
    before = [turn for turn in turns if int(turn.id) < said.id]
    meaning = None
    try:
        meaning = ReplyReader(answers, models.extractor).meaning(known.finding, before, reply)
    except NotRead:
        pass
    except Retry:
        if not world.turn.is_last:
            raise
    usage = sum(answers.usage.values(), Usage())
    return Meant(meaning, usage, cost_usd(answers.usage, models.prices))
