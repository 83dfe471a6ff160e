"""Recalling: reads a campaign's past, and remembers it for as long as nothing changes.

Whatever is told of the past changes with the version of a gang or of a game, or with who is in the
campaign. A page reads those anyway; only if one is another does it cost more queries, and no more
of them with forty gangs than with four.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from campaigns.bargaining import Terms
from campaigns.memory import Memory
from campaigns.models import Bargain, Campaign, Game, Membership, Side
from campaigns.past import Correction, Past, PastBargain, PastGame, PastGang, PastSide
from gangs.models import Gang, StoredEntry, Strike
from gangs.stories import kept

# How many campaigns a process remembers.
REMEMBERED = 16


@dataclass(frozen=True)
class Recalled:
    """A campaign's past, with the rows that it was read from.

    ``memberships`` with their gangs and owners, without snapshots; ``games``: all, newest first;
    ``bargains``: the open ones, and those agreed on that stand; ``sides``: all, if they had to be
    read for the past.
    """

    campaign: Campaign
    memberships: Sequence[Membership]
    games: Sequence[Game]
    bargains: Sequence[Bargain]
    past: Past
    sides: Sequence[Side] | None

    @property
    def playing(self) -> list[Gang]:
        """The gangs that play in the campaign now."""
        return [row.gang for row in self.memberships if row.left_at is None]

    @property
    def gangs(self) -> dict[str, Gang]:
        """All gangs with a place in the campaign, by key."""
        return {str(row.gang_id): row.gang for row in self.memberships}

    def shown(self, newest: int) -> dict[Game, list[Side]]:
        """The newest games and all that wait for somebody, with their sides. One query, unless all
        sides are known."""
        recent = {game.pk for game in self.games[:newest]}
        unsettled = Q(game__status__in=[status for status in Game.Status if status not in SETTLED])
        waiting = Q(game__status=Game.Status.CONFIRMED, gang__isnull=False, standing=False)
        sides = Side.objects.with_standing().filter(game__campaign=self.campaign)
        sides = sides.filter(Q(game__in=recent) | unsettled | waiting)
        gangs = {row.gang_id: row.gang for row in self.memberships}
        by_game: dict[uuid.UUID, list[Side]] = {}
        games = {game.pk: game for game in self.games}
        for side in self.sides or sides.defer("report", *UNREAD):
            side.game = games[side.game_id]
            side.gang = gangs.get(side.gang_id) if side.gang_id else None
            by_game.setdefault(side.game_id, []).append(side)
        return {
            game: by_game.get(game.pk, [])
            for game in self.games
            if game.pk in recent or _waits(game, by_game.get(game.pk, ()))
        }


def _waits(game: Game, sides: Sequence[Side]) -> bool:
    """Whether a game waits for somebody."""
    if game.status == Game.Status.CONFIRMED:
        return any(side.gang is not None and not side.done for side in sides)
    return game.status not in SETTLED


# What no list of games shows of a side.
UNREAD = ("draft", "kept_draft", "before", "tale")
SETTLED = (Game.Status.CONFIRMED, Game.Status.STRUCK)


def recall(campaign: Campaign) -> Recalled:
    """The campaign's past. Three queries while nothing has changed, three more to read it anew."""
    memberships = list(campaign.memberships.select_related("gang__owner").defer("gang__snapshot"))
    games = list(campaign.games.select_related("claim", "struck_by").defer("note", "claim__data"))
    for game in games:
        game.campaign = campaign
    bargains = _bargains(campaign)
    key = (
        campaign.pk,
        campaign.version,
        campaign.book_version_id,
        campaign.archived_at,
        tuple(
            (row.gang_id, row.gang.version, row.gang.share_key, str(row.gang.owner), row.left_at)
            for row in memberships
        ),
        tuple((game.pk, game.version, game.status) for game in games),
        tuple((row.pk, row.status) for row in bargains),
    )
    past, sides = _remembered.get(key), None
    if past is None:
        sides = list(Side.objects.with_standing().filter(game__campaign=campaign).defer(*UNREAD))
        past = _read(campaign, memberships, games, bargains, sides)
        _remembered.put(key, past)
    return Recalled(campaign, memberships, games, bargains, past, sides)


_remembered: Memory[Past] = Memory(REMEMBERED)


def _read(
    campaign: Campaign,
    memberships: Sequence[Membership],
    games: Sequence[Game],
    bargains: Sequence[Bargain],
    rows: Sequence[Side],
) -> Past:
    sides: dict[uuid.UUID, list[Side]] = {}
    for side in rows:
        sides.setdefault(side.game_id, []).append(side)
    oldest_first = sorted(games, key=lambda game: (game.played_on, game.created_at))
    return Past(
        book=campaign.book,
        settings=campaign.settings,
        gangs=_gangs(memberships),
        games=tuple(
            _game(game, sides.get(game.pk, ()))
            for game in oldest_first
            if game.status == Game.Status.CONFIRMED
        ),
        struck=tuple(
            _game(game, sides.get(game.pk, ()))
            for game in oldest_first
            if game.status == Game.Status.STRUCK
        ),
        bargains=tuple(_bargain(row) for row in bargains if row.status == Bargain.Status.AGREED),
        corrections=_corrections(memberships),
        ended_at=campaign.archived_at,
    )


def _gangs(memberships: Sequence[Membership]) -> tuple[PastGang, ...]:
    stories = kept([row.gang for row in memberships])
    return tuple(
        PastGang(
            id=str(row.gang_id),
            name=row.gang.name,
            owner=str(row.gang.owner or ""),
            rating=row.gang.rating,
            joined_at=row.joined_at,
            left_at=row.left_at,
            story=stories[row.gang_id],
        )
        for row in memberships
    )


def _game(game: Game, sides: Sequence[Side]) -> PastGame:
    roll = game.roll
    return PastGame(
        id=str(game.pk),
        day=game.played_on,
        at=game.claim.at if game.claim else game.created_at,
        result=game.result,
        scenario=game.scenario,
        scenario_total=roll.total if roll else None,
        night=str(game.night_id or ""),
        struck_by=str(game.struck_by or ""),
        struck_why=game.struck_why,
        sides=tuple(
            PastSide(
                gang=str(side.gang_id or ""),
                name=side.name,
                kind=side.kind,
                report=side.told,
                rating=side.rating,
            )
            for side in sides
        ),
    )


def _bargains(campaign: Campaign) -> list[Bargain]:
    """The offers that are open, and what was agreed on and was not taken back since."""
    entries = StoredEntry.objects.filter(batch=OuterRef("batch"), struck=None)
    agreed = Q(Exists(entries), status=Bargain.Status.AGREED)
    return list(campaign.bargains.filter(agreed | Q(status=Bargain.Status.OPEN)).order_by("pk"))


def _bargain(row: Bargain) -> PastBargain:
    return PastBargain(
        id=str(row.pk),
        at=row.decided_at or row.at,
        giver=str(row.giver_id or ""),
        taker=str(row.taker_id or ""),
        giver_name=row.giver_name,
        taker_name=row.taker_name,
        terms=Terms.model_validate(row.terms),
    )


def _corrections(memberships: Sequence[Membership]) -> tuple[Correction, ...]:
    """What organisers corrected in the gangs' histories, unless it was taken back since. That a
    whole game was taken back is told of the game."""
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
