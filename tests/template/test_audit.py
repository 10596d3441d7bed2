"""The report of vulnerabilities in the packages."""

from scripts.audit import coverage, vulnerabilities

# As pip-audit reports them.
BAD = {"name": "jinja2", "version": "2.10", "vulns": [{"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"]}]}
OPEN = {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": []}]}
GOOD = {"name": "httpx", "version": "0.28.1", "vulns": []}
UNKNOWN = {"name": "b", "skip_reason": "Dependency not found on PyPI and could not be audited: b (1)"}


def test_each_known_vulnerability_is_named_with_the_version_that_fixes_it() -> None:
    """A package unknown to the service has none, and is counted."""
    assert list(vulnerabilities([BAD, GOOD, OPEN, UNKNOWN])) == [
        "jinja2 2.10 has PYSEC-2019-217, fixed in 2.10.1",
        "a 1 has PYSEC-1",
    ]
    assert coverage([BAD, GOOD, UNKNOWN], "") == "2 packages audited, 1 are unknown to the service."
    assert coverage([BAD, GOOD], "") == "2 packages audited."


def test_a_service_that_cannot_be_reached_is_no_good_news() -> None:
    """It says that nothing was audited, and why."""
    assert coverage([], "ERROR: refused") == "No package was audited: ERROR: refused"
    assert coverage([UNKNOWN], "") == (
        "No package was audited: the service of known vulnerabilities knows none of them"
    )
