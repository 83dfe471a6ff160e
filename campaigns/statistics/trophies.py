"""Trophies of a campaign: who holds the rulebook's and the club's, by counting or by an award."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from campaigns.statistics.chronicle import person_name
from campaigns.statistics.records import count_dead, count_games, count_taken_out
from campaigns.statistics.season_facts import Season
from campaigns.statistics.standings import rank_season
from rules.book.season import TrophyCount
from rules.book.vocabulary import Text
from rules.engine.costing import Points


@dataclass(frozen=True)
class Holder:
    """A gang, or one of its members, that holds a trophy. ``gang``: as ``SeasonSide.who``;
    ``name``: the member's, "" for the whole gang; ``number``: what it has most of, None for an
    award, which has an ``award`` and a reason (``why``)."""

    gang: str
    gang_name: str
    member: int = 0
    name: Text | str = ""
    number: Points | None = None
    award: str = ""
    why: str = ""


@dataclass(frozen=True)
class HeldTrophy:
    """A trophy with its holders. ``key``: of the rulebook's row, or the club's number; ``own``: it
    is the club's."""

    key: str
    name: Text | str
    text: Text | str
    count: TrophyCount
    own: bool
    holders: Sequence[Holder] = ()


def list_trophies(season: Season) -> tuple[HeldTrophy, ...]:
    """The rulebook's trophies, then the club's, each with its holders."""
    books = [
        HeldTrophy(row.key, row.name, row.text, row.count, own=False)
        for row in season.rules.trophies
    ]
    clubs = [HeldTrophy(row.id, row.name, row.text, row.count, own=True) for row in season.trophies]
    return tuple(_held(season, trophy) for trophy in (*books, *clubs))


def _held(season: Season, trophy: HeldTrophy) -> HeldTrophy:
    awarded = [
        Holder(
            gang=row.who,
            gang_name=season.names.get(row.who, row.gang_name),
            member=row.member,
            name=_member(season, row.gang, row.member) or row.member_name,
            award=row.id,
            why=row.why,
        )
        for row in season.awards
        if (row.trophy, row.own) == (trophy.key, trophy.own)
    ]
    counted = () if trophy.count == "hand" else find_best(season, trophy.count)
    return HeldTrophy(
        trophy.key, trophy.name, trophy.text, trophy.count, trophy.own, (*awarded, *counted)
    )


def find_best(season: Season, count: TrophyCount) -> tuple[Holder, ...]:
    """The gangs or members with the highest number above 0; several if they are equal."""
    if count.startswith("member_"):
        numbers = _count_members(season, count)
        best = _highest(numbers)
        return tuple(
            Holder(
                gang=gang,
                gang_name=season.names.get(gang, ""),
                member=member,
                name=_member(season, gang, member),
                number=numbers[gang, member],
            )
            for gang, member in best
        )
    gangs = _count_gangs(season, count)
    return tuple(
        Holder(gang=gang, gang_name=season.names[gang], number=gangs[gang])
        for gang in _highest(gangs)
    )


def _highest[K](numbers: Mapping[K, Points]) -> list[K]:
    best = max(numbers.values(), default=0)
    return [key for key, number in numbers.items() if number == best and best > 0]


def _count_gangs(season: Season, count: TrophyCount) -> Mapping[str, Points]:
    if count == "graves":
        return count_dead(season)
    names = {"wins": "won", "games": "played"}
    return {
        row.gang: getattr(row, names.get(count, count)) for row in rank_season(season) if row.played
    }


def _count_members(season: Season, count: TrophyCount) -> Mapping[tuple[str, int], Points]:
    known = {(gang.id, number) for gang in season.gangs for number in gang.people}
    fielded = count_games(season)
    if count == "member_games":
        return _only(fielded, known)
    if count == "member_taken_out":
        return _only(count_taken_out(season), known)
    return {
        (gang, member): season.gang[gang].people[member].experience
        for gang, member in known
        if fielded[gang, member]
    }


def _only(
    numbers: Mapping[tuple[str, int], int], known: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Points]:
    return {who: numbers[who] for who in sorted(known) if numbers.get(who)}


def _member(season: Season, gang: str, member: int) -> Text | str:
    return person_name(season, season.gang.get(gang), member) if member else ""


def trophies_of(trophies: Iterable[HeldTrophy], gang: str) -> list[tuple[HeldTrophy, Holder]]:
    """The trophies that a gang or its members hold."""
    return [
        (trophy, holder) for trophy in trophies for holder in trophy.holders if holder.gang == gang
    ]
