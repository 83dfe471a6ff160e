"""The cost of tables while games are played: the page, a tap sent, a pull with and without news.

    .venv/bin/python bench/table.py [ROUNDS [TAPS]]

A site of one process (asked.py) with a campaign of each game and a table in it, halfway through its
evening, after TAPS taps (100 by default; a table has room for 5000). From the processor times
follows the load of forty tables on one core, with two phones and one spectator each: once if that
process answers everybody, so that a log is folded once for each tap, and once if a different
process answered each reader.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import uuid
from collections import defaultdict
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from pages import ROOT, Reader, asked, begin, environment, run, signed_in

TABLES, PHONES, WATCHERS = 40, 2, 1
# Seconds between two pulls of a phone; and between two taps at a table, three times as often as in
# a game of two hours with 120 taps.
PULLED, TAPPED = 2, 20
TOLD, TURNS = 100, 5
# The scripts that a table's page loads immediately.
MODULES = ("fold", "page", "queue", "draw", "sync", "taps", "along")
EACH = 30
MOST_OF_A_CORE = 25.0
MOST_BYTES = {"page": 25 * 1024, "script": 15 * 1024}


def seed(told: int) -> None:
    """Make one table of each game, with this many taps."""
    begin()
    from accounts.models import User
    from campaigns.club.people import joining
    from campaigns.club.planning import plans
    from campaigns.table import people, storage, taps
    from gangs.engine import actions
    from gangs.ledger import writer
    from gangs.models import Gang
    from rules.library import newest_books

    owner, other = (User.objects.create_user(name) for name in ("bench", "other"))
    tables = {}
    for version, book in newest_books():
        campaign = joining.start(
            name="Bench",
            version=version,
            settings={},
            notes="",
            organiser=owner,
            token=uuid.uuid4(),
        )
        gangs = [
            writer.found(version, actions.found_from_sample(book, sample), owner=owner)
            for sample in book.samples[:2]
        ]
        for gang in gangs:
            joining.join(campaign, gang, actor=owner, expected_version=gang.version)
        gangs = [Gang.objects.get(pk=gang.pk) for gang in gangs]
        day = plans.Plan(date(2026, 5, 1))
        game = plans.plan(campaign, gangs, day, actor=owner, token=uuid.uuid4())
        table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
        keys = [one.key for one in people.start_of(table).figures]
        said = [taps.Acted(figure=keys[place % len(keys)]) for place in range(told)]
        phone = uuid.uuid4()
        rows = [
            storage.Pushed(
                device=phone,
                n=place + 1,
                after=place,
                at=place,
                turn=1 + place * TURNS // told,
                act=uuid.uuid4(),
                tap=tap,
            )
            for place, tap in enumerate(said)
        ]
        # The number of taps from one person is limited.
        storage.push(table, other, rows[: storage.MOST_OF_ONE])
        storage.push(table, owner, rows[storage.MOST_OF_ONE :])
        tables[book.slug] = {"table": str(table.pk), "figure": keys[0]}
    print(json.dumps({"session": signed_in(owner), "tables": tables}))


def pushed(reader: Reader, address: str, figure: str, n: int, told: int) -> tuple[float, int, int]:
    """Send one more tap."""
    row = {"device": str(uuid.UUID(int=7)), "n": n, "after": told + n - 1, "at": told + n}
    row |= {"turn": TURNS + 1, "act": str(uuid.uuid4()), "tap": {"kind": "acted", "figure": figure}}
    return reader.send(f"{address}taps/", json.dumps([row]))


def measure(
    reader: Reader, slug: str, facts: dict[str, str], rounds: int, told: int
) -> tuple[float, float]:
    """Print the cost of one game's table; return the share of a core that forty of them take, if
    one process answers everybody, and if a different process answered each reader.
    """
    address = f"/campaigns/tables/{facts['table']}/"
    times: defaultdict[str, list[float]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for n in range(1, rounds * EACH + 1):
        seq = told + n
        asks = {
            "tap": pushed(reader, address, facts["figure"], n, told),
            "news": reader.packed(f"{address}since/{seq - 1}/"),
            "news, again": reader.packed(f"{address}since/{seq - 1}/"),
            "nothing new": reader.packed(f"{address}since/{seq}/"),
            "page": reader.packed(address) if n % 5 == 0 else None,
        }
        for name, answer in asks.items():
            if answer is not None:
                spent, status, size = answer
                assert status == (204 if name == "nothing new" else 200), (name, status)
                times[name].append(spent)
                sizes[name] = size
    cost = {name: statistics.median(row) for name, row in times.items()}
    print(f"{slug}:")
    for name, spent in cost.items():
        print(f"  {name:12s} {spent:6.2f} ms  {sizes[name]:6d} bytes compressed")
    if sizes["page"] > MOST_BYTES["page"]:
        print(f"  the page is above its budget of {MOST_BYTES['page']} bytes")
    readers, taps = TABLES * (PHONES + WATCHERS), TABLES / TAPPED
    # A phone that taps pulls immediately; everybody at that table fetches the news once.
    others = taps * (PHONES + WATCHERS - 1)
    quiet = max(0.0, readers / PULLED - taps - others)
    spent = taps * (cost["tap"] + cost["news"]) + quiet * cost["nothing new"]
    return (spent + others * cost["news, again"]) / 10, (spent + others * cost["news"]) / 10


def scripts() -> None:
    """Print the size of the page's own scripts and styles."""
    import gzip

    folder = ROOT / "static"
    sizes = {
        name: sum(len(gzip.compress((folder / file).read_bytes(), 9)) for file in files)
        for name, files in {
            "script": ("outbox.js", *(f"table/{name}.js" for name in MODULES)),
            "style": ("table.css",),
        }.items()
    }
    for name, size in sizes.items():
        over = " (above its budget)" if size > MOST_BYTES.get(name, size) else ""
        print(f"{name}: {size} bytes compressed{over}")


def main(rounds: int, told: int) -> None:
    scripts()
    # A full table accepts no more.
    told = min(told, 5_000 - rounds * EACH)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env = environment(folder / "ours", folder / "static")
        python = sys.executable
        run(python, "manage.py", "collectstatic", "--noinput", "-v0", folder=ROOT, env=env)
        facts = json.loads(
            run(python, __file__, "seed", str(told), folder=ROOT, env=env).splitlines()[-1]
        )
        here = asked("skirmish.wsgi", ROOT, env, facts["session"])
        reader = stack.enter_context(here)
        shares = {
            slug: measure(reader, slug, there, rounds, told)
            for slug, there in facts["tables"].items()
        }
    for slug, (share, apart) in shares.items():
        over = "" if share <= MOST_OF_A_CORE else f", above {MOST_OF_A_CORE:.0f} %"
        print(
            f"{TABLES} tables of {slug} with {told} taps, {TABLES * PHONES} phones,"
            f" {TABLES * WATCHERS} watching, a tap every {TAPPED} s at each:"
            f" {share:.1f} % of a core{over}"
            f" ({apart:.1f} % if each reader were answered by another process)"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["seed"]:
        seed(int(sys.argv[2]))
    else:
        numbers = [int(number) for number in sys.argv[1:]]
        main(*numbers, *(3, TOLD)[len(numbers) :])
