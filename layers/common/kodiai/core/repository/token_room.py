"""TokenRoom: how much of one kind is shown, and how many of it there was no room for."""

from collections import Counter

from kodiai.core.tokens import estimated_tokens


class TokenRoom:
    """Takes texts as long as there is room, and counts those that there was none for."""

    def __init__(self, what: str, tokens: int) -> None:
        self._what = what
        self._tokens = tokens
        self._left = tokens
        self._refused = 0

    def takes(self, text: str) -> bool:
        """Take a text if there is room for it."""
        size = estimated_tokens(text)
        fits = size <= self._left
        self._left -= size if fits else 0
        self._refused += not fits
        return fits

    @property
    def is_full(self) -> bool:
        """Whether hardly a line fits any more."""
        return self._left < self._tokens // 100

    @property
    def left_out(self) -> Counter[str]:
        """How many texts there was no room for, with the reason."""
        return Counter({f"{self._what}, over {self._tokens:,} tokens": self._refused} if self._refused else {})
