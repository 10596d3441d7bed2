"""Shell scripts."""

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from kodiai.core.code.grammar import Grammar

_RESERVED = frozenset(b"do done elif else esac fi then } ]]".split())


def _misplaced_words(source: bytes, captured: Mapping[str, Sequence[Node]]) -> Iterator[Node]:
    """Commands that have a reserved word for their name: what it would end has not begun."""
    return (each for each in captured.get("word", ()) if source[each.start_byte : each.end_byte] in _RESERVED)


GRAMMAR = Grammar(
    module="tree_sitter_bash",
    outline="""
        (function_definition name: (_) @name) @function
        (command name: (command_name (word) @called)) @import
    """,
    references="""
        (command name: (command_name (word) @called) . argument: (word) @dotted)
        (string . [(command_substitution) (expansion)] @folder . (string_content) @reference .)
    """,
    words={"import": "source .", "dotted": "source ."},
    checked="(command name: (command_name (word) @word))",
    check=_misplaced_words,
    builtins="""
        BASH_SOURCE EUID FUNCNAME HOME IFS LINENO OLDPWD OPTARG OPTIND PATH PIPESTATUS PPID PWD RANDOM SECONDS UID alias
        bg break builtin cd command continue echo eval exec exit false fg getopts hash jobs kill let mapfile popd printf
        pushd pwd read readarray return set shift shopt source test times trap true type ulimit umask unalias wait
    """,
)
