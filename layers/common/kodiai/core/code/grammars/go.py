"""Go: what is at the top of a file is a declaration, though the grammar takes statements there."""

import re
from collections.abc import Iterable

from kodiai.core.code.grammar import Grammar, binding, each, named

_OUTLINE = f"""
{named("function_declaration method_declaration")} @function
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
{named("type_spec type_alias")} @type
(import_declaration) @import
(comment) @lead
"""
_NAMES = f"""
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
"""
_STATEMENTS = """
assignment_statement expression_statement for_statement go_statement if_statement inc_statement return_statement
short_var_declaration
"""
_VERSION = re.compile(r"(/v\d+|\.v\d+)$")


def _package_names(path: str) -> Iterable[str]:
    """What the package of a path is called by custom; only its source says it for certain."""
    last = _VERSION.sub("", path).rpartition("/")[2]
    return [last.removeprefix("go-").removesuffix("-go").removesuffix(".go")]


GRAMMAR = Grammar(
    module="tree_sitter_go",
    outline=_OUTLINE,
    names=_NAMES,
    refused=f"(source_file {each(_STATEMENTS)} @refused)",
    import_names=_package_names,
    builtins=frozenset(
        """
        any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32
        float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune
        string true uint uint16 uint32 uint64 uint8 uintptr
        """.split()
    ),
)
