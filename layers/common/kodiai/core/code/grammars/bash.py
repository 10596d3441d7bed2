"""Shell scripts."""

from kodiai.core.code.grammar import Grammar

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
    builtins="""
        BASH_SOURCE EUID FUNCNAME HOME IFS LINENO OLDPWD OPTARG OPTIND PATH PIPESTATUS PPID PWD RANDOM SECONDS UID alias
        bg break builtin cd command continue echo eval exec exit false fg getopts hash jobs kill let mapfile popd printf
        pushd pwd read readarray return set shift shopt source test times trap true type ulimit umask unalias wait
    """,
)
