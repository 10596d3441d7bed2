"""C#."""

from kodiai.core.code.grammar import Grammar, named

_METHODS = """
method_declaration constructor_declaration destructor_declaration local_function_statement property_declaration
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
    builtins="base dynamic nameof nint nuint this typeof",
    is_preprocessed=True,
)
