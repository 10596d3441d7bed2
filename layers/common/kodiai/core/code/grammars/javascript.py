"""JavaScript, and what TypeScript shares with it."""

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from kodiai.core.code.grammar import Grammar, binding, each, inside, named

_SCOPES = """
function_declaration generator_function_declaration function_expression generator_function arrow_function
method_definition
"""
_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"

# What is assigned to without a declaration is not bound: a module refuses it.
NAMES = f"""
{each(_SCOPES)} @scope
{each("function_declaration generator_function_declaration", "name: (_) @own")}
{binding("function_expression class_declaration class")}
{binding("array_pattern rest_pattern import_clause namespace_import", "", "(identifier)")}
(shorthand_property_identifier_pattern) @bind
(variable_declarator name: (identifier) @bind)
{binding("arrow_function catch_clause", "parameter", "(identifier)")}
(pair_pattern value: (identifier) @bind)
(assignment_pattern left: (identifier) @bind)
(import_specifier !alias name: (identifier) @bind)
(import_specifier alias: (identifier) @bind)
(for_in_statement kind: _ left: (identifier) @bind)
(assignment_expression left: [
  (array_pattern (identifier) @unbound)
  (object_pattern (shorthand_property_identifier_pattern) @unbound)
  (object_pattern (pair_pattern value: (identifier) @unbound))
])
"""


def _misplaced_await(source: bytes, captured: Mapping[str, Sequence[Node]]) -> Iterator[Node]:  # noqa: ARG001 - see `check`
    """Each `await` in a function that is not asynchronous; outside functions a module may have it."""
    asynchronous = {node.id for node in captured.get("async", ())}
    for waiting, around in inside(captured.get("await", ()), captured.get("function", ())):
        if around and around[-1].id not in asynchronous:
            yield waiting


# A function is named by what it is assigned to, a block of tests by the sentence it is called with.
# Of the builtins only those that every runtime has: that `process` or `window` is not defined may well be true.
GRAMMAR = Grammar(
    module="tree_sitter_javascript",
    outline=f"""
        {named("function_declaration generator_function_declaration method_definition")} @function
        [
          (variable_declarator name: (identifier) @name value: {_FUNCTION})
          (variable_declarator name: (identifier) @name value: (call_expression arguments: (arguments {_FUNCTION})))
          (assignment_expression left: (identifier) @name right: {_FUNCTION})
          (assignment_expression left: (member_expression property: (_) @name) right: {_FUNCTION})
          (pair key: (_) @name value: {_FUNCTION})
          (export_statement "default" @name value: {_FUNCTION})
        ] @function
        (class_declaration name: (_) @name) @class
        (export_statement declaration: (class_declaration name: (_) @name)) @class
        (variable_declarator name: (identifier) @name value: (class)) @class
        (export_statement "default" @name value: (class)) @class
        (call_expression
          function: [(identifier) @called (member_expression object: (identifier) @called)]
          arguments: (arguments . [(string) (template_string)] @name {_FUNCTION})) @test
        [(import_statement) (export_statement source: (_))] @import
        {
        each(
            "lexical_declaration variable_declaration",
            "(variable_declarator value: (call_expression function: (identifier) @called))",
        )
    } @import
        (decorator) @lead
    """,
    names=NAMES + "(formal_parameters (identifier) @bind)",
    references="""
        (import_statement source: (string . (string_fragment) @dotted .))
        (export_statement source: (string . (string_fragment) @dotted .))
        (call_expression function: (import) arguments: (arguments . (string . (string_fragment) @dotted .)))
        (call_expression
          function: (identifier) @called arguments: (arguments . (string . (string_fragment) @dotted .)))
        (arguments . (string . (string_fragment) @dotted .) . (member_expression) @folder .)
        (arguments . (identifier) @called . (string . (string_fragment) @reference .) .)
        (template_string . (template_substitution (identifier) @called) . (string_fragment) @reference .)
        (binary_expression left: (identifier) @called right: (string . (string_fragment) @reference .))
    """,
    words={
        "dotted": "require",
        "reference": "__dirname",
        "test": "bench context describe it specify suite test",
        "import": "require",
    },
    builtins="""
        AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error
        EvalError FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl
        JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer
        String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap
        WeakRef WeakSet arguments clearInterval clearTimeout console decodeURI decodeURIComponent encodeURI
        encodeURIComponent eval globalThis isFinite isNaN parseFloat parseInt setInterval setTimeout undefined
    """,
    checked=f"""
        [(await_expression) (for_in_statement "await")] @await
        {each(_SCOPES)} @function
        {each(_SCOPES, '"async"')} @async
    """,
    check=_misplaced_await,
)
