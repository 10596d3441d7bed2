"""Syntax: the claim that a file is not of its language, which a parser refutes."""

import re
from collections.abc import Iterator

from kodiai.core.findings.claims.facts import Facts
from kodiai.core.findings.claims.wording import claim, whole, words
from kodiai.core.findings.finding import Finding

_SAYS_SO = re.compile(
    r"(?:\b(?:not|never|cannot|fails? to|failing to|unable to)|n['’]t) (?:even )?compile\b"
    r"|\bcompil(?:ation|er|e[- ]?time) (?:error|failure|fails)|\bbreaks? (?:the )?compilation"
    r"|\b(?:syntax ?error|error of syntax|(?:invalid|wrong|broken) syntax|indentation ?error)\b"
    r"|\bunexpected (?:token|indent)\b",
    re.IGNORECASE,
)
# Only what a parser looks at; whatever else keeps code from compiling is not named here and so not refuted.
_REASON = words(r"""
    (?:curly |square |closing |opening )?(?:brace|bracket|parenthes[ie])s?|semi-?colons?|colons?|commas?|dot|backslash
    (?:closing|opening) quotes?|indent\w*|unclosed|unterminated|unbalanced|unmatched|never closed|stray|token
""")
# Said of the file or a line of it outright: then no reason need be given.
_FLATLY = re.compile(
    r"\b(?:is|has) an? (?:syntax error|error of syntax)\b"
    r"|\b(?:file|line|class|module|it|this) (?:(?:does|will|can) ?not|(?:does|wo|ca)n['’]t) (?:compile|parse)\b",
    re.IGNORECASE,
)
# What keeps code from compiling and is none of a parser's business.
_BEYOND_SYNTAX = words(r"""
    types?|typed|typing|mismatch\w*|borrow\w*|owned|lifetimes?|mov(?:e[ds]?|ing)|traits?|generics?|bounds?|nullable
    undefined|undeclared|unresolved|not (?:defined|declared|exported|found|in scope)|import\w*|unused|return\w*
    signatures?|arguments?|parameters?|overload\w*|ambiguous|cyclic|circular|private|visib\w+|sealed|already
    (?:re)?declar\w*|redefin\w*|duplicate\w*|const|final|readonly|assign\w*|initiali[sz]\w*|await|async|yield|nonlocal
    global|outside|unreachable|exhausti\w+|interfaces?|implement\w*|overrid\w*|abstract|throws|symbol|package|module
    dependency|prior to
""")
# Text that the code writes or reads, another language inside of this one, or a state that comes about as it runs.
_OF_OTHER_TEXT = words(r"""
    sql|quer(?:y|ies)|statement|json|yaml|toml|xml|html|css|regex|regular expression|pattern|template\w*|jinja|erb
    shell|bash|sed|cron|expression|schema|zod|markdown|payload|input|database|quote in|apostrophe|names? with
    generat\w+|emit\w*|output\w*|written|writes|produc\w+|render\w*|eval\w*|exec\w*|message|comment|run ?time
    when|if|unless|for (?:an? )?empty|user|client|request|format\w*|dialect|config\w*|settings|fixtures?|macros?
""")
_OF_OTHER_VERSION = words(r"""
    \d+\.\d+|(?:python|node|java|php|ruby|es|ecmascript|c\+\+|go|typescript) ?\d+|versions?|older|oldest|newer
    until|since|minimum|support\w*|target\w*|transpil\w*|bundler|browsers?|safari|windows|macos|linux|platforms?
    strict|mode|flags?|edition|gnu|posix|engine|legacy|deprecated
""")
_PERHAPS_OF_OTHERS = words("string|text|fields?|property|properties|before")


def refuted(finding: Finding, facts: Facts) -> Iterator[str]:
    """A claim that the file itself has an error of syntax: outright, or with a reason that a parser would see."""
    text = whole(finding)
    if not _SAYS_SO.search(claim(finding)):
        return
    is_meant = (_FLATLY.search(text) and "syntax" in text.casefold()) or (
        _has_reason(text) and not _PERHAPS_OF_OTHERS.search(text)
    )
    doubts = (_BEYOND_SYNTAX, _OF_OTHER_TEXT, _OF_OTHER_VERSION)
    if is_meant and not any(doubt.search(text) for doubt in doubts) and facts.parses(finding.path):
        yield "it says that the file has an error of syntax, and it parses"


def _has_reason(text: str) -> bool:
    return _REASON.search(text) is not None or "indentationerror" in text.casefold()
