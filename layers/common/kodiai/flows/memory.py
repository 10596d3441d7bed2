"""Memory: embeddings and index within three seconds of a run; whatever fails, the run goes on without them."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

from kodiai.core.config.keys import Config
from kodiai.core.errors import KodiaiError
from kodiai.core.memory.remembered import Neighbor, RememberedFinding, Vector
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.ports.models import Embeddings
from kodiai.ports.stores import RepositoryMemory, VectorIndex

_SECONDS = 3.0
_AT_ONCE = 8

T = TypeVar("T")


def open_memory(ports: PullRequestPorts, config: Config) -> "Memory":
    """The memory of one run; a repository that wants no retrieval has none."""
    on = config.knowledge.retrieval.enabled
    return Memory(ports.embeddings, ports.index, ports.memory) if on else Memory(None, None, ports.memory)


class Memory:
    """The memory of one run. `problem` says why it was not available, None while nothing has failed.

    `embeddings` and `index` are None where the deployment or the repository has no memory; a function that embeds
    nothing has an index alone. `store` says which findings of the index are still remembered.
    """

    def __init__(self, embeddings: Embeddings | None, index: VectorIndex | None, store: RepositoryMemory) -> None:
        self._embeddings = embeddings
        self._index = index
        self.store = store
        self._left = _SECONDS
        self.problem: str | None = None

    @property
    def index_name(self) -> str | None:
        """The name of the index, None where there is none."""
        return self._index.name if self._index is not None else None

    def nearest(
        self, texts: Sequence[str], repository_ids: Sequence[int], most: int, *, only_judged: bool = False
    ) -> list[tuple[Neighbor, ...]]:
        """The findings of these repositories that are nearest to each text; none where the memory is not available.

        Vectors have no expiry: those of findings that are no longer remembered are left out, and deleted.
        """
        embeddings, index = self._embeddings, self._index
        if embeddings is None or index is None:
            return [() for _ in texts]

        def find(text: str) -> tuple[Neighbor, ...]:
            return index.nearest(embeddings.embed(text, "query"), repository_ids, most, only_judged=only_judged)

        found = self._within_time([partial(find, text) for text in texts]) or []
        there = {each.remembered.key: each.remembered for near in found for each in near}
        if not there:
            return [() for _ in texts]
        answer = self._within_time([partial(self.store.kept, list(there.values()))])
        if answer is None:
            return [() for _ in texts]
        [kept] = answer
        if gone := [key for key in there if key not in kept]:
            self.delete(gone)
        return [tuple(each for each in near if each.remembered.key in kept) for near in found]

    def may_have_precedents(self) -> bool:
        """Whether a finding may have precedents: not where people dismissed too few, or the memory is not available."""
        is_there = self._embeddings is not None and self._index is not None
        return is_there and self._within_time([self.store.dismissals_suffice]) == [True]

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """The vectors that the index has of these keys."""
        index = self._index
        if index is None or not keys:
            return {}
        found = self._within_time([partial(index.vectors, keys)])
        return found[0] if found else {}

    def embedded(self, texts: Sequence[str]) -> list[Vector] | None:
        """The vectors of texts that are to be found later; None where they cannot be had now."""
        embeddings = self._embeddings
        if embeddings is None:
            return None
        return self._within_time([partial(embeddings.embed, text, "document") for text in texts])

    def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> bool:
        """Write findings to the index; False where that failed."""
        index = self._index
        return index is not None and self._within_time([partial(index.put, findings)]) is not None

    def delete(self, keys: Sequence[str]) -> bool:
        """Delete from the index; False where that failed."""
        index = self._index
        return index is not None and self._within_time([partial(index.delete, keys)]) is not None

    def _within_time(self, tasks: Sequence[Callable[[], T]]) -> list[T] | None:
        """Do independent tasks at once; None, with the problem noted, if one fails or the time is up."""
        if self.problem is not None:
            return None
        if not tasks:
            return []
        began = time.monotonic()
        pool = ThreadPoolExecutor(min(len(tasks), _AT_ONCE))
        futures = [pool.submit(task) for task in tasks]
        done, late = wait(futures, timeout=self._left)
        pool.shutdown(wait=False, cancel_futures=True)  # what hangs ends by the time-outs of its client
        self._left -= time.monotonic() - began
        errors = [error for future in done if (error := future.exception()) is not None]
        unforeseen = [error for error in errors if not isinstance(error, KodiaiError)]
        if unforeseen:
            raise unforeseen[0]
        if errors or late:
            self.problem = str(errors[0]).rstrip(".") if errors else f"no answer within {_SECONDS:.0f} seconds"
            return None
        return [future.result() for future in futures]
