"""The web site of the local GitHub: a pull request's pages, and what the bot did behind them."""

from local.page.site import Site

__all__ = ["Site"]
