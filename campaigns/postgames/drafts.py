"""The post-game of a side: the gang that it is played on, its draft, and committing it.

A post-game that was in the gang's history before is played on the gang as it was then, so that it
takes its old place again. So is the post-game of a gang that has joined another campaign since: its
entries go before the gang's joining, so that the rules of its own campaign count.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from campaigns import holders, throws
from campaigns.engine.how import FOUGHT, pay_side
from campaigns.engine.report import About, Answers, GameReport
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough, Unmet, brought_key
from campaigns.models import Game, Side
from campaigns.seeds import Dice, count_dice, show
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs import hooks
from gangs.engine.fold import book_now
from gangs.engine.roster import Roster
from gangs.ledger import writer
from gangs.ledger.revision import Insertion
from gangs.ledger.storage import read_entry, roster_at, roster_when, stored_book
from gangs.models import Gang, StoredEntry
from rules.book.model import Book

Change = Callable[[Playthrough, Answers], Answers]


@dataclass(frozen=True)
class PostgameBase:
    """The gang before its post-game.

    ``place``: the place of its entries in the gang's history, None for the end; ``numbers``: the
    numbers of the members and items that earlier plays brought, in order, by ``brought_key``;
    ``standing``: the earlier entries, by ``seq``, that the new entries replace; ``behind``: entries
    at the same place, which are written again to stay behind it.
    """

    gang: Gang
    book: Book
    roster: Roster
    place: int | None = None
    numbers: tuple[tuple[str, int], ...] = ()
    standing: tuple[int, ...] = ()
    behind: tuple[StoredEntry, ...] = ()

    @property
    def replaced(self) -> frozenset[int]:
        """The entries to strike, by ``seq``: those that are replaced or written again."""
        return frozenset(self.standing).union(row.seq for row in self.behind)

    def insertions(self, playthrough: Playthrough) -> list[Insertion]:
        """The entries of a play, for the place of the earlier play. A recruit or a found item keeps
        the number of the earlier play."""
        assert self.place is not None
        known = {number for _key, number in self.numbers}
        return [
            Insertion(self.place, played.entry, played.number if played.number in known else None)
            for played in playthrough.played
        ] + [
            Insertion(row.place, read_entry(row), row.number, at=row.at, batch=row.batch)
            for row in self.behind
        ]


def gang_of(side: Side) -> Gang:
    """The side's gang. Raises Refusal if it was deleted."""
    if side.gang is None:
        raise Refusal("gone")
    return side.gang


def base_of(side: Side) -> PostgameBase:
    """The gang on which the side's post-game is played now."""
    gang = gang_of(side)
    rows = [] if side.batch is None else list(gang.entries.filter(batch=side.batch).order_by("seq"))
    if not rows:
        place = find_place(side, gang)
        if place is None:
            return PostgameBase(gang, gang.book, gang.roster)
        roster = roster_at(gang, place)
        return PostgameBase(gang, book_now(gang.first_book, roster, stored_book), roster, place)
    standing = [row for row in rows if row.struck_id is None]
    first = min(standing or rows, key=lambda row: (row.place, row.seq))
    roster = roster_when(gang, first)
    behind = gang.entries.live().filter(place=first.place, seq__gt=first.seq)
    return PostgameBase(
        gang=gang,
        book=book_now(gang.first_book, roster, stored_book),
        roster=roster,
        place=first.place,
        numbers=_numbers(gang, rows),
        standing=tuple(row.seq for row in standing),
        behind=tuple(behind.exclude(pk__in=[row.pk for row in rows]).order_by("seq")),
    )


def find_place(side: Side, gang: Gang) -> int | None:
    """The place of a first post-game in the gang's history: before the gang joined another campaign
    than that of the game; None for the end. One query for a gang of several campaigns."""
    here = str(side.game.campaign_id)
    if not set(gang.roster.campaigns) - {here}:
        return None
    joined = gang.entries.live().filter(kind="joined").order_by("place", "seq")
    places = [(row.place, row.data["campaign"]) for row in joined]
    own = max((place for place, campaign in places if campaign == here), default=None)
    later = [place for place, _campaign in places if own is not None and place > own]
    return min(later) - 1 if later else None


def _numbers(gang: Gang, rows: Sequence[StoredEntry]) -> tuple[tuple[str, int], ...]:
    """The numbers of the members and items of all plays so far, in order, by ``brought_key``: the
    first recruit of each play has the same number, and so on. Leaves out numbers that something
    else has by now."""
    brought = ((row.number, brought_key(read_entry(row))) for row in rows)
    numbers = {number: key for number, key in brought if key is not None}
    others = gang.entries.live().filter(number__in=numbers).exclude(batch=rows[0].batch)
    taken = set(others.values_list("number", flat=True))
    return tuple((key, number) for number, key in numbers.items() if number not in taken)


