"""A campaign's season, loaded from the database and cached until something changes.

A reload reads only the games and gangs that have changed, so the cost of a change does not grow
with the season.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from django.db.models import Exists, OuterRef, Q

from campaigns.engine.how import FOUGHT
from campaigns.engine.report import Report
from campaigns.models import Bargain, Campaign, Game, Membership, Side, sides_by_game
from campaigns.season.freshness import CampaignState, keys, state_of
from campaigns.statistics.season_facts import (
    Correction,
    PastAdjustment,
    PastBargain,
    PastTrophy,
    PastTrophyAward,
    Season,
    SeasonGame,
    SeasonGang,
    SeasonSide,
)
from campaigns.table.luck.tries import read_luck
from common.cache import Cache
from gangs.ledger.timelines import load_timelines
from gangs.models import Gang, StoredEntry, Strike
from rules.book.season import TrophyCount

# Games on one page of the list; games that await somebody are shown in addition.
GAMES = 10
# Fields of a side that no list of games shows.
UNREAD = ("draft", "kept_draft", "before", "tale")
SETTLED = (Game.Status.CONFIRMED, Game.Status.STRUCK)


@dataclass(frozen=True, eq=False)
class LoadedSeason:
    """A campaign's season and the rows it was loaded from.

    ``memberships`` include gangs and owners but no snapshots; ``games`` has all games, newest
    first; ``sides`` has at least those of the newest games and of games that await somebody;
    ``bargains`` has open offers and agreements still in force. ``game_state`` and ``gang_state``
    are the parts of the campaign's state at the time of loading.
    """

    campaign: Campaign
    season: Season
    memberships: Sequence[Membership] = ()
    games: Sequence[Game] = ()
    sides: Sequence[Side] = ()
    bargains: Sequence[Bargain] = ()
    game_state: str = ""
    gang_state: str = ""

    @property
    def playing(self) -> list[Gang]:
        """The gangs that play in the campaign now."""
        return [
            row.gang for row in self.memberships if row.left_at is None and row.retired_at is None
        ]

    @cached_property
    def gangs(self) -> Mapping[str, Gang]:
        """All gangs that have or had a place in the campaign, by key."""
        return {str(row.gang_id): row.gang for row in self.memberships}

    def with_sides(self, page: Sequence[Game]) -> dict[Game, list[Side]]:
        """Return these games and all that await somebody, newest first, with their sides.

        One query, or none if ``page`` has the newest games.
        """
        wanted = {game.pk for game in page}
        newest = wanted == {game.pk for game in self.games[: len(page)]}
        sides = self.sides if newest else _sides(self.campaign.pk, wanted)
        for side in sides:
            side.gang = self.gangs.get(str(side.gang_id))
        of_game = sides_by_game(sides)
        return {
            game: of_game[game.pk]
            for game in self.games
            if game.pk in wanted or _waits(game, of_game[game.pk])
        }


def _waits(game: Game, sides: Sequence[Side]) -> bool:
    """Whether a game awaits a confirmation, a decision or a post-game."""
    if game.status == Game.Status.CONFIRMED:
        return any(side.gang is not None and not side.done for side in sides)
    return game.status not in SETTLED


def _sides(campaign: uuid.UUID, games: Collection[uuid.UUID]) -> list[Side]:
    """Read the sides of these games and of all games that await somebody."""
    unsettled = ~Q(game__status__in=SETTLED)
    waiting = Q(game__status=Game.Status.CONFIRMED, gang__isnull=False, standing=False)
    sides = Side.objects.with_standing().filter(game__campaign=campaign).defer(*UNREAD)
    return list(sides.filter(Q(game__in=games) | unsettled | waiting))


_seasons: Cache[LoadedSeason] = Cache(16)


def load_season(campaign: uuid.UUID, state: CampaignState | None = None) -> LoadedSeason:
    """Return the campaign's season. Raises Campaign.DoesNotExist.

    One query reads the state unless ``state`` is given; ten more reload what has changed, if
    anything has.
    """
    state = state or state_of(campaign)
    if state is None:
        raise Campaign.DoesNotExist
    return _seasons.get(campaign, state, lambda last: _load(state, last))


def _load(state: CampaignState, last: LoadedSeason | None) -> LoadedSeason:
    campaign = Campaign.objects.with_newest().get(pk=state.id)
    memberships = list(campaign.memberships.select_related("gang__owner").defer("gang__snapshot"))
    if last is None or not _alike(last, campaign, memberships):
        last = LoadedSeason(campaign, Season(campaign.rules))
    new_games = _changed(last.game_state, state.games)
    new_gangs = _changed(last.gang_state, state.gangs)
    others = _changed(state.games, last.game_state)
    games = [game for game in last.games if game.pk not in others] + _games(campaign, new_games)
    for game in games:
        game.campaign = campaign
    newest = sorted(games, key=lambda game: (game.played_on, game.created_at))[::-1]
    sides = _sides(campaign.pk, {*new_games, *(game.pk for game in newest[:GAMES])})
    bargains = _bargains(campaign) if state.bargains else []
    confirmed, struck = _season_games(newest[::-1], sides, new_games, last.season)
    fought = tuple(game for game in confirmed if game.how in FOUGHT)
    season = Season(
        rules=campaign.rules,
        gangs=_season_gangs(memberships, new_gangs, last.season.gang),
        games=fought,
        unfought=tuple(game for game in confirmed if game.how not in FOUGHT),
        struck=struck,
        bargains=tuple(_agreed(bargains)),
        corrections=_corrections(memberships),
        adjustments=_adjustments(campaign),
        trophies=_trophies(campaign),
        awards=_awards(campaign),
        table=campaign.standings_rules,
        ended_at=campaign.archived_at,
        club=campaign.club_results,
        facts=last.season.facts,
    )
    return LoadedSeason(
        campaign, season, memberships, newest, sides, bargains, state.games, state.gangs
    )


def _alike(last: LoadedSeason, campaign: Campaign, memberships: Sequence[Membership]) -> bool:
    """Whether the campaign still has the same rules and gangs.

    Deleting a gang changes all its games, so they must all be read again.
    """
    rules = (campaign.book_version_id, campaign.settings)
    gangs = {str(row.gang_id) for row in memberships}
    return (
        rules == (last.campaign.book_version_id, last.campaign.settings)
        and gangs == last.gangs.keys()
    )


def _changed(before: str, now: str) -> set[uuid.UUID]:
    """Return the keys of new and changed lines."""
    return {uuid.UUID(key) for key in keys(now, unless_in=before)}


def _games(campaign: Campaign, keys: Collection[uuid.UUID]) -> list[Game]:
    games = campaign.games.filter(pk__in=keys).select_related("claim", "struck_by")
    return list(games.defer("note", "claim__data").order_by())


def _season_games(
    games: Sequence[Game], sides: Sequence[Side], new: Collection[uuid.UUID], last: Season
) -> Iterator[tuple[SeasonGame, ...]]:
    """Yield confirmed games, then games taken back; ``new`` ones are built from their rows."""
    of_game = sides_by_game(sides)
    known = {game.id: game for game in (*last.games, *last.unfought, *last.struck)}
    for status in SETTLED:
        yield tuple(
            _game(game, of_game[game.pk]) if game.pk in new else known[str(game.pk)]
            for game in games
            if game.status == status
        )


def _season_gangs(
    memberships: Sequence[Membership],
    new: Collection[uuid.UUID],
    known: Mapping[str, SeasonGang],
) -> tuple[SeasonGang, ...]:
    changed = [
        row.gang for row in memberships if row.gang_id in new or str(row.gang_id) not in known
    ]
    timelines = load_timelines(changed)
    return tuple(
        SeasonGang(
            id=str(row.gang_id),
            name=row.gang.name,
            owner=str(row.gang.owner or ""),
            rating=row.gang.rating,
            joined_at=row.joined_at,
            left_at=row.left_at,
            retired_at=row.retired_at,
            timeline=timelines[row.gang_id],
        )
        if row.gang_id in timelines
        else known[str(row.gang_id)]
        for row in memberships
    )


def _game(game: Game, sides: Sequence[Side]) -> SeasonGame:
    roll = game.roll
    reports = [side.sound_report for side in sides]
    return SeasonGame(
        id=str(game.pk),
        day=game.played_on,
        at=game.claim.at if game.claim else game.created_at,
        result=game.result,
        how=game.manner,
        scenario=game.scenario,
        scenario_total=roll.total if roll else None,
        night=str(game.night_id or ""),
        struck_by=str(game.struck_by or ""),
        struck_why=game.struck_why,
        luck=read_luck(game),
        left_out=(roll is None and game.scenario_roll is not None) or None in reports,
        together=game.campaign.book.who_plays.is_together,
        sides=tuple(
            SeasonSide(
                gang=str(side.gang_id or ""),
                name=side.name,
                kind=side.kind,
                report=report or Report(),
                rating=side.rating,
                place=side.finish,
            )
            for side, report in zip(sides, reports, strict=True)
        ),
    )


def _bargains(campaign: Campaign) -> list[Bargain]:
    """Read open offers, and agreements that nobody has taken back."""
    entries = StoredEntry.objects.filter(batch=OuterRef("batch"), struck=None)
    agreed = Q(Exists(entries), status=Bargain.Status.AGREED)
    return list(campaign.bargains.filter(agreed | Q(status=Bargain.Status.OPEN)).order_by("pk"))


def _agreed(rows: Iterable[Bargain]) -> Iterator[PastBargain]:
    """Yield the agreements with valid stored terms."""
    for row in rows:
        terms = row.sound_terms if row.status == Bargain.Status.AGREED else None
        if terms is not None:
            yield PastBargain(
                id=str(row.pk),
                at=row.decided_at or row.at,
                giver=str(row.giver_id or ""),
                taker=str(row.taker_id or ""),
                giver_name=row.giver_name,
                taker_name=row.taker_name,
                terms=terms,
            )


def _adjustments(campaign: Campaign) -> tuple[PastAdjustment, ...]:
    """Read the bonuses and penalties, also those taken back."""
    rows = campaign.adjustments.select_related("by", "taken_back_by").order_by("at", "pk")
    return tuple(
        PastAdjustment(
            id=str(row.pk),
            at=row.at,
            gang=str(row.gang_id or ""),
            name=row.name,
            points=row.points,
            by=str(row.by or ""),
            why=row.reason,
            back_at=row.taken_back_at,
            back_by=str(row.taken_back_by or ""),
        )
        for row in rows
    )


def _trophies(campaign: Campaign) -> tuple[PastTrophy, ...]:
    """Read the club's own trophies."""
    return tuple(
        PastTrophy(id=str(row.pk), name=row.name, text=row.text, count=cast(TrophyCount, row.count))
        for row in campaign.trophies.order_by("at", "pk")
    )


