"""Rust: what stands in an `impl` or a `trait` is reached through its type, so it binds no name."""

from kodiai.core.code.grammar import Grammar

_OUTLINE = """
[(function_item name: (_) @name) (function_signature_item name: (_) @name)] @function
[(struct_item name: (_) @name) (union_item name: (_) @name)] @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(mod_item name: (_) @name body: (_)) @module
(type_item name: (_) @name) @type
(macro_definition name: (_) @name) @macro
[(use_declaration) (extern_crate_declaration)] @import
[(line_comment) (block_comment) (attribute_item)] @lead
"""
# `use super::*` in a module of the same file brings what is told here anyway.
_NAMES = """
[(function_item) (closure_expression)] @scope
(function_item name: (_) @own)
[
  (struct_item name: (_) @bind)
  (union_item name: (_) @bind)
  (enum_item name: (_) @bind)
  (trait_item name: (_) @bind)
  (type_item name: (_) @bind)
  (mod_item name: (_) @bind)
  (macro_definition name: (_) @bind)
  (const_item name: (_) @bind)
  (static_item name: (_) @bind)
  (type_parameter name: (_) @bind)
  (const_parameter name: (_) @bind)
  (parameter pattern: (identifier) @bind)
  (closure_parameters (identifier) @bind)
  (let_declaration pattern: (identifier) @bind)
  (let_condition pattern: (identifier) @bind)
  (for_expression pattern: (identifier) @bind)
  (tuple_pattern (identifier) @bind)
  (tuple_struct_pattern (identifier) @bind)
  (slice_pattern (identifier) @bind)
  (captured_pattern . (identifier) @bind)
  (ref_pattern (identifier) @bind)
  (mut_pattern (identifier) @bind)
  (reference_pattern (identifier) @bind)
  (match_pattern . (identifier) @bind)
  (field_pattern name: (shorthand_field_identifier) @bind)
  (field_pattern pattern: (identifier) @bind)
  (use_declaration argument: (identifier) @bind)
  (use_declaration argument: (scoped_identifier name: (_) @bind))
  (use_as_clause alias: (_) @bind)
  (use_list (identifier) @bind)
  (use_list (scoped_identifier name: (_) @bind))
  (scoped_use_list path: (identifier) @bind list: (use_list (self)))
  (scoped_use_list path: (scoped_identifier name: (_) @bind) list: (use_list (self)))
  (extern_crate_declaration !alias name: (_) @bind)
  (extern_crate_declaration alias: (_) @bind)
]
[
  (tuple_struct_pattern type: (_) @unbound)
  (impl_item body: (declaration_list [
    (function_item name: (_) @unbound) (const_item name: (_) @unbound) (type_item name: (_) @unbound)
  ]))
  (trait_item body: (declaration_list [
    (function_item name: (_) @unbound) (const_item name: (_) @unbound)
  ]))
  (mod_item body: (declaration_list (use_declaration argument: (use_wildcard . (super) .) @unbound)))
]
(use_wildcard) @open
"""
_REFUSED = """
(source_file [
  (let_declaration)
  (expression_statement [
    (assignment_expression) (call_expression) (for_expression) (if_expression) (match_expression) (return_expression)
    (while_expression)
  ])
] @refused)
"""

GRAMMAR = Grammar(
    module="tree_sitter_rust",
    outline=_OUTLINE,
    names=_NAMES,
    refused=_REFUSED,
    builtins=frozenset(
        """
        AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce
        From Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Self Send Sized Some String Sync
        ToOwned ToString Unpin Vec assert assert_eq assert_ne bool cfg char column compile_error concat crate dbg
        debug_assert debug_assert_eq debug_assert_ne drop env eprint eprintln f32 f64 false file format format_args i128
        i16 i32 i64 i8 include include_bytes include_str isize line matches module_path option_env panic print println
        self stringify str super thread_local todo true u128 u16 u32 u64 u8 unimplemented unreachable usize vec write
        writeln
        """.split()
    ),
)
