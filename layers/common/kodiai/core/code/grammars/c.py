"""C, and what C++ shares with it."""

from kodiai.core.code.grammar import Grammar, binding, each

_RECORDS = "struct_specifier union_specifier"
_DECLARES = "declaration init_declarator parameter_declaration function_declarator"

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
    names=f"""
        (function_definition) @scope
        (function_definition declarator: [
          (function_declarator declarator: (identifier) @own)
          (_ declarator: (function_declarator declarator: (identifier) @own))
          (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @own)))
        ])
        {binding(_DECLARES, "declarator", "(identifier)")}
        {binding("pointer_declarator array_declarator", "declarator", "[(identifier) (type_identifier)]")}
        (type_definition declarator: (type_identifier) @bind)
        {each(f"{_RECORDS} enum_specifier", "name: (type_identifier) @bind body: (_)")}
        {binding("enumerator preproc_def preproc_function_def")}
    """,
    builtins="""
        __DATE__ __FILE__ __LINE__ __TIME__ __func__ char double float int long short signed sizeof unsigned void
    """,
)
