"""Java."""

from kodiai.core.code.grammar import Grammar

_OUTLINE = """
[
  (method_declaration name: (_) @name)
  (constructor_declaration name: (_) @name)
  (compact_constructor_declaration name: (_) @name)
] @function
[(class_declaration name: (_) @name) (record_declaration name: (_) @name)] @class
[(interface_declaration name: (_) @name) (annotation_type_declaration name: (_) @name)] @interface
(enum_declaration name: (_) @name) @enum
(import_declaration) @import
[(line_comment) (block_comment)] @lead
"""
_NAMES = """
[(method_declaration) (constructor_declaration) (compact_constructor_declaration) (lambda_expression)] @scope
(method_declaration name: (_) @own)
[
  (class_declaration name: (_) @bind)
  (record_declaration name: (_) @bind)
  (interface_declaration name: (_) @bind)
  (annotation_type_declaration name: (_) @bind)
  (enum_declaration name: (_) @bind)
  (enum_constant name: (_) @bind)
  (variable_declarator name: (_) @bind)
  (formal_parameter name: (_) @bind)
  (catch_formal_parameter name: (_) @bind)
  (resource name: (_) @bind)
  (enhanced_for_statement name: (_) @bind)
  (lambda_expression parameters: (identifier) @bind)
  (inferred_parameters (identifier) @bind)
  (instanceof_expression name: (_) @bind)
  (type_pattern (_) (identifier) @bind)
  (record_pattern_component (_) (identifier) @bind)
  (type_parameter (type_identifier) @bind)
]
(import_declaration (scoped_identifier name: (_) @bind) .)
(import_declaration (scoped_identifier name: (_) @unbound) (asterisk))
(import_declaration (asterisk)) @open
"""
_REFUSED = """
(program [
  (do_statement) (enhanced_for_statement) (expression_statement) (for_statement) (if_statement)
  (local_variable_declaration) (return_statement) (switch_expression) (throw_statement) (try_statement)
  (while_statement)
] @refused)
"""

GRAMMAR = Grammar(
    module="tree_sitter_java",
    outline=_OUTLINE,
    names=_NAMES,
    refused=_REFUSED,
    builtins=frozenset(
        """
        Appendable ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean Byte
        CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException CloneNotSupportedException
        Cloneable Comparable Deprecated Double Enum Error Exception Float FunctionalInterface
        IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer InterruptedException Iterable
        LinkageError Long Math NegativeArraySizeException NoClassDefFoundError NoSuchFieldException
        NoSuchMethodException NullPointerException Number NumberFormatException Object OutOfMemoryError Override
        Process ProcessBuilder Readable ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs
        SecurityException Short StackOverflowError StackTraceElement String StringBuffer StringBuilder
        StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadGroup ThreadLocal Throwable
        UnsupportedOperationException Void boolean byte char double false float int long null short super this true
        void
        """.split()
    ),
)
