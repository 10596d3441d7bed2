"""`python -m local.sample FOLDER` makes the sample there and prints what to review."""

import sys
from pathlib import Path

from local.sample import make_sample


def main(arguments: list[str]) -> int:
    """Make the sample in the one folder named, and print a head and a base for each push."""
    if len(arguments) != 1:
        print("usage: python -m local.sample FOLDER", file=sys.stderr)  # noqa: T201 - a command prints
        return 2
    try:
        sample = make_sample(Path(arguments[0]))
    except FileExistsError as refused:
        print(refused, file=sys.stderr)  # noqa: T201 - a command prints
        return 1
    print("\n".join(f"{push.head},{push.base}" for push in sample.pushes))  # noqa: T201 - a command prints
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
