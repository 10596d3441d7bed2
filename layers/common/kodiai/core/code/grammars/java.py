"""Java."""

from kodiai.core.code.grammar import Grammar, binding, each, named

_METHODS = "method_declaration constructor_declaration compact_constructor_declaration"
_NAMED = """
annotation_type_declaration catch_formal_parameter class_declaration enhanced_for_statement enum_constant
enum_declaration formal_parameter instanceof_expression interface_declaration record_declaration resource
variable_declarator
"""

GRAMMAR = Grammar(
    module="tree_sitter_java",
    outline=f"""
        {named(_METHODS)} @function
        {named("class_declaration record_declaration")} @class
        {named("interface_declaration annotation_type_declaration")} @interface
        {named("enum_declaration")} @enum
        (import_declaration) @import
    """,
    names=f"""
        {each(f"{_METHODS} lambda_expression")} @scope
        (method_declaration name: (_) @own)
        {binding(_NAMED)}
        (lambda_expression parameters: (identifier) @bind)
        (inferred_parameters (identifier) @bind)
        {each("type_pattern record_pattern_component", "(_) (identifier) @bind")}
        (type_parameter (type_identifier) @bind)
        (import_declaration (scoped_identifier name: (_) @bind) .)
        (import_declaration (scoped_identifier name: (_) @unbound) (asterisk))
        (import_declaration (asterisk)) @open
    """,
    references="(import_declaration [(identifier) (scoped_identifier)] @module)",
    builtins="""
        AssertionError AutoCloseable Boolean Byte CharSequence Character Class ClassCastException Comparable Deprecated
        Double Enum Error Exception Float FunctionalInterface IllegalArgumentException IllegalStateException
        IndexOutOfBoundsException Integer InterruptedException Iterable Long Math NullPointerException Number
        NumberFormatException Object Override Process Runnable Runtime RuntimeException SafeVarargs Short String
        StringBuilder SuppressWarnings System Thread ThreadLocal Throwable UnsupportedOperationException Void
    """,
)
