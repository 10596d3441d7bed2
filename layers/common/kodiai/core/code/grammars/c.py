"""C, and what C++ shares with it."""

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from kodiai.core.code.grammar import Grammar, each

_RECORDS = "struct_specifier union_specifier"


def _unended_call(text: str, captured: Mapping[str, Sequence[Node]]) -> int | None:  # noqa: ARG001 - see `check`
    """The line of the first call without a semicolon: with another one below it, the grammar takes it for a type."""
    rows = (each.end_point.row for each in captured.get("type", ()))
    starts = (each.start_point.row for each in captured.get("declared", ()))
    return min((row + 1 for row, start in zip(rows, starts, strict=True) if row < start), default=None)


# A function that returns a pointer has its name one level deeper for each star.
GRAMMAR = Grammar(
    module="tree_sitter_c",
    outline=f"""
        [
          (function_definition declarator: (function_declarator declarator: (_) @name))
          (function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name)))
          (function_definition declarator: (_ declarator: (_ declarator: (function_declarator declarator: (_) @name))))
        ] @function
        {each(_RECORDS, "name: (_) @name body: (_)")} @struct
        (type_definition type: {each(_RECORDS, "body: (_)")} declarator: (type_identifier) @name) @struct
        (enum_specifier name: (_) @name body: (_)) @enum
        (type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name) @enum
        (preproc_function_def name: (_) @name) @macro
        (preproc_include) @import
    """,
    references="(preproc_include path: (string_literal (string_content) @reference))",
    builtins="__DATE__ __FILE__ __LINE__ __TIME__ __func__",
    checked="""
        (compound_statement (declaration
          type: (macro_type_specifier) @type declarator: (function_declarator) @declared))
    """,
    check=_unended_call,
    is_preprocessed=True,
)
