"""Check the pinned packages against published security advisories.

    .venv/bin/python bench/audit.py PROGRAM

PROGRAM: pip-audit (``script/prove`` installs it, in var/tools). Ends with an error if an advisory
concerns a package, or if a source of advisories knows some of the packages and not the others. If
no source can be reached, the output says so, which is not an error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Together they list every package that a script installs.
LISTS = ("two-sites", "tools", "firefox", "webkit")
# Sources of advisories, by the program's names: the next is tried if one cannot be reached.
SOURCES = ("pypi", "osv")
PATIENCE = 900


@dataclass(frozen=True)
class Report:
    """A source's answer: known and unknown packages, as name and version, and a line for each
    advisory.
    """

    known: frozenset[str]
    unknown: frozenset[str]
    advisories: tuple[str, ...]


def look_up(program: str, source: str, file: Path) -> Report | None:
    """Query a source about the packages of a list; return None if it does not answer."""
    command = [program, "--vulnerability-service", source, "--requirement", str(file)]
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    try:
        done = subprocess.run(
            [*command, *options], capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        packages = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    unknown = {package["name"] for package in packages if "skip_reason" in package}
    found = [package for package in packages if "skip_reason" not in package]
    if not found:
        # It gives the same answer for every package: the source is not reachable.
        return None
    lines = [
        f"{package['name']} {package['version']}: {advisory['id']}, mended in "
        + (", ".join(advisory["fix_versions"]) or "no version yet")
        for package in found
        for advisory in package["vulns"]
    ]
    return Report(frozenset(p["name"] for p in found), frozenset(unknown), tuple(lines))


def main(program: str, folder: Path) -> int:
    """Check all lists and print the results; return the exit status."""
    reports: list[Report] = []
    for name in LISTS:
        file = folder / f"requirements-{name}.txt"
        answers = (look_up(program, source, file) for source in SOURCES)
        report = next((answer for answer in answers if answer is not None), None)
        if report is None:
            print("Left out: no source of security advisories can be reached.")
            return 0
        reports.append(report)
    advisories = sorted({line for report in reports for line in report.advisories})
    unknown = sorted({name for report in reports for name in report.unknown})
    known = {name for report in reports for name in report.known}
    for line in advisories:
        print(line)
    if unknown:
        print(f"Unknown where advisories are published: {', '.join(unknown)}")
    print(f"{len(known)} packages were looked up; {len(advisories)} advisories concern them.")
    return 1 if advisories or unknown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], ROOT))
