"""The scopes of a Python file: what each binds, where and under which conditions, and what is read in it.

The rules are those of https://docs.python.org/3/reference/executionmodel.html#naming-and-binding
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

How = Literal["imported", "defined", "parameter", "bound"]
_LONGEST_CONDITION = 60

# A branch: its statement, which of the statement's branches it is, and how people call it.
Branch = tuple[ast.AST, str, str]


@dataclass(frozen=True)
class Binding:
    """Where a name gets a value: a 1-based line, and the branches of its scope in which that stands."""

    line: int
    how: How
    branches: tuple[Branch, ...] = ()


@dataclass(eq=False)
class Scope:
    """A module, a function, a class or a comprehension; `name` is how people call it.

    `elsewhere` has the names that are `global` or `nonlocal` there, with the scopes that they belong to.
    """

    kind: Literal["module", "function", "class", "comprehension"]
    name: str
    parent: "Scope | None" = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, "Scope"] = field(default_factory=dict)

    @property
    def outside_comprehensions(self) -> "Scope":
        """The innermost scope around it that is no comprehension."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(frozen=True)
class Use:
    """A place where a name is read."""

    name: str
    line: int
    scope: Scope
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class FileScopes:
    """All scopes of a module, and what is read in it, by line and column in bytes.

    `is_open` is whether names may come from where no program can see.
    """

    scopes: tuple[Scope, ...]
    uses: Mapping[tuple[int, int], Use]
    is_open: bool


def file_scopes(module: ast.Module) -> FileScopes:
    """Tell what a module binds and reads. Raises RecursionError where it is nested too deeply."""
    walk = _Walk()
    walk.visit(module)
    return FileScopes(tuple(walk.scopes), walk.uses, walk.is_open)


