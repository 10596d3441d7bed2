"""The tab "files"."""

from local.page.visit import Shown, Visit


def view(visit: Visit) -> Shown:
    """What the tab shows."""
    return {}
