"""A source file as a tree: the one place where files are parsed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from time import thread_time

from tree_sitter import Node, Parser, Point, QueryCursor

from kodiai.core.code.grammar import QueryName, compiled, grammar_of, query
from kodiai.core.code.language import language_of

_BRACKETS = re.compile(r"[(\[{]+|[)\]}]+")
_LARGEST_BYTES = 2_000_000
# CPU time, some five times what code takes. Text that takes more can take gigabytes, too.
_LEAST_SECONDS, _SECONDS_A_BYTE, _MOST_SECONDS = 0.25, 1.5e-6, 2.0
# Much deeper than people write; brackets that are open at the end of a file cost memory by the square of their count.
_DEEPEST = 1_000
# A file of 2 MB that people write has two thirds of them; Python's compiler takes some 400 bytes for each.
_MOST_NODES = 1_000_000
# A query compares each child of a node that is an error with every other one.
_MOST_IN_ERROR = 5_000


@dataclass(frozen=True)
class SyntaxTree:
    """One parsed file; `source` is its text as UTF-8 with a newline after each line."""

    language: str
    source: bytes = field(repr=False)
    root: Node
    line_count: int

    def matches(self, name: QueryName) -> Iterator[dict[str, list[Node]]]:
        """Run a query: what each match captures together, by the names of the captures."""
        words = grammar_of(self.language).words
        for _, captures in QueryCursor(query(self.language, name)).matches(self.root):
            called = captures.pop("called", None)
            if called is None or any(self.text(called[0]) in words.get(kind, "").split() for kind in captures):
                yield captures

    def captures(self, name: QueryName) -> dict[str, list[Node]]:
        """Run a query: what all matches capture, by the names of the captures."""
        captured: dict[str, list[Node]] = {}
        for match in self.matches(name):
            for kind, nodes in match.items():
                captured.setdefault(kind, []).extend(nodes)
        return captured

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def first_line(self, node: Node) -> int:
        """The 1-based line on which a node begins."""
        return max(1, min(node.start_point.row + 1, self.line_count))

    def last_line(self, node: Node) -> int:
        """The 1-based line on which a node ends; a newline at its end does not count as another line."""
        row, column = node.end_point
        return max(self.first_line(node), min(row + 1 if column else row, self.line_count))

    @cached_property
    def first_error(self) -> int | None:
        """The 1-based line of the first error, None if there is none. Raises ValueError where a compiler gives up."""
        return min(map(self.first_line, self.errors), default=self.refused)

    @cached_property
    def errors(self) -> Sequence[Node]:
        """The nodes that are errors, and those that a compiler refuses; one that no child shows is the node itself."""
        found: list[Node] = []
        left = [self.root] if self.root.has_error else []
        while left:
            node = left.pop()
            inner = [child for child in node.children if child.has_error]
            left += inner
            if node.is_error or not inner:
                found.append(node)
        check = grammar_of(self.language).check
        return (*found, *(check(self.source, self.captures("checked")) if check else ()))

    @cached_property
    def refused(self) -> int | None:
        """The first 1-based line that a compiler refuses, None if there is none or no compiler. Raises ValueError."""
        refused = grammar_of(self.language).refused
        try:
            return refused(self.source.decode()) if refused else None
        except MemoryError as error:
            raise ValueError("it is too large for its compiler") from error


def parse(path: str, lines: Sequence[str]) -> SyntaxTree | None:
    """Parse a file; None if there is no grammar for it, or if it is nothing that people write.

    That is a file over 2 MB, brackets nested over a thousand levels, thousands of words that form no sentence, or
    text that takes many times as long as code does.
    """
    language = language_of(path)
    if language is None:
        return None
    # Each line is one row: trees count newlines, and some grammars take a NUL for the end of the file.
    rows = (line.rstrip("\r\n").replace("\n", " ").replace("\0", "\ufffd") for line in lines)
    text = "\n".join(rows).removeprefix("\ufeff") + "\n"
    return _parse(language, text, len(lines))


@lru_cache(maxsize=1)  # several questions about one file often follow each other
def _parse(language: str, text: str, line_count: int) -> SyntaxTree | None:
    source = text.encode("utf-8", "replace")
    if len(source) > _LARGEST_BYTES or _depth(text) > _DEEPEST:
        return None
    root = _root(language, source)
    return None if root is None or _is_junk(root) else SyntaxTree(language, source, root, line_count)


def _root(language: str, source: bytes) -> Node | None:
    """The tree's root; None if it takes so long that somebody made the file to take long."""
    parser = Parser(compiled(language))
    end = thread_time() + min(_LEAST_SECONDS + _SECONDS_A_BYTE * len(source), _MOST_SECONDS)
    handed: list[bytearray] = []

    def read(at: int, _: Point) -> bytearray:
        handed.append(bytearray(source[at:]))
        return handed[-1]

    try:
        return parser.parse(read, progress_callback=lambda *_: thread_time() > end).root_node
    except ValueError:
        return None
    finally:
        for text in handed:
            text.clear()  # the parser never lets go of what it was handed


def _depth(text: str) -> int:
    """The greatest depth of nested brackets, including those in strings and comments."""
    if sum(map(text.count, "([{")) <= _DEEPEST:
        return 0
    depth = deepest = 0
    for run in _BRACKETS.findall(text):
        depth = depth + len(run) if run[0] in "([{" else max(0, depth - len(run))
        deepest = max(deepest, depth)
    return deepest


def _is_junk(root: Node) -> bool:
    if root.descendant_count > _MOST_NODES:
        return True
    left = [root] if root.has_error else []
    while left:
        node = left.pop()
        if node.is_error and node.child_count > _MOST_IN_ERROR:
            return True
        left += [child for child in node.children if child.has_error]
    return False
