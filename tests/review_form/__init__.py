"""The rules of what the bot posts, checked on the Markdown itself: each function lists what is wrong with a text."""

from tests.review_form.posted import comment_faults, reply_faults, review_faults
from tests.review_form.reading import parse

__all__ = ["comment_faults", "parse", "reply_faults", "review_faults"]
