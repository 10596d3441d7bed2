"""Kept surroundings: the code around the changes of a run, prepared once for all messages that the run takes."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.show import show_file
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.secrets import secret_in


@dataclass(frozen=True)
class CodeAround:
    """The code around the changes of one batch, as the model is shown it, and what was left out, by reason."""

    text: str
    left_out: Mapping[str, int]


Prepared = Mapping[str, CodeAround]
"""The code around the changes of batches, by keys that `KeptSurroundings` gives them."""


class ShowsCode(Protocol):
    """Shows the code around changes, see `Surroundings.of`."""

    def of(self, files: Sequence[ChangedFile]) -> tuple[str, Counter[str]]:
        """The code around the changes of a batch, and how many of each kind were left out."""


class KeptSurroundings:
    """The surroundings of a run's batches; those that an earlier message `prepared` stay as they are.

    They depend on the time that was left, so that preparing them again could make other questions of the same ones.
    `settings` is a key of what they depend on apart from the changes.
    """

    def __init__(
        self, batches: Iterable[Sequence[ChangedFile]], view: RepositoryView, prepared: Prepared, settings: str
    ) -> None:
        self.batches = tuple(batches)
        self._view = view
        self._before = prepared
        self._settings = settings
        self._now: list[tuple[Sequence[ChangedFile], CodeAround]] = []

    def of(self, files: Sequence[ChangedFile]) -> tuple[str, Counter[str]]:
        """The code around the changes of a batch, and how many of each kind were left out."""
        around = self._before.get(self._key(files)) if self._before else None
        if around is None:
            around = CodeAround(*self._surroundings.of(files))
            self._now.append((files, around))
        return around.text, Counter(around.left_out)

    def to_keep(self) -> Prepared:
        """Everything that is prepared by now, nothing if it is kept already; code with a secret is not to be kept."""
        fit = [each for each in self._now if secret_in(each[1].text) is None]
        now = {self._key(files): around for files, around in fit}
        return {**self._before, **now} if now else {}

    @cached_property
    def _surroundings(self) -> Surroundings:
        return Surroundings(self._view)

    def _key(self, files: Sequence[ChangedFile]) -> str:
        shown = json.dumps([self._settings, *map(show_file, files)])
        return hashlib.sha256(shown.encode()).hexdigest()[:32]
