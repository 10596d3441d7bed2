"""The gate: the check run of a head, and those of the commits that show it next to other pull requests."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.config.keys import FailOn
from kodiai.core.errors import Refused
from kodiai.core.gate.gate import PASSING, conclusion
from kodiai.core.gate.standing import Mirror, OpenedGate, Standing, Standings, standings
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.review.check import Check
from kodiai.core.text.secrets import masked
from kodiai.core.words import check as words
from kodiai.ports.github import GitHub
from kodiai.ports.ledger import GateStore

_UNKNOWN = "The latest commit is not reviewed"


@dataclass
class Gate:
    """The check run of a pull request's head, as the commit has to show it.

    `opened` is the head that a person lets pass, `mirrors` are the commits that show the pull request.
    The standing is stored before a check run is closed, and the standings of others are read after that: of two
    reviews that end at the same time the later one sees the other.
    """

    pull_request: PullRequest
    fail_on: FailOn
    opened: OpenedGate | None
    github: GitHub
    store: GateStore
    mirrors: Sequence[Mirror] = ()
    _standing: Standing | None = None
    _settled: Standings | None = None

    def settle(self, check: Check, head: str, check_id: str | None) -> Check:
        """Store what a check run is about to say of a head, and give it as the commit has to show it."""
        opened = self.opened
        if opened is not None and opened.head == head and check.conclusion not in PASSING:
            title, summary = words.opened(check.title, check.summary, opened.by, opened.why)
            check = replace(check, title=title, summary=masked(summary), conclusion=conclusion("opened", self.fail_on))
        assert check.conclusion is not None  # noqa: S101 - an open check run says nothing yet
        self._standing = Standing(head, check_id, check.conclusion, check.title)
        self.mirrors = self.store.stand(self._number, self._standing)
        shared = next((each for each in self.mirrors if each.is_shared_head and each.commit == head), None)
        self._settled = shown = self._standings(shared) if shared is not None else None
        if shown is None or len(shown.known) == 1:
            return check
        title, summary = words.shared_head(shown, self._repository_url)
        return replace(check, title=title, summary=f"{summary}\n\n{check.summary}", conclusion=shown.conclusion)

    def show(self, check: Check, head: str, check_id: str) -> None:
        """Close a check run, and bring the others up to date that show it. Raises Refused."""
        self.github.update_check(check_id, self.settle(check, head, check_id))
        self.show_elsewhere()

    def note_check(self, check_id: str | None) -> None:
        """Store which check run shows what was settled, if it was made after that."""
        if self._standing is not None and self._standing.check_id != check_id:
            self._standing = replace(self._standing, check_id=check_id)
            self.mirrors = self.store.stand(self._number, self._standing)

    def show_elsewhere(self) -> None:
        """Bring the other check runs up to date that show the standing that was settled."""
        for mirror in self.mirrors:
            self._show(mirror, self._standings(mirror))

    def share(self, others: Collection[int], standing: Standing | None, mirrors: Sequence[Mirror]) -> None:
        """Have the open pull requests with the same head know of each other, and leave those of earlier heads.

        `others` are those that GitHub knows of. It knows of none from a fork: of these there is our newest check run on
        the commit, and what its pull request knows. `standing` is the pull request's, as it was stored.
        """
        head = self.pull_request.head
        is_back = standing is not None and not standing.is_open
        if standing is not None and is_back:
            self.store.stand(self._number, replace(standing, is_open=True))
        self.leave([each for each in mirrors if each.heads[self._number] != head])
        theirs = self.store.members(others) if others else {}
        known = (*mirrors, *(each for member in theirs.values() for each in member.mirrors))
        smaller = {each.numbers: each for each in known if each.is_shared_head and each.commit == head}.values()
        numbers = {self._number, *others, *(number for each in smaller for number in each.heads)}
        wanted = Mirror(head, dict.fromkeys(sorted(numbers), head))
        if len(numbers) == 1 or (wanted in mirrors and not is_back):
            return
        self.store.watch(wanted)
        for each in smaller:
            for number in each.heads if each != wanted else ():
                self.store.forget(number, [each])
        shown = self._standings(wanted)
        if self._number in shown.known:
            self._show(wanted, shown)

    def show_merge_group(self, mirror: Mirror) -> Check:
        """Make the check run of a commit of a merge queue, and have its pull requests bring it up to date."""
        self.store.watch(mirror)
        shown = self._standings(mirror)
        if self.github.find_check(mirror.commit, self._queue_check(mirror)) is None:
            self.github.start_check(mirror.commit, self._queue_check(mirror), self._of_merge_group(shown))
            now = self._standings(mirror)
            if now == shown:
                return self._of_merge_group(shown)
            shown = now
        self._show(mirror, shown)
        return self._of_merge_group(shown)

    def close(self, standing: Standing | None, mirrors: Sequence[Mirror]) -> None:
        """Take the pull request, which is closed, out of everything that shows its `standing`."""
        if standing is not None and standing.is_open:
            self.store.stand(self._number, replace(standing, is_open=False))
        self.leave(mirrors)

    def leave(self, mirrors: Sequence[Mirror]) -> None:
        """Take the pull request out of mirrors, as one that is closed, or has another head."""
        for mirror in mirrors:
            rest = Mirror(
                mirror.commit, {number: head for number, head in mirror.heads.items() if number != self._number}
            )
            if mirror.is_shared_head and rest.heads:
                for number in rest.heads:
                    self.store.forget(number, [mirror])
                if len(rest.heads) > 1:
                    self.store.watch(rest)
                self._show(rest, self._standings(rest))
        self.store.forget(self._number, mirrors)

    def _show(self, mirror: Mirror, shown: Standings) -> None:
        """Write the check runs of a mirror; again if the standings have changed meanwhile."""
        if mirror.is_shared_head:
            self._show_shared(shown)
        elif (check_id := self.github.find_check(mirror.commit, self._queue_check(mirror))) is not None:
            self._update(check_id, self._of_merge_group(shown))
        else:
            return  # the job of the merge group makes it, and reads the standings after that
        now = self._standings(mirror)
        if now != shown:
            self._show(mirror, now)

    def _show_shared(self, shown: Standings) -> None:
        if not shown.known:
            return
        title, summary = words.shared_head(shown, self._repository_url)
        for number, each in shown.known.items():
            is_written = number == self._number and shown == self._settled
            if each.check_id is not None and not is_written:
                self._update(each.check_id, Check(title, summary, shown.conclusion))

    def _of_merge_group(self, shown: Standings) -> Check:
        """The check run of a commit of a merge queue."""
        return Check(*words.merge_group(shown, self._repository_url), shown.conclusion)

    def _queue_check(self, mirror: Mirror) -> str:
        """The external id of the check run of a commit of a merge queue."""
        return f"{self.pull_request.repository_id}#{max(mirror.heads)}@queue-{mirror.commit}"

    def _update(self, check_id: str, check: Check) -> None:
        with suppress(Refused):  # the commit or its check run is gone
            self.github.update_check(check_id, check)

    def _standings(self, mirror: Mirror) -> Standings:
        """The standings in a mirror; a pull request that was not reviewed counts as the table has it."""
        found = standings(mirror, self.store.members(mirror.heads))
        ends = conclusion("failed", self.fail_on)
        unknown = {number: Standing(mirror.heads[number], None, ends, _UNKNOWN) for number in found.unknown}
        return Standings({**found.known, **unknown}, found.pending)

    @property
    def _number(self) -> int:
        return self.pull_request.number

    @property
    def _repository_url(self) -> str:
        return self.pull_request.url.rpartition("/pull/")[0]
