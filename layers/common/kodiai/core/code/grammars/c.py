"""C, and what C++ shares with it."""

from kodiai.core.code.grammar import Grammar, each

_RECORDS = "struct_specifier union_specifier"

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
    builtins="__DATE__ __FILE__ __LINE__ __TIME__ __func__",
    is_preprocessed=True,
)
