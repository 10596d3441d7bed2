"""The language of a file follows from its name."""

from kodiai.core.code.language import language_of
from tests.tables import each_row


@each_row(
    ("paths", "language"),
    [
        ("a.py b/A.PY stub.pyi SConstruct", "python"),
        ("a.js a.jsx a.mjs a.cjs", "javascript"),
        ("a.ts a.d.ts a.mts a.cts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.go", "go"),
        ("A.java", "java"),
        ("src/lib.rs", "rust"),
        ("a.rb Rakefile lib/Gemfile a.gemspec config.ru", "ruby"),
        ("a.c", "c"),
        ("a.h a.hpp a.cc a.cpp", "cpp"),
        ("A.cs", "csharp"),
        ("a.php", "php"),
        ("a.sh .bashrc", "bash"),
        ("a.swift a.kt a a.txt .py Makefile py a.unknown", None),
        ("", None),
    ],
)
def test_a_name_or_its_ending_says_the_language(paths: str, language: str | None) -> None:
    """Capital letters do not count in endings; what has no grammar has no language."""
    assert {language_of(path) for path in paths.split() or [paths]} == {language}
