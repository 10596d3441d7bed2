"""The three ways in which work can end badly, named by what happens next."""


class KodiaiError(Exception):
    """Any failure that we understand; always one of the three below."""


class Refused(KodiaiError):
    """The person can mend it: the text is the Markdown that they are shown."""


class Retry(KodiaiError):
    """The world is busy: the queue delivers the message again.

    `after_seconds` is how long to wait, None where the world did not say.
    """

    def __init__(self, text: str, after_seconds: float | None = None) -> None:
        super().__init__(text)
        self.after_seconds = after_seconds


class Broken(KodiaiError):
    """Our bug, or an answer that cannot be read: dead-letter and alarm."""


class Overloaded(Retry):
    """A model has no room for now; another one may have."""


class OutOfTime(Retry):
    """The invocation is nearly over: what is done is kept, and a fresh message goes on."""
