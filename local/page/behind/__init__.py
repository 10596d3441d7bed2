"""Behind the bot: what it did in each run and why, for whoever judges it."""

from local.page.behind.behind import BehindTheBot

__all__ = ["BehindTheBot"]
