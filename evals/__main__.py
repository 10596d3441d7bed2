"""`python -m evals`: run the cases, score a run again, check replies, or use a public benchmark."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.commands import replies, run, score
from evals.errors import CommandFailed
from evals.martian.command import martian

_OUT = Path("out/evals")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 1 if it failed or missed a limit, 2 if its arguments are wrong."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
    except KeyboardInterrupt:
        print("evals: interrupted", file=sys.stderr)
        return 1
    except CommandFailed as why:
        print(f"evals: {why}", file=sys.stderr)
        return 1
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals", description="Measure how good the reviews are.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--cases", default="*", metavar="GLOB", help='only those cases, such as "python/*"')
    shared.add_argument("--root", type=Path, metavar="DIR", help="the folder of the cases (default: the project's)")
    shared.add_argument("--judge-model", metavar="M", help="a model that judges (default: a rule)")
    shared.add_argument("--against", type=Path, metavar="RUN", help="another run, to compare with this one")
    shared.add_argument("--at-least", action="append", default=[], metavar="FIGURE=N", help="fail below that")
    shared.add_argument("--at-most", action="append", default=[], metavar="FIGURE=N", help="fail above that")

    running = commands.add_parser(
        "run",
        parents=[shared],
        help="review the cases with the whole local system, and score the reviews",
        description="Claude reviews if ANTHROPIC_API_KEY is set (ANTHROPIC_BASE_URL: another address), else the "
        "offline reviewer; --replay uses recorded answers.",
    )
    running.add_argument(
        "--model",
        metavar="M",
        help="the model that reviews, which has a price in template.yaml (default: the deployment's own)",
    )
    running.add_argument("--name", metavar="NAME", help="a name for the run in reports, next to the reviewer's")
    running.add_argument("--repeats", type=_count, default=1, metavar="N", help="pull requests for each case")
    running.add_argument("--parallel", type=_count, default=4, metavar="N", help="cases to run at a time")
    running.add_argument(
        "--out", type=Path, default=_OUT, metavar="DIR", help=f"folder of the reports (default: {_OUT})"
    )
    tape = running.add_mutually_exclusive_group()
    tape.add_argument("--record", type=Path, metavar="DIR", help="record the model's answers there")
    tape.add_argument(
        "--replay",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="DIR",
        help="play back the answers recorded there; without DIR the project's tape, and recordings for other cases; "
        '"recordings": recordings for all cases',
    )
    running.set_defaults(run=run)

    scoring = commands.add_parser("score", parents=[shared], help="score a run again, for example with another judge")
    scoring.add_argument("path", type=Path, metavar="RUN", help="the folder of a run, or its run.json")
    scoring.add_argument("--out", type=Path, metavar="DIR", help="folder of the reports (default: the run's folder)")
    scoring.set_defaults(run=score)

    reading = commands.add_parser(
        "replies",
        help="check how replies in threads are understood",
        description="Lists the replies of replies.yaml that are misunderstood with the answers of replies.jsonl.",
    )
    taking = reading.add_mutually_exclusive_group()
    taking.add_argument("--ask", type=Path, metavar="DIR", help="write the requests without an answer there")
    taking.add_argument("--keep", type=Path, metavar="DIR", help="import the answers from there first")
    reading.set_defaults(run=replies)

    public = commands.add_parser(
        "martian",
        help="Martian's code-review-benchmark",
        description="Recomputes each tool's figures from its judges' files, and compares them with the published ones.",
    )
    public.add_argument("path", type=Path, metavar="PATH", help="a checkout of it")
    public.add_argument(
        "--cases", type=Path, metavar="DIR", help="write its pull requests as cases there (clones them)"
    )
    public.add_argument("--limit", type=_count, metavar="N", help="with --cases: at most N")
    public.add_argument("--export", type=Path, metavar="RUN", help="write a run of these cases in its format")
    public.add_argument("--out", type=Path, metavar="PATH", help="with --export: the target")
    public.add_argument("--tool", default="kodiai", metavar="NAME", help="with --export: our name there")
    public.set_defaults(run=martian)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
