"""The tab "checks": the check runs of the pull request's head, and below them those of earlier heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from local.github.state import CheckRun, PullRequest
from local.github.views import Json
from local.github.world import World
from local.page.pushes import heads_of
from local.page.visit import Shown, Visit
from local.rendering.prose import as_html

_MINUTE, _HOUR = 60, 3600
_LEVELS = {"failure": ("red", "✕"), "warning": ("amber", "▲"), "notice": ("blue", "●")}


@dataclass(frozen=True)
class Note:
    """An annotation: where it is, what it says, and its level with a colour and a mark."""

    told: Json
    address: str

    @property
    def place(self) -> str:
        """Its path and lines."""
        first, last = self.told["start_line"], self.told["end_line"]
        return f"{self.told['path']}:{first}" + (f"–{last}" if last != first else "")

    @property
    def tone(self) -> str:
        """The colour of its level."""
        return _LEVELS[self.told["annotation_level"]][0]

    @property
    def mark(self) -> str:
        """The picture of its level."""
        return _LEVELS[self.told["annotation_level"]][1]


@dataclass(frozen=True)
class Run:
    """A check run, with its words rendered."""

    check: CheckRun
    summary: Markup
    text: Markup
    notes: Sequence[Note]

    @property
    def took(self) -> str:
        """How long it ran, in words; empty where it has not ended."""
        began, ended = self.check.started_at, self.check.completed_at
        return "" if began is None or ended is None else duration(ended - began)


def view(visit: Visit) -> Shown:
    """What the tab shows."""
    earlier = reversed([head for head in heads_of(visit.world, visit.pull) if head != visit.pull.head_sha])
    heads = [(head, _runs(visit.world, head)) for head in (visit.pull.head_sha, *earlier)]
    return {"heads": [(head, runs) for head, runs in heads if runs or head == visit.pull.head_sha]}


def pull_of(world: World, check: CheckRun) -> PullRequest | None:
    """The pull request on whose tab a check run stands: the newest that has or had its head."""
    pulls = reversed(world.state.pulls.values())
    return next((pull for pull in pulls if check.head in heads_of(world, pull)), None)


def duration(seconds: float) -> str:
    """Say how long something took: "0.4 s", "12 s", "3 min 5 s", "2 h 1 min"."""
    whole = int(seconds)
    if seconds < 1:
        return f"{max(seconds, 0.0):.1f} s"
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def _runs(world: World, head: str) -> Sequence[Run]:
    """A head's check runs, newest first."""
    return [
        Run(
            check,
            as_html(check.summary or "", below=4),
            as_html(check.text or "", below=4),
            [Note(told, _address(world, check, told)) for told in check.annotations],
        )
        for check in reversed(world.state.checks_of(head))
    ]


def _address(world: World, check: CheckRun, told: Json) -> str:
    first, last = told["start_line"], told["end_line"]
    lines = f"#L{first}" + (f"-L{last}" if last != first else "")
    return f"/{quote(world.full_name)}/blob/{check.head}/{quote(told['path'])}{lines}"
