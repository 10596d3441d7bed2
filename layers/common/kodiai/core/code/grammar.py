"""What is known of one language beside its grammar: the questions that are put to a tree, and the answers given."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal

from tree_sitter import Language, Node, Query

Question = Literal["outline", "names", "refused"]


def _nothing(text: str, captured: Mapping[str, Sequence[Node]]) -> int | None:  # noqa: ARG001 - see `check`
    return None


def _last_part(path: str) -> Iterable[str]:
    return [path.rpartition("/")[2]]


def each(kinds: str, within: str = "") -> str:
    """A pattern for nodes of any of these kinds, with the same within: "[(kind within) (kind within)]"."""
    return f"[{' '.join(f'({kind} {within})' for kind in kinds.split())}]"


def named(kinds: str, field: str = "name") -> str:
    """A pattern for nodes of these kinds by the `@name` that is in a field of theirs."""
    return each(kinds, f"{field}: (_) @name")


def binding(kinds: str, field: str = "name", what: str = "(_)") -> str:
    """A pattern for nodes of these kinds that bind what is in a field of theirs, "" for any child."""
    return each(kinds, f"{field}{': ' if field else ''}{what} @bind")


@dataclass(frozen=True)
class Grammar:
    """One language: where its compiled grammar is, and queries in tree-sitter's own language.

    `outline` captures what defines under its kind (`@function`, `@class`, …) together with its `@name`, imports as
    `@import`, and what stands above a definition and belongs to it (comments, attributes) as `@lead`.
    `names` captures names that are bound: `@own` is the name of the function that is a `@scope` itself, `@bind` any
    other, `@path` the path of an import that says no name. `@unbound` takes back what another pattern took; `@open`
    is an import that brings names which it does not say.
    Where a pattern captures what is `@called`, that has to be one of the `words` for what else it captures.
    `refused` captures, as `@refused`, what the grammar takes and a compiler does not. `check` finds more of it, by the
    text and the other captures of that query, and says its 1-based line.
    `import_names` are the names that the path of an import may stand for.
    Source: https://tree-sitter.github.io/tree-sitter/using-parsers/queries/
    """

    module: str
    outline: str
    names: str
    builtins: frozenset[str]
    symbol: str = "language"
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    refused: str = ""
    check: Callable[[str, Mapping[str, Sequence[Node]]], int | None] = _nothing
    import_names: Callable[[str], Iterable[str]] = _last_part


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of a language that `language_of` names; only its tables are imported."""
    grammar: Grammar = import_module(f"kodiai.core.code.grammars.{language}").GRAMMAR
    return grammar


@cache
def compiled(language: str) -> Language:
    """The compiled grammar; imported when it is asked for, since each is a library of up to 6 MB."""
    grammar = grammar_of(language)
    return Language(getattr(import_module(grammar.module), grammar.symbol)())


@cache
def query(language: str, question: Question) -> Query:
    """One of the language's questions, ready to be put to trees."""
    text: str = getattr(grammar_of(language), question)
    return Query(compiled(language), text)
