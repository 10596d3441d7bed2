"""Looks for known vulnerabilities in pinned packages: `python -m scripts.audit requirements.txt …`.

Fails if there are any. Where the service that knows them cannot be reached, it says so and fails nothing.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_PROGRAM = Path(__file__).resolve().parent.parent / ".venvs/audit/bin/pip-audit"


def main(arguments: Sequence[str]) -> int:
    """Audit files of requirements, and print what was found; arguments that begin with `-` are those of pip-audit."""
    options = [each for each in arguments if each.startswith("-")]
    files = [f"--requirement={each}" for each in arguments if not each.startswith("-")]
    command = [str(_PROGRAM), "--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json"]
    done = subprocess.run([*command, *options, *files], capture_output=True, text=True, check=False)
    try:
        packages, reason = json.loads(done.stdout)["dependencies"], ""
    except (ValueError, KeyError):
        packages, reason = [], done.stderr.strip().rpartition("\n")[2]
    found = list(vulnerabilities(packages))
    print("\n".join([*found, coverage(packages, reason)]))
    return 1 if found else 0


def vulnerabilities(packages: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each known vulnerability, as pip-audit reports packages."""
    for package in packages:
        for known in package.get("vulns", ()):
            fixed = f", fixed in {', '.join(known['fix_versions'])}" if known["fix_versions"] else ""
            yield f"{package['name']} {package['version']} has {known['id']}{fixed}"


def coverage(packages: Sequence[dict[str, Any]], reason: str) -> str:
    """The number of audited packages: those known to the service. `reason` explains a missing report."""
    known = sum("skip_reason" not in package for package in packages)
    if not known:
        return f"No package was audited: {reason or 'the service of known vulnerabilities knows none of them'}"
    rest = len(packages) - known
    return f"{known} packages audited{f', {rest} are unknown to the service' if rest else ''}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