def _awards(campaign: Campaign) -> tuple[PastTrophyAward, ...]:
    """Read the trophies that organisers awarded."""
    rows = campaign.trophy_awards.select_related("by").order_by("at", "pk")
    return tuple(
        PastTrophyAward(
            id=str(row.pk),
            at=row.at,
            trophy=row.book_trophy or str(row.trophy_id),
            own=not row.book_trophy,
            gang=str(row.gang_id or ""),
            gang_name=row.gang_name,
            member=row.member,
            member_name=row.member_name,
            by=str(row.by or ""),
            why=row.reason,
        )
        for row in rows
    )


def _corrections(memberships: Sequence[Membership]) -> tuple[Correction, ...]:
    """Return the organisers' corrections of gang histories that are still in force.

    Corrections made by taking back a whole game are left out: the game itself shows them.
    """
    gangs = [row.gang_id for row in memberships]
    games = Side.objects.filter(game__status=Game.Status.STRUCK, gang__in=gangs)
    of_games = StoredEntry.objects.filter(struck=OuterRef("pk"), batch__in=games.values("batch"))
    rows = Strike.objects.filter(~Exists(of_games), gang__in=gangs, by_organiser=True)
    rows = rows.filter(undone_by=None).exclude(undoes__by_organiser=True).select_related("actor")
    return tuple(
        Correction(
            id=str(row.pk),
            at=row.at,
            gang=str(row.gang_id),
            by=str(row.actor or ""),
            why=row.reason,
        )
        for row in rows.order_by("pk")
    )
