"""TypeScript: JavaScript and its types; where it has markup (`tsx`), another compiled grammar parses it."""

from dataclasses import replace

from kodiai.core.code.grammar import binding, named
from kodiai.core.code.grammars import javascript

_NAMED = """
abstract_class_declaration enum_declaration function_signature interface_declaration type_alias_declaration
type_parameter
"""

GRAMMAR = replace(
    javascript.GRAMMAR,
    module="tree_sitter_typescript",
    outline=f"""
        {javascript.GRAMMAR.outline}
        {named("function_signature abstract_method_signature")} @function
        (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @function
        (abstract_class_declaration name: (_) @name) @class
        (export_statement declaration: (abstract_class_declaration name: (_) @name)) @class
        {named("interface_declaration")} @interface
        {named("type_alias_declaration")} @type
        {named("enum_declaration")} @enum
        {named("internal_module module")} @module
        (import_alias) @import
    """,
    references=f"""
        {javascript.GRAMMAR.references}
        (import_require_clause source: (string . (string_fragment) @dotted .))
    """,
    names=f"""
        {javascript.NAMES}
        {binding(_NAMED)}
        {binding("internal_module module", "name", "(identifier)")}
        {binding("required_parameter optional_parameter", "pattern", "(identifier)")}
        {binding("import_alias import_require_clause", "", ". (identifier)")}
    """,
    builtins=f"""
        {javascript.GRAMMAR.builtins}
        Awaited Capitalize ConstructorParameters Exclude Extract InstanceType Lowercase NonNullable Omit
        OmitThisParameter Parameters Partial Pick PromiseLike PropertyKey Readonly ReadonlyArray ReadonlyMap
        ReadonlySet Record Required ReturnType ThisParameterType ThisType Uncapitalize Uppercase any bigint boolean
        never number object string symbol unknown void
    """,
)
