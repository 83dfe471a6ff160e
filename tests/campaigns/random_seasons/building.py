"""Building between games, leaving and joining."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from campaigns.club.people import joining
from campaigns.holds import find_unsettled
from common.errors import Refusal
from gangs import hooks
from gangs.engine import actions, offers
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.models import Gang
from tests.campaigns.random_seasons.season import Season
from tests.gangs.strategies import decisions
from tests.world.gangs import scene_of


def build(season: Season) -> None:
    """Make a few changes that the builder's page may refuse."""
    gang = season.gang(season.gangs())
    choices = decisions(season.book)
    which = st.lists(st.integers(0, len(choices) - 1), min_size=1, max_size=4)
    for choice in season.data.draw(which, "acts"):
        try:
            append(gang, choices[choice](season.data.draw, scene_of(gang), gang.last_seq + 1))
        except Refusal:
            continue


def spend(season: Season) -> None:
    """Take anything on offer, whether or not the gang can afford it."""
    gang = season.gang(season.gangs())
    before = gang.roster.treasury
    goods = season.one_of(on_offer(scene_of(gang)), "goods")
    if goods is None or find_unsettled(gang):
        return
    append(gang, goods)
    assert gang.roster.treasury >= min(before, 0), "overdrawn"


def append(gang: Gang, entries: list[Entry]) -> None:
    """Change a gang like its builder."""
    hooks.check_unlocked(gang, entries)
    writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)


def on_offer(computed: ComputedGang) -> list[list[Entry]]:
    """Return the entries of every single thing that the gang may take now."""
    return list(_on_offer(computed))


def _on_offer(computed: ComputedGang) -> Iterator[list[Entry]]:
    for rank in offers.ranks(computed):
        if free(rank):
            yield actions.recruit(computed, rank.row.key, "")
    for member in computed.roster.members[:3]:
        for trait in offers.traits(computed, member):
            if free(trait):
                yield actions.take_trait(computed, member.id, trait.row.key)
    for holder in [None, *computed.roster.members[:2]]:
        for item in offers.items(computed, holder):
            if free(item):
                yield actions.buy(computed, holder.id if holder else None, item.row.key)


def free(offer: offers.Offer[Any]) -> bool:
    """Whether an offer can be taken."""
    return offer.refusal is None


def leave(season: Season) -> None:
    """Let a gang leave, with or without its owner; its past here stays the same."""
    if len(season.here()) < 3:
        return
    gang = season.gang()
    actor = gang.owner or season.organiser
    before = season.all_facts()
    played = joining.has_games(season.campaign, gang)
    behind = season.one_of([False, False, True], "way")
    try:
        joining.part(season.campaign, gang, behind=behind, actor=actor)
    except Refusal as refusal:
        assert refusal.code == "games_open"
        assert joining.open_sides(gang).exists()
        assert season.all_facts() == before
        return
    now = Gang.objects.get(pk=gang.pk)
    if played:
        assert season.all_facts() == before
        assert (now.owner is None) == (behind or gang.owner is None)
    else:
        assert str(season.campaign.pk) not in now.roster.campaigns


def come_back(season: Season) -> None:
    """Let a gang that has left join again, or give an ownerless gang to a player."""
    here = season.here()
    orphan = season.one_of([gang for gang in here if gang.owner is None], "orphan")
    before = season.all_facts()
    if orphan is not None:
        to = season.one_of(season.players, "to")
        joining.hand_over(season.campaign, orphan, to, expected_owner=None, actor=season.organiser)
        assert season.all_facts() == before
        return
    away = [gang for gang in season.gangs() if gang not in here and gang.owner is not None]
    gang = season.one_of(away, "gang")
    if gang is None:
        return
    try:
        joining.join(season.campaign, gang, actor=gang.owner, expected_version=gang.version)
    except Refusal:
        assert season.all_facts() == before
