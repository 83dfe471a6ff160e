"""Every kind of entry: registered by name, applied, described, dumped and parsed again."""

from __future__ import annotations

import pytest

from gangs.engine import entries as kinds
from gangs.engine.entries import KINDS, Entry, dump, parse
from gangs.engine.fold import apply_entry, steps
from gangs.engine.roster import Roster
from gangs.text.entries import Describer, sentence
from rules.book.evening import Track
from rules.book.holdings import Holding, Upkeep
from rules.book.model import Book
from rules.book.offers import ItemOffer
from rules.book.vocabulary import Text
from rules.engine.dice import DiceRoll
from tests.world.gangs import shipped

SHIPPED = shipped("au-un-pour-un")
MILL = Holding(key="mill", name=Text(en="Mill", fr="Moulin"), source="house")
TOLL = Upkeep(key="toll", name=MILL.name, holdings=("mill",), amount=1, source="house")
FIRST = SHIPPED.items[0]
# The first item can be used twice, and somebody has to find it.
RARE = ItemOffer(
    key="rare",
    name=Text(en="Rare", fr="Rare"),
    source="house",
    items=(FIRST.key,),
    availability="1d6 >= 3",
)
STRESS = Track(
    key="stress", name=Text(en="Stress", fr="Stress"), source="house", per="member", lasts=True
)
# The shipped game has no holdings, no upkeep, no offers and no tracker that lasts.
BOOK = SHIPPED.changed(
    holdings=(MILL,),
    campaign=SHIPPED.campaign.model_copy(update={"upkeep": (TOLL,)}),
    items=(FIRST.model_copy(update={"uses": 2}), *SHIPPED.items[1:]),
    offers=(RARE,),
    tracks=(*SHIPPED.tracks, STRESS),
)
NEWER = BOOK.changed(edition="Another")


def everything() -> list[Entry]:
    """A ledger with an entry of every kind, all with keys of the rulebook."""
    rank, item, trait = BOOK.ranks[0].key, BOOK.items[0].key, BOOK.traits[0].key
    condition, departure = BOOK.conditions[0].key, BOOK.campaign.departures[0].key
    number = next(row.key for row in BOOK.characteristics if row.kind == "number")
    table = BOOK.tables[0].key
    return [
        kinds.Founded(name="Gang", settings={}),
        kinds.Renamed(name="The Gang"),
        kinds.SettingsChosen(settings=BOOK.default_settings()),
        kinds.Noted(text="Of old"),
        kinds.Recruited(rank=rank, name="Ann"),
        kinds.Recruited(rank=rank, name="Bob"),
        kinds.Recruited(rank=rank, name="Cleo"),
        kinds.Recruited(rank=rank, name="Dan"),
        kinds.Dismissed(member=8),
        kinds.Named(member=5, name="Anna"),
        kinds.Reordered(member=5, position=1),
        kinds.PointsSpread(member=5, characteristic=number, amount=1),
        kinds.ProfessionChosen(member=5, profession=None),
        kinds.OriginChosen(member=5, origin=BOOK.origins[0].key),
        kinds.SquadJoined(member=5, squad="Reds"),
        kinds.TraitTaken(member=5, trait=trait),
        kinds.TraitDropped(member=5, trait=trait),
        kinds.Bought(item=item, member=5),
        kinds.ItemDeclared(name="Whip", group=BOOK.groups[0].key, price=3),
        kinds.Moved(item=18, member=None),
        kinds.Discarded(item=18),
        kinds.Joined(campaign="here", name="The Winter", settings={}),
        kinds.Played(
            game="g1", title="One", result=BOOK.campaign.results[0].key, side="level", fielded=(5,)
        ),
        kinds.Rolled(
            member=5, table=table, roll=DiceRoll(dice="1d6", faces=(3,), thrown_by="table")
        ),
        kinds.Suffered(member=5, condition=condition),
        kinds.Recovered(member=5, condition=condition),
        kinds.Bought(item=item, member=5),
        kinds.ItemLost(member=5, item=27),
        kinds.Learned(member=5, amount=2),
        kinds.Earned(amount=9, why="gift"),
        kinds.Hired(game="g2", gang="other", member=3, name="Eve", rank=rank),
        kinds.Fined(member=5, paid=2),
        kinds.Promoted(member=5, rank=BOOK.ranks[-1].key),
        kinds.Rose(member=5, characteristic=number, amount=1),
        kinds.HoldingGained(holding="mill"),
        kinds.UpkeepPaid(upkeep="toll", paid=0, places=(35,)),
        kinds.HoldingLost(place=35),
        kinds.ProfileRolled(
            member=5,
            characteristic=number,
            amount=3,
            roll=DiceRoll(dice="1d6", faces=(3,), thrown_by="table"),
        ),
        kinds.Died(member=6),
        kinds.Left(member=7, departure=departure),
        kinds.Bought(item=item, member=5),
        kinds.Sold(item=41, amount=3),
        kinds.Bought(item=item, member=5),
        kinds.Used(item=43),
        kinds.Tracked(member=5, track="stress", to=3),
        kinds.Searched(
            member=5, offer="rare", roll=DiceRoll(dice="1d6", faces=(3,), thrown_by="table")
        ),
        kinds.Recruited(rank=rank, name="Rex", owner=5),
        kinds.OwnerChosen(member=47, owner=5),
        kinds.Upgraded(digest=NEWER.digest),
    ]


def books(digest: str) -> Book:
    assert digest == NEWER.digest
    return NEWER


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.kind)
def test_every_kind_registers_how_it_is_applied_and_described(kind: type[Entry]) -> None:
    assert apply_entry.dispatch(kind) is not apply_entry.dispatch(Entry)
    assert sentence.dispatch(kind) is not sentence.dispatch(Entry)


def test_an_entry_of_every_kind_is_applied_described_and_parsed_again() -> None:
    entries = everything()
    assert {entry.kind for entry in entries} == set(KINDS)
    describer = Describer(BOOK, Roster(), books)
    sentences = []
    for step in steps(BOOK, enumerate(entries, start=1), books):
        describer.book, describer.roster = step.book, step.before
        sentences.append(describer.describe(step.entry))
        assert parse(dump(step.entry)) == step.entry
    assert len(sentences) == len(entries) and all(sentences)
    assert step.after.book == NEWER.digest and step.after.treasury == 10
    assert [member.name for member in step.after.members] == ["Anna", "Rex"]


@pytest.mark.parametrize(
    "data", [None, [], "bought", {}, {"kind": "magic"}, {"kind": ["bought"]}, {"item": "axe"}]
)
def test_parse_rejects_an_unknown_kind(data: object) -> None:
    with pytest.raises(ValueError, match="no kind of entry"):
        parse(data)
