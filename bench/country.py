"""A country's clubs on one site: what grows with it, and what a second web process adds.

    .venv/bin/python bench/country.py [--small | --share N] [--again] [--seconds N]

Needs an empty database of PostgreSQL, whose user may create others (country, country_demo) and is a
superuser (DATABASE_URL), and, for the load, Valkey or Redis (CACHE_URL). The demo and a club with a
league, a table and a channel are copied by SQL (tests/country.py) to about 5,000 campaigns with
200,000 gangs and 50,000 accounts, with --share 0.2 to a fifth of that, with --small to ten times
the demo. Prints the time of each main page as a ratio to the same page on the demo (the budget is
1.3), the time of each periodic job, of a look over 10,000 channels, the start, the metrics, the
backup, and the pages a second that one and two processes of one worker answer. With --again, it
measures the site that the last call filled.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SIZES = {
    "campaigns": 5_000,
    "gangs": 200_000,
    "accounts": 50_000,
    "notices": 360_000,
    "channels": 10_000,
}
# Games of the club beside the demo's, and its tables with taps.
GAMES, TABLES, TAPS = 48, 4, 100
# Most gangs play in no campaign, and have no more entries than this.
ENTRIES = 40
LABELS = {
    "accounts": "accounts.User",
    "notices": "accounts.Notice",
    "gangs": "gangs.Gang",
    "entries": "gangs.StoredEntry",
    "campaigns": "campaigns.Campaign",
    "games": "campaigns.Game",
    "tables": "campaigns.Table",
    "taps": "campaigns.TableEntry",
    "channels": "outbound.Hook",
}
SMALL = 0.01
ROUNDS, TURNS, BUDGET, CLIENTS = 7, 6, 1.3, 8
PAGES = {
    "Tonight": ("anna", "/tonight/"),
    "my gangs": ("anna", "/gangs/"),
    "my campaigns": ("anna", "/campaigns/"),
    "notices": ("anna", "/notices/"),
    "a gang": ("anna", "{gang}"),
    "its history": ("anna", "{gang}history/"),
    "a campaign": ("anna", "{campaign}"),
    "its people": ("anna", "{campaign}people/"),
    "its chronicle": ("anna", "{campaign}chronicle/"),
    "its records": ("anna", "{campaign}records/"),
    "administration": ("admin", "/administration/"),
    "gangs (administration)": ("admin", "/administration/gangs/"),
    "a search for a gang": ("admin", "/administration/gangs/?q=zzz"),
    "accounts (administration)": ("admin", "/administration/accounts/"),
}
# The share of the channels that have news in the second measurement.
NEWS = 5
LOOPS = ("reminders", "notices of rounds", "luck of games", "tidy")


def begin() -> None:
    """Set up Django in this process."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "skirmish.settings"
    import django

    django.setup()


def make_club() -> None:
    """Add a club with everything that the demo lacks, and an administrator."""
    from table import write_evening

    from accounts.models import User
    from campaigns.table import storage
    from tests.world.addresses import make_world
    from tests.world.campaigns import make_game

    world = make_world(("anna", "berta", "carla", "emil"))
    gangs = [side.gang for side in world.game.sides.select_related("gang") if side.gang]
    book = world.campaign.book
    for number in range(GAMES):
        game = make_game(world.campaign, world.users["owner"], *gangs)
        if number < TABLES:
            table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
            write_evening(table, book, (gangs[0].owner, gangs[1].owner), TAPS)
    type(world.hook).objects.update(off_at=None, off_why="")
    User.objects.create_superuser("admin", "admin@example.org", "skirmish-bench")


