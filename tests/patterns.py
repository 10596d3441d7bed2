"""The patterns of the code, and texts that a pattern may take long to refuse, made of the pattern itself."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pydantic

# The parser of `re` reads a pattern as `re` itself does; no other one knows possessive repetitions.
from re import _constants as code  # type: ignore[attr-defined]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined]  # isort: skip

Tree = Sequence[tuple[Any, Any]]

_METHODS = frozenset({"sub", "subn", "match", "search", "fullmatch", "findall", "finditer", "split", "compile"})
_SEARCHING = frozenset({"sub", "subn", "search", "findall", "finditer", "split"})
_FINDING = frozenset({"finditer"})
_MOST_PUMPS = 24
_ENDS = ("", "\0", "\n\0")
_CATEGORIES = {
    code.CATEGORY_DIGIT: "0",
    code.CATEGORY_NOT_DIGIT: "a",
    code.CATEGORY_SPACE: " ",
    code.CATEGORY_NOT_SPACE: "a",
    code.CATEGORY_WORD: "a",
    code.CATEGORY_NOT_WORD: "-",
}
_CANDIDATES = "aA0 -_.<>`\n\t/é"


@dataclass(frozen=True)
class Used:
    """A pattern, and the methods by which it is used: "match", "fullmatch", "finditer" for all that search."""

    pattern: re.Pattern[Any]
    methods: frozenset[str]

    def run(self, text: Any) -> None:
        """Use it on a text."""
        for name in self.methods:
            found = getattr(self.pattern, name)(text)
            if name == "finditer":
                deque(found, maxlen=0)


@dataclass(frozen=True)
class Written:
    """A call such as `re.sub` within a function: its place, and its pattern, None if that is not a literal."""

    place: str
    pattern: str | bytes | None


def modules(packages: Iterable[str]) -> Iterator[ModuleType]:
    """Import every module of these packages."""
    for name in packages:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{name}."):
            yield importlib.import_module(found.name)


def compiled(module: ModuleType) -> Iterator[Used]:
    """Give the patterns that a module holds, also within its containers and in the fields of its models."""
    calls = _calls(module)
    for name, value in vars(module).items():
        for pattern in _within(value):
            yield Used(pattern, calls.get(name) or _FINDING)
        if isinstance(value, type) and issubclass(value, pydantic.BaseModel) and value.__module__ == module.__name__:
            for each in value.model_fields.values():
                for fact in each.metadata:
                    if form := getattr(fact, "pattern", None):
                        yield Used(re.compile(form), _FINDING)


def _calls(module: ModuleType) -> Mapping[str, frozenset[str]]:
    """The methods that a module calls of the patterns it has a name for."""
    tree = ast.parse(inspect.getsource(module)) if module.__file__ else ast.Module([], [])
    calls: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _METHODS:
                calls.setdefault(name, set()).add("finditer" if method in _SEARCHING else method)
    return {name: frozenset(found) for name, found in calls.items()}


def _within(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _within(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _within(each)


def written(folder: Path) -> Iterator[Written]:
    """Find the calls of `re` in the functions below a folder: their patterns are not held by any module."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    match node:
                        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[first, *_]):
                            found = _literals(first) if name in _METHODS else []
                            yield from (Written(f"{path.stem}.{function.name}", pattern) for pattern in found)


def _literals(node: ast.AST) -> list[str | bytes | None]:
    match node:
        case ast.Constant(value=str() | bytes() as pattern):
            return [pattern]
        case ast.IfExp(body=one, orelse=other):
            return [*_literals(one), *_literals(other)]
    return [None]


def attacks(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """Give texts of about this length: parts of what the pattern matches, again and again, and an end that it refuses.

    A pattern is slow where it can divide a run of characters among its parts in many ways, or begins to match at many
    places: both need a part of it repeated, behind what has to come before.
    """
    is_bytes = isinstance(pattern.pattern, bytes)
    text = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    flags = pattern.flags & ~re.UNICODE if is_bytes else pattern.flags
    parts = _Parts()
    parts.read(parser.parse(text, flags), [""])
    made = [
        f"{before}{pump * (length // len(pump))}{end}"
        for before in parts.befores
        for pump in parts.most_pumps()
        for end in _ENDS
    ]
    halves = parts.most_pumps()[:6]
    made += [f"{a * (length // len(a) // 2)}{b * (length // len(b) // 2)}\0" for a in halves for b in halves if a != b]
    yield from ((each.encode("latin-1", "replace") if is_bytes else each) for each in made)


@dataclass
class _Parts:
    """The parts of a pattern: texts that lead to a repetition, and texts to repeat."""

    befores: dict[str, None] = field(default_factory=lambda: {"": None})
    pumps: dict[str, None] = field(default_factory=dict)

    def most_pumps(self) -> list[str]:
        """The texts to repeat, the shortest first."""
        return sorted(filter(None, self.pumps), key=len)[:_MOST_PUMPS]

    def read(self, tree: Tree, before: list[str]) -> list[str]:
        """Read a part of the pattern behind each of these texts; what it matches with them, at most three texts."""
        for kind, value in tree:
            found = self._matching(kind, value, before)
            before = list(dict.fromkeys(f"{text}{more}" for more in found for text in before))[:3]
            self.pumps[before[0]] = None
        return before

    def _matching(self, kind: Any, value: Any, before: list[str]) -> list[str]:
        """The text that one node of the tree matches."""
        if kind in (code.LITERAL, code.NOT_LITERAL, code.IN, code.ANY, code.CATEGORY):
            found = _characters(kind, value)
            self.pumps.update(dict.fromkeys(found))
            return found
        if kind in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            least, most, body = value
            once = self.read(body, [""])
            if most is code.MAXREPEAT or most > 20:
                self.befores.update(dict.fromkeys(before[:2]))
            self.pumps.update(dict.fromkeys(once))
            return [each * max(least, 1) for each in once]
        if kind is code.BRANCH:
            return [text for branch in value[1] for text in self.read(branch, [""])][:12]
        if kind is code.SUBPATTERN:
            return self.read(value[3], [""])
        if kind is code.ATOMIC_GROUP:
            return self.read(value, [""])
        if kind is code.ASSERT:
            self.read(value[1], [""])  # what is looked for may be slow too
        return [""]


def _characters(kind: Any, value: Any) -> list[str]:
    """Characters that a node matches, at most three."""
    if kind is code.LITERAL:
        return [chr(value)]
    if kind is code.NOT_LITERAL:
        return [each for each in _CANDIDATES if ord(each) != value][:2]
    if kind is code.ANY:
        return ["a", " "]
    if kind is code.CATEGORY:
        return [_CATEGORIES[value]]
    if value[0][0] is code.NEGATE:
        inside = {char for node in value[1:] for char in _members(node)}
        return [each for each in _CANDIDATES if each not in inside][:3] or ["☃"]
    return [chars[0] for node in value if (chars := list(_members(node)))][:4]


def _members(node: tuple[Any, Any]) -> Iterator[str]:
    """Some characters that a member of a set stands for."""
    match node:
        case (code.LITERAL, value):
            yield chr(value)
        case (code.RANGE, (first, last)):
            yield chr(first)
            yield from (each for each in _CANDIDATES if first <= ord(each) <= last)
        case (code.CATEGORY, category):
            yield _CATEGORIES[category]
            yield from (each for each in _CANDIDATES if _is_in(category, each))


def _is_in(category: Any, char: str) -> bool:
    name = str(category).removeprefix("CATEGORY_")
    classes = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
    return re.match(classes[name], char) is not None
