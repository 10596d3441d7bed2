"""The template environment of everything that is shown as HTML: all is escaped, and a missing name is an error."""

from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kodiai.core.words.details import scope_reason
from local.rendering import labels
from local.rendering.markdown import as_html, title_as_html
from local.rendering.visible import visible, visible_line

STATIC = Path(__file__).parent / "static"
"""The folder of the style sheets that all HTML shares."""


def environment(templates: Path) -> Environment:
    """Make the environment of the templates in a folder, which may use the shared ones."""
    made = Environment(
        loader=FileSystemLoader([templates, Path(__file__).parent / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else visible(str(value)),
    )
    made.filters |= {
        "counted": labels.counted,
        "duration": labels.duration,
        "headline": title_as_html,
        "line": visible_line,
        "markdown": as_html,
        "money": labels.money,
        "number": "{:,}".format,
        "scope_reason": scope_reason,
        "short": labels.short_sha,
        "words": lambda name: name.replace("_", " ").replace("-", " "),
        "when": when,
    }
    made.globals["labels"] = labels
    return made


def when(at: float | None) -> Markup:
    """Show a time (epoch seconds) as an element that a browser's script can convert to the reader's own zone."""
    if at is None:
        return Markup()
    moment = datetime.fromtimestamp(at, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        moment.isoformat(timespec="milliseconds"), moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    )
