"""The first answer of the page "Odds", for the figures that are slowest with each roll.

    .venv/bin/python bench/odds_pages.py [GAME...]

For each roll of each rulebook the odds of many pairs of figures are computed: every ready-made
member, every rank, and the highest characteristics possible, with every weapon. The page of the
slowest pairs is then requested with empty caches. Processor time, in one process.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "skirmish.settings"
FOLDER = tempfile.mkdtemp()
os.environ |= {"DATA_DIR": FOLDER, "STATIC_ROOT": f"{FOLDER}/static", "SECRET_KEY": "x"}
os.environ |= {"SITE_URL": "https://testserver", "LOG_LEVEL": "ERROR"}

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from rules.book.characteristics import DicePool  # noqa: E402
from rules.book.model import Book  # noqa: E402
from rules.book.rolls import Roll  # noqa: E402
from rules.engine import compiling, distributions, hands, odds, profiles  # noqa: E402
from rules.library import newest_books  # noqa: E402

BUDGET = 100
SLOWEST = 4
# The pairs of figures tried for each roll before the slowest are measured.
PAIRS = 20


def forget(*, also_rolls: bool) -> None:
    """Clear the caches of dice, odds and figures; also those of compiled rolls, if wanted."""
    modules = (odds, distributions, hands, profiles, *((compiling,) if also_rolls else ()))
    for module in modules:
        for name in dir(module):
            if clear := getattr(getattr(module, name), "cache_clear", None):
                clear()


def fighters(book: Book, side: str) -> Iterator[dict[str, str]]:
    """Return the figures of one side, by their names in addresses."""
    for rank in book.ranks:
        yield {f"{side}-rank": rank.key}
    for sample in book.samples:
        for place, _member in enumerate(sample.members):
            yield {f"{side}-who": f"sample.{sample.key}.{place}"}
    for most in (8, 99):
        best = {}
        for row in book.characteristics:
            if row.kind == "number":
                best[f"{side}-is-{row.key}"] = str(min(row.maximum, most))
            elif row.kind == "die":
                best[f"{side}-is-{row.key}"] = row.sizes[-1]
            elif row.kind == "pool":
                best[f"{side}-is-{row.key}"] = str(DicePool(7, 4))
        yield best


def pairs(book: Book, roll: Roll) -> Iterator[dict[str, str]]:
    """Return possible parameters of this roll: figures of both sides, and weapons."""
    mine = list(fighters(book, "by"))
    theirs = list(fighters(book, "at")) if roll.at == "member" else [{}, {}]
    every = [{**one, **other} for one in mine for other in theirs]
    strong = [{**mine[place], **theirs[place]} for place in (-2, -1)]
    for pair in [*every[:: max(1, len(every) // PAIRS)], *strong]:
        yield {"roll-key": roll.key, **pair}
    if roll.using == "item":
        for item in book.items:
            for key in (item.key, *(f"{item.key}.{mode.key}" for mode in item.modes)):
                yield {"roll-key": roll.key, **strong[0], "by-item": key}


def harder(book: Book, asked: dict[str, str]) -> Iterator[dict[str, str]]:
    """Return these parameters with every circumstance, each as far from usual as possible: each
    separately, and all together.
    """
    every = {}
    for row in book.circumstances:
        if row.kind == "choice":
            said = row.choices[-1].key
        else:
            said = str(row.maximum) if row.kind == "number" else str(int(not row.start))
        every[f"is-{row.key}"] = said
        yield {**asked, f"is-{row.key}": said}
    yield {**asked, **every}


def milliseconds(client: Client, address: str, *, later: bool = False) -> float:
    """Return the processor time of a page with empty caches."""
    forget(also_rolls=True)
    headers = {"HX-Request": "true", "HX-Target": "odds-result"} if later else {}
    since = time.process_time()
    status = client.get(address, headers=headers, secure=True).status_code
    took = (time.process_time() - since) * 1000
    return took if status == 200 else 0.0


def main() -> None:
    """Measure the games named, or all."""
    call_command("migrate", verbosity=0)
    call_command("books", "load", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    client = Client()
    print(f"{'ms':>7} {'again':>7}  address")
    for _version, book in newest_books():
        if sys.argv[1:] and book.slug not in sys.argv[1:]:
            continue
        client.get(f"/rules/{book.slug}/odds/", secure=True)
        base = f"/rules/{book.slug}/odds/"
        for roll in book.rolls:
            found = {urlencode(one): one for one in pairs(book, roll)}
            times = {key: milliseconds(client, f"{base}?{key}") for key in found}
            slowest = sorted(times, key=lambda key: -times[key])[:SLOWEST]
            for key in slowest:
                more = {urlencode(one): one for one in harder(book, found[key])}
                times |= {one: milliseconds(client, f"{base}?{one}") for one in more}
            for key in sorted(times, key=lambda one: -times[one])[:SLOWEST]:
                again = min(milliseconds(client, f"{base}?{key}") for _time in range(2))
                mark = "!" if min(again, times[key]) > BUDGET else " "
                print(f"{times[key]:7.0f} {again:7.0f}{mark} {base}?{key}", flush=True)


if __name__ == "__main__":
    main()
