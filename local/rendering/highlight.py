"""Highlights code: spans of a few classes, one piece of HTML for each line."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape
from pygments import lexers, token
from pygments.lexer import Lexer
from pygments.util import ClassNotFound

from kodiai.core.changes.patch import Hunk
from local.rendering.visible import visible

_LONGEST = 60_000  # characters; highlighting costs about a second for each 100,000
_CLASSES = (
    (token.Comment, "co"),
    (token.Keyword, "kw"),
    (token.Operator.Word, "kw"),
    (token.String, "st"),
    (token.Number, "nu"),
    (token.Name.Function, "fu"),
    (token.Name.Class, "cl"),
    (token.Name.Decorator, "de"),
    (token.Name.Tag, "kw"),
    (token.Name.Attribute, "de"),
    (token.Name.Builtin, "bu"),
    (token.Generic.Deleted, "kw"),  # of a diff, in red and green
    (token.Generic.Inserted, "st"),
)


def highlight_file(path: str, lines: Sequence[str]) -> list[Markup]:
    """Highlight lines of a file, in the language that its name indicates."""
    lexer_class = _lexer_class(path.rpartition("/")[2])
    return _highlight(lexer_class(stripnl=False, ensurenl=False) if lexer_class else None, lines)


@lru_cache(maxsize=1024)
def _lexer_class(name: str) -> type[Lexer] | None:
    """Find the language of a file by its name; a thousand patterns are tried for each."""
    found: type[Lexer] | None = lexers.find_lexer_class_for_filename(name)
    return found


def highlight_hunk(path: str, hunk: Hunk) -> Iterator[Markup]:
    """Highlight a hunk, each side as its own text; give its lines in order."""
    new = iter(highlight_file(path, [line.text for line in hunk.lines if line.marker != "-"]))
    has_old = any(line.marker == "-" for line in hunk.lines)
    old = iter(highlight_file(path, [line.text for line in hunk.lines if has_old and line.marker != "+"]))
    for line in hunk.lines:
        if has_old and line.marker == " ":
            next(old)
        yield next(old if line.marker == "-" else new)


def highlight_fence(language: str, lines: Sequence[str]) -> list[Markup]:
    """Highlight the lines of a fenced block, in the language that it names."""
    try:
        lexer = lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        lexer = None
    return _highlight(lexer, lines)


def _highlight(lexer: Lexer | None, lines: Sequence[str]) -> list[Markup]:
    """Give one piece of HTML for each line; plain where there is no lexer or it loses count."""
    shown = [visible(line.rstrip("\r")).replace("\n", "␊") for line in lines]
    plain = [escape(line) for line in shown]
    if lexer is None or sum(map(len, shown)) > _LONGEST:
        return plain
    made = [""]
    for kind, text in lexer.get_tokens("\n".join([*shown, ""])):  # some lexers know a line only by its end
        first, *more = [_span(kind, piece) for piece in text.split("\n")]
        made[-1] += first
        made += more
    made.pop()
    return [Markup(line) for line in made] if len(made) == len(plain) else plain  # noqa: S704 - _span has escaped it


def _span(kind: object, text: str) -> str:
    name = _class_of(kind)
    return f'<span class="{name}">{escape(text)}</span>' if name and text else str(escape(text))


@lru_cache(maxsize=1024)
def _class_of(kind: object) -> str:
    return next((name for known, name in _CLASSES if kind in known), "")
