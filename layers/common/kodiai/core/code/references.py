"""References: the paths that a file names by where it stands itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from tree_sitter import Node

from kodiai.core.changes.kinds import is_markdown
from kodiai.core.code.syntax import SyntaxTree, parse

_SCRIPT = r"(?:0|BASH_SOURCE(?:\[0\])?)"
_OWN_FOLDER = re.compile(
    rf"""\$\(dirname\ (?:--\ )?"?\$(?:{_SCRIPT}|{{{_SCRIPT}}})"?\)|\$\{{{_SCRIPT}%/\*\}}
    |os\.path\.dirname\((?:__file__|os\.path\.(?:abs|real)path\(__file__\))\)
    |(?:pathlib\.)?Path\(__file__\)(?:\.(?:resolve|absolute)\(\))?\.parent(?P<above>(?:\.parent)*)
    |import\.meta\.url""",
    re.VERBOSE,
)


# The statements of the grammars that name what they import.
_IMPORT = re.compile(
    r"^(ex|im)port_(statement|from_statement|spec|declaration)$|^(use_declaration|mod_item)$|^(lexical|variable)_declaration$"
)
_WORD = re.compile(r"\w+|\*")
_LONGEST_IMPORT = 3_000


@dataclass(frozen=True, slots=True)
class Reference:
    """A path from a file's folder, as `path`, at a 1-based line; `text` is how it is written.

    With `is_module` it is a module's path from wherever its language begins to search. `names` are the words of the
    statement, "*" among them: what it imports, and under which name.
    """

    line: int
    text: str
    path: str
    names: frozenset[str] = frozenset()
    is_module: bool = False


def references(path: str, lines: Sequence[str]) -> tuple[Reference, ...]:
    """The references of a file that are written literally, by its grammar; none where nothing can tell."""
    if is_markdown(path):
        # A library that few questions need.
        return tuple(Reference(*each) for each in import_module("kodiai.core.code.links").links(lines))
    syntax = parse(path, lines)
    return tuple(_references(syntax)) if syntax is not None else ()


def _references(syntax: SyntaxTree) -> Iterator[Reference]:
    matches = [*syntax.matches("references")]
    elsewhere = {node.id for match in matches for node in match.get("elsewhere", ())}
    for match in matches:
        for node in (*match.get("reference", ()), *match.get("dotted", ())):
            text, line = syntax.text(node), syntax.first_line(node)
            is_dotted = text.startswith(".") or "dotted" not in match
            folders = [_OWN_FOLDER.fullmatch(syntax.text(folder)) for folder in match.get("folder", ())]
            if not is_dotted or None in folders or node.id in elsewhere:
                continue
            above = "".join((folder["above"] or "").replace(".parent", "../") for folder in folders if folder)
            plain = [(text, above + text.partition("?")[0].lstrip("/"))]
            found = _modules(syntax, node) if node.type == "relative_import" else plain
            yield from (Reference(line, *each, _names(syntax, node)) for each in found)
        for node in match.get("module", ()):
            text = "".join(syntax.text(node).strip('"`').split())
            path = text.partition("::{")[0].replace("::", "/") if syntax.language != "go" else text
            path = path.replace(".", "/") if syntax.language in ("java", "python") else path
            yield Reference(syntax.first_line(node), text, path, _names(syntax, node), is_module=True)


def _names(syntax: SyntaxTree, node: Node) -> frozenset[str]:
    """The words of the statement that a path is in; only those of an import are names."""
    outer = node.parent
    while outer is not None and outer.parent is not None and not _IMPORT.search(outer.type):
        outer = outer.parent
    if outer is None or outer.parent is None or outer.end_byte - outer.start_byte > _LONGEST_IMPORT:
        return frozenset()
    return frozenset(_WORD.findall(syntax.text(outer)))


def _modules(syntax: SyntaxTree, module: Node) -> Iterator[tuple[str, str]]:
    """The module that Python imports from, or the modules that it imports from a package, with their paths."""
    text = "".join(syntax.text(module).split())
    names = [text.lstrip(".")]
    dots = text.removesuffix(names[0])
    if not names[0] and module.parent is not None:
        imported = module.parent.children_by_field_name("name")
        names = [syntax.text(each.child_by_field_name("name") or each) for each in imported]
    for name in names:
        yield f"{dots}{name}", "../" * (len(dots) - 1) + name.replace(".", "/")
