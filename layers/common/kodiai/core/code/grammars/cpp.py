"""C++: C with classes, namespaces and templates."""

from dataclasses import replace

from kodiai.core.code.grammar import binding
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
    names=f"""
        {c.GRAMMAR.names}
        (lambda_expression) @scope
        (function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @own)))
        (function_definition declarator: (function_declarator declarator: (field_identifier) @own))
        (class_specifier name: (type_identifier) @bind body: (_))
        (namespace_definition name: (namespace_identifier) @bind)
        (field_declaration declarator: (field_identifier) @bind)
        (using_declaration (qualified_identifier name: (_) @bind))
        {binding("optional_parameter_declaration for_range_loop", "declarator", "(identifier)")}
        {binding("reference_declarator variadic_declarator structured_binding_declarator", "", "(identifier)")}
        {binding("type_parameter_declaration variadic_type_parameter_declaration", "", "(type_identifier)")}
        {binding("namespace_alias_definition alias_declaration concept_definition optional_type_parameter_declaration")}
        (using_declaration "namespace") @open
    """,
    builtins=f"{c.GRAMMAR.builtins} bool char16_t char32_t char8_t false nullptr this true wchar_t",
)
