"""The three ways in which work can end badly, named by what happens next."""


class KodiaiError(Exception):
    """Any failure that we understand; always one of the three below."""


class Refused(KodiaiError):
    """A person can fix it: the text is the Markdown that they see."""


class Retry(KodiaiError):
    """A service is busy: the queue delivers the message again.

    `after_seconds` is how long to wait, None where the service did not say.
    """

    def __init__(self, text: str, after_seconds: float | None = None) -> None:
        super().__init__(text)
        self.after_seconds = after_seconds


class Broken(KodiaiError):
    """Our bug, or an answer that cannot be read: the message becomes a dead letter, and an alarm fires."""


class Overloaded(Retry):
    """A model is overloaded; another one may answer."""


class OtherLogin(Retry):
    """GitHub takes us for somebody else than we do: the App was renamed, for instance. Nothing was written."""

    def __init__(self, theirs: str, ours: str) -> None:
        super().__init__(f"GitHub knows us as {theirs}, not as {ours}: was the App renamed?", after_seconds=1)


class OutOfTime(Retry):
    """The invocation is nearly over: what is done is kept, and a new message continues."""
