"""Reads expressions: of conditions, filters, keys, updates and projections.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters
Parts of the language that nothing here uses are refused: BETWEEN, IN, attribute_type, operands in parentheses, and
changes of a part of an attribute.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path as File
from typing import Any

from local.aws.dynamodb.expressions import COMPARATORS, Call, Given, Logic, Node, Path
from local.aws.dynamodb.values import KINDS, SCALARS, SETS
from local.aws.protocol import AwsError, invalid

_TOKEN = re.compile(r"[#:]?[A-Za-z0-9_]+|<=|>=|<>|\S")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_END = "<EOF>"
_KEYWORDS = frozenset({"AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"})
_LONGEST = 4096  # bytes

# The types that each operand may be of; a path is what `_PATH` asks for.
_PATH: tuple[str, ...] = ()
_OPERANDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(("<", "<=", ">", ">="), (SCALARS, SCALARS)),
    **dict.fromkeys(("=", "<>", "contains"), (KINDS, KINDS)),
    **dict.fromkeys(("+", "-"), (("N",), ("N",))),
    "attribute_exists": (_PATH,),
    "attribute_not_exists": (_PATH,),
    "begins_with": (("S", "B"), ("S", "B")),
    "size": (("S", "B", *SETS, "L", "M"),),
    "if_not_exists": (_PATH, KINDS),
    "list_append": (("L",), ("L",)),
}
_TESTS = frozenset({"attribute_exists", "attribute_not_exists", "begins_with", "contains"})
_IN_UPDATES = frozenset({"if_not_exists", "list_append"})
_FOUND = {"size": "N", "list_append": "L"}  # the types of what functions find
_LONG_NAMES = {"S": "STRING", "N": "NUMBER", "B": "BINARY", "BOOL": "BOOLEAN", "NULL": "NULL", "L": "LIST", "M": "MAP"}


@dataclass(frozen=True)
class Change:
    """A part of an update: "SET", "REMOVE", "ADD" or "DELETE", with the name of the attribute."""

    action: str
    name: str
    value: Node | None = None


@dataclass(frozen=True)
class Parsed:
    """An expression, with the names ("#n") and values (":v") that it uses.

    `tree` is a condition, or all changes of an update, or all paths of a projection.
    """

    tree: Any
    used: frozenset[str]


@lru_cache(4096)
def parse(kind: str, text: str, names: tuple[tuple[str, str], ...], types: tuple[tuple[str, str], ...]) -> Parsed:
    """Parse a "ConditionExpression", with the request's names, and the types of its values. Raises AwsError."""
    parser = _Parser(kind, text, dict(names), dict(types))
    if not text.strip():
        raise parser.refusal("The expression can not be empty;")
    if len(text.encode()) > _LONGEST:
        raise parser.refusal(f"Expression size has exceeded the maximum allowed size; expression size: {len(text)}")
    read: Mapping[str, Callable[[], Any]] = {
        "UpdateExpression": parser.update,
        "ProjectionExpression": parser.projection,
    }
    tree = read.get(kind, parser.condition)()
    if parser.token != _END:
        raise parser.syntax_error()
    return Parsed(tree, frozenset(parser.used))


@cache
def _reserved() -> frozenset[str]:
    """The words that no attribute may be called without a placeholder."""
    return frozenset(File(__file__).with_name("reserved_words.txt").read_text().split())


