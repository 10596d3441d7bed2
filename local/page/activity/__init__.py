"""The tab "Bot activity": what the bot did in each run, and why."""

from local.page.activity.view import ActivityTab

__all__ = ["ActivityTab"]
