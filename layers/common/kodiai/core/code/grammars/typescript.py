"""TypeScript: JavaScript and its types."""

from kodiai.core.code.grammar import Grammar, binding, named
from kodiai.core.code.grammars import javascript

_OUTLINE = f"""
{named("function_signature abstract_method_signature")} @function
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @function
[
  (abstract_class_declaration name: (_) @name)
  (export_statement declaration: (abstract_class_declaration name: (_) @name))
] @class
{named("interface_declaration")} @interface
{named("type_alias_declaration")} @type
{named("enum_declaration")} @enum
{named("internal_module module")} @module
(import_alias) @import
"""
_NAMED = """
abstract_class_declaration enum_declaration function_signature interface_declaration type_alias_declaration
type_parameter
"""
_NAMES = f"""
{binding(_NAMED)}
{binding("internal_module module", "name", "(identifier)")}
{binding("required_parameter optional_parameter", "pattern", "(identifier)")}
{binding("import_alias import_require_clause", "", ". (identifier)")}
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