def game_report_of(side: Side, elsewhere: Collection[str] | None = None) -> GameReport:
    """The post-game's view of the game. Reads all its sides. ``elsewhere``: the places that only
    one gang can have and another has, if they are known already."""
    game, sides = side.game, list(side.game.sides.all())
    club, rules = game.campaign.club_results, game.campaign.rules
    is_together = game.campaign.book.who_plays.is_together
    others = [] if is_together else [other for other in sides if other.pk != side.pk]
    return GameReport(
        game=str(game.pk),
        title=game.campaign.book.who_plays.title(other.name for other in sides)[:80],
        scenario=game.scenario or None,
        result=game.result,
        how=game.manner,
        side=side.kind,
        pay=pay_side(rules, club, game.manner, side.kind, side.finish, len(sides)),
        report=side.parsed_report,
        rating=side.rating,
        opponents=tuple(other.rating for other in others),
        opponent_names=tuple(other.name for other in others),
        opponent_gangs=tuple(str(other.gang_id) for other in others if other.gang_id),
        **_holdings(side, sides, elsewhere),
    )


def _holdings(
    side: Side, sides: Sequence[Side], elsewhere: Collection[str] | None = None
) -> dict[str, Any]:
    """The facts about holdings, in a game that has them: what others captured from the side, and
    what only one gang can have and another has. A post-game that is played again finds the holdings
    that it found before."""
    campaign = side.game.campaign
    if not campaign.book.holdings or side.gang is None:
        return {}
    found = side.gang.entries.filter(batch=side.batch, kind="holding_gained") if side.batch else ()
    if elsewhere is None:
        elsewhere = holders.held_by_others(campaign, side.gang)
    return {
        "names": {str(other.gang_id): other.name for other in sides if other.gang_id},
        "lost_holdings": holders.lost_of(side, sides),
        "held_elsewhere": frozenset(elsewhere) - {row.data["holding"] for row in found},
    }


@dataclass(frozen=True)
class Postgame:
    """The post-game of a side, played as far as its draft reaches."""

    side: Side
    base: PostgameBase
    game_report: GameReport
    playthrough: Playthrough


def load(side: Side) -> Postgame:
    """The side's post-game as far as it is answered. Plays the script once. Raises Refusal if the
    result is not confirmed, or the gang was deleted."""
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    if not side.game.has_postgame:
        raise Refusal("no_postgame")
    base, game_report = base_of(side), game_report_of(side)
    return Postgame(side, base, game_report, _play(base, game_report, side.answers))


def _play(base: PostgameBase, game_report: GameReport, answers: Answers) -> Playthrough:
    first = base.gang.last_seq + 1
    return play(base.book, base.roster, first, game_report, answers, base.numbers)


def _refused(through: Playthrough, before: Playthrough) -> list[Unmet]:
    """Return what is refused in the steps that the play ``before`` has reached. In a correction,
    later steps have kept answers: if these no longer fit, their own steps will say so.
    """
    keys = [state.step.key for state in before.steps]
    reached = keys if before.current is None else keys[: keys.index(before.current.step.key) + 1]
    return [
        unmet for state in through.steps if state.step.key in reached for unmet in state.refused
    ]


def is_done(side: Side) -> bool:
    """Whether the side's post-game is in the gang's ledger."""
    return Side.objects.done().filter(pk=side.pk).exists()


def is_closed(side: Side) -> bool:
    """Whether the side's post-game is in the ledger, and is not being corrected."""
    return not side.correcting and is_done(side)


def earlier(side: Side) -> Side | None:
    """The gang's side in its first earlier game whose post-game is still open, or None."""
    sides = Side.objects.undone().select_related("game")
    confirmed = sides.filter(gang=side.gang, game__status=Game.Status.CONFIRMED)
    day, made = side.game.played_on, side.game.created_at
    before = confirmed.filter(
        Q(game__played_on__lt=day) | Q(game__played_on=day, game__created_at__lt=made)
    )
    return before.order_by("game__played_on", "game__created_at").first()


