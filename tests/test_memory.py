"""Memory and work for crafted files: none makes a worker grow, and none takes long to read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Most megabytes by which a worker may grow, and most functions it may call: a sound gang with the
# most entries allowed calls 290,000.
MOST_GROWTH = 64
MOST_CALLS = 600_000


@pytest.mark.long
def test_crafted_files_stay_within_memory_and_work_limits() -> None:
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
    # All are refused for their content, except for a file that a player could have made by playing.
    assert {name for name, (code, *_) in outcomes.items() if code == "read"} == {
        "gang, as many entries as can be"
    }
    assert "died" not in {code for code, *_ in outcomes.values()}
