"""C#: `using` a namespace is its everyday import, so a name that is not told may still be there."""

from kodiai.core.code.grammar import Grammar

_OUTLINE = """
[
  (method_declaration name: (_) @name)
  (constructor_declaration name: (_) @name)
  (destructor_declaration name: (_) @name)
  (local_function_statement name: (_) @name)
  (property_declaration name: (_) @name)
  (operator_declaration operator: _ @name)
  (indexer_declaration "this" @name)
] @function
[(class_declaration name: (_) @name) (record_declaration name: (_) @name)] @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(namespace_declaration name: (_) @name) @module
(using_directive) @import
(comment) @lead
"""
_NAMES = """
[
  (method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression)
  (anonymous_method_expression)
] @scope
[(method_declaration name: (_) @own) (local_function_statement name: (_) @own)]
[
  (class_declaration name: (_) @bind)
  (record_declaration name: (_) @bind)
  (struct_declaration name: (_) @bind)
  (interface_declaration name: (_) @bind)
  (enum_declaration name: (_) @bind)
  (delegate_declaration name: (_) @bind)
  (property_declaration name: (_) @bind)
  (variable_declarator name: (_) @bind)
  (parameter name: (_) @bind)
  (parameter_list name: (_) @bind)
  (implicit_parameter) @bind
  (foreach_statement left: (identifier) @bind)
  (tuple_pattern name: (_) @bind)
  (catch_declaration name: (_) @bind)
  (declaration_pattern name: (_) @bind)
  (declaration_expression name: (_) @bind)
  (from_clause name: (_) @bind)
  (let_clause . (identifier) @bind)
  (type_parameter name: (_) @bind)
  (using_directive name: (_) @bind)
]
(using_directive "static") @open
"""

GRAMMAR = Grammar(
    module="tree_sitter_c_sharp",
    outline=_OUTLINE,
    names=_NAMES,
    builtins=frozenset(
        """
        base bool byte char decimal double dynamic false float int long nameof nint nuint null object sbyte short
        sizeof string this true typeof uint ulong ushort void
        """.split()
    ),
)
