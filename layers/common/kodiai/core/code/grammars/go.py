"""Go."""

from kodiai.core.code.grammar import Grammar, binding, each, named

GRAMMAR = Grammar(
    module="tree_sitter_go",
    outline=f"""
        {named("function_declaration method_declaration")} @function
        (type_spec name: (_) @name type: (struct_type)) @struct
        (type_spec name: (_) @name type: (interface_type)) @interface
        {named("type_spec type_alias")} @type
        (import_declaration) @import
    """,
    names=f"""
        {each("function_declaration method_declaration func_literal")} @scope
        (function_declaration name: (_) @own)
        {binding("type_spec type_alias var_spec")}
        {binding("parameter_declaration variadic_parameter_declaration type_parameter_declaration")}
        (const_spec (identifier) @bind)
        (short_var_declaration left: (expression_list (identifier) @bind))
        {each("range_clause receive_statement", 'left: (expression_list (identifier) @bind) ":="')}
        (type_switch_statement alias: (expression_list (identifier) @bind))
        (import_spec name: (package_identifier) @bind)
        (import_spec !name path: (_) @path)
        (import_spec name: (dot)) @open
    """,
    references="(import_spec path: (_) @module)",
    builtins="""
        any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32
        float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune
        string true uint uint16 uint32 uint64 uint8 uintptr
    """,
)
