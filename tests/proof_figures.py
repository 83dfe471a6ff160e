"""A pytest plugin of ``script/prove``: prints at the end how many cases the tests looked at."""

from __future__ import annotations

import os
import time
from collections import Counter

import pytest

from tests.heading import heading, table

CASES = "cases"
_begun = time.monotonic()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Record in the test's report how many random cases it looks at."""
    marker = item.get_closest_marker("random")
    if marker is not None:
        item.user_properties.append((CASES, marker.kwargs.get(CASES, 1)))


def pytest_report_header() -> str:
    """Return the heading: date, commit, seed and machine."""
    return heading(os.environ["PROOFS_COMMAND"], os.environ["PROOFS_SEED"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures as a Markdown table."""
    passed = terminalreporter.getreports("passed")
    done = [report for report in passed if report.when == "call"]
    kinds = Counter(
        kind for report in done for kind in ("random", "papers") if kind in report.keywords
    )
    counted = [dict(report.user_properties).get(CASES, 0) for report in done]
    failed = len(terminalreporter.getreports("failed") + terminalreporter.getreports("error"))
    rows: dict[str, object] = {
        "tests of random cases": kinds["random"],
        "random cases": sum(counted),
        "tests of prints": kinds["papers"],
        "failed": failed,
        "minutes": f"{(time.monotonic() - _begun) / 60:.0f}",
    }
    terminalreporter.write_line(table(rows))