class _Walk(ast.NodeVisitor):
    """Goes through a module scope by scope."""

    def __init__(self) -> None:
        self.uses: dict[tuple[int, int], Use] = {}
        self._module = self._scope = Scope("module", "the file")
        self.scopes = [self._module]
        self.is_open = False
        self._branches: tuple[Branch, ...] = ()
        self._hints_are_read = True

    def _bind(self, name: str, line: int, how: How = "bound") -> None:
        scope = self._scope
        while scope.kind == "comprehension" and how == "bound" and scope.parent is not None:
            scope = scope.parent  # only an assignment expression comes here; targets are bound by `_target`
        branches = self._branches
        if name in scope.elsewhere:
            branches = ((ast.Pass(), name, f"`{scope.name}`"),)
            scope = scope.elsewhere[name]
        scope.bindings.setdefault(name, []).append(Binding(line, how, branches))

    def _within(self, scope: Scope, nodes: Iterable[ast.AST]) -> None:
        before, self._scope = self._scope, scope
        branches, self._branches = self._branches, ()
        self.scopes.append(scope)
        if scope.kind == "comprehension":
            self._branches = branches
        for node in nodes:
            self.visit(node)
        self._scope, self._branches = before, branches

    def _branch(self, of: ast.AST, which: str, said: str, nodes: Iterable[ast.AST]) -> None:
        before = self._branches
        self._branches = (*before, (of, which, said))
        for node in nodes:
            self.visit(node)
        self._branches = before

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in ("globals", "__builtins__", "builtins"):
            self.is_open = True
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, node.lineno)
        else:
            self.uses[node.lineno, node.col_offset] = Use(node.id, node.lineno, self._scope, self._branches)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name.partition(".")[0], alias.lineno, "imported")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__" and any(alias.name == "annotations" for alias in node.names):
            self._hints_are_read = False
        for alias in node.names:
            self.is_open |= alias.name == "*"
            self._bind(alias.asname or alias.name, alias.lineno, "imported")

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name, node.lineno, "defined")
        outer = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        hints = [each.annotation for each in _parameters(node.args) if each.annotation]
        hints += [node.returns] if node.returns else []
        self._function(node.name, node, outer, hints if self._hints_are_read else [], node.body)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast names it

    def visit_Lambda(self, node: ast.Lambda) -> None:
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        self._function("a lambda", node, defaults, [], [node.body])

    def _function(
        self,
        name: str,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        outer: Iterable[ast.AST],
        hints: Iterable[ast.AST],
        body: Iterable[ast.AST],
    ) -> None:
        types = getattr(node, "type_params", [])
        for each in (*outer, *(() if types else hints)):
            self.visit(each)
        scope = Scope("function", name, self._scope)
        for declared in _declarations(node):
            home = self._module if isinstance(declared, ast.Global) else _outer_function(self._scope)
            scope.elsewhere |= dict.fromkeys(declared.names, home)
        for argument in _parameters(node.args):
            scope.bindings.setdefault(argument.arg, []).append(Binding(argument.lineno, "parameter"))
        self._within(scope, [*types, *(hints if types else ()), *body])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self._hints_are_read:
            self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, node.lineno, "defined")
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(each)
        # Type parameters are seen by methods as well, unlike all else that a class binds.
        types = Scope("function", node.name, self._scope)
        params = getattr(node, "type_params", [])
        self._within(types, params)
        self._within(Scope("class", f"class {node.name}", types if params else self._scope), node.body)

    def visit_TypeVar(self, node: ast.AST) -> None:
        self._bind(str(getattr(node, "name", "")), getattr(node, "lineno", 0), "parameter")
        self.generic_visit(node)

    visit_ParamSpec = visit_TypeVarTuple = visit_TypeVar  # noqa: N815 - ast names it

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        lazy = isinstance(node, ast.GeneratorExp)
        scope = Scope("comprehension", "a generator" if lazy else "a comprehension", self._scope)
        for generator in node.generators:
            for name in ast.walk(generator.target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    scope.bindings.setdefault(name.id, []).append(Binding(name.lineno, "bound"))
        inner: list[ast.AST] = [each for generator in node.generators for each in generator.ifs]
        inner += [generator.iter for generator in node.generators[1:]]
        inner += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._within(scope, inner)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815 - ast names it

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        said = f"`if {_short(node.test)}`"
        self._branch(node, "body", said, node.body)
        self._branch(node, "else", f"the `else` of {said}", node.orelse)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._branch(node, "body", f"the loop at line {node.lineno}", [node.target, *node.body])
        for each in node.orelse:
            self.visit(each)

    visit_AsyncFor = visit_For  # noqa: N815 - ast names it

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._branch(node, "body", f"the loop at line {node.lineno}", node.body)
        for each in node.orelse:
            self.visit(each)

    def visit_Try(self, node: ast.Try) -> None:
        self._branch(node, "body", f"the `try` at line {node.lineno}", [*node.body, *node.orelse])
        for at, handler in enumerate(node.handlers):
            said = f"`except {_short(handler.type)}`" if handler.type else "`except`"
            self._branch(node, str(at), said, [handler])
        for each in node.finalbody:
            self.visit(each)

    visit_TryStar = visit_Try  # type: ignore[assignment]  # noqa: N815 - ast names it

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, node.lineno)
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for at, case in enumerate(node.cases):
            self._branch(node, str(at), f"`case {_short(case.pattern)}`", [case])

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, node.lineno)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815 - ast names it

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest, node.lineno)
        self.generic_visit(node)


def _parameters(given: ast.arguments) -> list[ast.arg]:
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [*named, *([given.vararg] if given.vararg else []), *([given.kwarg] if given.kwarg else [])]


def _declarations(node: ast.AST) -> Iterator[ast.Global | ast.Nonlocal]:
    """The `global` and `nonlocal` statements of a function, but not of those inside it."""
    left = list(ast.iter_child_nodes(node))
    while left:
        each = left.pop()
        if isinstance(each, ast.Global | ast.Nonlocal):
            yield each
        elif not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            left += ast.iter_child_nodes(each)


def _outer_function(scope: Scope) -> Scope:
    while scope.kind != "function" and scope.parent is not None:
        scope = scope.parent
    return scope


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST_CONDITION else f"{text[:_LONGEST_CONDITION]}…"
