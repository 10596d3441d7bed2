"""The tab "Files changed": the pull request's diffs, with its threads below their lines."""

import re
from collections import defaultdict
from dataclasses import replace
from typing import cast

from local.page.changed_files import changed_files
from local.page.diff_options import DiffOptions
from local.page.page_request import Context, PageRequest
from local.page.threads import Thread, threads_of
from local.rendering.diffs import LinePosition, Side

_LINE = re.compile(r"[0-9]{1,9}")


def view(request: PageRequest) -> Context:
    """The values that the tab shows."""
    repository, pull = request.repository, request.pull
    options = DiffOptions.of(request.query)
    path, place = _new_thread(request)
    wanted = replace(options, show=(*options.show, path)) if path else options
    base = repository.base_of(pull.base_sha, pull.head_sha)
    threads: dict[str, list[Thread]] = defaultdict(list)
    for thread in threads_of(request):
        threads[thread.place.path].append(thread)
    files = [
        file.with_threads(threads.pop(file.path, ()), place if file.path == path else None)
        for file in changed_files(repository.copy, base, pull.head_sha, repository.files(pull), wanted)
    ]
    return {"files": files, "diffs": repository.files(pull), "options": options}


def _new_thread(request: PageRequest) -> tuple[str, LinePosition | None]:
    """The file and the line at which the viewer wants to start a thread."""
    path, line, side = (request.query.get(name, "") for name in ("path", "line", "side"))
    if not _LINE.fullmatch(line):
        return path, None
    return path, (cast(Side, side or "RIGHT"), int(line))
