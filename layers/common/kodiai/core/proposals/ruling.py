"""Our own verdict on a proposal, as the model writes it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from kodiai.core.model.json_answer import UnreadableAnswer, read_object

_MOST_WORDS = 250


class ProposalRuling(BaseModel):
    """Whether the change should be made; `checks` are what was looked at, and `notes` what has to be different."""

    model_config = ConfigDict(frozen=True)

    decision: Literal["approve", "request_changes"]
    checks: tuple[str, ...] = ()
    notes: str = ""


class UnusableRuling(ValueError):
    """The answer is no ruling that can be followed; the text is a sentence for the model."""


def read_ruling(text: str) -> ProposalRuling:
    """Read a model's answer, which may have words around the object. Raises UnusableRuling."""
    try:
        ruling = ProposalRuling.model_validate(read_object(text, "checks"))
    except (UnreadableAnswer, ValidationError) as error:
        raise UnusableRuling("The answer is not the object that is described.") from error
    if ruling.decision == "request_changes" and not ruling.notes.strip():
        raise UnusableRuling("`request_changes` requires `notes` that say what has to be different.")
    if len(ruling.notes.split()) > _MOST_WORDS:
        raise UnusableRuling(f"`notes` has more than {_MOST_WORDS} words.")
    return ruling


def is_usable(text: str) -> bool:
    """Whether an answer can be followed."""
    try:
        read_ruling(text)
    except UnusableRuling:
        return False
    return True
