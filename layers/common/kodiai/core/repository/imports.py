"""Imports: where a name in a file is defined, in the file itself or in files that it imports; nothing is searched."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from kodiai.core.changes.kinds import is_test
from kodiai.core.code.cache import Cache
from kodiai.core.code.definition import Definition
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.language import family_of, language_of
from kodiai.core.code.names import is_builtin
from kodiai.core.code.references import Reference
from kodiai.core.repository.paths import Paths, named
from kodiai.core.repository.view import RepositoryView

_MOST_FILES = 8
_MOST_IMPORTS = 200
_OWN = frozenset({"Self", "cls", "self", "this"})
# In these languages a method is never called by its name alone.
_THROUGH_OWNERS = frozenset({"javascript", "python", "rust"})
_OWNERS = frozenset({"class", "enum", "impl", "interface", "struct", "trait"})
# In these languages an import does not list what it brings.
_UNLISTED = frozenset({"bash", "cpp", "php", "ruby"})

Defined = tuple[str, Definition]
"""A definition with the path of its file."""


class ImportedCode:
    """Finds what a name means if it leads to one place of the same family of languages.

    At most eight imported files are read for one batch of questions.
    """

    def __init__(self, view: RepositoryView) -> None:
        self._view = view
        self._read: set[str] = set()
        self._references = Cache(self._referred, lambda found: 300 * len(found))

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self._view.tree.paths())

    def begin_batch(self, names: Iterable[tuple[str, Identifier]]) -> None:
        """Begin another batch of questions, about these names in files; what they need is read at once."""
        self._read = set()
        self._view.tree.prefetch([*dict.fromkeys(file for each in names for file in self._first_others(*each))])

    def definition(self, path: str, name: Identifier) -> Defined | None:
        """The definition of a name in a file; None if there is none, more than one, or one that nothing imports."""
        for files, sought in self._groups(path, name):
            if found := self._defined(files, sought):
                return found[0] if len(set(found)) == 1 else None
        return None

    def _first_others(self, path: str, name: Identifier) -> list[str]:
        """The other files in which the definition of a name is looked for first."""
        for files, _ in self._groups(path, name):
            if files != [path] or self._defined(files, name):
                return [file for file in files if file != path]
        return []

    def _groups(self, path: str, name: Identifier) -> Iterator[tuple[list[str], Identifier]]:
        """The files that may define a name, with the name as they have it: the first group counts that has it."""
        if name.owner in _OWN:
            yield [path], name
        elif is_builtin(path, name.owner or name.name):
            return
        elif importing := self._importing(path, name):
            files = self._affordable(self._files(path, importing, name))
            yield files, name
            whole = replace(name, owner="", is_member=False)
            yield self._affordable(again for file in files for again in self._exported(file, whole)), whole
        else:
            yield [path], name
            if name.owner or not name.is_member:  # of what a call gives, nobody knows the type
                yield self._affordable(self._unnamed(path, name)), name

    def _referred(self, path: str) -> tuple[Reference, ...]:
        return self._view.parser.references(path, self._view.lines(path) or [])[:_MOST_IMPORTS]

    def _importing(self, path: str, name: Identifier) -> list[Reference]:
        """The imports that list a name, or what it is reached through."""
        target = name.owner if name.is_member else name.name
        return [each for each in self._references(path) if target in each.names] if target else []

    def _exported(self, path: str, name: Identifier) -> Iterator[str]:
        """The files that a file imports only to export a name of theirs."""
        exports = (each for each in self._references(path) if not each.names.isdisjoint((name.name, "*")))
        return self._files(path, exports, name)

    def _unnamed(self, path: str, name: Identifier) -> Iterator[str]:
        """The imported files that may define a name which no import lists, and those of the same package."""
        is_open = name.is_member or family_of(path) in _UNLISTED
        imports = (each for each in self._references(path) if is_open or "*" in each.names)
        yield from self._files(path, imports, name)
        folder = posixpath.dirname(path)
        match language_of(path):
            case "go":
                yield from self._package(folder, name)
            case "java" if (path := posixpath.join(folder, f"{name.name}.java")) in self._paths.all:
                yield path

    def _affordable(self, files: Iterable[str]) -> list[str]:
        """Those of these files that may be read, each once."""
        found = []
        for path in dict.fromkeys(files):
            if path in self._read or len(self._read) < _MOST_FILES:
                self._read.add(path)
                found.append(path)
        return found

    def _defined(self, files: Sequence[str], name: Identifier) -> list[Defined]:
        found: list[Defined] = []
        for path in files:
            if any(name.name in line for line in self._view.lines(path) or ()):
                own = [one for one in self._view.outline(path).definitions if one.name == name.name]
                found += [(path, one) for one in own if one.kind != "test" and self._is_reached(path, one, name)]
        return found

    def _is_reached(self, path: str, definition: Definition, name: Identifier) -> bool:
        """Whether a name may mean this definition, which may be a method: a type reaches only its own ones."""
        around = self._view.outline(path).enclosing(definition.start_line, definition.end_line)
        owners = [each.name for each in around if each.kind in _OWNERS and each != definition]
        if name.is_member:
            return not owners or not name.owner[:1].isupper() or any(name.owner in each for each in owners)
        return not owners or family_of(path) not in _THROUGH_OWNERS

    def _files(self, path: str, imports: Iterable[Reference], name: Identifier) -> Iterator[str]:
        """The files of the same family that these imports of a file name, the module of the same name included."""
        for each in imports:
            also = [name.owner if name.is_member else name.name] if each.names else []
            places = [replace(each, path=posixpath.join(each.path, *more)) for more in ([], also)]
            for file in self._resolved(path, places, name):
                if family_of(file) == family_of(path) and (is_test(path) or not is_test(file)):
                    yield file

    def _resolved(self, path: str, places: list[Reference], name: Identifier) -> Iterator[str]:
        language = language_of(path)
        for place in places:
            if not place.is_module:
                file = self._paths.first(each for each in named(path, place) if not each.endswith("/"))
                near = [file] if file else self._paths.ending(place.path) if language in ("c", "cpp") else []
                yield from near if len(near) == 1 else ()
            elif language == "python":
                yield from self._python(place.path)
            elif language == "java":
                paths = (f"{each}.java" for each in (place.path, posixpath.dirname(place.path)))
                yield from (each[0] for path in paths if len(each := self._paths.ending(path)) == 1)
        if language == "go":
            yield from self._go(path, places[0].path, name)
        elif language == "rust":
            yield from self._rust(path, places[-1].path.split("/"))

    def _python(self, module: str) -> Iterator[str]:
        """The file of a module whose first package is in no other one; the standard library has most single ones."""
        for ending in (f"{module}.py", f"{module}/__init__.py"):
            roots = [(each, each.removesuffix(ending)) for each in self._paths.ending(ending)]
            whole = [each for each in roots if "/" in module or each[1] in ("", "src/")]
            found = [each for each, root in whole if f"{root}__init__.py" not in self._paths.all]
            yield from found if len(found) == 1 else ()

    def _go(self, path: str, imported: str, name: Identifier) -> Iterator[str]:
        """The files of a package of the same module, whose name go.mod has."""
        folder = path
        while folder:
            folder = posixpath.dirname(folder)
            if (module := posixpath.join(folder, "go.mod")) in self._paths.all:
                lines = self._view.lines(module) or []
                prefix = next(
                    (line.split()[1] for line in lines if line.startswith("module ") and len(line.split()) > 1), ""
                )
                if prefix and imported.startswith(f"{prefix}/"):
                    yield from self._package(posixpath.join(folder, imported[len(prefix) + 1 :]), name)
                return

    def _package(self, folder: str, name: Identifier) -> list[str]:
        """The files of a folder of Go, first those whose names are in the name."""
        files = [each for each in self._paths.inside(folder) if each.endswith(".go") and not is_test(each)]
        return sorted(files, key=lambda path: posixpath.basename(path)[:-3] not in name.name.lower())

    def _rust(self, path: str, parts: list[str]) -> Iterator[str]:
        """The file of the innermost module in a path that begins at the crate, or at the module of the file."""
        folder, file = posixpath.split(path)
        here = folder if file in ("lib.rs", "main.rs", "mod.rs") else path.removesuffix(".rs")
        before, source, _ = f"/{path}".rpartition("/src/")
        crate = f"{before}{source}".strip("/") if source else folder
        base = {"crate": crate, "self": here, "super": posixpath.dirname(here)}.get(parts[0])
        for count in range(len(parts), 0, -1) if base is not None else ():
            place = posixpath.join(base or "", *parts[1:count])
            forms = (f"{place}.rs", f"{place}/mod.rs", *([f"{place}/lib.rs", f"{place}/main.rs"] if count == 1 else ()))
            found = self._paths.first(forms)
            if found is not None:
                yield found
                return
