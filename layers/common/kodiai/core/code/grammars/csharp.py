"""C#: `using` a namespace is its everyday import, so a name that the file does not bind may still exist."""

from kodiai.core.code.grammar import Grammar, binding, each, named

_METHODS = """
method_declaration constructor_declaration destructor_declaration local_function_statement property_declaration
"""
_SCOPES = """
method_declaration constructor_declaration local_function_statement lambda_expression anonymous_method_expression
"""
_NAMED = """
catch_declaration class_declaration declaration_expression declaration_pattern delegate_declaration enum_declaration
from_clause interface_declaration parameter parameter_list property_declaration record_declaration struct_declaration
tuple_pattern type_parameter using_directive variable_declarator
"""

GRAMMAR = Grammar(
    module="tree_sitter_c_sharp",
    outline=f"""
        {named(_METHODS)} @function
        [(operator_declaration operator: _ @name) (indexer_declaration "this" @name)] @function
        {named("class_declaration record_declaration")} @class
        {named("struct_declaration")} @struct
        {named("interface_declaration")} @interface
        {named("enum_declaration")} @enum
        {named("delegate_declaration")} @type
        {named("namespace_declaration")} @module
        (using_directive) @import
    """,
    names=f"""
        {each(_SCOPES)} @scope
        {each("method_declaration local_function_statement", "name: (_) @own")}
        {binding(_NAMED)}
        (implicit_parameter) @bind
        (foreach_statement left: (identifier) @bind)
        (let_clause . (identifier) @bind)
        (using_directive "static") @open
    """,
    builtins="""
        base bool byte char decimal double dynamic false float int long nameof nint nuint null object sbyte short
        sizeof string this true typeof uint ulong ushort void
    """,
)
