"""One language for the parser: its compiled grammar, and the queries that are run on its trees."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal

from tree_sitter import Language, Node, Query

QueryName = Literal["outline", "names", "references", "checked", "comments", "docstrings"]


def each(kinds: str, within: str = "") -> str:
    """A pattern for nodes of any of these kinds, with the same within: "[(kind within) (kind within)]"."""
    return f"[{' '.join(f'({kind} {within})' for kind in kinds.split())}]"


def named(kinds: str) -> str:
    """A pattern for nodes of these kinds by the `@name` that is in their field `name`."""
    return each(kinds, "name: (_) @name")


def binding(kinds: str, field: str = "name", what: str = "(_)") -> str:
    """A pattern for nodes of these kinds that bind what is in a field of theirs, "" for any child."""
    return each(kinds, f"{field}{': ' if field else ''}{what} @bind")


@dataclass(frozen=True)
class Grammar:
    """One language: where its compiled grammar is, and queries in tree-sitter's own language.

    `outline` captures what defines under its kind (`@function`, `@class`, …) together with its `@name`, imports as
    `@import`, and what belongs to the definition below it, besides comments, as `@lead`.
    `names` captures names that are bound: `@own` is the name of the function that is a `@scope` itself, `@bind` any
    other, `@path` the path of an import that gives no name. `@unbound` takes back what another pattern took; `@open`
    is an import that brings names without listing them. A language whose imports never list names has no such query.
    `references` captures each path from the file's own folder as `@reference`, as `@dotted` if it is one only where it
    begins with a dot; `@elsewhere` takes it back. What stands before it may be the `@folder`. `@module` is the name of
    an imported module, from wherever the language begins to search.
    If a pattern captures what is `@called`, that has to be one of the `words` for what else it captures.
    `check` finds what the grammar accepts and a compiler does not, by the source and by what the query `checked`
    captures. `refused` is a compiler itself, which gives the 1-based line of the first error in a text.
    `is_preprocessed` is whether a compiler leaves out lines of a file, as its conditionals say.
    Source: https://tree-sitter.github.io/tree-sitter/using-parsers/queries/
    """

    module: str
    outline: str
    builtins: str
    names: str = ""
    references: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    checked: str = ""
    check: Callable[[bytes, Mapping[str, Sequence[Node]]], Iterable[Node]] | None = None
    refused: Callable[[str], int | None] | None = None
    is_preprocessed: bool = False


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of a language that `language_of` names; its compiled library is not loaded yet."""
    module = "typescript" if language == "tsx" else language
    grammar: Grammar = import_module(f"kodiai.core.code.grammars.{module}").GRAMMAR
    return grammar


@cache
def compiled(language: str) -> Language:
    """The compiled grammar; imported when it is asked for, since each is a library of up to 6 MB."""
    module = import_module(grammar_of(language).module)
    pointer = getattr(module, f"language_{language}", None) or module.language
    return Language(pointer())


@cache
def query(language: str, name: QueryName) -> Query:
    """One of the language's queries, ready to run on trees.

    `comments` captures every `@comment`; `docstrings`, of Python only, texts that are statements of their own.
    """
    grammar, parser = grammar_of(language), compiled(language)
    kinds = {
        parser.node_kind_for_id(number) or ""
        for number in range(parser.node_kind_count)
        if parser.node_kind_is_named(number) and parser.node_kind_is_visible(number)
    }
    comments = each(" ".join(sorted(kind for kind in kinds if "comment" in kind)))
    texts = {
        "outline": f"{grammar.outline} {comments} @lead",
        "names": grammar.names,
        "references": grammar.references,
        "checked": grammar.checked,
        "comments": f"{comments} @comment",
        "docstrings": "(expression_statement . (string) @docstring .)",
    }
    return Query(parser, texts[name])


def inside(nodes: Iterable[Node], scopes: Iterable[Node]) -> Iterator[tuple[Node, list[Node]]]:
    """Each of the nodes with the scopes around it, innermost last, in the order of the source."""
    around: list[Node] = []
    every = [*((scope, True) for scope in scopes), *((node, False) for node in nodes)]
    for node, is_scope in sorted(every, key=lambda one: one[0].start_byte):
        while around and around[-1].end_byte <= node.start_byte:
            around.pop()
        if is_scope:
            around.append(node)
        else:
            yield node, around
