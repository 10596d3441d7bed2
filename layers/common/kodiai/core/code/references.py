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


@dataclass(frozen=True, slots=True)
class Reference:
    """A path from a file's folder, as `path`, at a 1-based line; `text` is how it is written."""

    line: int
    text: str
    path: str


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
            yield from (Reference(line, *each) for each in found)


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
