"""Shell scripts."""

from kodiai.core.code.grammar import Grammar

GRAMMAR = Grammar(
    module="tree_sitter_bash",
    outline="""
        (function_definition name: (_) @name) @function
        (command name: (command_name (word) @called)) @import
    """,
    names="""
        (function_definition name: (_) @bind)
        (variable_assignment name: (variable_name) @bind)
        (variable_assignment name: (subscript name: (variable_name) @bind))
        (for_statement variable: (_) @bind)
        (declaration_command (variable_name) @bind)
    """,
    words={"import": "source ."},
    builtins="""
        BASH_SOURCE EUID FUNCNAME HOME IFS LINENO OLDPWD OPTARG OPTIND PATH PIPESTATUS PPID PWD RANDOM SECONDS UID alias
        bg break builtin cd command continue declare echo eval exec exit export false fg getopts hash jobs kill let
        local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test times trap true
        type typeset ulimit umask unalias unset wait
    """,
)
