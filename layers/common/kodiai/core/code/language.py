"""The language of a file, by its name alone."""

from functools import lru_cache
from pathlib import PurePosixPath

_ENDINGS = {
    "bash": ".bash .sh",
    "c": ".c",
    "cpp": ".c++ .cc .cpp .cxx .h .h++ .hh .hpp .hxx .inl .ipp .tpp",
    "csharp": ".cs .csx",
    "go": ".go",
    "java": ".java",
    "javascript": ".cjs .js .jsx .mjs",
    "php": ".php .phtml",
    "python": ".py .pyi .pyw",
    "ruby": ".gemspec .rake .rb .ru .thor",
    "rust": ".rs",
    "tsx": ".tsx",
    "typescript": ".cts .mts .ts",
}
_NAMES = {
    "bash": ".bash_profile .bashrc .profile",
    "python": "SConscript SConstruct wscript",
    "ruby": "Brewfile Capfile Fastfile Gemfile Guardfile Podfile Rakefile Vagrantfile",
}
_FAMILIES = {"c": "cpp", "tsx": "javascript", "typescript": "javascript"}
# Pages with code in them, which no grammar reads.
_FAMILIES_BY_ENDING = {".svelte": "javascript", ".vue": "javascript"}
_BY_ENDING = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
_BY_NAME = {name: language for language, names in _NAMES.items() for name in names.split()}


@lru_cache(10_000)  # it is asked many times about each path of a review
def language_of(path: str) -> str | None:
    """Name the grammar that reads a file, None if there is none.

    A header counts as C++, whose grammar reads C too; `tsx` is TypeScript with markup in it.
    """
    file = PurePosixPath(path)
    return _BY_NAME.get(file.name) or _BY_ENDING.get(file.suffix.lower())


def family_of(path: str) -> str:
    """Name the languages whose files use each other's names: that of a file's own, or else its ending."""
    language, ending = language_of(path), PurePosixPath(path).suffix.lower()
    return _FAMILIES.get(language, language) if language else _FAMILIES_BY_ENDING.get(ending, ending)
