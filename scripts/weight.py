"""Prints the weight of the project next to its budget: `make weight`."""

import ast
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_CORE = "kodiai.core"
_LAYER = Path("layers/common")
_RECIPES, _CPU = Path("docs/recipes.md"), Path("docs/test-cpu.md")
# In lines.
_BUDGET = {
    "": 129_000,
    "layers": 30_500,
    "local": 17_000,
    "cli": 5_600,
    "evals": 5_200,
    "bench": 3_300,
    "tests": 64_000,
}
_CPU_MINUTES = 13


@dataclass(frozen=True)
class Row:
    """A measure: its value, and the most that it may be."""

    name: str
    value: float
    most: float

    def __str__(self) -> str:
        over = "over the budget" if self.value > self.most else ""
        return f"{self.name:<44}{self.value:>10,g}{self.most:>10,g}  {over}".rstrip()


def rows() -> Iterator[Row]:
    """All measures."""
    files = [Path(name) for name in _output("git", "ls-files", "*.py").splitlines()]
    lines = Counter({"": 0})
    for file in files:
        count = file.read_text("utf-8").count("\n")
        lines.update({"": count, file.parts[0]: count})
    for folder, most in _BUDGET.items():
        yield Row(f"lines of Python{f' in {folder}' if folder else ''}", lines[folder], most)
    imports = rooms({file: file.read_text("utf-8") for file in files if file.is_relative_to(_LAYER / "kodiai/core")})
    yield Row("pairs of rooms that import each other", sum(a in imports[b] for a in imports for b in imports[a]) / 2, 0)
    yield Row("rooms in a knot", sum(room in reached(imports, room) for room in imports), 0)
    trees = {file: ast.parse(file.read_text("utf-8")) for file in files}
    yield Row("most arguments", max(map(most_arguments, trees.values())), 6)
    public = Counter(name for file, tree in trees.items() if file.is_relative_to(_LAYER) for name in types(tree))
    yield Row("types defined twice in the layer", sum(count > 1 for count in public.values()), 3)
    minutes = re.findall(r"^\| 20\S+ \| ([\d.]+)", _text(_CPU), re.MULTILINE)
    yield Row(f"CPU minutes of the tests ({_CPU})", float(minutes[-1]), _CPU_MINUTES)
    recipe = _text(_RECIPES).partition("## A command\n")[2].partition("\n## ")[0]
    yield Row(f"files of a new command ({_RECIPES})", len(re.findall(r"^\d+\. `[^`]+\.py`", recipe, re.MULTILINE)), 3)


def rooms(files: Mapping[Path, str]) -> dict[str, set[str]]:
    """The rooms of the core that each of them imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for file, text in files.items():
        room = file.relative_to(_LAYER / "kodiai/core").parts[0].removesuffix(".py")
        named = {
            name.split(".")[0] for name in re.findall(rf"^\s*(?:from|import) {_CORE}\.([\w.]+)", text, re.MULTILINE)
        }
        found[room] |= named - {room}
    return found


def reached(imports: Mapping[str, set[str]], room: str) -> set[str]:
    """All rooms that a room needs, directly or through others."""
    found, left = set[str](), list(imports.get(room, ()))
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left.extend(imports.get(one, ()))
    return found


def most_arguments(tree: ast.AST) -> int:
    """The most arguments that a function takes, self and cls not counted."""
    functions = [node.args for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    names = ([each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs)] for of in functions)
    return max((len([name for name in found if name not in ("self", "cls")]) for found in names), default=0)


def types(tree: ast.Module) -> Iterator[str]:
    """The public types of a module: classes, and aliases of types."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Subscript)
            and isinstance(node.targets[0], ast.Name)
        ):
            name = node.targets[0].id
        else:
            continue
        if name[0].isupper() and not name.isupper():
            yield name


def _text(file: Path) -> str:
    return file.read_text("utf-8")


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    print(f"{'':<44}{'now':>10}{'at most':>10}")
    for row in rows():
        print(row)
