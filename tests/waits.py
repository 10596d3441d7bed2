"""The waiting of messages, which no test sits out."""

import time
from collections.abc import Mapping
from typing import Any

from kodiai.consume import backoff
from local.machine import LocalMachine

_LONGEST_SECONDS = 60
_LOOK_SECONDS = 0.2
_COME_AGAIN = ("retry", "crashed", "waiting")
_HIDDEN = "ApproximateNumberOfMessagesNotVisible"


class Waits:
    """The waiting of messages that were told to, which nobody here sits out; `over` is how long each was, in seconds.

    The queues' clock is turned once nothing but these messages is left.
    """

    def __init__(self, machine: LocalMachine) -> None:
        self.over: list[float] = []
        self._machine = machine
        self._told: dict[str, float] = {}
        machine.system.on_log(self._listen)

    def settle(self) -> None:
        """Wait until every queue is empty and no function runs."""
        until = time.monotonic() + _LONGEST_SECONDS
        while True:
            try:
                self._machine.system.wait_until_quiet(_LOOK_SECONDS)
            except TimeoutError:
                if time.monotonic() > until:
                    raise
                self.turn()
            else:
                return

    def turn(self) -> None:
        """Turn the clock until the longest wait is over, where all that the queue holds is made to wait.

        What is visible stands behind one of these in its group, or it would be under way.
        """
        told = dict(self._told)
        if told and self._hidden() == len(told) and not self._machine.system.running_events():
            self._told.clear()
            self.over += told.values()
            self._machine.aws.clock.advance(max(told.values()))

    def forget(self) -> None:
        """Begin again: nothing waits any more."""
        self._told.clear()
        self.over.clear()

    def _listen(self, line: Mapping[str, Any]) -> None:
        if "delivery" not in line or "attempt" not in line:  # the line of the webhook itself may come later
            return
        self._told.pop(line["delivery"], None)
        if line["outcome"] in _COME_AGAIN and not line.get("buried"):
            told = line.get("after_seconds")
            self._told[line["delivery"]] = backoff(line["attempt"]) if told is None else told

    def _hidden(self) -> int:
        sqs, environment = self._machine.aws.client("sqs"), self._machine.system.environment
        urls = [environment[f"KODIAI_{kind}_QUEUE_URL"] for kind in ("REVIEWS", "MENTIONS")]
        found = [sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[_HIDDEN])["Attributes"] for url in urls]
        return sum(int(each[_HIDDEN]) for each in found)
