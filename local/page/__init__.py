"""The web site of the local GitHub: the pages of a pull request, and what the bot did on it."""

from local.page.site import Site

__all__ = ["Site"]
