"""The tab "files": what the pull request changes, with its threads below their lines."""

import re
from collections import defaultdict
from dataclasses import replace
from typing import cast

from local.github.hunks import Side
from local.page.changed_files import changed_files
from local.page.choice import Choice
from local.page.diffs import rows_of
from local.page.threads import Thread, threads_of
from local.page.visit import Shown, Visit

_LINE = re.compile(r"[0-9]{1,9}")


def view(visit: Visit) -> Shown:
    """What the tab shows."""
    world, pull = visit.world, visit.pull
    choice = Choice.of(visit.query)
    path, place = _asked(visit)
    wanted = replace(choice, show=(*choice.show, path)) if path else choice
    base = world.base_of(pull.base_sha, pull.head_sha)
    threads: dict[str, list[Thread]] = defaultdict(list)
    for thread in threads_of(visit):
        threads[thread.path].append(thread)
    files = [
        file.with_threads(threads.pop(file.path, ()), place if file.path == path else None)
        for file in changed_files(world.shadow, base, pull.head_sha, world.files(pull), wanted)
    ]
    return {"files": files, "diffs": world.files(pull), "choice": choice, "rows_of": rows_of}


def _asked(visit: Visit) -> tuple[str, tuple[Side, int] | None]:
    """The file and the line for which somebody asked for a form."""
    path, line, side = (visit.query.get(name, "") for name in ("path", "line", "side"))
    if not _LINE.fullmatch(line):
        return path, None
    return path, (cast(Side, side or "RIGHT"), int(line))
