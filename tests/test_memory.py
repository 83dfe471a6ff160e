"""No file makes a worker grow, however it is crafted, and none is much work to read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Megabytes by which a worker may grow at its peak, and functions that may be called: a sound gang
# of as many entries as can be calls 290,000.
MOST_GROWTH = 64
MOST_CALLS = 600_000


@pytest.mark.long
def test_what_crafted_files_take() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.reading_files"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        stdout=subprocess.PIPE,
        check=True,
        timeout=900,
    )
    outcomes = json.loads(done.stdout)
    assert len(outcomes) > 50
    too_much = {
        name: outcome
        for name, outcome in outcomes.items()
        if outcome[1] > MOST_GROWTH or outcome[2] > MOST_CALLS
    }
    assert too_much == {}
    # All are refused for what they are, but for the one that somebody could have played.
    assert {name for name, (code, *_) in outcomes.items() if code == "read"} == {
        "gang, as many entries as can be"
    }
    assert "died" not in {code for code, *_ in outcomes.values()}
