"""Shell scripts."""

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from kodiai.core.code.grammar import Grammar

_RESERVED = frozenset(b"do done elif else esac fi then } ]]".split())


def _misplaced_word(text: str, captured: Mapping[str, Sequence[Node]]) -> int | None:
    """The line of the first command that has a reserved word for its name: what it would end has not begun."""
    source = text.encode()
    words = sorted(captured.get("word", ()), key=lambda node: node.start_byte)
    return next(
        (each.start_point.row + 1 for each in words if source[each.start_byte : each.end_byte] in _RESERVED), None
    )


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
    check=_misplaced_word,
    builtins="""
        BASH_SOURCE EUID FUNCNAME HOME IFS LINENO OLDPWD OPTARG OPTIND PATH PIPESTATUS PPID PWD RANDOM SECONDS UID alias
        bg break builtin cd command continue echo eval exec exit false fg getopts hash jobs kill let mapfile popd printf
        pushd pwd read readarray return set shift shopt source test times trap true type ulimit umask unalias wait
    """,
)
