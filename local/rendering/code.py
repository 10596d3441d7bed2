"""Colours code for the page: spans of a few classes, one piece of HTML for each line."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape
from pygments import lexers, token
from pygments.lexer import Lexer
from pygments.util import ClassNotFound

from kodiai.core.changes.hunk import Hunk
from local.rendering.visible import visible

_LONGEST = 60_000  # characters; beyond it colours are not worth the time
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


def coloured_file(path: str, lines: Sequence[str]) -> list[Markup]:
    """Colour lines of a file, in the language that its name tells."""
    made = _lexer_class(path.rpartition("/")[2])
    return _coloured(made(stripnl=False, ensurenl=False) if made else None, lines)


@lru_cache(maxsize=1024)
def _lexer_class(name: str) -> type[Lexer] | None:
    """Find the language that a file's name tells; a thousand patterns are tried for each."""
    found: type[Lexer] | None = lexers.find_lexer_class_for_filename(name)
    return found


def coloured_hunk(path: str, hunk: Hunk) -> Iterator[Markup]:
    """Colour a hunk, each side as a text of its own; give its lines in order."""
    new = iter(coloured_file(path, [line.text for line in hunk.lines if line.marker != "-"]))
    is_shown = any(line.marker == "-" for line in hunk.lines)
    old = iter(coloured_file(path, [line.text for line in hunk.lines if is_shown and line.marker != "+"]))
    for line in hunk.lines:
        if is_shown and line.marker == " ":
            next(old)
        yield next(old if line.marker == "-" else new)


def coloured_fence(language: str, lines: Sequence[str]) -> list[Markup]:
    """Colour the lines of a fenced block, in the language that it names."""
    try:
        lexer = lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        lexer = None
    return _coloured(lexer, lines)


def _coloured(lexer: Lexer | None, lines: Sequence[str]) -> list[Markup]:
    """Give one piece of HTML for each line; plain where there is no lexer or it loses count."""
    shown = [visible(line.rstrip("\r")).replace("\n", "␊") for line in lines]
    plain = [escape(line) for line in shown]
    if lexer is None or sum(map(len, shown)) > _LONGEST:
        return plain
    made = [""]
    for kind, text in lexer.get_tokens("\n".join([*shown, ""])):  # some know a line by its end only
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
