"""The questions that reviews ask about code; whatever answers them keeps a hostile file from doing harm."""

from collections.abc import Collection, Sequence
from typing import Protocol

from kodiai.core.code.comments import LineSpan
from kodiai.core.code.data import DataShape
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.names import BoundNames
from kodiai.core.code.outline import Outline
from kodiai.core.code.references import Reference
from kodiai.core.code.statements import ChangedCode


class CodeParser(Protocol):
    """Parses files, each for one question. A file that cannot be parsed is answered as one without a grammar."""

    def outline(self, path: str, lines: Sequence[str]) -> Outline:
        """The outline of a file, by its grammar or else by its indentation."""

    def first_error(self, path: str, lines: Sequence[str]) -> int | None:
        """The 1-based line of the first syntax error, None if there is none. Raises ValueError if nothing can tell."""

    def has_new_error(self, path: str, lines: Sequence[str], then: Sequence[str]) -> bool:
        """Whether a file has a syntax error that it did not have `then`. Raises ValueError if nothing can tell."""

    def identifiers(
        self, path: str, lines: Sequence[str], wanted: Collection[int], *, only_called: bool = False
    ) -> tuple[Identifier, ...] | None:
        """The names on these 1-based lines in their order, or those of calls and types; None without a grammar."""

    def bound_names(self, path: str, lines: Sequence[str], wanted: Collection[str]) -> BoundNames | None:
        """The names that a file binds, and where it binds those that are wanted; None if the file does not parse."""

    def references(self, path: str, lines: Sequence[str]) -> tuple[Reference, ...]:
        """The paths that a file names by where it stands itself; nothing without a grammar."""

    def comment_spans(self, path: str, lines: Sequence[str], *, docstrings: bool) -> tuple[LineSpan, ...]:
        """The comments of a file, with `docstrings` also those of Python; none without a grammar."""

    def changed_code(self, path: str, lines: Sequence[str], then: Sequence[str]) -> ChangedCode | None:
        """The lines whose code changed since `then`, whatever their format; None without a grammar."""

    def shape(self, path: str, lines: Sequence[str]) -> DataShape | None:
        """The shape of a data file, see `core.code.data`; None if nothing can check it. Raises ValueError."""
