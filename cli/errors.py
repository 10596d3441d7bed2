"""The error that ends a command with one line on stderr."""


class CommandError(Exception):
    """A command cannot do its work; the text says why and what to do, on one line."""
