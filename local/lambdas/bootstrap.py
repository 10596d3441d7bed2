"""Runs the real Lambda runtime client in this process; started as a file, so it imports nothing of the project.

Standard input is a lifeline: it ends with the local system, and then this process and its children end too.
"""

import os
import runpy
import signal
import threading

LIFELINE = 0


def end_with_the_system() -> None:
    """Wait for the end of the lifeline, then kill this process's whole group."""
    while os.read(LIFELINE, 1):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=end_with_the_system, daemon=True).start()
    runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)
