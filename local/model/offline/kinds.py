"""What kind of file a path is, for the words of the report and for the choice of checks."""

import re
from pathlib import PurePosixPath

PYTHON_ENDINGS = frozenset({".py", ".pyi", ".pyw"})
SETTINGS_ENDINGS = frozenset(
    {".env", ".ini", ".cfg", ".conf", ".properties", ".toml", ".yml", ".yaml", ".tfvars", ".envrc"}
)
_LANGUAGES = {
    **dict.fromkeys(PYTHON_ENDINGS, "Python"),
    **dict.fromkeys((".md", ".markdown"), "Markdown"),
    **dict.fromkeys((".yml", ".yaml"), "YAML"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "JavaScript"),
    **dict.fromkeys((".ts", ".tsx"), "TypeScript"),
    **dict.fromkeys((".c", ".h"), "C"),
    **dict.fromkeys((".cc", ".cpp", ".hpp"), "C++"),
    **dict.fromkeys((".sh", ".bash"), "shell"),
    ".rst": "reStructuredText",
    ".txt": "text",
    ".toml": "TOML",
    ".json": "JSON",
    ".ini": "INI",
    ".cfg": "INI",
    ".html": "HTML",
    ".css": "CSS",
    ".sql": "SQL",
    ".go": "Go",
    ".rs": "Rust",
    ".java": "Java",
    ".rb": "Ruby",
}
_FIXTURE = re.compile(
    r"(^|/)(testdata|test[_-]data|fixtures?|goldens?|__snapshots__|snapshots?|cassettes)/"
    r"|(^|/)(tests?|testing|specs?|__tests__)/(.+/)?(data|samples?|examples?|inputs?|outputs?|expected)/",
    re.I,
)


def is_python(path: str) -> bool:
    """Python source or stubs, by its ending."""
    return ending(path) in PYTHON_ENDINGS


def is_settings(path: str) -> bool:
    """A file in which values stand without quotes."""
    name = PurePosixPath(path).name.lower()
    return ending(path) in SETTINGS_ENDINGS or name.startswith(".env") or name in {".npmrc", ".pypirc", ".netrc"}


def is_fixture(path: str) -> bool:
    """Material of tests, such as an input or an expected output: data, whatever language it is written in."""
    return _FIXTURE.search(path) is not None


def ending(path: str) -> str:
    """The path's suffix in lower case, with its dot."""
    return PurePosixPath(path).suffix.lower()


def language(path: str) -> str:
    """Name the kind of file; a kind that has no name here goes by its ending."""
    return _LANGUAGES.get(ending(path)) or (f"{ending(path)[1:]} files" if ending(path) else "other files")
