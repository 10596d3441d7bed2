"""The lifetime of cached prompts: as long as pays off."""

from collections.abc import Sequence

from kodiai.core.model.messages import CacheLifetime
from kodiai.core.model.prices import Price
from kodiai.core.plan.plan import Batch

_SHORT_SECONDS, _LONG_SECONDS = 300, 3_600
# Assumed of a conversation with some turns of tools.
_CONVERSATION_SECONDS = 60
# How likely a batch is judged: 12 of 23 small pull requests were, and a review that lasts has larger batches.
_LIKELY_JUDGED = 0.9


def cache_lifetime(batches: Sequence[Batch], parallel: int, price: Price) -> CacheLifetime:
    """An hour if the judge, who comes once everything is read, would else find most of what was written gone.

    `parallel` is how many conversations run at once.
    """
    reading = sum(len(batch.reviewers) for batch in batches) * _CONVERSATION_SECONDS / parallel
    is_gone = _SHORT_SECONDS < reading < _LONG_SECONDS
    saved = _LIKELY_JUDGED * (price.cache_write - price.cache_read)
    return "1h" if is_gone and price.hour_write - price.cache_write < saved else "5m"
