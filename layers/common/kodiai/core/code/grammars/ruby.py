"""Ruby: a method binds its name, since it can be called without a receiver."""

from kodiai.core.code.grammar import Grammar

_OUTLINE = """
[(method name: (_) @name) (singleton_method name: (_) @name)] @function
(call method: (identifier) @called arguments: (argument_list . (simple_symbol) @name) block: (_)) @function
[
  (class name: (_) @name)
  (singleton_class value: (_) @name)
  (assignment left: (constant) @name right: (call block: (_)))
] @class
(module name: (_) @name) @module
(call method: (identifier) @called arguments: (argument_list . (_) @name) block: (_)) @test
(call !receiver method: (identifier) @called) @import
(comment) @lead
"""
_NAMES = """
[(method) (singleton_method)] @scope
(method name: (_) @own)
[
  (class name: (constant) @bind)
  (class name: (scope_resolution name: (_) @bind))
  (module name: (constant) @bind)
  (module name: (scope_resolution name: (_) @bind))
  (assignment left: [(constant) (identifier) (instance_variable) (class_variable) (global_variable)] @bind)
  (operator_assignment left: [(constant) (identifier) (instance_variable) (class_variable) (global_variable)] @bind)
  (left_assignment_list (identifier) @bind)
  (destructured_left_assignment (identifier) @bind)
  (rest_assignment (identifier) @bind)
  (method_parameters (identifier) @bind)
  (block_parameters (identifier) @bind)
  (lambda_parameters (identifier) @bind)
  (destructured_parameter (identifier) @bind)
  (optional_parameter name: (_) @bind)
  (keyword_parameter name: (_) @bind)
  (splat_parameter name: (_) @bind)
  (hash_splat_parameter name: (_) @bind)
  (block_parameter name: (_) @bind)
  (exception_variable (identifier) @bind)
  (for pattern: (identifier) @bind)
  (array_pattern (identifier) @bind)
  (find_pattern (identifier) @bind)
  (as_pattern name: (identifier) @bind)
  (keyword_pattern value: (identifier) @bind)
  (keyword_pattern !value key: (hash_key_symbol) @bind)
  (in_clause pattern: (identifier) @bind)
  (alias name: (identifier) @bind)
]
(call !receiver method: (identifier) @called arguments: (argument_list (simple_symbol) @bind))
"""
_WORDS = {
    "function": "define_method define_singleton_method",
    "test": "context describe feature it namespace scenario shared_examples specify task test",
    "import": "autoload load require require_relative",
    "bind": "attr_accessor attr_reader attr_writer define_method",
}

GRAMMAR = Grammar(
    module="tree_sitter_ruby",
    outline=_OUTLINE,
    names=_NAMES,
    words={kind: frozenset(words.split()) for kind, words in _WORDS.items()},
    builtins=frozenset(
        """
        ARGF ARGV ArgumentError Array BasicObject Binding Class Comparable Complex Dir ENV EOFError Encoding Enumerable
        Enumerator Exception FalseClass Fiber File FloatDomainError Float FrozenError GC Hash IO IOError IndexError
        Integer Interrupt Kernel KeyError LoadError LocalJumpError Marshal MatchData Math Method Module Mutex NameError
        NilClass NoMethodError NotImplementedError Numeric Object ObjectSpace Proc Process Queue RUBY_VERSION Random
        Range RangeError Rational Regexp RegexpError RuntimeError STDERR STDIN STDOUT ScriptError SecurityError Signal
        SignalException SizedQueue StandardError StopIteration String Struct Symbol SyntaxError SystemCallError
        SystemExit Thread ThreadError Time TrueClass TypeError UnboundMethod ZeroDivisionError abort at_exit autoload
        binding block_given? caller catch eval exit false fail fork format freeze gets lambda load loop nil p print
        printf proc putc puts raise rand require require_relative self sleep sprintf srand super system throw trap true
        warn
        """.split()
    ),
)
