"""Measure tables during games: the page, sending a tap, and polls with and without news.

.venv/bin/python bench/table.py [ROUNDS [TAPS ...]]

A site of one process (asked.py) has forty tables, spread over the shipped rulebooks, in the middle
of their evening, after each number of TAPS (100, 600 and 1200; a table has room for 5000). The
tables are queried in turn, so all forty must fit into the process's caches. Two phones and one
spectator at each table take a share of one core: measured with one process that answers everybody,
and with a process for each reader. The ratios compare each number of taps with the first.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pages import ROOT, Reader, asked, begin, environment, run, signed_in

TABLES, PHONES, WATCHERS = 40, 2, 1
# Seconds between two polls of a reader, and between two taps at a table. A two-hour game with 120
# taps has a third as many.
PULLED, TAPPED = 2, 20
NUMBERS, TURNS = (100, 600, 1200), 5
# The scripts that a table's page loads first.
MODULES = ("fold", "page", "queue", "draw", "sync", "taps", "table")
MOST_OF_A_CORE = 25.0
MOST_BYTES = {"page": 25 * 1024, "script": 15 * 1024}
# Limits in milliseconds, also for a full table.
MOST_TIME = {"news": 50.0, "page": 200.0}
FULL = 5_000

# Median milliseconds by request.
Cost = dict[str, float]


def evening(book: Any, keys: list[str], number: int) -> Iterator[Any]:
    """Return an evening's taps: actions, dice of the site, wounds, states and turns."""
    from campaigns.table import taps

    rolls = [row for row in book.rolls if row.by == row.at == "member"]
    states = [row for row in book.states if row.of == "figure" and row.given is None]
    for place in range(number):
        figure, other = keys[place % len(keys)], keys[(place * 7 + 1) % len(keys)]
        match place % 6:
            case 1 | 4 if rolls:
                roll = rolls[place // 6 % len(rolls)]
                outcome = next((row.key for row in roll.outcomes), None)
                faces = ((1 + place % 6, 1 + place % 5),)
                yield taps.Rolled(
                    roll=roll.key, by=figure, at=other, faces=faces, thrown=True, outcome=outcome
                )
            case 2 if book.life:
                by = -1 if place % 12 == 2 else 1
                yield taps.Counted(figure=figure, track=book.life, by=by)
            case 3 if states:
                kind = taps.Began if place % 12 == 3 else taps.Ended
                yield kind(figure=figure, state=states[place // 12 % len(states)].key)
            case _:
                yield taps.Acted(figure=figure)


def write_evening(table: Any, book: Any, players: tuple[Any, Any], number: int) -> None:
    """Write this many taps to an open table, by two phones and two players: one of them may not
    fill a table.
    """
    from campaigns.table import people, storage

    phones = [uuid.uuid4() for _phone in range(PHONES)]
    keys = [one.key for one in people.start_of(table).figures]
    pushed = [
        storage.Pushed(
            device=phones[n % PHONES],
            n=n + 1,
            after=n,
            at=n,
            turn=1 + n * TURNS // number,
            act=uuid.uuid4(),
            tap=tap,
        )
        for n, tap in enumerate(evening(book, keys, number))
    ]
    half = min(number // 2, storage.MOST_OF_ONE)
    storage.push(table, players[0], pushed[:half])
    storage.push(table, players[1], pushed[half:])


def seed(numbers: list[int]) -> None:
    """Make forty tables for each number of taps."""
    begin()
    from accounts.models import User
    from campaigns.club.people import joining
    from campaigns.club.planning import plans
    from campaigns.models import Table, TableEntry
    from campaigns.table import people, storage
    from gangs.engine import actions
    from gangs.ledger import writer
    from gangs.models import Gang
    from rules.library import newest_books

    owner, other = (User.objects.create_user(name) for name in ("bench", "other"))
    tables: dict[int, list[dict[str, str]]] = defaultdict(list)
    books = newest_books()
    for version, book in books:
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
        for number in numbers:
            first: Table | None = None
            for place in range(TABLES // len(books)):
                day = plans.Plan(date(2026, 5, 1) + timedelta(days=place))
                game = plans.plan(campaign, gangs, day, actor=owner, token=uuid.uuid4())
                table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
                keys = [one.key for one in people.start_of(table).figures]
                tables[number].append(
                    {"book": book.slug, "table": str(table.pk), "figure": keys[0]}
                )
                if first is not None:
                    rows = list(TableEntry.objects.filter(table=first.pk))
                    for row in rows:
                        row.pk, row.table = None, table
                    TableEntry.objects.bulk_create(rows, batch_size=500)
                    Table.objects.filter(pk=table.pk).update(seq=number)
                    continue
                first = table
                write_evening(table, book, (owner, other), number)
    print(json.dumps({"session": signed_in(owner), "tables": tables}))


def send_tap(reader: Reader, address: str, figure: str, n: int, seq: int) -> tuple[float, int, int]:
    """Send one more tap."""
    row = {"device": str(uuid.UUID(int=7)), "n": n, "after": seq - 1, "at": seq}
    row |= {"turn": TURNS + 1, "act": str(uuid.uuid4()), "tap": {"kind": "acted", "figure": figure}}
    return reader.send(f"{address}taps/", json.dumps([row]))


def measure(reader: Reader, tables: list[dict[str, str]], rounds: int, number: int) -> Cost:
    """Print and return the costs of tables with this number of taps."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for n in range(rounds + 1):
        for facts in tables:
            address = f"/campaigns/tables/{facts['table']}/"
            if n == 0:
                reader.packed(address)
                continue
            seq = number + n
            asks = {
                "tap": send_tap(reader, address, facts["figure"], n, seq),
                "news": reader.packed(f"{address}since/{seq - 1}/"),
                "news, again": reader.packed(f"{address}since/{seq - 1}/"),
                "nothing new": reader.packed(f"{address}since/{seq}/"),
                "page": reader.packed(address),
            }
            for name, (spent, status, size) in asks.items():
                assert status == (204 if name == "nothing new" else 200), (name, status)
                times[name].append(spent)
                sizes[name] = max(size, sizes.get(name, 0))
    cost = {name: statistics.median(row) for name, row in times.items()}
    print(f"{number} taps at each table:")
    for name, spent in cost.items():
        over = ""
        if spent > MOST_TIME.get(name, spent) or sizes[name] > MOST_BYTES.get(name, sizes[name]):
            over = ", above its budget"
        print(f"  {name:12s} {spent:6.2f} ms  {sizes[name]:6d} bytes compressed at most{over}")
    return cost


def shares(cost: Cost) -> tuple[float, float]:
    """Return the percentage of a core that forty tables take.

    First with one process that answers everybody, then with a process for each reader.
    """
    readers, taps = TABLES * (PHONES + WATCHERS), TABLES / TAPPED
    # A phone that taps polls immediately; each new tap is sent once to everybody else at its table.
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


def main(rounds: int, numbers: list[int]) -> None:
    scripts()
    # A full table accepts no more taps.
    numbers = [min(number, FULL - rounds) for number in numbers]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env = environment(folder / "ours", folder / "static")
        python = sys.executable
        run(python, "manage.py", "collectstatic", "--noinput", "-v0", folder=ROOT, env=env)
        command = (python, __file__, "seed", *map(str, numbers))
        facts = json.loads(run(*command, folder=ROOT, env=env).splitlines()[-1])
        reader = stack.enter_context(asked("skirmish.wsgi", ROOT, env, facts["session"]))
        costs = [measure(reader, facts["tables"][str(each)], rounds, each) for each in numbers]
    first, _apart = shares(costs[0])
    print(
        f"\n{TABLES} tables, {TABLES * PHONES} phones, {TABLES * WATCHERS} watching, a tap every"
        f" {TAPPED} s at each:"
    )
    for number, cost in zip(numbers, costs, strict=True):
        share, apart = shares(cost)
        over = "" if share <= MOST_OF_A_CORE else f", above {MOST_OF_A_CORE:.0f} %"
        print(
            f"{number:5d} taps: {share:.1f} % of a core{over}, {share / first:.2f} of that after"
            f" {numbers[0]} ({apart:.1f} % if each reader is answered by another process)"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["seed"]:
        seed([int(number) for number in sys.argv[2:]])
    else:
        rounds, *numbers = [int(number) for number in sys.argv[1:]] or [2]
        main(rounds, numbers or [*NUMBERS])
