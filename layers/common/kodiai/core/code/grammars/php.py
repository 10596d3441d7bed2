"""PHP: of variables nothing is known, only of functions, classes and constants."""

from kodiai.core.code.grammar import Grammar, binding, each, named

GRAMMAR = Grammar(
    module="tree_sitter_php",
    outline=f"""
        {named("function_definition method_declaration")} @function
        {named("class_declaration")} @class
        {named("interface_declaration")} @interface
        {named("trait_declaration")} @trait
        {named("enum_declaration")} @enum
        (namespace_definition name: (_) @name body: (_)) @module
        (namespace_use_declaration) @import
        (expression_statement
          {each("include_expression include_once_expression require_expression require_once_expression")}) @import
    """,
    names=f"""
        {each("function_definition method_declaration anonymous_function arrow_function")} @scope
        (function_definition name: (_) @own)
        {binding("class_declaration enum_declaration interface_declaration trait_declaration")}
        (program (const_declaration (const_element . (name) @bind)))
        (namespace_use_clause !alias (qualified_name (name) @bind))
        (namespace_use_clause !alias . (name) @bind)
        (namespace_use_clause alias: (_) @bind)
    """,
    references="""
        (binary_expression left: (name) @called right: [
          (encapsed_string . (string_content) @reference .)
          (string . (string_content) @reference .)
        ])
    """,
    words={"reference": "__DIR__"},
    builtins="""
        PHP_EOL PHP_INT_MAX PHP_VERSION abs array_filter array_key_exists array_keys array_map array_merge array_pop
        array_push array_shift array_slice array_unique array_values ceil compact count date define dirname empty end
        error_log exit explode file_exists file_get_contents file_put_contents floor getenv hash header implode in_array
        is_array is_null is_numeric is_string isset json_decode json_encode key list max md5 min number_format parent
        preg_match preg_replace print printf range rename reset round self serialize sha1 shuffle sleep sort sprintf
        str_contains str_ends_with str_replace str_starts_with strlen strpos strtolower strtotime strtoupper substr this
        time trim unlink unserialize unset var_dump
    """,
)
