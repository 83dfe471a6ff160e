"""The plans of PostgreSQL for the queries of pages and jobs, on a site of many clubs: a page
that reads a large table in sequence becomes slower as the site grows, on any machine.

Two kinds of pages of administrators read whole tables on purpose: data pages, which search all
columns of a table, and counts below ``totals.ESTIMATED``, which are kept for a minute.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from administration import search_indexes, totals
from campaigns.club.home import reminders
from campaigns.league import reminding
from campaigns.models import Fixture, Game, Night, Round
from campaigns.table.luck import tries
from tests.country import Copier, club_models
from tests.test_permissions import ADDRESSES
from tests.world.addresses import World, make_world
from tests.world.campaigns import make_game

pytestmark = pytest.mark.django_db
if connection.vendor != "postgresql":
    # Only PostgreSQL has these plans: ``script/test --postgres`` reads them.
    pytest.skip("needs PostgreSQL", allow_module_level=True)

# Clubs of the site, and the games, nights and rounds of each: more than ten times the demo's.
CLUBS, GAMES, NIGHTS, ROUNDS = 1_000, 12, 6, 12
# PostgreSQL rightly reads a table of so few pages in sequence, by its own measure of costs.
CHEAP = 150
LARGE = {
    "accounts_notice",
    "accounts_user",
    "campaigns_campaign",
    "campaigns_fixture",
    "campaigns_game",
    "campaigns_membership",
    "campaigns_night",
    "campaigns_participant",
    "campaigns_side",
    "gangs_gang",
    "gangs_storedentry",
}
PAGES = sorted(name for name in ADDRESSES if not name.startswith(("administration:", "admin:")))
LISTS = ("accounts", "gangs", "campaigns")
JOBS: dict[str, Callable[[], object]] = {
    "reminders": reminders.send_due,
    "notices of rounds": reminding.send_due,
    "luck of games": tries.work_out,
}


@pytest.fixture(scope="module")
def country(standing_rows: None) -> World:
    """A site of many clubs, all copies of one."""
    world = make_world()
    gangs = [side.gang for side in world.game.sides.select_related("gang") if side.gang]
    today = timezone.localdate()
    for number in range(GAMES):
        make_game(world.campaign, world.users["owner"], *gangs, day=today - timedelta(number))
    for number in range(NIGHTS):
        starts_at = timezone.now() + timedelta(days=30 * number - 90)
        Night.objects.create(campaign=world.campaign, starts_at=starts_at)
    home, away = gangs
    for number in range(2, ROUNDS):
        opened = Round.objects.create(stage=world.stage, number=number, opens=today)
        Fixture.objects.create(round=opened, number=1, home=home, away=away)
    with connection.cursor() as cursor:
        # Copies are as sound as their originals: PostgreSQL need not look up each reference.
        cursor.execute("SET LOCAL session_replication_role = replica")
        copier = Copier.start()
        copier.copy(club_models(), CLUBS)
        copier.finish()
        # As autovacuum does: a search reads the whole list of what was added since.
        for index in search_indexes.NAMES:
            cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [index])
        cursor.execute("SET LOCAL session_replication_role = origin")
    # The pages' addresses are those of the only fixture of the first club.
    Round.objects.filter(stage=world.stage, number__gt=1).delete()
    # Some fixtures are due tomorrow.
    few = list(Fixture.objects.order_by("-pk").values_list("pk", flat=True)[:20])
    Fixture.objects.filter(pk__in=few).update(due=today + timedelta(1), reminded_at=None)
    world.sign_in()
    return world


@contextmanager
def note_queries(found: list[tuple[str, Any]]) -> Iterator[None]:
    """Add each query of the context to ``found``, with its parameters."""

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip("(").startswith("SELECT") and "FOR UPDATE" not in sql:
            found.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield


def read_in_sequence(sql: str, params: Any) -> set[str]:
    """Return the large tables of which the plan of a query reads every row."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        (plan,) = cursor.fetchone()
    (found,) = json.loads(plan) if isinstance(plan, str) else plan

    def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield node
        for inner in node.get("Plans", ()):
            yield from nodes(inner)

    scans = (
        one
        for one in nodes(found["Plan"])
        if one["Node Type"] == "Seq Scan" and one["Total Cost"] > CHEAP
    )
    return {one["Relation Name"] for one in scans} & LARGE


@pytest.mark.parametrize("person", ["owner", "organiser"])
@pytest.mark.parametrize("name", PAGES)
def test_page_reads_no_large_table_in_sequence(name: str, person: str, country: World) -> None:
    queries: list[tuple[str, Any]] = []
    client = country.client_of(person)
    try:
        address = country.address_of(name)
    except Http404:
        pytest.skip("no such page here")
    with note_queries(queries):
        client.get(address)
    check(queries)


@pytest.mark.parametrize("query", ["", "owner-77", "zzz"])
@pytest.mark.parametrize("name", LISTS)
def test_list_of_administrators_reads_no_large_table_in_sequence(
    name: str, query: str, country: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "ESTIMATED", 0)
    administrator = User.objects.create_superuser("administrator")
    queries: list[tuple[str, Any]] = []
    client = Client()
    client.force_login(administrator)
    with note_queries(queries):
        answer = client.get(reverse(f"administration:{name}"), {"q": query})
    assert answer.status_code == 200
    check(queries)


@pytest.mark.parametrize("name", JOBS)
def test_job_reads_no_large_table_in_sequence(
    name: str, country: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "DAYTIME", range(24))
    # A look at all accounts rightly reads all sides that are open.
    monkeypatch.setattr(reminders, "PIECE", 4)
    monkeypatch.setattr(reminders, "MOST_LOOKED_AT", 4)
    monkeypatch.setattr(reminders, "MOST_SENT", 10)
    monkeypatch.setattr(reminding, "MOST", 10)
    # Few games are due for a reminder: the others are of past months.
    few = list(Game.objects.order_by("pk").values_list("pk", flat=True)[:20])
    past = Game.objects.exclude(pk__in=few)
    past.update(played_on=timezone.localdate() - timedelta(60))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE campaigns_game")
    queries: list[tuple[str, Any]] = []
    with note_queries(queries):
        JOBS[name]()
    check(queries)


def check(queries: list[tuple[str, Any]]) -> None:
    """Assert that no query reads a large table in sequence."""
    wrong = {sql: tables for sql, params in queries if (tables := read_in_sequence(sql, params))}
    assert not wrong, wrong
