"""The one environment of the templates: everything is escaped, a name that is not there is an error."""

from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from local.rendering.visible import visible, visible_line

_SHORT = 7


def environment() -> Environment:
    """Make it."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else visible(str(value)),
    )
    made.filters |= {
        "short": lambda commit: commit[:_SHORT],
        "number": "{:,}".format,
        "line": visible_line,
        "words": lambda name: name.replace("_", " ").replace("-", " "),
        "when": when,
    }
    return made


def when(at: float | None) -> Markup:
    """Show a time (epoch seconds) as an element that a browser's script can bring into the reader's own zone."""
    if at is None:
        return Markup()
    moment = datetime.fromtimestamp(at, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        moment.isoformat(timespec="milliseconds"), moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    )
