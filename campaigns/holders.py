"""Holders of a campaign's places: a place of which there is only one has one holder.

The fold of a gang cannot know the others, so writers check this under the campaign's lock. A
capture is agreed in a game's report, and each side's post-game writes its own half. The place
counts as the winner's as soon as the result is confirmed, whatever the two ledgers say until then.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from campaigns.engine.claims import Account
from campaigns.engine.report import Capture, LostHolding
from campaigns.locking import lock_rows
from campaigns.models import Campaign, Game, Side
from common.errors import Refusal
from gangs.engine.roster import HeldPlace, Roster
from gangs.models import Gang, StoredEntry
from rules.book.holdings import Holding

# A holding of a gang: the gang's key, and the holding's number there.
Held = tuple[str, int]


def lock(campaign: Campaign, gang: Gang | None = None) -> None:
    """Lock the campaign's row, and those of the gang's other campaigns, until the transaction ends,
    if its rulebook has holdings. Callers lock them before games and gangs."""
    if campaign.book.holdings:
        lock_rows([campaign.pk, *(gang.roster.campaigns if gang is not None else ())])


def lock_of(gang: Gang) -> None:
    """Lock the gang's campaigns until the transaction ends, if its rulebook has holdings."""
    if gang.book.holdings and gang.roster.campaigns:
        lock_rows(gang.roster.campaigns)


def check(gang: Gang, before: Roster, after: Roster) -> None:
    """Check that no other gang of its campaigns has a place that the gang gets, or brings along
    when it joins. Locks the campaigns. Makes no query if it gets none.

    Raises Refusal.
    """
    joins = after.campaigns != before.campaigns
    known = set() if joins else {held.key for held in before.holdings}
    gained = {held.key for held in after.holdings} - known
    if not gained or not after.campaigns:
        return
    lock_rows(after.campaigns)
    for campaign in Campaign.objects.filter(pk__in=after.campaigns):
        for other, held in _held_by_others(campaign, gang):
            if held.key in gained:
                name = held.own_name(campaign.book)
                raise Refusal("holding_held", gang=other.name, holding=name)


def held_by_others(campaign: Campaign, gang: Gang) -> frozenset[str]:
    """The places of which there is only one, and which another gang has."""
    return frozenset(held.key for _other, held in _held_by_others(campaign, gang))


def _held_by_others(campaign: Campaign, gang: Gang) -> Iterator[tuple[Gang, HeldPlace]]:
    """The places of which there is only one, each with the other gang that has it. Leaves out those
    that a post-game still to be played will take away, and adds those that it will bring. Five
    queries."""
    book, going = campaign.book, pending(campaign) | _reopened(campaign)
    for captor, held in _awaited(campaign):
        if captor.pk != gang.pk and held.key in book.holding and not book.holding[held.key].shared:
            yield captor, held
    for other in gangs_of(campaign).exclude(pk=gang.pk):
        for held in other.roster.holdings:
            row = book.holding.get(held.key)
            if row is not None and not row.shared and (str(other.pk), held.id) not in going:
                yield other, held


def gangs_of(campaign: Campaign) -> QuerySet[Gang]:
    """The gangs that play in the campaign now. The places of retired gangs are free."""
    return Gang.objects.filter(
        memberships__campaign=campaign,
        memberships__left_at=None,
        memberships__retired_at=None,
    )


def pending(campaign: Campaign) -> set[Held]:
    """The holdings captured in confirmed games whose losers have not played their post-game, or are
    playing it again. Two queries at most."""
    captures = _captures(campaign)
    if not captures:
        return set()
    open_sides = Side.objects.filter(
        Q(pk__in=Side.objects.undone()) | Q(correcting=True), game__in=list(captures)
    )
    return {
        (capture.gang, capture.place)
        for game, gang in open_sides.values_list("game", "gang")
        for capture in captures[game]
        if capture.gang == str(gang)
    }


