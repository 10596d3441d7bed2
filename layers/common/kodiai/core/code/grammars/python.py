"""Python: its compiler is at hand, and says more than the grammar, which takes Python 2 too."""

import builtins
import warnings
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from kodiai.core.code.grammar import Grammar, binding, each

_OUTLINE = """
[
  (function_definition name: (_) @name)
  (decorated_definition definition: (function_definition name: (_) @name))
] @function
[
  (class_definition name: (_) @name)
  (decorated_definition definition: (class_definition name: (_) @name))
] @class
(type_alias_statement left: (type) @name) @type
[(import_statement) (import_from_statement) (future_import_statement)] @import
(comment) @lead
"""
_PARAMETER = """(type [
  (identifier) @bind (constrained_type . (type (identifier) @bind)) (splat_type (identifier) @bind)
])"""
# A method and an attribute of a class are reached through an object only, so they bind no name.
_HOLDS = """
as_pattern_target dictionary_splat_pattern lambda_parameters list_pattern list_splat_pattern parameters pattern_list
tuple_pattern
"""
_NAMES = f"""
[(function_definition) (lambda)] @scope
(function_definition name: (_) @own)
(class_definition name: (_) @bind)
(class_definition body: (block [
  (function_definition name: (_) @unbound)
  (decorated_definition definition: (function_definition name: (_) @unbound))
  (decorated_definition definition: (class_definition name: (_) @unbound))
  (class_definition name: (_) @unbound)
  (expression_statement (assignment left: (identifier) @unbound))
  (expression_statement (assignment right: (assignment left: (identifier) @unbound)))
]))
{binding(_HOLDS, "", "(identifier)")}
{binding("assignment for_statement for_in_clause", "left", "(identifier)")}
{binding("default_parameter named_expression typed_default_parameter", "name", "(identifier)")}
{each("import_statement import_from_statement future_import_statement", "name: (dotted_name . (identifier) @bind)")}
[
  (typed_parameter . (identifier) @bind)
  (as_pattern_target [(tuple (identifier) @bind) (list (identifier) @bind)])
  (aliased_import alias: (identifier) @bind)
  (case_pattern (dotted_name . (identifier) @bind .))
  (keyword_pattern (identifier) . (dotted_name . (identifier) @bind .))
  (union_pattern (dotted_name . (identifier) @bind .))
  (splat_pattern (identifier) @bind)
  (as_pattern (case_pattern) (identifier) @bind)
  (type_alias_statement left: (type (identifier) @bind))
  (type_alias_statement left: (type (generic_type . (identifier) @bind)))
]
; What stands in brackets behind any other type are its arguments.
[
  (function_definition type_parameters: (type_parameter PARAMETER))
  (class_definition type_parameters: (type_parameter PARAMETER))
  (type_alias_statement left: (type (generic_type (type_parameter PARAMETER))))
]
(wildcard_import) @open
""".replace("PARAMETER", _PARAMETER)
# What only a session has, and what came with a version that the reviewed code need not run on.
_NOT_EVERYWHERE = frozenset(
    """
    _ BaseExceptionGroup EncodingWarning ExceptionGroup PythonFinalizationError _IncompleteInputError aiter anext
    copyright credits exit help license quit
    """.split()
)
_OF_MODULES = frozenset(
    "__builtins__ __class__ __debug__ __doc__ __file__ __loader__ __name__ __package__ __spec__".split()
)


def _compiles(text: str, captured: Mapping[str, Sequence[Node]]) -> int | None:  # noqa: ARG001 - see `check`
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "reviewed", "exec", dont_inherit=True)
    except SyntaxError as error:
        return max(1, min(error.lineno or 1, text.count("\n")))
    except (ValueError, OverflowError, MemoryError, RecursionError):
        return 1
    return None


GRAMMAR = Grammar(
    module="tree_sitter_python",
    outline=_OUTLINE,
    names=_NAMES,
    builtins=(frozenset(dir(builtins)) | _OF_MODULES) - _NOT_EVERYWHERE,
    check=_compiles,
)
