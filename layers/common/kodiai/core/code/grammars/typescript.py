"""TypeScript: JavaScript and its types."""

from kodiai.core.code.grammar import Grammar
from kodiai.core.code.grammars import javascript

_OUTLINE = """
[
  (function_signature name: (_) @name)
  (abstract_method_signature name: (_) @name)
  (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)])
] @function
[
  (abstract_class_declaration name: (_) @name)
  (export_statement declaration: (abstract_class_declaration name: (_) @name))
] @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
[(internal_module name: (_) @name) (module name: (_) @name)] @module
(import_alias) @import
"""
_NAMES = """
[
  (function_signature name: (_) @bind)
  (abstract_class_declaration name: (_) @bind)
  (interface_declaration name: (_) @bind)
  (type_alias_declaration name: (_) @bind)
  (enum_declaration name: (_) @bind)
  (internal_module name: (identifier) @bind)
  (module name: (identifier) @bind)
  (required_parameter pattern: (identifier) @bind)
  (optional_parameter pattern: (identifier) @bind)
  (type_parameter name: (_) @bind)
  (import_alias . (identifier) @bind)
  (import_require_clause . (identifier) @bind)
]
"""
_BUILTINS = frozenset(
    """
    Awaited Capitalize ConstructorParameters Exclude Extract InstanceType Lowercase NonNullable Omit OmitThisParameter
    Parameters Partial Pick PromiseLike PropertyKey Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required
    ReturnType ThisParameterType ThisType Uncapitalize Uppercase any bigint boolean never number object string symbol
    unknown void
    """.split()
)

GRAMMAR = Grammar(
    module="tree_sitter_typescript",
    symbol="language_typescript",
    outline=javascript.OUTLINE + _OUTLINE,
    names=javascript.NAMES + _NAMES,
    words=javascript.WORDS,
    builtins=javascript.BUILTINS | _BUILTINS,
    refused=javascript.REFUSED,
    check=javascript.misplaced_await,
)
