"""Measure how long players wait for prints of a served site, in seconds by the clock.

.venv/bin/python bench/prints.py [ROUNDS]

The site is served with gunicorn.conf.py. The client acts like a browser: it requests the page that
announces a print again after as many seconds as that page says. Each round prints one sheet on an
idle site, and another while two people open page after page; their ratio is printed as median
[least-most]. Then five sheets of fifteen members are ordered at the same time, with the previews of
links meanwhile, and last the first reference sheet of every rulebook. The clock counts other work
on the machine, so leave it idle.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from memory import memory, served
from pages import ROOT, begin, environment, found_gangs, run, signed_in

ROUNDS = 7
TOGETHER, MEMBERS, BROWSING = 5, 15, 2


def seed(rounds: int) -> None:
    """Found the gangs to print: two for each round, and five to print together."""
    begin()
    from accounts.models import User
    from rules.library import newest_books

    books = newest_books()
    version, book = next(pair for pair in books if len(pair[1].characteristics) > 6)
    owner = User.objects.create_user("bench")
    gangs = found_gangs(version, book, owner, 2 * rounds + TOGETHER, MEMBERS)
    facts = {
        "session": signed_in(owner),
        "gangs": [str(gang.pk) for gang in gangs],
        "keys": [gang.share_key for gang in gangs[:TOGETHER]],
        "books": [one.slug for _version, one in books],
    }
    print(json.dumps(facts))


class Site:
    """A client of the site, signed in as a user."""

    def __init__(self, port: int, session: str) -> None:
        self.port = port
        self.headers = {"Cookie": f"sessionid={session}", "Accept": "text/html,*/*;q=0.8"}

    def open(self, path: str) -> float | None:
        """Open a page or a print.

        Returns the seconds after which to open it again; None if it is ready.
        """
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", None, self.headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            again = re.search(rb'http-equiv="refresh" content="(\d+)"', answer.read(2048))
        return float(again[1]) if again else None

    def print(self, path: str) -> tuple[float, float]:
        """Return the seconds until a print's first answer, and until it is ready."""
        began = time.monotonic()
        again = self.open(path)
        answered = time.monotonic() - began
        while again is not None:
            time.sleep(again)
            again = self.open(path)
        return answered, time.monotonic() - began

    @contextmanager
    def browsed(self, paths: Sequence[str]) -> Iterator[None]:
        """Open page after page during the print."""
        ended = threading.Event()

        def browse(first: int) -> None:
            number = first
            while not ended.is_set():
                self.open(paths[number % len(paths)])
                number += 1

        with ThreadPoolExecutor(BROWSING) as people:
            browsing = [people.submit(browse, first) for first in range(BROWSING)]
            try:
                yield
            finally:
                ended.set()
        for each in browsing:
            each.result()


def told(numbers: Sequence[float]) -> str:
    """Format the median, the least and the most of some numbers."""
    return f"{statistics.median(numbers):.2f} [{min(numbers):.2f}-{max(numbers):.2f}]"


def measure(site: Site, gangs: list[str], keys: list[str], books: list[str], rounds: int) -> None:
    """Order all prints and print each one's time."""
    sheets = [f"/gangs/{gang}/sheet.pdf" for gang in gangs]
    pages = [f"/gangs/{gangs[0]}/", "/gangs/", f"/gangs/{gangs[1]}/history/", "/rules/"]
    alone, beside, answers = [], [], []
    for _round in range(rounds):
        answered, took = site.print(sheets.pop())
        answers.append(answered)
        alone.append(took)
        with site.browsed(pages):
            answered, took = site.print(sheets.pop())
        answers.append(answered)
        beside.append(took)
    ratios = [busy / idle for busy, idle in zip(beside, alone, strict=True)]
    print(f"a sheet of {MEMBERS}: alone {told(alone)} s, while two browse {told(beside)} s")
    print(f"  x {told(ratios)}; of the middles x {middle(beside) / middle(alone):.2f}")
    with ThreadPoolExecutor(TOGETHER) as people:
        ordered = people.map(site.print, sheets)
        previews = [site.print(f"/s/{key}/preview.png")[1] for key in keys]
        together = list(ordered)
    print(f"a preview meanwhile: {told(previews)} s")
    print(f"{TOGETHER} together: all there after {max(took for _first, took in together):.1f} s")
    firsts = {book: site.print(f"/rules/{book}/reference.pdf") for book in books}
    for book, (answered, took) in firsts.items():
        answers.append(answered)
        print(f"first reference sheet of {book}: {took:.2f} s")
    answers += [answered for answered, _took in together]
    print(f"the first answer of an order: {told(answers)} s")


def middle(numbers: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(numbers)


def main(rounds: int) -> None:
    """Serve a site and measure."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        env = environment(folder / "ours", folder / "static")
        run(sys.executable, "manage.py", "collectstatic", "--noinput", "-v0", folder=ROOT, env=env)
        command = (sys.executable, str(ROOT / "bench" / "prints.py"), "seed", str(rounds))
        facts = json.loads(run(*command, folder=ROOT, env=env).splitlines()[-1])
        with served([], ROOT, env) as (port, pid, _answered):
            measure(
                Site(port, facts["session"]), facts["gangs"], facts["keys"], facts["books"], rounds
            )
            print(f"memory of the site and its press: {memory(pid):.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["seed"]:
        seed(int(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
