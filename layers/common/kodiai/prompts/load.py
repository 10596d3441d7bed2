"""Prompts are Markdown files next to this one, with `$name` slots and nothing else."""

from functools import cache
from importlib.resources import files
from string import Template


@cache
def _template(name: str) -> Template:
    return Template(files("kodiai.prompts").joinpath(f"{name}.md").read_text("utf-8"))


def load(name: str, /, **slots: str) -> str:
    """Fill a prompt's slots. Raises ValueError for a slot that is missing, or given but not in the prompt."""
    template = _template(name)
    wanted = set(template.get_identifiers())
    if not template.is_valid() or wanted != set(slots):
        raise ValueError(f"prompt {name} has the slots {sorted(wanted)}, given were {sorted(slots)}")
    return template.substitute(slots)
