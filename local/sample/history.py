"""The sample's history: which texts each commit lays over its parent's tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from local.sample.leaks import fill

_TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True)
class Commit:
    """One commit: `overlays` are folders of texts, the later ones on top; `parent` is a commit's name.

    Days count from the first commit.
    """

    name: str
    parent: str | None
    day: int
    author: str
    message: str
    overlays: tuple[str, ...]

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Give the path and the content of every file that the commit writes, in a fixed order."""
        sources = {path: source for overlay in self.overlays for path, source in _texts(overlay)}
        for path, source in sorted(sources.items()):
            yield path, fill(source.read_text(encoding="utf-8")).encode()


def _texts(overlay: str) -> Iterator[tuple[str, Path]]:
    folder = _TEXTS / overlay
    for source in sorted(folder.rglob("*.txt")):
        yield source.relative_to(folder).as_posix().removesuffix(".txt"), source


BRANCH = "refunds"
TITLE = "Refund orders, and export them for the accountants"

HISTORY = (
    Commit("orders", None, 0, "Ines", "Take orders and keep them", ("main-orders",)),
    Commit("payments", "orders", 1, "Tom", "Charge cards at the gateway", ("main-payments",)),
    Commit("notifications", "payments", 4, "Ines", "Write to customers; a command line", ("main-notifications",)),
    Commit("page", "notifications", 7, "Tom", "A page for the shop floor, and a deployment", ("main-page",)),
    Commit("refunds", "page", 8, "Mara", "Refund a part of an order", ("refunds",)),
    Commit("export", "refunds", 8, "Mara", "Export orders for the accountants", ("export",)),
    Commit("answers", "export", 9, "Mara", "Mend what the review found; refund many at once", ("answers",)),
    Commit("health", "page", 10, "Ines", "Tell the load balancer that we are well", ("main-health",)),
    Commit("rebased", "health", 11, "Mara", TITLE, ("refunds", "export", "answers", "rebased")),
    Commit("repairs", "rebased", 11, "Mara", "Round cents, refuse shells and open YAML", ("repairs",)),
)
MAIN = "health"
PUSHES = (("export", "page"), ("answers", "page"), ("repairs", "health"))
"""A head and its base for each push: first all that is wrong, then half of it fixed and three new defects,
then every blocker fixed, on a main that has moved on."""
