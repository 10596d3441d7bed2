"""The one environment of the templates: everything is escaped, a name that is not there is an error."""

from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from local.page.said import REACTIONS
from local.page.shell import TABS, sign_of, state_of
from local.rendering.prose import title_as_html
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
        "headline": title_as_html,
        "short": lambda commit: commit[:_SHORT],
        "number": "{:,}".format,
        "line": visible_line,
        "words": lambda name: name.replace("_", " ").replace("-", " "),
        "when": when,
    }
    made.globals |= {"reactions": REACTIONS, "tab_names": TABS, "sign_of": sign_of, "state_of": state_of}
    for name in made.list_templates():
        made.get_template(name)  # compiled now: whoever opens the first page would wait for it
    return made


def when(at: float | None) -> Markup:
    """Show a time (epoch seconds) as an element that a browser's script can bring into the reader's own zone."""
    if at is None:
        return Markup()
    moment = datetime.fromtimestamp(at, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        moment.isoformat(timespec="milliseconds"), moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    )
