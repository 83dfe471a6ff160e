"""Weapons of an imported game at a table: from words in a catalogue to a wound."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Table
from campaigns.table import people, storage, taps
from campaigns.table.attempts import roll
from campaigns.table.folded import fold_table
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from rules.catalogues.mapping import guess_answers, make_game
from rules.catalogues.reading import read_files
from rules.editor import store
from rules.editor.data import languages_of, name_game
from rules.models import BookDraft, BookVersion
from tests.campaigns.table.attempts.test_views import fields, show_face
from tests.campaigns.table.test_storage import opened
from tests.rules.catalogues.lists.building import (
    as_2_03,
    catalogue,
    category,
    cost_type,
    entry,
    limit,
    node,
    profile,
    profile_type,
    system,
)
from tests.rules.editor.test_dice_page import address_of, read_columns, sent

RAIDER = profile_type(
    "pt-raider", "Raider", aim="Aim", strength="S", grit="Grit", shield="Shield", life="Life"
)
WEAPON = profile_type(
    "pt-weapon", "Weapon", range="Range", shots="Shots", aim="Aim", strength="Strength", hurt="Hurt"
)
SYSTEM = system(
    "sky",
    "Sky Raiders",
    cost_type("coins", "Coins", 200),
    RAIDER,
    WEAPON,
    node("categoryEntry", id="c-raider", name="Raiders", hidden=False),
    node("forceEntry", category("crew", "c-raider"), id="crew", name="Crew", hidden=False),
)


def gun(key: str, name: str, values: str) -> Any:
    """Return the entry of a weapon that each member may have once."""
    own = profile(WEAPON, f"p-{key}", name, values)
    return entry(key, name, "upgrade", {"coins": 10}, limit("max", f"{key}-max", 1), own)


CREW = catalogue(
    "clouds",
    "Cloud Crews",
    "sky",
    entry(
        "raider",
        "Raider",
        "model",
        {"coins": 30},
        category("raider", "c-raider", primary=True),
        profile(RAIDER, "p-raider", "Raider", "4+ / 3 / 4 / 6+ / 2"),
        gun("longbow", "Longbow", '24" / 1 / 4+ / S+1 / D3'),
        gun("sling", "Sling", '12" / 2 / 3+ / S / 1'),
        gun("cannon", "Cannon", '36" / D3 / 5+ / 8 / 2D3'),
    ),
)
ROLL = {
    "name": "Shot",
    "reach_how": "value",
    "reach_value": "item.range",
    "attacks_how": "value",
    "attacks_value": "item.shots",
    "hit_how": "own",
    "hit_own": "item.aim",
    "wound_how": "table",
    "wound_own": "item.strength",
    "wound_theirs": "at.grit",
    "save_how": "theirs",
    "save_theirs": "at.shield",
    "harm": "life",
    "damage_how": "value",
    "damage_value": "item.hurt",
}


def bring(owner: User) -> BookDraft:
    """Return a draft of the game, made from its files."""
    found = read_files(as_2_03([SYSTEM, CREW]))
    data = make_game(found, guess_answers(found)).data
    named = name_game(data, "sky-raiders", "Sky Raiders", languages_of(data), "Alice")
    return store.start_game(owner, named, token=uuid.uuid4())


def write_shot(client: Client, game: BookDraft) -> BookVersion:
    """Read the columns of the weapons, write the roll on its page, and publish the game."""
    overview = client.get(reverse("editor:dice", args=[game.pk]))
    assert overview.context["worded"] == []
    places = [one.place for one in overview.context["readable"]]
    assert read_columns(client, game, *places).status_code == 302
    form = client.get(address_of(game)).context["form"]
    game.refresh_from_db()
    groups = [key for key, _name in form.fields["groups"].choices]
    answers = {**sent(form), **ROLL, "groups": groups, "seen": game.version}
    answer = client.post(address_of(game), answers)
    assert answer.status_code == 302, answer.context["form"].errors
    game.refresh_from_db()
    client.post(reverse("editor:publish", args=[game.pk]), {"seen": game.version})
    return BookVersion.objects.get(draft=game)


def found_gang(version: BookVersion, owner: User, item: str) -> Gang:
    """Return a gang of one raider with this weapon."""
    recruited = kinds.Recruited(rank="raider", name=owner.username)
    gang = writer.found(version, [kinds.Founded(name="Crew", settings={}), recruited], owner=owner)
    (member,) = gang.roster.members
    bought = kinds.Bought(item=item, member=member.id, paid=10)
    writer.append(gang, [bought], expected_version=gang.version, actor=owner)
    return Gang.objects.get(pk=gang.pk)


@pytest.fixture
def table(client: Client, alice: User, dora: User) -> Table:
    """Return a table of the imported game; the client is Alice's."""
    client.force_login(alice)
    version = write_shot(client, bring(alice))
    gangs = [found_gang(version, alice, "longbow"), found_gang(version, dora, "sling")]
    campaign = joining.start(
        name="Clouds",
        version=version,
        settings={},
        notes="",
        organiser=alice,
        token=uuid.uuid4(),
    )
    for gang in gangs:
        joining.join(campaign, gang, actor=gang.owner, expected_version=gang.version)
    return opened(campaign, alice, *Gang.objects.order_by("pk"))


@pytest.mark.parametrize("way", ["throw", "say"])
def test_imported_weapon_wounds_by_the_roll_of_the_page(
    client: Client, table: Table, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    by, at = (one.key for one in people.start_of(table).figures)
    address = reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    shown = client.get(reverse("campaigns:table-figure", args=[table.pk, by])).content.decode()
    assert f"{address}?" in shown
    page = client.get(f"{address}?{urlencode({'by': by, 'at': at, 'item': 'longbow'})}")
    data = fields(page.content.decode()) | {"how": way}
    if way == "say":
        data |= {"outcome": "out", "n-out-lost": "2"}
    monkeypatch.setattr(roll, "play", show_face(5))
    answer = client.post(address, data)
    assert answer.status_code == 302
    told = [one.tap for one in storage.log_of(table)]
    (rolled,) = [tap for tap in told if isinstance(tap, taps.Rolled)]
    assert rolled.outcome == "out"
    assert taps.Counted(figure=at, track="life", by=-2) in told
    out = next(tap for tap in told if isinstance(tap, taps.Out))
    assert (out.figure, out.by) == (at, by)
    table.refresh_from_db()
    assert fold_table(table).now.figures[at].out is not None
