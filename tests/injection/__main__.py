"""Try the corpus, and print what was tried and what was prevented: python -m tests.injection [--cap N].

A cap limits the pull requests that are tried: the next ones with each commit.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.injection.corpus import attacked, by_order, corpus, some_of, tried
from tests.injection.harm import harm


def main() -> int:
    """Print a table, and what was reached; give 1 if anything was."""
    parser = argparse.ArgumentParser(prog="python -m tests.injection")
    parser.add_argument("--cap", type=int, help="how many pull requests are tried at most")
    cap, begin, reached = parser.parse_args().cap, time.monotonic(), 0
    cases = corpus() if cap is None else some_of(corpus(), cap)
    with tempfile.TemporaryDirectory() as folder, attacked(Path(folder)) as (stage, model):
        done = tried(stage, model, cases)
        print("order        tried  seen by the model  stopped")
        for name, group in by_order(done).items():
            harms = {each.case.name: found for each in group if (found := harm(each))}
            reached += len(harms)
            seen = sum(each.obeyed > 0 for each in group)
            print(f"{name:12} {len(group):5} {seen:18} {len(group) - len(harms):8}")
            for case, found in harms.items():
                print(f"    {case}: {'; '.join(dict.fromkeys(found))[:300]}")
    print(f"{len(done)} pull requests, {len(done) - reached} stopped, in {time.monotonic() - begin:.0f} s")
    return 1 if reached else 0


if __name__ == "__main__":
    sys.exit(main())
