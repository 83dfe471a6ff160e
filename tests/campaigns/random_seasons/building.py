"""What players do with their gangs between games, and coming and going."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from campaigns import aftermath, joining, parting
from gangs import acts, holds, ledger, offers
from gangs.entries import Entry
from gangs.models import Gang
from gangs.refusal import Refusal
from gangs.scene import Scene
from tests.campaigns.random_seasons.season import Season
from tests.gangs.strategies import decisions
from tests.make import scene_of


def build(season: Season) -> None:
    """A few things that the builder's page may refuse."""
    gang = season.gang(season.gangs())
    choices = decisions(season.book)
    which = st.lists(st.integers(0, len(choices) - 1), min_size=1, max_size=4)
    for choice in season.data.draw(which, "acts"):
        try:
            append(gang, choices[choice](season.data.draw, scene_of(gang), gang.last_seq + 1))
        except Refusal:
            continue


def spend(season: Season) -> None:
    """Whatever is on offer can be had, whether or not the gang can really afford it."""
    gang = season.gang(season.gangs())
    before = gang.roster.treasury
    goods = season.one_of(on_offer(scene_of(gang)), "goods")
    if goods is None or aftermath.unsettled(gang):
        return
    append(gang, goods)
    assert gang.roster.treasury >= min(before, 0), "overdrawn"


def append(gang: Gang, entries: list[Entry]) -> None:
    """Change a gang as its builder does."""
    holds.check(gang, entries)
    ledger.append(gang, entries, seen=gang.version, actor=gang.owner)


def on_offer(scene: Scene) -> list[list[Entry]]:
    """Every single thing that the gang may take now, as the entries that it takes."""
    return list(_on_offer(scene))


def _on_offer(scene: Scene) -> Iterator[list[Entry]]:
    for rank in offers.ranks(scene):
        if free(rank):
            yield acts.recruit(scene, rank.row.key, "")
    for member in scene.roster.members[:3]:
        for trait in offers.traits(scene, member):
            if free(trait):
                yield acts.take_trait(scene, member.id, trait.row.key)
    for holder in [None, *scene.roster.members[:2]]:
        for item in offers.items(scene, holder):
            if free(item):
                yield acts.buy(scene, holder.id if holder else None, item.row.key)


def free(offer: offers.Offer[Any]) -> bool:
    """Whether an offer can be had."""
    return offer.refusal is None


def leave(season: Season) -> None:
    """A gang goes, with its owner or without: what it has done here stays as it is."""
    if len(season.here()) < 3:
        return
    gang = season.gang()
    actor = gang.owner or season.organiser
    before = season.all_facts()
    played = parting.has_games(season.campaign, gang)
    way = season.one_of([parting.take_along, parting.take_along, parting.leave_behind], "way")
    try:
        way(season.campaign, gang, actor=actor)
    except Refusal as refusal:
        assert refusal.code == "games_open"
        assert parting.open_sides(gang).exists()
        assert season.all_facts() == before
        return
    now = Gang.objects.get(pk=gang.pk)
    if played:
        assert season.all_facts() == before
        assert (now.owner is None) == (way == parting.leave_behind or gang.owner is None)
    else:
        assert str(season.campaign.pk) not in now.roster.campaigns


def come_back(season: Season) -> None:
    """A gang that has left joins again; one that nobody owns is given to somebody."""
    here = season.here()
    orphan = season.one_of([gang for gang in here if gang.owner is None], "orphan")
    before = season.all_facts()
    if orphan is not None:
        to = season.one_of(season.players, "to")
        parting.hand_over(season.campaign, orphan, to, seen=None, actor=season.organiser)
        assert season.all_facts() == before
        return
    away = [gang for gang in season.gangs() if gang not in here and gang.owner is not None]
    gang = season.one_of(away, "gang")
    if gang is None:
        return
    try:
        joining.join(season.campaign, gang, actor=gang.owner, seen=gang.version)
    except Refusal:
        assert season.all_facts() == before
