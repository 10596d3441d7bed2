"""PHP: a variable is named with its sign (`$total`), so that it is no function of that name."""

from kodiai.core.code.grammar import Grammar, binding, each, named

_NAMED = """
catch_clause class_declaration enum_declaration interface_declaration property_promotion_parameter simple_parameter
static_variable_declaration trait_declaration variadic_parameter
"""

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
        {binding(_NAMED)}
        {binding("assignment_expression reference_assignment_expression", "left", "(variable_name)")}
        {binding("list_literal global_declaration anonymous_function_use_clause", "", "(variable_name)")}
        (program (const_declaration (const_element . (name) @bind)))
        (anonymous_function_use_clause (by_ref (variable_name) @bind))
        (foreach_statement (_) . [(variable_name) @bind (by_ref (variable_name) @bind)])
        (foreach_statement (_) . (pair [(variable_name) @bind (by_ref (variable_name) @bind)]))
        (namespace_use_clause !alias (qualified_name (name) @bind))
        (namespace_use_clause !alias . (name) @bind)
        (namespace_use_clause alias: (_) @bind)
    """,
    builtins="""
        $GLOBALS $_COOKIE $_ENV $_FILES $_GET $_POST $_REQUEST $_SERVER $_SESSION $this PHP_EOL PHP_INT_MAX PHP_VERSION
        abs array array_column array_combine array_diff array_diff_key array_fill array_filter array_flip
        array_intersect array_key_exists array_keys array_map array_merge array_pop array_push array_reduce
        array_reverse array_search array_shift array_slice array_sort array_splice array_sum array_unique array_unshift
        array_values array_walk arsort asort basename bin2hex bool call_user_func call_user_func_array ceil
        class_exists compact count date define defined die dirname echo empty end error_log exit explode extract false
        fclose feof fgets file_exists file_get_contents file_put_contents filter_var float floor fopen fread
        func_get_args function_exists fwrite get_class get_object_vars getenv hash header htmlspecialchars implode
        in_array int intdiv is_array is_bool is_callable is_dir is_file is_float is_int is_null is_numeric is_object
        is_string isset iterable iterator_to_array json_decode json_encode key krsort ksort lcfirst list ltrim max
        md5 method_exists microtime min mixed mkdir mt_rand never null number_format ob_get_clean ob_start object
        parent parse_str parse_url password_hash password_verify preg_match preg_match_all preg_quote preg_replace
        preg_replace_callback preg_split print print_r printf property_exists rand random_bytes random_int range
        rawurlencode realpath rename reset round rsort rtrim self serialize sha1 shuffle sleep sort spl_object_id
        sprintf static str_contains str_ends_with str_pad str_repeat str_replace str_split str_starts_with strcasecmp
        strcmp string stripos strlen strpos strrev strrpos strstr strtolower strtotime strtoupper strtr strval substr
        substr_count sys_get_temp_dir tempnam time trigger_error trim true uasort ucfirst ucwords uksort uniqid unlink
        unserialize unset urldecode urlencode usleep usort var_dump var_export version_compare void vsprintf
    """,
)
