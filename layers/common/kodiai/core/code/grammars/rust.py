"""Rust: code reaches the members of an `impl` or a `trait` through their type, so they bind no names."""

from kodiai.core.code.grammar import Grammar, binding, each, named

_NAMED = """
const_item const_parameter enum_item macro_definition mod_item static_item struct_item trait_item type_item
type_parameter union_item
"""
_HOLDS = """
closure_parameters mut_pattern ref_pattern reference_pattern slice_pattern tuple_pattern tuple_struct_pattern use_list
"""
_MEMBERS = each("function_item const_item type_item", "name: (_) @unbound")

# `use super::*` in a module of the same file brings names that the file itself binds.
GRAMMAR = Grammar(
    module="tree_sitter_rust",
    outline=f"""
        {named("function_item function_signature_item")} @function
        {named("struct_item union_item")} @struct
        {named("enum_item")} @enum
        {named("trait_item")} @trait
        (impl_item type: (_) @name) @impl
        (mod_item name: (_) @name body: (_)) @module
        {named("type_item")} @type
        {named("macro_definition")} @macro
        [(use_declaration) (extern_crate_declaration)] @import
        (attribute_item) @lead
    """,
    names=f"""
        [(function_item) (closure_expression)] @scope
        (function_item name: (_) @own)
        {binding(_NAMED)}
        {binding("for_expression let_condition let_declaration parameter", "pattern", "(identifier)")}
        {binding(_HOLDS, "", "(identifier)")}
        {binding("captured_pattern match_pattern", "", ". (identifier)")}
        (field_pattern name: (shorthand_field_identifier) @bind)
        (field_pattern pattern: (identifier) @bind)
        (use_declaration argument: [(identifier) @bind (scoped_identifier name: (_) @bind)])
        (use_list (scoped_identifier name: (_) @bind))
        (scoped_use_list path: [(identifier) @bind (scoped_identifier name: (_) @bind)] list: (use_list (self)))
        (extern_crate_declaration !alias name: (_) @bind)
        {binding("extern_crate_declaration use_as_clause", "alias")}
        (tuple_struct_pattern type: (_) @unbound)
        {each("impl_item trait_item", f"body: (declaration_list {_MEMBERS})")}
        (mod_item body: (declaration_list (use_declaration argument: (use_wildcard . (super) .) @unbound)))
        (use_wildcard) @open
    """,
    references="""
        (use_declaration argument: [(scoped_identifier) (scoped_use_list) (use_wildcard)] @module)
        (use_declaration argument: (use_as_clause path: (_) @module))
        (source_file (mod_item !body name: (_) @reference))
        (source_file (attribute_item (attribute value: (_))) . (mod_item !body name: (_) @elsewhere))
        (macro_invocation
          macro: (identifier) @called (token_tree . (string_literal . (string_content) @reference .) .))
    """,
    words={"reference": "include include_bytes include_str"},
    builtins="""
        AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce
        From Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Self Send Sized Some String Sync
        ToOwned ToString Unpin Vec assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert
        debug_assert_eq debug_assert_ne drop env eprint eprintln file format format_args include include_bytes
        include_str line matches module_path option_env panic print println stringify thread_local todo unimplemented
        unreachable vec write writeln
    """,
)
