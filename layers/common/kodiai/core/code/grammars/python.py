"""Python: its compiler is at hand, and says more than the grammar, which takes Python 2 too."""

import builtins
import warnings

from kodiai.core.code.grammar import Grammar, binding, each

_PARAMETER = """(type [
  (identifier) @bind (constrained_type . (type (identifier) @bind)) (splat_type (identifier) @bind)
])"""
# A method and an attribute of a class are reached through an object only, so they bind no name.
_HOLDS = """
as_pattern_target dictionary_splat_pattern lambda_parameters list_pattern list_splat_pattern parameters pattern_list
tuple_pattern
"""
# Names of the interactive interpreter, and of versions that are newer than what the reviewed code may run on.
_NOT_EVERYWHERE = """
_ BaseExceptionGroup EncodingWarning ExceptionGroup PythonFinalizationError _IncompleteInputError aiter anext
copyright credits exit help license quit
"""


def _refused(text: str) -> int | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "reviewed", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError) as error:
        return max(1, min(getattr(error, "lineno", None) or 1, text.count("\n")))
    return None


GRAMMAR = Grammar(
    module="tree_sitter_python",
    outline="""
        (function_definition name: (_) @name) @function
        (decorated_definition definition: (function_definition name: (_) @name)) @function
        (class_definition name: (_) @name) @class
        (decorated_definition definition: (class_definition name: (_) @name)) @class
        (type_alias_statement left: (type) @name) @type
        [(import_statement) (import_from_statement) (future_import_statement)] @import
    """,
    names=f"""
        [(function_definition) (lambda)] @scope
        (function_definition name: (_) @own)
        (class_definition name: (_) @bind)
        (class_definition body: (block [
          {each("function_definition class_definition", "name: (_) @unbound")}
          (decorated_definition definition: (_ name: (_) @unbound))
          (expression_statement (assignment left: (identifier) @unbound))
          (expression_statement (assignment right: (assignment left: (identifier) @unbound)))
        ]))
        {binding(_HOLDS, "", "(identifier)")}
        {binding("assignment for_statement for_in_clause", "left", "(identifier)")}
        {binding("default_parameter named_expression typed_default_parameter", "name", "(identifier)")}
        {
        each(
            "import_statement import_from_statement future_import_statement", "name: (dotted_name . (identifier) @bind)"
        )
    }
        (typed_parameter . (identifier) @bind)
        (as_pattern_target [(tuple (identifier) @bind) (list (identifier) @bind)])
        (aliased_import alias: (identifier) @bind)
        {each("case_pattern union_pattern", "(dotted_name . (identifier) @bind .)")}
        (keyword_pattern (identifier) . (dotted_name . (identifier) @bind .))
        (splat_pattern (identifier) @bind)
        (as_pattern (case_pattern) (identifier) @bind)
        (type_alias_statement left: (type [(identifier) @bind (generic_type . (identifier) @bind)]))
        ; The brackets after any other type hold its arguments.
        {each("function_definition class_definition", f"type_parameters: (type_parameter {_PARAMETER})")}
        (type_alias_statement left: (type (generic_type (type_parameter {_PARAMETER}))))
        (wildcard_import) @open
    """,
    references="""
        (import_from_statement module_name: (relative_import) @reference)
        (import_from_statement module_name: (dotted_name) @module)
        (import_statement name: [(dotted_name) @module (aliased_import name: (_) @module)])
        (binary_operator
          left: (attribute) @folder right: (string (string_start) . (string_content) @reference . (string_end)))
        (argument_list . (call) @folder . (string (string_start) . (string_content) @reference . (string_end)) .)
    """,
    builtins=" ".join({*dir(builtins), "__builtins__", "__class__", "__file__"}.difference(_NOT_EVERYWHERE.split())),
    refused=_refused,
)