def answer(
    postgame: Postgame,
    change: Change,
    *,
    expected_version: int,
    actor: User | None = None,
    dice: Dice | None = None,
) -> Postgame:
    """Save one more answer and its throws in the draft. Returns the post-game, played once more.

    ``change``: makes the new answers from the play so far and the present answers; ``actor``: the
    user who answers; ``dice``: the side's dice, if ``change`` throws them. Raises Refusal if the
    post-game is not open or a decision cannot be carried out, Stale if the draft has changed since
    it was seen.
    """
    side, before = postgame.side, postgame.playthrough
    _check_open(side)
    if side.draft_version != expected_version:
        raise Stale
    known = side.answers
    answers = change(before, known)
    after = _play(postgame.base, postgame.game_report, answers)
    refused = _refused(after, before)
    # A roll is never refused: if an earlier decision does not fit it, that decision's step says so.
    decided = answers.rolls == known.rolls
    if decided and len(refused) > len(_refused(before, before)):
        raise refused[-1].refusal
    draft = answers.model_dump(mode="json")
    with transaction.atomic():
        # A draw from the side's seed meanwhile would change the next dice.
        rows, columns = Side.objects.filter(draws=side.draws), count_dice(side, dice)
        update_if(rows, side.pk, expected_version, counter="draft_version", draft=draft, **columns)
        throws.keep_changes(side, known.rolls, answers.rolls, partial(_about, before), actor, dice)
    side.draft, side.draft_version = draft, expected_version + 1
    side.draws = columns.get("draws", side.draws)
    return replace(postgame, playthrough=after)


def _about(playthrough: Playthrough, key: str) -> About:
    """The description of a throw."""
    request = playthrough.requests[key]
    who = (request.member.name or request.member.rank) if request.member else None
    if request.table is not None:
        return About(member=who, table=request.table.key)
    if request.characteristic is not None:
        return About(member=who, what=request.characteristic.name)
    return About(member=who, asked=request.what)


def commit(
    side: Side,
    *,
    seen_draft: int,
    seen_gang: int,
    actor: User,
    reason: str = "",
    also: Collection[int] = (),
) -> None:
    """Write the post-game into the gang's ledger, once: at the end or, if it was there before, in
    its old place, or before the gang joined another campaign.

    ``also``: later entries to strike, by ``seq``; ``reason``: the reason of a correction. Raises
    Leftovers if other entries would no longer fit, Refusal if the post-game is not open, not
    complete or not the gang's next, Stale if the draft or the gang has changed since it was seen.
    """
    _check_open(side)
    if not is_done(side) and earlier(side) is not None:
        raise Refusal("earlier_postgame")
    gang, is_again = gang_of(side), side.batch is not None
    with transaction.atomic():
        hold(side)
        if is_again or find_place(side, gang) is not None:
            # A change of the past locks all post-games of the gang, in the order of their keys.
            hooks.oversight.lock_postgames([gang.pk])
        # Keep the same batch, so that any restored commit in the history belongs to this side.
        batch = side.batch or uuid.uuid4()
        update_if(
            Side.objects.filter(batch=side.batch, correcting=side.correcting),
            side.pk,
            seen_draft,
            counter="draft_version",
            batch=batch,
            correcting=False,
            kept_draft=None,
        )
        if gang.version != seen_gang:
            raise Stale
        postgame = load(side)
        base, playthrough = postgame.base, postgame.playthrough
        if not playthrough.complete:
            raise Refusal("postgame_open")
        if base.place is None:
            writer.append(
                gang, playthrough.entries, expected_version=seen_gang, actor=actor, batch=batch
            )
        else:
            writer.revise(
                gang,
                strike={*base.replaced, *also},
                insert=base.insertions(playthrough),
                expected_version=seen_gang,
                actor=actor,
                batch=batch,
                reason=reason,
                by_organiser=is_again and gang.owner_id != actor.pk,
            )
        # The dice are final: show the seed, and have the luck of the game worked out again.
        show(Side.objects.filter(pk=side.pk))
        Game.objects.filter(pk=side.game_id).update(luck_at=None)
        side.batch, side.draft_version = batch, seen_draft + 1
        side.correcting, side.kept_draft = False, None


def hold(side: Side) -> None:
    """Lock the side's game until the transaction ends, after the campaigns whose holdings count, so
    that nobody changes its result meanwhile. Raises Refusal if its result is no longer confirmed,
    nobody fought, or the gang was deleted."""
    holders.lock(side.game.campaign, gang_of(side))
    confirmed = Game.objects.filter(pk=side.game_id, status=Game.Status.CONFIRMED)
    counts = confirmed.filter(how__in=FOUGHT, brought_by=None)
    if counts.select_for_update(no_key=True).first() is None:
        raise Refusal("not_confirmed")


def _check_open(side: Side) -> None:
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    if not side.game.has_postgame:
        raise Refusal("no_postgame")
    if is_closed(side):
        raise Refusal("postgame_done")