class _Parser:
    """Reads one expression from left to right."""

    def __init__(self, kind: str, text: str, names: Mapping[str, str], types: Mapping[str, str]) -> None:
        self.used: set[str] = set()
        self._kind = kind
        self._text = text
        self._names = names
        self._types = types
        found = [*_TOKEN.finditer(text)]
        self._spans = [each.span() for each in found]
        self._tokens = [each[0] for each in found] + [_END] * 2
        self._at = 0
        self._groups: dict[int, int] = {}

    @property
    def token(self) -> str:
        """The token that comes next."""
        return self._tokens[self._at]

    def refusal(self, message: str) -> AwsError:
        return invalid(f"Invalid {self._kind}: {message}")

    def syntax_error(self) -> AwsError:
        around = self._spans[max(self._at - 1, 0) : self._at + 2]
        near = self._text[around[0][0] : around[-1][1]]
        return self.refusal(f'Syntax error; token: "{self.token}", near: "{near}"')

    def condition(self) -> Node:
        """Read a condition, up to where it ends."""
        return self._joined("OR", lambda: self._joined("AND", self._negated))

    def update(self) -> tuple[Change, ...]:
        """Read the sections of an update."""
        changes: list[Change] = []
        sections: set[str] = set()
        while section := self._take("SET", "REMOVE", "ADD", "DELETE"):
            if section in sections:
                raise self.refusal(f'The "{section}" section can only be used once in an update expression;')
            sections.add(section)
            changes += self._listed(lambda section=section: self._change(section))  # type: ignore[misc]
        self._check_apart([Path((change.name,)) for change in changes])
        return tuple(changes)

    def projection(self) -> tuple[Path, ...]:
        """Read paths."""
        paths = self._listed(self._path)
        self._check_apart(paths)
        return tuple(paths)

    def _take(self, *expected: str) -> str:
        """Take the next token if it is one of these, words in any case; "" if it is none."""
        token = self.token.upper()
        if token not in expected:
            return ""
        self._at += 1
        return token

    def _need(self, expected: str) -> None:
        if not self._take(expected):
            raise self.syntax_error()

    def _listed(self, read: Callable[[], Any]) -> list[Any]:
        found = [read()]
        while self._take(","):
            found.append(read())
        return found

    def _joined(self, word: str, read: Callable[[], Node]) -> Node:
        parts = [read()]
        while self._take(word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Logic(word, tuple(parts))

    def _negated(self) -> Node:
        return Logic("NOT", (self._negated(),)) if self._take("NOT") else self._group() or self._test()

    def _group(self) -> Node | None:
        start = self._at
        if not self._take("("):
            return None
        inner = self.condition()
        self._need(")")
        if self._groups.get(start + 1) == self._at - 2:
            raise self.refusal("The expression has redundant parentheses;")
        self._groups[start] = self._at - 1
        return inner

    def _test(self) -> Node:
        if self.token in _TESTS and self._tokens[self._at + 1] == "(":
            return self._call()
        value = self._operand()
        if word := self._take(*COMPARATORS):
            return self._checked(word, value, self._operand())
        if isinstance(value, Call):
            raise self._misused(value.name)
        raise self.syntax_error()

    def _change(self, section: str) -> Change:
        name = self._name()
        if section == "REMOVE":
            return Change(section, name)
        if section == "SET":
            self._need("=")
            value = self._operand()
            sign = self._take("+", "-")
            return Change(section, name, self._checked(sign, value, self._operand()) if sign else value)
        given = self._operand()
        if not isinstance(given, Given):
            raise self.syntax_error()
        if given.kind not in (*SETS, *(["N"] if section == "ADD" else [])):
            kind = f"operator: {section}, operand type: {_LONG_NAMES[given.kind]}"
            raise self.refusal(f"Incorrect operand type for operator or function; {kind}")
        return Change(section, name, given)

    def _operand(self) -> Node:
        if self.token.startswith(":"):
            return self._given()
        if self._tokens[self._at + 1] == "(" and _NAME.fullmatch(self.token):
            if self.token in _TESTS:
                raise self._misused(self.token)
            return self._call()
        return self._path()

    def _given(self) -> Given:
        name = self.token
        if name not in self._types:
            message = "An expression attribute value used in expression is not defined; attribute value: "
            raise self.refusal(f"{message}{name}")
        self._at += 1
        self.used.add(name)
        return Given(name, self._types[name])

    def _call(self) -> Node:
        name = self.token
        if name not in (_IN_UPDATES if self._kind == "UpdateExpression" else {*_TESTS, "size"}):
            raise self.refusal(f"Invalid function name; function: {name}")
        self._at += 1
        self._need("(")
        operands = self._listed(self._operand)
        self._need(")")
        return self._checked(name, *operands)

    def _misused(self, name: str) -> AwsError:
        return self.refusal(f"The function is not allowed to be used this way in an expression; function: {name}")

    def _checked(self, name: str, *operands: Node) -> Node:
        """Hold operands to their number and types, as far as these are known before the item is."""
        allowed = _OPERANDS[name]
        where = f"operator or function: {name}"
        if len(operands) != len(allowed):
            count = f"{where}, number of operands: {len(operands)}"
            raise self.refusal(f"Incorrect number of operands for operator or function; {count}")
        for operand, kinds in zip(operands, allowed, strict=True):
            if kinds is _PATH:
                if not isinstance(operand, Path):
                    raise self.refusal(f"Operator or function requires a document path; {where}")
            elif (kind := _kind(operand)) and kind not in kinds:
                raise self.refusal(f"Incorrect operand type for operator or function; {where}, operand type: {kind}")
        return Call(name, operands)

    def _path(self) -> Path:
        steps: list[str | int] = [self._name()]
        while step := self._take(".", "["):
            if step == ".":
                steps.append(self._name())
            else:
                if not self.token.isdecimal():
                    raise self.syntax_error()
                steps.append(int(self.token))
                self._at += 1
                self._need("]")
        return Path(tuple(steps))

    def _name(self) -> str:
        token = self.token
        if token.startswith("#"):
            if token not in self._names:
                message = "An expression attribute name used in the document path is not defined; attribute name: "
                raise self.refusal(f"{message}{token}")
            self.used.add(token)
        elif not _NAME.fullmatch(token) or token.upper() in _KEYWORDS:
            raise self.syntax_error()
        elif token.upper() in _reserved():
            raise self.refusal(f"Attribute name is a reserved keyword; reserved keyword: {token}")
        self._at += 1
        return self._names.get(token, token)

    def _check_apart(self, paths: Sequence[Path]) -> None:
        """Refuse paths of which one is another, leads to another, or takes for a list what another takes for a map."""
        for one, other in combinations(paths, 2):
            apart = next((pair for pair in zip(one.steps, other.steps, strict=False) if pair[0] != pair[1]), None)
            if apart is None or type(apart[0]) is not type(apart[1]):
                how = "overlap" if apart is None else "conflict"
                message = f"Two document paths {how} with each other; must remove or rewrite one of these paths; "
                raise self.refusal(f"{message}path one: {one}, path two: {other}")


def _kind(operand: Node) -> str | None:
    """The type of what an operand finds, None where that depends on the item."""
    if isinstance(operand, Given):
        return operand.kind
    return _FOUND.get(operand.name) if isinstance(operand, Call) else None
