"""C++: C with classes, namespaces and templates."""

from dataclasses import replace

from kodiai.core.code.grammars import c

GRAMMAR = replace(
    c.GRAMMAR,
    module="tree_sitter_cpp",
    outline=f"""
        {c.GRAMMAR.outline}
        [
          (function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)))
          (function_definition declarator: (operator_cast type: (_) @name))
          (template_declaration (function_definition declarator: (function_declarator declarator: (_) @name)))
          (template_declaration (function_definition declarator: (_ (function_declarator declarator: (_) @name))))
        ] @function
        (class_specifier name: (_) @name body: (_)) @class
        (template_declaration (class_specifier name: (_) @name body: (_))) @class
        (template_declaration (struct_specifier name: (_) @name body: (_))) @struct
        (namespace_definition name: (_) @name) @module
        [(using_declaration) (namespace_alias_definition)] @import
    """,
    builtins=f"{c.GRAMMAR.builtins} wchar_t",
    checked="(identifier) @word",
)
