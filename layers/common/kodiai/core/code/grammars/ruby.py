"""Ruby: a method binds its name, since it can be called without a receiver."""

from kodiai.core.code.grammar import Grammar, binding, each

_HOLDS = """
array_pattern block_parameters destructured_left_assignment destructured_parameter exception_variable find_pattern
lambda_parameters left_assignment_list method_parameters rest_assignment
"""

GRAMMAR = Grammar(
    module="tree_sitter_ruby",
    outline="""
        [(method name: (_) @name) (singleton_method name: (_) @name)] @function
        (call method: (identifier) @called arguments: (argument_list . (simple_symbol) @name) block: (_)) @function
        (class name: (_) @name) @class
        (singleton_class value: (_) @name) @class
        (assignment left: (constant) @name right: (call block: (_))) @class
        (module name: (_) @name) @module
        (call method: (identifier) @called arguments: (argument_list . (_) @name) block: (_)) @test
        (call !receiver method: (identifier) @called) @import
    """,
    names=f"""
        [(method) (singleton_method)] @scope
        (method name: (_) @own)
        {binding("class module", "name", "(constant)")}
        {each("class module", "name: (scope_resolution name: (_) @bind)")}
        {binding("assignment operator_assignment", "left", "[(constant) (identifier)]")}
        {binding(_HOLDS, "", "(identifier)")}
        {binding("block_parameter hash_splat_parameter keyword_parameter optional_parameter splat_parameter")}
        {binding("for in_clause", "pattern", "(identifier)")}
        {binding("as_pattern alias", "name", "(identifier)")}
        (keyword_pattern value: (identifier) @bind)
        (keyword_pattern !value key: (hash_key_symbol) @bind)
        (call !receiver method: (identifier) @called arguments: (argument_list (simple_symbol) @bind))
    """,
    references="""
        (call !receiver
          method: (identifier) @called arguments: (argument_list . (string . (string_content) @reference .) .))
        (argument_list . (identifier) @called . (string . (string_content) @reference .) .)
        (argument_list . (string . (string_content) @reference .) . (identifier) @called .)
    """,
    words={
        "reference": "__dir__ require_relative",
        "function": "define_method define_singleton_method",
        "test": "context describe feature it namespace scenario shared_examples specify task test",
        "import": "autoload load require require_relative",
        "bind": "attr_accessor attr_reader attr_writer define_method",
    },
    builtins="""
        ARGF ARGV ArgumentError Array BasicObject Class Comparable Complex Dir ENV EOFError Encoding Enumerable
        Enumerator Exception Fiber File Float FrozenError GC Hash IO IOError IndexError Integer Interrupt Kernel
        KeyError LoadError Marshal MatchData Math Method Module Mutex NameError NoMethodError NotImplementedError
        Numeric Object ObjectSpace Proc Process Queue RUBY_VERSION Random Range RangeError Rational Regexp RuntimeError
        STDERR STDIN STDOUT ScriptError SecurityError Signal StandardError StopIteration String Struct Symbol
        SyntaxError SystemCallError SystemExit Thread ThreadError Time TypeError ZeroDivisionError abort at_exit
        autoload binding block_given? caller catch eval exit fail fork format freeze gets lambda load loop p print
        printf proc putc puts raise rand require require_relative sleep sprintf srand system throw trap warn
    """,
)
