"""Command lines as tables: a command with its options is one value, and every error in using it is one line."""

import argparse
import difflib
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from local.rendering.visible import visible_line

_LONGEST = 500

Option = Callable[[argparse._ActionsContainer], object]  # noqa: SLF001 - argparse has no public name for it
"""Adds an option, or a group of them, to a parser or to a group."""


class Command:
    """A command with its options and its own commands: `text` is in its help, `brief` in the list of commands.

    `module` is what runs it, if it is not called the same. Options of a command that has commands can be given before
    and after theirs.
    """

    def __init__(
        self,
        name: str,
        brief: str,
        text: str,
        example: str,
        *parts: "Option | Command",
        usage: str | None = None,
        module: str | None = None,
    ) -> None:
        self.name = name
        self.brief = brief
        self.made: dict[str, Any] = {"description": text, "example": example, "usage": usage}
        self.options = [each for each in parts if not isinstance(each, Command)]
        self.commands = [each for each in parts if isinstance(each, Command)]
        self.defaults = {} if module is None else {"module": module}


def option(form: str, words: str, read: Callable[[str], Any] = str, **more: Any) -> Option:
    """An option: "--json" is given or not, "--repo OWNER/NAME" and the argument "id ID" have a value.

    `read` raises ArgumentTypeError for a value that is wrong; `more` is as in argparse.
    """
    name, _, metavar = form.partition(" ")
    settings = {"metavar": metavar, "type": read} if metavar else {} if "choices" in more else {"action": "store_true"}
    return lambda place: place.add_argument(*name.split(","), help=words, **settings, **more)


def one_of(*options: Option, required: bool = False) -> Option:
    """Options of which only one can be given."""
    return lambda place: _add_all(options, place.add_mutually_exclusive_group(required=required))


def group(title: str, *options: Option, text: str | None = None) -> Option:
    """Options below a heading of their own."""
    return lambda place: _add_all(options, place.add_argument_group(title, text))


def _add_all(options: Iterable[Option], place: argparse._ActionsContainer) -> None:
    for each in options:
        each(place)


def one_line(text: str) -> str:
    """A message as one line without control characters, cut short where it is very long."""
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def did_you_mean(name: str, names: Iterable[str], otherwise: str = "", most: int = 1) -> str:
    """The end of a message about a wrong name: the right ones that are most like it, whatever their case and dashes."""
    folded = {each.lower().lstrip("-"): each for each in names}
    close = difflib.get_close_matches(name.lower().lstrip("-"), folded, most)
    return f": did you mean {' or '.join(folded[each] for each in close)}?" if close else otherwise


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line each, and whose examples keep their lines."""

    def __init__(self, *, example: str, **more: Any) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(epilog=f"example:\n  {example}", formatter_class=form, **more)

    def error(self, message: str) -> NoReturn:
        """Exit with what is wrong and where to read more."""
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def refuse_unknown(self, arguments: Sequence[str]) -> NoReturn:
        """Exit with the arguments that are no options, and the option that the first one may mean."""
        names = [name for action in self._actions for name in action.option_strings]
        hint = did_you_mean(arguments[0].partition("=")[0], names)
        self.error(f"unrecognized arguments: {' '.join(arguments)}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            hint = did_you_mean(str(value), action.choices, f" (choose from {', '.join(action.choices)})")
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")


def parse(
    program: Command, arguments: Sequence[str] | None, conflict: Callable[[argparse.Namespace], str | None]
) -> argparse.Namespace:
    """The arguments of a program; errors in them exit with status 2.

    `command` and `action` are the names of the command and of its own one, `module` is there where it was named.
    `conflict` says which options cannot be combined.
    """
    parser = _Parser(prog=program.name, **program.made)
    parser.add_argument("--version", action="version", version=f"{program.name} {version(program.name)}")
    _fill(parser, program, "command")
    read, unknown = parser.parse_known_args(arguments)
    command, used = read.used
    del read.used
    if command.commands and not command.options:
        used.error(f"name a command: {', '.join(each.name for each in command.commands)}")
    if unknown:
        used.refuse_unknown(unknown)
    if wrong := conflict(read):
        used.error(wrong)
    return read


def _fill(parser: _Parser, command: Command, dest: str) -> None:
    parser.set_defaults(used=(command, parser), **command.defaults)
    _add_all(command.options, parser)
    if not command.commands:
        return
    parsers = parser.add_subparsers(metavar="COMMAND", dest=dest, prog=parser.prog)
    # A default after the command would replace the option before it.
    default = argparse.SUPPRESS if command.options else None
    for each in command.commands:
        _fill(parsers.add_parser(each.name, help=each.brief, argument_default=default, **each.made), each, "action")
