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
    builtins="""
        PHP_EOL PHP_INT_MAX PHP_VERSION abs array_column array_combine array_diff array_fill array_filter array_flip
        array_intersect array_key_exists array_keys array_map array_merge array_pop array_push array_reduce
        array_reverse array_search array_shift array_slice array_splice array_sum array_unique array_unshift
        array_values array_walk basename call_user_func call_user_func_array ceil class_exists compact count date define
        defined dirname empty end error_log exit explode extract fclose fgets file_exists file_get_contents
        file_put_contents floor fopen fread function_exists fwrite get_class getenv hash header htmlspecialchars implode
        in_array is_array is_callable is_file is_null is_numeric is_string isset iterator_to_array json_decode
        json_encode key ksort list ltrim max md5 method_exists microtime min mkdir number_format parent parse_url
        preg_match preg_match_all preg_replace preg_replace_callback preg_split print printf property_exists
        random_bytes random_int range rename reset round rtrim self serialize sha1 shuffle sleep sort sprintf
        str_contains str_ends_with str_pad str_repeat str_replace str_starts_with strcmp strlen strpos strtolower
        strtotime strtoupper substr this time trigger_error trim ucfirst uniqid unlink unserialize unset usort var_dump
    """,
)
