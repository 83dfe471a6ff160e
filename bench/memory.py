"""The memory of a served site, compared with the floor's (floor.py).

    .venv/bin/python bench/memory.py

Both are served by gunicorn with two workers of four threads: the floor with gunicorn's defaults,
ours with gunicorn.conf.py. After some hundred pages the memory of master and workers is added up,
with shared memory counted once (PSS).
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import floor
from pages import ROOT, environment, run

REQUESTS = 400


@contextmanager
def served(command: Sequence[str], folder: Path, env: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Serve a site with this command; return its port, and the process id of its master."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bind = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", *command]
    with subprocess.Popen(bind, cwd=folder, env=env) as process:
        try:
            wait_for(port)
            yield port, process.pid
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    """Wait until the site answers and the workers are there. Raises TimeoutError after a minute."""
    for _second in range(60):
        time.sleep(1)
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            time.sleep(4)
            return
    raise TimeoutError(port)


def memory(master: int) -> float:
    """Return the memory of a process and its children, in mebibytes."""
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    taken = 0
    for pid in (master, *children):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.M)
        assert found
        taken += int(found[1])
    return taken / 1024


def ask(port: int, paths: Sequence[str], session: str) -> None:
    """Request pages from all threads of all workers."""

    def answer(number: int) -> None:
        address = f"http://127.0.0.1:{port}{paths[number % len(paths)]}"
        request = urllib.request.Request(address, headers={"Cookie": f"sessionid={session}"})
        urllib.request.urlopen(request, timeout=60).read()

    with ThreadPoolExecutor(8) as readers:
        list(readers.map(answer, range(REQUESTS)))


def main() -> None:
    """Print both, and the ratio."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        floor.write(folder / "floor")
        env = {"PATH": os.environ["PATH"], "PYTHONWARNINGS": "ignore"}
        ours = environment(folder / "ours", folder / "static")
        python = sys.executable
        theirs = json.loads(run(python, "manage.py", "seed", folder=folder / "floor", env=env))
        run(python, "manage.py", "collectstatic", "--noinput", "-v0", folder=ROOT, env=ours)
        seeded = run(python, str(ROOT / "bench" / "pages.py"), "seed", folder=ROOT, env=ours)
        facts = json.loads(seeded.splitlines()[-1])
        plain = ["floor.wsgi", "--worker-class", "gthread", "--workers", "2", "--threads", "4"]
        pages = [f"/gang-fat/{theirs['gang']}", f"/campaign/{theirs['campaign']}"]
        with served(plain, folder / "floor", env) as (port, pid):
            ask(port, pages, theirs["session"])
            least = memory(pid)
        gang = f"/gangs/{facts['gang']}/"
        pages = [gang, f"/campaigns/{facts['campaign']}/", "/gangs/", f"{gang}history/", "/rules/"]
        with served([], ROOT, ours) as (port, pid):
            ask(port, pages, facts["session"])
            taken = memory(pid)
        print(f"floor {least:.0f} MiB, ours {taken:.0f} MiB: x {taken / least:.2f}")


if __name__ == "__main__":
    main()
