"""C, and what C++ shares with it."""

from kodiai.core.code.grammar import Grammar

# A function that returns a pointer has its name one level deeper for each star.
OUTLINE = """
[
  (function_definition declarator: (function_declarator declarator: (_) @name))
  (function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name)))
  (function_definition declarator: (_ declarator: (_ declarator: (function_declarator declarator: (_) @name))))
] @function
[
  (struct_specifier name: (_) @name body: (_))
  (union_specifier name: (_) @name body: (_))
  (type_definition type: (struct_specifier body: (_)) declarator: (type_identifier) @name)
  (type_definition type: (union_specifier body: (_)) declarator: (type_identifier) @name)
] @struct
[
  (enum_specifier name: (_) @name body: (_))
  (type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name)
] @enum
(preproc_function_def name: (_) @name) @macro
(preproc_include) @import
(comment) @lead
"""
NAMES = """
(function_definition) @scope
(function_definition declarator: (function_declarator declarator: (identifier) @own))
(function_definition declarator: (_ declarator: (function_declarator declarator: (identifier) @own)))
(function_definition declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @own))))
[
  (declaration declarator: (identifier) @bind)
  (init_declarator declarator: (identifier) @bind)
  (parameter_declaration declarator: (identifier) @bind)
  (pointer_declarator declarator: [(identifier) (type_identifier)] @bind)
  (array_declarator declarator: [(identifier) (type_identifier)] @bind)
  (function_declarator declarator: (identifier) @bind)
  (type_definition declarator: (type_identifier) @bind)
  (struct_specifier name: (type_identifier) @bind body: (_))
  (union_specifier name: (type_identifier) @bind body: (_))
  (enum_specifier name: (type_identifier) @bind body: (_))
  (enumerator name: (_) @bind)
  (preproc_def name: (_) @bind)
  (preproc_function_def name: (_) @bind)
]
"""
REFUSED = """
(translation_unit [
  (do_statement) (for_statement) (if_statement) (return_statement) (switch_statement) (while_statement)
] @refused)
"""
BUILTINS = frozenset(
    """
    __DATE__ __FILE__ __LINE__ __TIME__ __func__ char double float int long short signed sizeof unsigned void
    """.split()
)

GRAMMAR = Grammar(module="tree_sitter_c", outline=OUTLINE, names=NAMES, refused=REFUSED, builtins=BUILTINS)