def _awaited(campaign: Campaign) -> list[tuple[Gang, HeldPlace]]:
    """The holdings that confirmed games bring to winners who have not played their post-game, or
    are playing it again. One query."""
    sides = Side.objects.filter(
        Q(pk__in=Side.objects.undone()) | Q(correcting=True),
        game__campaign=campaign,
        game__status=Game.Status.CONFIRMED,
        report__has_key="captures",
    )
    return [
        (side.gang, HeldPlace(id=capture.place, key=capture.holding, name=capture.name))
        for side in sides.select_related("gang")
        if side.gang is not None
        for capture in side.parsed_report.captures
    ]


def _captures(campaign: Campaign, without: Game | None = None) -> dict[uuid.UUID, list[Capture]]:
    """The captures of the campaign's confirmed games, by the game's key. One query."""
    sides = Side.objects.filter(game__campaign=campaign, game__status=Game.Status.CONFIRMED)
    if without is not None:
        sides = sides.exclude(game=without)
    found: defaultdict[uuid.UUID, list[Capture]] = defaultdict(list)
    for side in sides.filter(report__has_key="captures"):
        found[side.game_id] += side.parsed_report.captures
    return dict(found)


def _reopened(campaign: Campaign) -> set[Held]:
    """The holdings that post-games brought which are being played again. One query."""
    batches = Side.objects.filter(game__campaign=campaign, correcting=True).values("batch")
    rows = StoredEntry.objects.live().filter(kind="holding_gained", batch__in=batches)
    return {(str(gang), number) for gang, number in rows.values_list("gang", "number")}


def check_captures(game: Game, account: Account) -> None:
    """Check that each capture takes something from another side, and nothing that the loser of
    another confirmed game has lost already. Makes no query without captures. Raises Refusal."""
    captures = [capture for part in account.sides.values() for capture in part.report.captures]
    if not captures:
        return
    book = game.campaign.book
    gone = {
        (capture.gang, capture.place)
        for found in _captures(game.campaign, game).values()
        for capture in found
    }
    for capture in captures:
        if (capture.gang, capture.place) in gone:
            name = HeldPlace(id=capture.place, key=capture.holding, name=capture.name)
            raise Refusal("holding_captured", holding=name.own_name(book))


def lost_of(side: Side, sides: Iterable[Side]) -> tuple[LostHolding, ...]:
    """Holdings that the other sides of the game captured from this one."""
    return tuple(
        LostHolding(place=capture.place, by=other.name)
        for other in sides
        if other.pk != side.pk
        for capture in other.parsed_report.captures
        if capture.gang == str(side.gang_id)
    )


@dataclass
class PlaceLine:
    """A place of a campaign. ``holders``: each with its own name for it; several hold a place of
    which there is only one (``is_contested``) if a correction has restored a capture's loser."""

    row: Holding
    holders: list[tuple[Gang, str]] = field(default_factory=list)

    @property
    def is_contested(self) -> bool:
        """Whether several gangs have what only one can have."""
        return not self.row.shared and len(self.holders) > 1


def list_places(campaign: Campaign) -> list[PlaceLine]:
    """Every place that only one gang can have, and the others that some gang has, each with its
    holders. Makes no query if the rulebook has no holdings."""
    if not campaign.book.holdings:
        return []
    found = {row.key: PlaceLine(row) for row in campaign.rules.holdings}
    going = pending(campaign) | _reopened(campaign)
    standing = [
        (gang, held)
        for gang in gangs_of(campaign).order_by("name")
        for held in gang.roster.holdings
        if (str(gang.pk), held.id) not in going
    ]
    for gang, held in [*standing, *_awaited(campaign)]:
        row = campaign.book.holding.get(held.key)
        if row is not None:
            found.setdefault(held.key, PlaceLine(row)).holders.append((gang, held.name))
    return [line for line in found.values() if line.holders or not line.row.shared]
