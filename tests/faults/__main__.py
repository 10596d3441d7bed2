"""Tries every death at every call of every flow, on all cores, then the proofs, one by one, then a soak.

Prints what came of it. Exit status 1 where anything was lost or is there twice, or where a proof or the soak fails.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Any

from tests.faults.campaign import Case, Result, cases_of, run
from tests.faults.flows import FLOWS, Flow
from tests.faults.guards import GUARDS, TALK
from tests.faults.scene import a_scene
from tests.faults.wire import KERNEL_TABLE

_FEW = 12


def main(arguments: Sequence[str]) -> int:
    """Run the flows of these names, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("flows", nargs="*", metavar="FLOW", choices=[[], *(flow.name for flow in FLOWS)])
    parser.add_argument(
        "--cap",
        type=int,
        default=0,
        metavar="N",
        help="try only N, one proof and a short soak; others with each commit",
    )
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    if not KERNEL_TABLE.exists():
        parser.error(f"there is no {KERNEL_TABLE} here: the trials run on Linux only")
    if parsed.part is None:
        failed = _report(_in_parallel(arguments), parsed.cap)
        return failed if parsed.flows else failed | _prove(parsed.cap) | _soak(parsed.cap)
    part, of = map(int, parsed.part.split("/"))
    flows = [flow for flow in FLOWS if not parsed.flows or flow.name in parsed.flows]
    for line in _results(flows, part, of, parsed.cap):
        print(json.dumps(line), flush=True)
    return 0


def _results(flows: Sequence[Flow], part: int, of: int, cap: int) -> Iterable[dict[str, Any]]:
    """Try this part of all cases, or, above the cap, of those whose turn it is."""
    with ExitStack() as stack:
        scenes = {
            (may_resolve, quiet, publish, provider): stack.enter_context(
                a_scene(
                    parameters={"limits/quiet-seconds": f"{quiet}", "github/publish": publish},
                    may_resolve=may_resolve,
                    provider=provider,
                )
            )
            for may_resolve, quiet, publish, provider in sorted({flow.scene for flow in flows})
        }
        cases = [case for flow in flows for case in cases_of(scenes[flow.scene], [flow])]
        met = {(case.flow.name, case.fault.point) for case in cases}
        guards = [guard for guard in (*GUARDS, *TALK) if guard.case.flow in flows]
        never_met = [guard.name for guard in guards if (guard.flow, guard.case.fault.point) not in met]
        assert not never_met, f"no flow makes the calls at which these guards are tried: {never_met}"
        mine = [case for case in _in_turn(cases, cap) if _place(case) % of == part]
        for kind, scene in scenes.items():
            for result in run(scene, [case for case in mine if case.flow.scene == kind]):
                yield _line(result)
            model = scene.machine.model
            assert model is not None
            yield {"violations": [*scene.github.violations, *model.violations], "cases": len(cases)}


def _prove(cap: int) -> int:
    """Run the tests marked as proofs, or, with a cap, the one whose turn it is. Returns 0 where they pass."""
    pytest = [sys.executable, "-m", "pytest", "-m", "proof", "--quiet"]
    listed = subprocess.run([*pytest, "--collect-only"], capture_output=True, text=True, check=True)
    tests = [line for line in listed.stdout.splitlines() if "::" in line]
    chosen = [tests[_commits() % len(tests)]] if cap else tests
    print(f"\n{len(chosen)} of {len(tests)} proofs:", *chosen, sep="\n    ", flush=True)
    return subprocess.run([*pytest, *chosen], check=False).returncode


def _soak(cap: int) -> int:
    """Review many pull requests, with a cap only some. Returns 0 where all went well and the memory levelled off."""
    print("\nThe soak:", flush=True)
    few = ["--pull-requests", f"{_FEW}"] if cap else []
    return subprocess.run([sys.executable, "-m", "bench.soak", *few], check=False).returncode


def _in_turn(cases: Sequence[Case], cap: int) -> list[Case]:
    """With each commit the next cases have their turn, mixed so that each turn has some of every flow and death."""
    mixed = sorted(cases, key=_place)
    if not 0 < cap < len(mixed):
        return mixed
    begin = _commits() * cap % len(mixed)
    return (mixed + mixed)[begin : begin + cap]


def _commits() -> int:
    """The number of commits so far: what is left out now has its turn with a later commit."""
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True)
    return int(counted.stdout)


def _place(case: Case) -> int:
    """A number that is the same for the same case in every process."""
    named = f"{case.flow.name} {case.fault.death} {case.fault.point}"
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")


def _line(result: Result) -> dict[str, Any]:
    return {
        "flow": result.case.flow.name,
        "point": str(result.case.fault.point),
        "death": result.case.fault.death.value,
        "survived": result.survived,
        "duplicates": result.verdict.duplicates,
        "losses": result.verdict.losses,
        "paid_again": result.paid_again,
        "kept_paid_again": result.kept_paid_again,
    }


def _in_parallel(arguments: Sequence[str]) -> list[dict[str, Any]]:
    """Share the cases out among one process for each core."""
    of = os.cpu_count() or 1
    command = [sys.executable, "-m", "tests.faults", *arguments]
    processes = [
        subprocess.Popen([*command, "--part", f"{part}/{of}"], stdout=subprocess.PIPE, text=True) for part in range(of)
    ]
    lines = [json.loads(line) for process in processes for line in process.communicate()[0].splitlines()]
    if any(process.returncode for process in processes):
        raise SystemExit("a part of the campaign ended with an error")
    return lines


def _report(lines: Sequence[dict[str, Any]], cap: int) -> int:
    """Print what was tried and what came of it. Returns 1 where anything was lost or is there twice."""
    results = [line for line in lines if "flow" in line]
    table: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for line in results:
        table[line["flow"], line["death"]][line["survived"]] += 1
    print(f"{'flow':34} {'death':34} {'tried':>5} {'survived':>8}")
    for (flow, death), counts in sorted(table.items()):
        print(f"{flow:34} {death:34} {counts.total():5} {counts[True]:8}")
    for line in results:
        if not line["survived"]:
            print(f"\n{line['flow']}: {line['death']}, {line['point']}")
            for what in (*line["duplicates"], *line["losses"]):
                print(f"    {what}")
            if line["kept_paid_again"]:
                print(f"    {line['kept_paid_again']} kept answers were paid for again")
    violations = [violation for line in lines for violation in line.get("violations", ())]
    for violation in violations:
        print(f"GitHub's description does not allow: {violation}")
    again, kept = (sum(line[name] for line in results) for name in ("paid_again", "kept_paid_again"))
    cases = max(line.get("cases", 0) for line in lines)
    if cases > len(results):
        print(
            f"\n{len(results)} of {cases} were tried (cap {cap}): the next commit tries the next ones, no cap tries all"
        )
    print(f"\nmodel calls paid twice: {again}, of which their answer had been kept: {kept}")
    survived, duplicates, losses = (
        sum(bool(line[name]) for line in results) for name in ("survived", "duplicates", "losses")
    )
    print(f"points={len(results)} survived={survived} duplicates={duplicates} losses={losses}")
    return 0 if results and survived == len(results) and not violations else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
