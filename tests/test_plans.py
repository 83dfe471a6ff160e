"""The plans of PostgreSQL for the queries of players' pages, on a site of many clubs: a page that
reads a large table in sequence becomes slower as the site grows, on any machine.
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
from django.utils import timezone

from campaigns.models import Fixture, Night, Round
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
# Pages of administrators have their own tests.
PAGES = sorted(name for name in ADDRESSES if not name.startswith(("administration:", "admin:")))


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
        cursor.execute("SET LOCAL session_replication_role = origin")
    # The pages' addresses are those of the only fixture of the first club.
    Round.objects.filter(stage=world.stage, number__gt=1).delete()
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
    wrong = {sql: tables for sql, params in queries if (tables := read_in_sequence(sql, params))}
    assert not wrong, f"{address}: {wrong}"
