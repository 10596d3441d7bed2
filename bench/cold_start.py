"""How long each door takes to be ready, against a bare interpreter, in one run: `python bench/cold_start.py`.

It imports what it needs, and builds its clients; nothing is asked.
"""

import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATHS = [ROOT / "layers/common", *(ROOT / "functions" / name for name in ("ingest", "review", "mention", "proposals"))]
CASES = {
    "bare interpreter": "pass",
    "ingest": "import ingest",
    "mention": "import mention",
    "review": "import review",
    "proposals": "import proposals",
    "review and the anthropic SDK": "import review, anthropic",
}
VARIABLES = [f"KODIAI_{name}" for name in ("PARAMETERS", "REVIEWS_QUEUE_URL", "MENTIONS_QUEUE_URL", "TABLE")]
ROUNDS = 7
_TIMED = (
    "import resource, sys, time; sys.path[:0] = {paths!r}; start = time.perf_counter(); {code}; "
    "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


def measure(code: str) -> tuple[float, float]:
    """Run once in a fresh process; seconds until it is ready, and the process's largest size in megabytes."""
    source = _TIMED.format(paths=[str(path) for path in PATHS], code=code)
    environment = {"AWS_DEFAULT_REGION": "us-east-1", "PATH": "", **dict.fromkeys(VARIABLES, "1")}
    printed = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True, env=environment
    ).stdout.split()
    return float(printed[0]), int(printed[1]) / 1024


def main() -> None:
    """Print milliseconds, megabytes and the ratio to the review door, round by round interleaved."""
    rounds = [{name: measure(code) for name, code in CASES.items()} for _ in range(ROUNDS)]
    seconds = {name: statistics.median(one[name][0] for one in rounds) for name in CASES}
    sizes = {name: statistics.median(one[name][1] for one in rounds) for name in CASES}
    print(f"{'imports':<32}{'ms':>8}{'MB':>8}{'of review':>12}")
    for name in CASES:
        print(f"{name:<32}{seconds[name] * 1000:8.0f}{sizes[name]:8.0f}{seconds[name] / seconds['review']:12.2f}")


if __name__ == "__main__":
    main()
