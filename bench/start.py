"""A second start of the site: what ``manage.py prepare`` and gunicorn take until the first answer.

    .venv/bin/python bench/start.py

Seconds by the clock, and of the processor, on a site that the first start has filled.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memory import served
from pages import ROOT, environment


def processor() -> float:
    """Seconds of the processor that all ended children have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prepare(env: dict[str, str]) -> None:
    """Bring the site up to date, as script/server does."""
    command = [sys.executable, "manage.py", "prepare", "--static"]
    subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Print the parts of a second start."""
    with tempfile.TemporaryDirectory() as made:
        env = environment(Path(made) / "data", Path(made) / "static")
        prepare(env)
        clock, spent = time.monotonic(), processor()
        prepare(env)
        prepared, of_prepare = time.monotonic() - clock, processor() - spent
        with served([], ROOT, env) as (_port, _pid, answered):
            pass
        of_server = processor() - spent - of_prepare
        print(f"prepare {prepared:.1f} s ({of_prepare:.1f} of the processor)")
        print(f"server {answered:.1f} s ({of_server:.1f}, its end included)")
        print(f"second start {prepared + answered:.1f} s")


if __name__ == "__main__":
    main()
