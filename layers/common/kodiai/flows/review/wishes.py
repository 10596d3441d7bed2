"""Wishes: what the maintainers ask of reviewers and the judge, in the settings and in the guidance for reviewers."""

from kodiai.core.plan.material import INSTRUCTIONS
from kodiai.core.plan.plan import Batch
from kodiai.core.plan.snapshot import REVIEW_GUIDE
from kodiai.prompts.load import load


def wishes(batch: Batch) -> list[str]:
    """The prompts about what is asked for, which belong to the part of everybody who reads the batch."""
    places = [
        *([f"`{REVIEW_GUIDE}` among the guidance of the base branch"] if batch.has_guide else []),
        *([f'what is listed under "{INSTRUCTIONS}"'] if batch.material.is_instructed else []),
    ]
    asked = [load("wishes", where=", and ".join(places))] if places else []
    return asked if batch.language is None else [*asked, load("language", language=batch.language)]
