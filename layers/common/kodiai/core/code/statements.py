"""Statements of a file in the form that its compiler reads, to tell a change of code from one of its format.

No layout, comment, or statement that does nothing counts, nor a parenthesis, quote, comma or separator that changes
nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kodiai.core.changes.line_matcher import LineMatcher, common
from kodiai.core.code.syntax import SyntaxTree, parse

ChangedCode = tuple[frozenset[int], frozenset[int]]
"""The 1-based lines with code that only the earlier file has, and those with code that only the present one has."""

_BLOCKS = frozenset(
    """
    accessor_list annotation_type_body begin begin_block block block_body body_statement case_item case_statement
    class_body class_static_block colon_block communication_case compilation_unit compound_statement constructor_body
    declaration_list default_case default_statement do do_group else end_block ensure enum_body enum_body_declarations
    enum_declaration_list enum_member_declaration_list enum_variant_list enumerator_list expression_case
    field_declaration_list interface_body match_block module module_body preproc_elif preproc_else preproc_if
    preproc_ifdef program source_file statement_block statement_list subshell switch_block
    switch_block_statement_group switch_body switch_case switch_default switch_section then translation_unit type_case
    """.split()
)
# In a shell the statements are children of the condition.
_MORE_BLOCKS: Mapping[str, frozenset[str]] = {"bash": frozenset({"if_statement", "elif_clause", "else_clause"})}
_ALIKE = {"expression_list": "tuple", "pattern_list": "tuple_pattern"}
_TEXT = re.compile(
    r"(?!concatenated|chained).*string(_literal|_expression)?|.*heredoc(_body)?|char(acter)?_literal|rune_literal|regex"
    r"|template_(string|literal_type)|(string|symbol)_array|text|jsx_text|string_content|format_specifier"
)
_NUMBER = re.compile(r"number|number_literal|integer|float|\w*(integer|int|float|floating_point|real)_literal")
_QUOTES = re.compile(r"""([A-Za-z]*)('''|\"""|'|")(.*)\2""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# Digits of the next string would belong to it.
_OPEN_ESCAPE = re.compile(r"\\[0-7x]")
_LITERAL = re.compile(
    rf"{_NUMBER.pattern}|(boolean|null|string)_literal|(concatenated_)?string"
    r"|boolean|ellipsis|false|nil|none|null|true|undefined|unit_expression"
)
_BRACKETS = frozenset("()[]{}")
# A comma after the only element makes something else of these.
_COMMA_COUNTS = frozenset({"block_parameters", "subscript", "tuple_expression", "tuple_pattern", "tuple_type"})
_WRAPPERS = frozenset({"parenthesized_expression", "parenthesized_statements", "parenthesized_type"})
_PARAMETERS = frozenset({"formal_parameters", "inferred_parameters", "required_parameter"})
_TAKE_ONE_NAME = frozenset({"arrow_function", "lambda_expression", "formal_parameters"})
_BRACED = frozenset({"block", "compound_statement", "statement_block"})
_CONTROL = re.compile(r"(if|for|for_in|for_each|foreach|enhanced_for|while|do)_statement|for_range_loop|else_clause")
_TAKE_BRACES = frozenset({"closure_expression", "match_arm"})
_LEAVES = frozenset({"break_expression", "continue_expression", "return_expression"})
_STATEMENT = re.compile(r"_(statement|declaration|item|definition)$")
_AS_WRITTEN = {"interpolation": "=", "redirected_statement": "heredoc_redirect"}
_COMPUTED = frozenset({"interpolation", "template_substitution"})
_CHAIN = re.compile("access|call|invocation|member|non_null|subscript")
_SHORT_CIRCUITS = (b"?.", b"?->")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement without the blocks in it: its form, its lines, and the definitions that it is in.

    An import has its form as its place, so that the order of imports does not count.
    """

    form: str
    lines: frozenset[int]
    scope: tuple[str, ...]
    place: str = ""


def changed_code(path: str, lines: Sequence[str], then: Sequence[str]) -> ChangedCode | None:
    """Compare the code of a file with its earlier lines by their statements; None without a grammar.

    Where the definitions of a scope stand in it does not count. A statement that does not parse is its plain text.
    """
    old, new = parse(path, then), parse(path, lines)
    if old is None or new is None:
        return None
    start = common(then, lines)
    end = common(then[start:][::-1], lines[start:][::-1])
    before, now = (_statements(tree, range(start, tree.line_count - end)) for tree in (old, new))
    gone: set[int] = set()
    made: set[int] = set()
    forms = [[each.form for each in side] for side in (before, now)]
    for tag, first, last, new_first, new_last in LineMatcher(*forms).get_opcodes():
        if tag != "equal":
            gone.update(*(each.lines for each in before[first:last]))
            made.update(*(each.lines for each in now[new_first:new_last]))
    return frozenset(gone), frozenset(made)


def _statements(syntax: SyntaxTree, rows: range) -> list[_Statement]:
    """The statements, those of each definition together: neither the order of definitions nor of imports counts."""
    return sorted(_Reader(syntax, rows).read(), key=lambda each: (each.scope, not each.place, each.place))


class _Reader:
    """Reads the statements of one tree, without recursion, since expressions may be very deep.

    One without any of the `rows`, from 0, is its plain text: the other file has it too.
    """

    def __init__(self, syntax: SyntaxTree, rows: range) -> None:
        self._syntax = syntax
        self._rows = rows
        self._blocks = _BLOCKS | _MORE_BLOCKS.get(syntax.language, frozenset())
        self._names: dict[int, str] = {}
        self._imports: set[int] = set()
        for match in syntax.matches("outline"):
            for kind, nodes in match.items():
                if kind == "import":
                    self._imports.update(node.id for node in nodes)
                elif "name" in match:
                    self._names.update((node.id, syntax.text(match["name"][0])) for node in nodes)

    def read(self) -> Iterator[_Statement]:
        """The statements in the order of the file; each block has one for its beginning and one for its end."""
        left: list[_Statement | tuple[Node, tuple[str, ...]]] = self._block(self._syntax.root, ())
        while left:
            item = left.pop()
            if isinstance(item, _Statement):
                yield item
                continue
            node, scope = item
            if self._is_block(node):
                left += self._block(node, scope)
            elif node.end_point.row < self._rows.start or node.start_point.row >= self._rows.stop:
                yield self._plain(node, scope)
            else:
                statement, blocks = self._statement(node, scope)
                yield statement
                for block in reversed(blocks):
                    left += self._block(block, statement.scope)

    def _block(self, node: Node, scope: tuple[str, ...]) -> list[_Statement | tuple[Node, tuple[str, ...]]]:
        """The statements of a block, in reverse; a statement in the place of a block is one with itself in it."""
        is_block = self._is_block(node)
        kind = "block" if not is_block or node.type in _BRACED else node.type
        first, last = (frozenset({line(node)}) for line in (self._syntax.first_line, self._syntax.last_line))
        inner = [(child, scope) for child in (self._children(node) if is_block else [node])]
        return [_Statement("}", last, scope), *reversed(inner), _Statement(f"{kind} {{", first, scope)]

    def _is_block(self, node: Node) -> bool:
        return node.is_named and node.type in self._blocks

    def _statement(self, statement: Node, scope: tuple[str, ...]) -> tuple[_Statement, list[Node]]:
        """A statement, and the blocks in it, which are read later."""
        form: list[str] = []
        lines: set[int] = set()
        blocks: list[Node] = []
        bodies: set[int] = set()
        name: str | None = None
        left: list[Node | str] = [statement]
        while left:
            node = left.pop()
            if isinstance(node, str):
                form.append(node)
                continue
            name = name or self._names.get(node.id)
            if node.is_error or node.is_missing:
                return self._plain(statement, scope), []
            if self._is_block(node) or node.id in bodies:
                blocks.append(node)
                form.append("{}")
            elif self._is_token(node):
                form.append(self._token(node))
                lines |= self._lines(node)
            elif text := self._concatenated(node):
                form.append(text)
                lines |= self._lines(node)
            else:
                bodies.update(_bodies(node))
                form.append(f"({_ALIKE.get(node.type, node.type)}")
                left += [")", *reversed(self._children(node))]
        text = "\0".join(form)
        inner = scope if name is None or scope[-1:] == (name,) else (*scope, name)
        return _Statement(text, frozenset(lines), inner, text if statement.id in self._imports else ""), blocks

    def _plain(self, node: Node, scope: tuple[str, ...]) -> _Statement:
        return _Statement(self._syntax.text(node), self._lines(node), scope)

    def _lines(self, node: Node) -> frozenset[int]:
        return frozenset(range(self._syntax.first_line(node), self._syntax.last_line(node) + 1))

    def _is_token(self, node: Node) -> bool:
        """Whether all of its text counts, with its white space; Python shows what is before `=` as it is written."""
        if node.child_count == 0:
            return True
        inner = _AS_WRITTEN.get(node.type)
        is_text = _TEXT.fullmatch(node.type) and not self._computes(node)
        return bool(is_text) or any(child.type == inner for child in node.children)

    def _computes(self, text: Node) -> bool:
        """Whether a text has code in it that is read as such."""
        return text.type in ("string", "template_string") and any(child.type in _COMPUTED for child in text.children)

    def _token(self, node: Node) -> str:
        text = self._syntax.text(node)
        if node.type.startswith("#") or node.type == "preproc_directive":
            return "".join(text.split())
        if not node.is_named:
            return text
        if node.type in ("string", "encapsed_string", "string_literal"):
            return self._string(node, text)
        if node.type == "string_start":
            return _prefix(text.rstrip("'\""))
        if node.type == "string_content":
            return _ESCAPED.sub(_unescaped_quote, text)
        if node.type == "jsx_text":
            return _jsx_text(text)
        if node.type == "preproc_arg" and '"' not in text:
            return " ".join(text.replace("\\\n", " ").split())
        return f"{node.type} {text.lower() if _NUMBER.fullmatch(node.type) else text}"

    def _concatenated(self, node: Node) -> str | None:
        """Strings next to each other as the one that they are, None if that is not certain."""
        if node.type != "concatenated_string":
            return None
        parts = [child for child in node.named_children if "comment" not in child.type]
        texts = [self._token(part) for part in parts]
        if any(map(self._computes, parts)) or any(text[:1] != '"' or _OPEN_ESCAPE.search(text) for text in texts):
            return None
        if self._syntax.language == "python":
            return "".join(['"', *(text[1:] for text in texts)])
        return "".join(['"', *(text[1:-1] for text in texts), '"'])

    def _string(self, node: Node, text: str) -> str:
        """A string without its quotes where both kinds of them mean the same."""
        found = _QUOTES.fullmatch(text)
        language = self._syntax.language
        if found is None or language not in ("javascript", "php", "python", "tsx", "typescript"):
            return text
        prefix, quote, inner = _prefix(found[1]), found[2], found[3]
        if language == "php":
            inner = inner.replace(f"\\{quote}", quote)
            return text if "\\" in inner or "$" in inner else f'"{inner}'
        is_raw = "r" in prefix or ("\\" in inner and node.parent is not None and node.parent.type == "jsx_attribute")
        return f'{prefix}"{inner if is_raw else _ESCAPED.sub(_unescaped_quote, inner)}'

    def _children(self, node: Node) -> list[Node]:
        """The children that count, each without what only wraps it."""
        kept = [child for child in node.children if not self._is_layout(child)]
        if self._is_block(node):
            around = zip([None, *kept], kept, [*kept[1:], None], strict=False)
            kept = [child for before, child, behind in around if not self._is_idle(child, before, behind)]
        kept = [child for at, child in enumerate(kept) if not _separates(node, kept, at)]
        return [self._unwrapped(child, node) for child in kept]

    def _is_layout(self, node: Node) -> bool:
        if node.is_missing:
            return False
        if not node.is_named:
            return not self._syntax.text(node).strip()
        is_blank = node.type == "jsx_text" and not _jsx_text(self._syntax.text(node))
        return is_blank or node.type == "string_end" or "comment" in node.type or node.type == "line_continuation"

    def _is_idle(self, node: Node, before: Node | None, behind: Node | None) -> bool:
        """Whether a statement of a block does nothing: an empty one, `pass`, or a literal by itself.

        The last literal of a block in Ruby is its value, and the first strings in JavaScript are directives.
        """
        if node.type in ("pass_statement", "empty_statement"):
            return True
        if self._syntax.language == "ruby":
            return bool(_LITERAL.fullmatch(node.type)) and behind is not None and behind.is_named
        if node.type != "expression_statement" or node.has_error:
            return False
        inner = [child for child in node.children if child.is_named and not self._is_layout(child)]
        if _is_string(node) and self._syntax.language != "python":
            return before is not None and before.is_named and not _is_string(before)
        return not inner or (len(inner) == 1 and bool(_LITERAL.fullmatch(inner[0].type)))

    def _unwrapped(self, node: Node, parent: Node) -> Node:
        around = parent
        if self._syntax.language == "rust":
            node = _without_braces(node, parent)
        while node.type in _WRAPPERS or (node.type in _PARAMETERS and around.type in _TAKE_ONE_NAME):
            inner = [child for child in node.children if not self._is_layout(child) and child.type not in "()"]
            if len(inner) != 1 or not inner[0].is_named or not self._may_unwrap(node, inner[0], parent):
                break
            around, node = node, inner[0]
        return node

    def _may_unwrap(self, node: Node, inner: Node, parent: Node) -> bool:
        """Whether nothing else changes without these parentheses."""
        if node.type in _PARAMETERS:
            return inner.type in ("identifier", "required_parameter")
        text = self._syntax.source[inner.start_byte : inner.end_byte]
        # A macro takes what is in its parentheses as text, and what is called may be another thing without its own.
        is_argument = parent.type == "argument_list" and self._syntax.language in ("c", "cpp")
        is_called = parent.child_by_field_name("function") == node
        goes_on = _CHAIN.search(parent.type) and any(map(text.__contains__, _SHORT_CIRCUITS))
        is_directive = parent.type == "expression_statement" and inner.type == "string"
        is_type = parent.type == "decltype"
        return not (is_argument or is_called or is_directive or is_type or goes_on)


def _separates(parent: Node, children: Sequence[Node], at: int) -> bool:
    """Whether a sign of a node says nothing that its tree does not say."""
    sign = children[at].type
    if children[at].is_named:
        return False
    if parent.type == "token_tree":  # what is in a macro of Rust: the last of several commas
        is_last = sign == "," and at == len(children) - 2 and children[at - 1].type != ","
        return is_last and any(child.type == "," for child in children[:at])
    if sign == ";" and 0 < at == len(children) - 1:
        return True
    if sign in _BRACKETS or (sign == "array" and parent.type == "array_creation_expression"):
        return any(child.is_named for child in children)
    if sign not in (",", ";") or not at or not children[at - 1].is_named:
        return False
    if sign == ";":
        return not parent.type.startswith("array_")
    if parent.type not in _COMMA_COUNTS:
        return True
    return sum(child.is_named for child in children) - (parent.type == "subscript") > 1


def _bodies(node: Node) -> Iterator[int]:
    """The ids of the statements that a control statement has in the place of blocks, but for those of an `else if`."""
    if not _CONTROL.fullmatch(node.type):
        return
    others = node.children_by_field_name("alternative") + (node.named_children if node.type == "else_clause" else [])
    yield from (child.id for child in others if _STATEMENT.search(child.type) and child.type != "if_statement")
    bodies = node.children_by_field_name("consequence") + node.children_by_field_name("body")
    yield from (child.id for child in bodies if _STATEMENT.search(child.type) and node.type != "else_clause")


def _without_braces(node: Node, parent: Node) -> Node:
    """Code in braces of Rust that change nothing, and a statement that has no value without a semicolon either."""
    inner = [child for child in node.named_children if "comment" not in child.type]
    if len(inner) == 1 and node.type == "block" and parent.type in _TAKE_BRACES:
        held = _without_braces(inner[0], node)
        return node if _STATEMENT.search(held.type) else held
    if len(inner) == 1 and node.type == "expression_statement":
        return inner[0] if inner[0].type in _LEAVES or node.children[-1].type != ";" else node
    return node


def _is_string(statement: Node) -> bool:
    return [child.type for child in statement.named_children if "comment" not in child.type] == ["string"]


def _prefix(letters: str) -> str:
    return letters.lower().replace("u", "")


def _jsx_text(text: str) -> str:
    """Text between tags as it is shown: line breaks and the white space around them are one space, or none."""
    first, *others = text.split("\n")
    if not others:
        return text
    rows = [first.rstrip(), *(row.strip() for row in others[:-1]), others[-1].lstrip()]
    return " ".join(row for row in rows if row.strip())


def _unescaped_quote(escape: re.Match[str]) -> str:
    return escape[1] if escape[1] in "'\"" else escape[0]
