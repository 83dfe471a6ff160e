"""Compare the memory of the served site with the floor's (floor.py).

    .venv/bin/python bench/memory.py

Both are served by gunicorn with two workers of four threads, forked from a master that has loaded
everything; ours as gunicorn.conf.py says. After some hundred pages the memory of master and workers
is added up; shared memory counts once (PSS). Then ours prints sheets, cards and a reference sheet
in large print, and the whole site is added up, with its press.
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
from typing import NamedTuple

import floor
from pages import ROOT, environment, run

REQUESTS = 400
PRESS = "printing.press.program"


class Served(NamedTuple):
    """A served site: its port, its master's number, and the seconds until its first answer."""

    port: int
    pid: int
    answered: float


@contextmanager
def served(command: Sequence[str], folder: Path, env: dict[str, str]) -> Iterator[Served]:
    """Serve a site by this command until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bind = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", *command]
    begun = time.monotonic()
    with subprocess.Popen(bind, cwd=folder, env=env) as process:
        try:
            wait_for(port)
            yield Served(port, process.pid, time.monotonic() - begun)
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    """Wait for the first answer, of whatever kind. Raises TimeoutError after a minute."""
    for _try in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=60) as asked:
            asked.sendall(b"GET /health/ HTTP/1.0\r\nHost: localhost\r\n\r\n")
            if asked.recv(1):
                return
        time.sleep(0.1)
    raise TimeoutError(port)


def memory(master: int, besides: str = "") -> float:
    """Return the memory of a process and its children, in mebibytes. ``besides``: leave out
    processes whose command contains this."""
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    for task in Path(f"/proc/{master}/task").iterdir():
        if task.name != str(master):
            children += (task / "children").read_text().split()
    if besides and besides in Path(f"/proc/{master}/cmdline").read_text():
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{master}/smaps_rollup").read_text(), re.M)
    assert found
    return int(found[1]) / 1024 + sum(memory(int(child), besides) for child in children)


def ask(port: int, paths: Sequence[str], session: str) -> None:
    """Have pages answered by all threads of all workers."""

    def answer(number: int) -> None:
        address = f"http://127.0.0.1:{port}{paths[number % len(paths)]}"
        request = urllib.request.Request(address, headers={"Cookie": f"sessionid={session}"})
        urllib.request.urlopen(request, timeout=60).read()

    with ThreadPoolExecutor(8) as readers:
        list(readers.map(answer, range(REQUESTS)))


def await_prints(port: int, session: str, paths: Sequence[str]) -> None:
    """Order prints one after the other until each is there."""
    headers = {"Cookie": f"sessionid={session}", "Accept": "text/html"}
    for path in paths:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
        kind = ""
        while kind != "application/pdf":
            with urllib.request.urlopen(request, timeout=60) as answer:
                answer.read()
                kind = answer.headers["Content-Type"]


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
        plain = ["floor.wsgi", "--preload", "--worker-class", "gthread", "--workers", "2"]
        plain += ["--threads", "4"]
        pages = [f"/gang-fat/{theirs['gang']}", f"/campaign/{theirs['campaign']}"]
        with served(plain, folder / "floor", env) as (port, pid, _answered):
            # The other worker may still be on its way.
            time.sleep(4)
            ask(port, pages, theirs["session"])
            least = memory(pid)
        gang = f"/gangs/{facts['gang']}/"
        pages = [gang, f"/campaigns/{facts['campaign']}/", "/gangs/", f"{gang}history/", "/rules/"]
        with served([], ROOT, ours) as (port, pid, _answered):
            # The other worker may still be on its way.
            time.sleep(4)
            ask(port, pages, facts["session"])
            taken = memory(pid, besides=PRESS)
            gangs = [f"/gangs/{gang}" for gang in facts["targets"]]
            prints = [f"{gang}/{name}.pdf" for gang in gangs for name in ("sheet", "cards")]
            prints += [f"{gang}/reference.pdf?style=accessible" for gang in gangs[:1]]
            await_prints(port, facts["session"], prints)
            whole = memory(pid)
        print(f"floor {least:.0f} MiB, ours {taken:.0f} MiB: x {taken / least:.2f}")
        print(f"after {len(prints)} prints, with the press: {whole:.0f} MiB")


if __name__ == "__main__":
    main()
