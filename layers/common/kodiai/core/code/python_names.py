"""What a name means where a Python file reads it: what binds it, or that nothing does that is visible there."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.code.python_scopes import Binding, Branch, FileScopes, Scope, Use, file_scopes

_ENDING = (ast.Raise, ast.Return, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Meaning:
    """What a name means where it is read.

    `scope` is what binds it, None where nothing does that is visible there; then `hidden` are bindings in scopes that
    are not. `only_in` are the branches outside of the use in which alone it is bound, with the line of each;
    `is_late` is whether it is bound only further down in the same scope.
    """

    use: Use
    scope: Scope | None
    bindings: tuple[Binding, ...] = ()
    hidden: tuple[tuple[Scope, Binding], ...] = ()
    only_in: tuple[tuple[str, int], ...] = ()
    is_late: bool = False

    @property
    def is_own(self) -> bool:
        """Whether the function that reads the name binds it itself."""
        return self.scope is self.use.scope.outside_comprehensions or self.scope is self.use.scope


class PythonNames:
    """The names that one file reads."""

    def __init__(self, found: FileScopes) -> None:
        self._found = found

    def meaning(self, line: int, column: int) -> Meaning | None:
        """What the name means that is read at a place (column in bytes), None where none is or it cannot be told."""
        use = self._found.uses.get((line, column))
        if use is None:
            return None
        scope = _binding_scope(use)
        if scope is not None:
            return _meaning(use, scope)
        if self._found.is_open or _passes_class(use.scope):
            return None
        hidden = [(each, one) for each in self._found.scopes for one in each.bindings.get(use.name, ())]
        return Meaning(use, None, hidden=tuple(hidden))


def python_names(lines: Sequence[str]) -> PythonNames | None:
    """The names that a file reads, None where it does not parse."""
    try:
        return PythonNames(file_scopes(ast.parse("\n".join(lines) + "\n")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _passes_class(scope: Scope) -> bool:
    """Whether it is a comprehension in a class body, of which versions of Python see different parts."""
    return scope.kind == "comprehension" and scope.outside_comprehensions.kind == "class"


def _binding_scope(use: Use) -> Scope | None:
    scope: Scope | None = use.scope
    while scope is not None:
        if use.name in scope.elsewhere:
            home = scope.elsewhere[use.name]
            return home if use.name in home.bindings else None
        if use.name in scope.bindings and (scope.kind != "class" or scope is use.scope):
            return scope
        scope = scope.parent
    return None


def _meaning(use: Use, scope: Scope) -> Meaning:
    bindings = tuple(scope.bindings[use.name])
    own = scope is use.scope or (scope is use.scope.outside_comprehensions and use.scope.name != "a generator")
    is_late = (
        own and all(each.line > use.line for each in bindings) and not any(_shares_loop(use, each) for each in bindings)
    )
    around = use.branches if own or scope is use.scope.outside_comprehensions else ()
    found = [each for each in bindings if each.how != "parameter"] if len(bindings) > 1 else list(bindings)
    paths = {each.branches: each.line for each in reversed(found)}
    outside = {path: line for path, line in paths.items() if not _covers(path, around)}
    certain = len(outside) < len(paths) or len(found) < len(bindings) or _is_certain(set(outside), around)
    only_in = (
        ()
        if certain
        else tuple(
            (_first_apart(path, around), line) for path, line in sorted(outside.items(), key=lambda each: each[1])
        )
    )
    return Meaning(use, scope, bindings, only_in=only_in, is_late=is_late)


def _covers(path: tuple[Branch, ...], around: tuple[Branch, ...]) -> bool:
    return path == around[: len(path)]


def _is_certain(paths: set[tuple[Branch, ...]], around: tuple[Branch, ...]) -> bool:
    """Whether one of some branches is always run, since each other one of its statement ends what is around it."""
    known = set(paths)
    while longest := max(known, key=len, default=()):
        known = {path for path in known if path != longest}
        node = longest[-1][0]
        alike = {
            path[-1][1] for path in paths | {longest} if path[:-1] == longest[:-1] and path and path[-1][0] is node
        }
        if all(each in alike or ends for each, ends in _branches_of(node)):
            known.add(longest[:-1])
            paths = paths | {longest[:-1]}
    return any(_covers(path, around) for path in paths)


def _branches_of(node: ast.AST) -> list[tuple[str, bool]]:
    """The branches of a statement, one of which is always run, and whether each leaves what is around it."""
    if isinstance(node, ast.If):
        return [("body", _ends(node.body)), ("else", _ends(node.orelse))]
    if isinstance(node, ast.Try):
        return [("body", False), *((str(at), _ends(each.body)) for at, each in enumerate(node.handlers))]
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
        return [("body", False)]
    return [("never", False)]


def _ends(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], _ENDING)


def _shares_loop(use: Use, binding: Binding) -> bool:
    loops = {id(node) for node, _, _ in binding.branches if isinstance(node, ast.For | ast.AsyncFor | ast.While)}
    return any(id(node) in loops for node, _, _ in use.branches)


def _first_apart(path: tuple[Branch, ...], around: tuple[Branch, ...]) -> str:
    return next(each[2] for at, each in enumerate(path) if around[at : at + 1] != (each,))
