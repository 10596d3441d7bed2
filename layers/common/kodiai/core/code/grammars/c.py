"""C, and what C++ shares with it."""

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from kodiai.core.code.grammar import Grammar, each

_RECORDS = "struct_specifier union_specifier"


_RESERVED = frozenset(
    b"break case char const continue default do double else enum extern float for goto if int long return short signed "
    b"static struct switch typedef union unsigned void volatile while".split()
)


def misread(source: bytes, captured: Mapping[str, Sequence[Node]]) -> Iterator[Node]:
    """Statements that lack their end, and that the grammar takes for one with the next.

    That is a call that stands for a type, or a reserved word that stands for a name; macros take any word.
    """
    for call, declared in zip(captured.get("type", ()), captured.get("declared", ()), strict=True):
        if call.end_point.row < declared.start_point.row:
            yield call
    for word in captured.get("word", ()):
        if source[word.start_byte : word.end_byte] in _RESERVED and word.parent and word.parent.type != "argument_list":
            yield word


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
        (identifier) @word
        (compound_statement (declaration
          type: (macro_type_specifier) @type declarator: (function_declarator) @declared))
    """,
    check=misread,
    is_preprocessed=True,
)
