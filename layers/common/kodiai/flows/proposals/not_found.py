"""A proposal or repository that does not exist, as far as somebody may know."""

from kodiai.core.errors import Refused


class NotFound(Refused):
    """There is no such thing, or the person may not know of it."""