def fill(share: float) -> None:
    """Copy the site's clubs, then people with small gangs that play in no campaign."""
    from django.apps import apps
    from django.db import connection

    from tests import country

    wanted = {name: int(number * share) for name, number in SIZES.items()}
    people, notices, gangs = (
        apps.get_model(LABELS[name]) for name in ("accounts", "notices", "gangs")
    )

    def missing(name: str) -> int:
        return max(wanted[name] - apps.get_model(LABELS[name])._base_manager.count(), 0)

    with connection.cursor() as cursor:
        # Copies are as sound as their originals: PostgreSQL need not look up each reference.
        cursor.execute("SET session_replication_role = replica")
    copier = country.Copier.start()
    copier.copy(country.club_models(), missing("campaigns") // copier.count(LABELS["campaigns"]))
    copier = copier.only_small(ENTRIES)
    times = max(missing("accounts") // copier.count(LABELS["accounts"]), 1)
    fewer = {notices: missing("notices") // copier.count(LABELS["notices"])}
    ledger = country.named(country.LEDGER)
    owners = copier.copy((people, notices, *ledger), times, fewer)
    for _more in range(missing("gangs") // (copier.count(LABELS["gangs"]) * times)):
        copier.copy(ledger, times, beside={people: owners[people]})
    copier.finish()
    add_channels(wanted["channels"])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


def fill_lists() -> None:
    """Give the demo as many accounts and gangs as a page of the administrators' lists shows: the
    lists of both sites are then equally long, and only what grows with the site differs."""
    from django.apps import apps
    from django.db import connection

    from administration.pages.views import ON_A_PAGE
    from tests import country

    people, *ledger = (apps.get_model(LABELS["accounts"]), *country.named(country.LEDGER))
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
    copier = country.Copier.start().only_small(ENTRIES)
    fewest = min(copier.count(LABELS["accounts"]), copier.count(LABELS["gangs"]))
    copier.copy((people, *ledger), -(-ON_A_PAGE // fewest))
    copier.finish()


def add_channels(number: int) -> None:
    """Copy a channel to all campaigns in turn, until the site has this number of channels."""
    import uuid

    from campaigns.models import Campaign
    from outbound.models import Hook

    hook, channels = Hook.objects.all()[0], []
    campaigns = list(Campaign.objects.values_list("pk", flat=True))
    for place in range(number - Hook.objects.count()):
        values = {one.attname: getattr(hook, one.attname) for one in Hook._meta.concrete_fields}
        values |= {"id": None, "token": uuid.uuid4()}
        values["campaign_id"] = campaigns[place % len(campaigns)]
        channels.append(Hook(**values))
    Hook.objects.bulk_create(channels, batch_size=1_000)


def measure_channels() -> dict[str, tuple[float, int]]:
    """Return the seconds and queries of a look over all channels without news, and of one when a
    fifth have some, of which it composes a part."""
    from itertools import batched

    from django.db import connection
    from django.db.models import F
    from django.test.utils import CaptureQueriesContext

    from campaigns.models import Campaign
    from campaigns.season.freshness import states_of
    from outbound.hooks import watching
    from outbound.models import Hook

    keys = list(Hook.objects.order_by("campaign_id").values_list("campaign_id", flat=True))
    keys = list(dict.fromkeys(keys))
    for piece in batched(keys, watching.PIECE):
        states, days = states_of(piece), watching._days_of(piece)
        hooks = list(Hook.objects.filter(campaign__in=piece))
        for hook in hooks:
            key = hook.campaign_id
            hook.seen = watching._digest(hook, watching._lines(states[key]), days[key])
        Hook.objects.bulk_update(hooks, ["seen"])
    found = {}
    for what in ("without news", "a fifth with news"):
        start = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            watching.look_everywhere()
        found[what] = (time.perf_counter() - start, len(queries))
        some = Campaign.objects.filter(pk__in=keys[::NEWS])
        some.update(version=F("version") + 1)
    return found


def count_rows() -> dict[str, int]:
    """Return the number of rows of the main tables."""
    from django.apps import apps

    return {what: apps.get_model(label)._base_manager.count() for what, label in LABELS.items()}


def median_of(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Return the median time of a call in milliseconds, after two calls that fill the caches."""
    found = []
    for number in range(rounds + 2):
        start = time.perf_counter()
        work()
        if number > 1:
            found.append((time.perf_counter() - start) * 1000)
    return statistics.median(found)


def measure_pages() -> dict[str, float]:
    """Return the milliseconds of each page."""
    from django.conf import settings
    from django.test import Client

    from accounts.models import User
    from administration.monitoring.metrics import write_figures
    from campaigns.models import Membership

    settings.ALLOWED_HOSTS = ["*"]
    clients = {}
    for name in ("anna", "admin"):
        clients[name] = Client()
        clients[name].force_login(User.objects.get(username=name))
    row = Membership.objects.filter(gang__owner__username="anna").select_related()[0]
    places = {"gang": row.gang.get_absolute_url(), "campaign": row.campaign.get_absolute_url()}
    found = {}
    for what, (name, path) in PAGES.items():
        address, client = path.format(**places), clients[name]
        assert client.get(address).status_code == 200, address
        found[what] = median_of(lambda client=client, address=address: client.get(address))
    found["metrics"] = median_of(write_figures, 5)
    return found


def measure_loops() -> dict[str, tuple[float, float, int]]:
    """Return the seconds of each periodic job's first and second run, and its queries then."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from common import background
    from common.models import Job

    found = {}
    for name in LOOPS:
        spent = []
        for _run in range(2):
            job, _new = Job.objects.get_or_create(kind=name, periodic=True)
            job.started_at = None
            start = time.perf_counter()
            with CaptureQueriesContext(connection) as queries:
                background._works[name].function(job)
            spent.append(time.perf_counter() - start)
        found[name] = (spent[0], spent[1], len(queries))
    return found


def sign_in() -> dict[str, str]:
    """Return a session of a player, with the address of their campaign."""
    from importlib import import_module

    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from accounts.models import User
    from campaigns.models import Membership

    user = User.objects.get(username="anna")
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    row = Membership.objects.filter(gang__owner=user).select_related()[0]
    places = {"gang": row.gang.get_absolute_url(), "campaign": row.campaign.get_absolute_url()}
    return {"session": session.session_key, **places}


PARTS: dict[str, Callable[..., Any]] = {
    "club": make_club,
    "fill": fill,
    "lists": fill_lists,
    "rows": count_rows,
    "pages": measure_pages,
    "loops": measure_loops,
    "channels": measure_channels,
    "session": sign_in,
}


class Site:
    """A database of the server, and the programs that work on it."""

    def __init__(self, folder: Path, server: str, name: str) -> None:
        parts = urlsplit(server)
        self.environment = {
            **os.environ,
            "DATABASE_URL": urlunsplit(parts._replace(path=f"/{name}")),
            "DATA_DIR": str(folder / name),
            "SECRET_KEY": "a-key-for-the-bench-" * 3,
            "ALLOWED_HOSTS": "127.0.0.1",
            "LOG_LEVEL": "ERROR",
            "STATEMENT_TIMEOUT": "0",
            "HTTPS": "0",
            "STATIC_ROOT": str(folder / "static"),
            "DEBUG": "",
        }
        (folder / name).mkdir(exist_ok=True)

    def run(self, *command: str) -> str:
        """Run a Python program; return its output."""
        done = subprocess.run(
            [sys.executable, *command],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr[-3000:]}")
        return done.stdout

    def part(self, *arguments: str) -> Any:
        """Run a part of this program on the site; return its answer."""
        return json.loads(self.run(__file__, "--part", *arguments).splitlines()[-1])

    def timed(self, *command: str) -> float:
        """Run ``manage.py``; return the seconds."""
        start = time.monotonic()
        self.run("manage.py", *command)
        return time.monotonic() - start


def pages_a_second(site: Site, processes: int, seconds: float) -> tuple[float, float]:
    """Return the pages a second that this many processes of one worker answer, and the share of
    the machine's processors that was idle."""
    from tests.two_sites.servers import await_port, free_port

    about = site.part("session")
    ports = [free_port() for _number in range(processes)]
    running = []
    for port in ports:
        given = {**site.environment, "WORKERS": "1", "PERIODIC_JOBS": "0"}
        command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"]
        running.append(subprocess.Popen(command, env=given, cwd=ROOT, stderr=subprocess.DEVNULL))
    try:
        for port, process in zip(ports, running, strict=True):
            await_port(port, process)
        paths = ("/tonight/", "/gangs/", "/campaigns/", about["gang"], about["campaign"])
        ask(ports, paths, about["session"], 3)
        before = _idle()
        number = ask(ports, paths, about["session"], seconds)
        after = _idle()
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()
    return number / seconds, (after[0] - before[0]) / max(after[1] - before[1], 1)


def ask(ports: list[int], paths: tuple[str, ...], session: str, seconds: float) -> int:
    """Request pages in ``CLIENTS`` threads; return the number of good answers."""
    import http.client

    until, answered = time.monotonic() + seconds, [0] * CLIENTS

    def asking(place: int) -> None:
        turn = place
        while time.monotonic() < until:
            connection = http.client.HTTPConnection("127.0.0.1", ports[turn % len(ports)])
            path = paths[turn % len(paths)]
            connection.request("GET", path, headers={"Cookie": f"sessionid={session}"})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            assert answer.status == 200, f"{answer.status} for {path}"
            answered[place] += 1
            turn += 1

    threads = [threading.Thread(target=asking, args=(place,)) for place in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(answered)


def _idle() -> tuple[int, int]:
    """Return the idle and all ticks of the machine's processors so far."""
    ticks = [int(one) for one in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[3], sum(ticks)


def compare_pages(demo: Site, site: Site) -> tuple[dict[str, float], dict[str, float]]:
    """Return the least milliseconds of each page on both sites, which are asked in turn: other work
    on the machine then slows down both."""
    found: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for _turn in range(TURNS):
        for one, least in zip((demo, site), found, strict=True):
            for what, spent in one.part("pages").items():
                least[what] = min(least.get(what, spent), spent)
    return found


def create_database(server: str, name: str, template: str) -> None:
    """Create a database, replacing one of this name."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')


def fill_sites(server: str, demo: Site, site: Site, share: float) -> None:
    """Make the demo with a club, and the site that is copied from it."""
    create_database(server, "country_demo", "template0")
    for command in (("migrate", "-v0"), ("books", "load"), ("demo",)):
        demo.timed(*command)
    demo.part("club")
    create_database(server, "country", "country_demo")
    start = time.monotonic()
    site.part("fill", str(share))
    demo.part("lists")
    print(f"Filled in {time.monotonic() - start:.0f} s")


def main() -> None:
    """Fill and measure. Exits with 1 if a page is over its budget."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--share", type=float, default=1.0, help="of the whole size")
    asked.add_argument("--small", action="store_true", help="ten times the demo")
    asked.add_argument("--again", action="store_true", help="measure what was filled before")
    asked.add_argument("--seconds", type=float, default=20, help="for which each load is kept up")
    asked.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.part:
        begin()
        name, *arguments = options.part
        print(json.dumps(PARTS[name](*map(float, arguments))))
        return
    share, server = SMALL if options.small else options.share, os.environ["DATABASE_URL"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        demo, site = (Site(folder, server, name) for name in ("country_demo", "country"))
        if not options.again:
            fill_sites(server, demo, site, share)
        demo.timed("collectstatic", "--noinput", "-v0")
        print(site.part("rows"), "\n", flush=True)
        few, many = compare_pages(demo, site)
        print("| page | demo, ms | this site, ms | ratio |\n| --- | --- | --- | --- |")
        for what, before in few.items():
            print(f"| {what} | {before:.0f} | {many[what]:.0f} | {many[what] / before:.2f} |")
        print("\n| loop | first run, s | next, s | queries |\n| --- | --- | --- | --- |")
        for what, (first, again, queries) in site.part("loops").items():
            print(f"| {what} | {first:.2f} | {again:.2f} | {queries} |", flush=True)
        print("\n| a look for news for channels | s | queries |\n| --- | --- | --- |")
        for what, (spent, queries) in site.part("channels").items():
            print(f"| {what} | {spent:.2f} | {queries} |", flush=True)
        print(f"\nstart (prepare): {site.timed('prepare'):.1f} s", flush=True)
        rates = [pages_a_second(site, number, options.seconds) for number in (1, 2)]
        for number, (rate, idle) in enumerate(rates, 1):
            print(f"{number} processes: {rate:.1f} pages a second, {idle:.0%} of processors idle")
        print(
            f"The second adds: {rates[1][0] / rates[0][0]:.2f} times (the budget is 1.6)",
            flush=True,
        )
        print(f"backup of everything: {site.timed('backup', str(folder / 'all.tar')):.0f} s")
    wrong = [what for what, before in few.items() if many[what] > BUDGET * before + 2]
    if wrong:
        raise SystemExit(f"Over their budget of {BUDGET}: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
