"""The tab "commits": every push in order, and the commits that it brought."""

from local.page.pushes import pushes_of
from local.page.visit import Shown, Visit


def view(visit: Visit) -> Shown:
    """What the tab shows."""
    return {"pushes": pushes_of(visit)}
