"""Chances and results of the dice at a table and after a game.

A background task computes a game's luck and stores it with the game.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from campaigns.models import Game, Table, Throw
from campaigns.statistics.luck import GameLuck, Source, Tries, What, tries_of
from campaigns.stored import sound
from campaigns.table.attempts.attempt import Attempt, side_of
from campaigns.table.fold import Folded
from campaigns.table.folded import fold_table
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import Rolled, TapKey
from common.background import every, note_progress, renew_lease, resume_place
from common.cache import Cache
from rules.book.fates import DiceTable
from rules.book.model import Book
from rules.engine.dice import look_up, row_chance
from rules.engine.odds import HOPELESS
from rules.engine.table_odds import find_reach

logger = logging.getLogger(__name__)

# Games in one run of the task; the next run is half a minute later.
AT_ONCE = 20
# Waiting games are counted up to this number of runs.
MOST_COUNTED = 100
# Decimal places of stored chances; their sums are shown to one place.
PLACES = 5
# A roll that was likelier than this took no luck.
LUCKY = 0.5

# A try: the number of the side, the source of the dice, the chance of success, and whether it
# succeeded.
Try = tuple[int, Source, float, bool]
# The chance of each roll of a log, by its tap; None if it cannot be computed. It depends only on
# earlier taps, so it never changes.
Chances = Mapping[TapKey, float | None]
_of_tables: Cache[Chances] = Cache(most=16)


def tries_at(table: Table) -> tuple[Try, ...]:
    """Return the tries at a table. The chance of each roll is computed once in a process."""
    found = fold_table(table)
    rolls = list(_rolls(found))
    return tuple(_tries(rolls, _chances(table, found, rolls)))


def luckiest_roll(table: Table) -> tuple[Rolled, float] | None:
    """Return the least likely roll of a table that went as hoped and counts, with its chance; None
    if no roll was lucky."""
    found = fold_table(table)
    rolls = list(_rolls(found))
    chances = _chances(table, found, rolls)
    lucky = [
        (chance, place, roll.tap)
        for place, roll in enumerate(rolls)
        if (chance := chances.get(roll.key)) is not None
        and 0 < chance <= LUCKY
        and roll.tap.outcome in roll.hoped
        and roll.key not in found.gone
    ]
    if not lucky:
        return None
    chance, _place, tap = min(lucky, key=lambda one: one[:2])
    return tap, chance


def _chances(table: Table, found: Folded, rolls: Iterable[_Roll]) -> Chances:
    """Return the chance of each roll of a table."""
    return _of_tables.get(
        table.pk,
        (table.seq, table.changed_at),
        lambda before: _work_out_chances(found, rolls, before or {}),
    )


@dataclass(frozen=True)
class _Roll:
    """A roll that counts for luck. ``first``: the number of the first tap of its act."""

    key: TapKey
    tap: Rolled
    first: int
    hoped: frozenset[str]


def _rolls(folded: Folded) -> Iterator[_Roll]:
    """Yield the rolls of a log whose dice fell, in the order of arrival.

    Only the first throw of an act counts, without anything spent on it. Dice of the application
    count even if they were taken back, since otherwise players could choose their luck. Other dice
    that were taken back were probably typed in wrongly.
    """
    begun: dict[UUID, int] = {}
    thrown, unknown = set(), folded.now.unknown
    for logged in folded.log:
        tap, first = logged.tap, begun.setdefault(logged.act, logged.seq)
        if not isinstance(tap, Rolled) or logged.act in thrown or logged.key in unknown:
            continue
        if logged.key in folded.gone and not tap.thrown:
            continue
        thrown.add(logged.act)
        hoped = _hoped(folded.start.book, tap)
        if hoped and tap.faces and tap.outcome is not None and not tap.spent:
            yield _Roll(logged.key, tap, first, hoped)


def _work_out_chances(folded: Folded, rolls: Iterable[_Roll], known: Chances) -> Chances:
    """The chance of each roll. The log is folded once, from the first roll that is not ``known``
    on, and stops before each."""
    found, there = dict(known), None
    for roll in sorted(rolls, key=lambda one: one.first):
        if roll.key in found:
            continue
        if there is None:
            there = folded.go_back(roll.first)
        else:
            seen = len(there.log)
            there = there.go_on(one for one in folded.log[seen:] if one.seq < roll.first)
        found[roll.key] = _chance(folded.start, there.standing, roll)
    return found


def _tries(rolls: Iterable[_Roll], chances: Chances) -> Iterator[Try]:
    for roll in rolls:
        tap, chance = roll.tap, chances.get(roll.key)
        if chance is not None:
            source: Source = "app" if tap.thrown else "phone" if tap.by_phone else "table"
            yield side_of(tap.by), source, chance, tap.outcome in roll.hoped


def _hoped(book: Book, tap: Rolled) -> frozenset[str]:
    row = book.roll.get(tap.roll)
    outcomes = row.outcomes if row is not None else ()
    return frozenset(outcome.key for outcome in outcomes if outcome.hoped)


def _chance(start: Start, before: TableNow, roll: _Roll) -> float | None:
    """Return the chance of the hoped outcomes, None if this table cannot make the roll."""
    try:
        found = Attempt.of(roll.tap).question(start, before).odds.outcomes
    except (*HOPELESS, LookupError) as error:
        logger.info("The odds of %s cannot be worked out: %s", roll.tap.roll, error)
        return None
    return float(sum(found.get(key, 0) for key in roll.hoped))


def find_fates(book: Book, throws: Iterable[Throw]) -> Iterator[Try]:
    """Yield the rolls of post-games that may remove a member for good: the side's key, the source
    of the dice, the chance of that, and whether it happened. Dice of the application count even if
    they were taken back, as at a table.
    """
    for throw in throws:
        roll, table = throw.sound_roll, book.table.get(throw.sound_about.table or "")
        if roll is None or table is None or table.matching or throw.side_id is None:
            continue
        if throw.taken_back_at is not None and roll.thrown_by != "app":
            continue
        if roll.why:
            # An organiser overruled the dice.
            continue
        last = _last_rows(book, table)
        chance = float(sum(row_chance(table, table.rows[place]) for place in last))
        try:
            row = look_up(table, roll)
        except LookupError:
            continue
        yield throw.side_id, roll.thrown_by, chance, table.rows.index(row) in last


def _last_rows(book: Book, table: DiceTable) -> frozenset[int]:
    """Return the places of a table's rows that remove a member for good."""
    return frozenset(
        place for place, row in enumerate(table.rows) if find_reach(book, row.outcomes).least == 1
    )


# Stored with a game.


def luck_of(game: Game) -> GameLuck:
    """Compute the luck of a game. Reads its table, its sides and its throws."""
    sides = list(game.sides.order_by("pk").values_list("pk", "gang"))
    places = {pk: place for place, (pk, _gang) in enumerate(sides)}
    by_gang = {gang: places[pk] for pk, gang in sides if gang is not None}

    def found() -> Iterator[tuple[int, What, Source, float, bool]]:
        table = Table.objects.filter(game=game).first()
        if table is not None:
            gangs = dict(table.sides.values_list("number", "gang"))
            for number, source, chance, came in tries_at(table):
                if gangs.get(number) in by_gang:
                    yield by_gang[gangs[number]], "attempt", source, chance, came
        for side, source, chance, came in find_fates(game.campaign.book, game.throws.all()):
            yield places[side], "fate", source, chance, came

    return GameLuck(
        tries=tuple(
            Tries(
                side=side,
                what=what,
                source=source,
                chances=tuple(sorted(round(chance, PLACES) for chance in chances)),
                came=came,
            )
            for (side, what, source), (chances, came) in sorted(tries_of(found()).items())
        )
    )


def read_luck(game: Game) -> GameLuck:
    """Return the stored luck of a game, empty until it is computed."""
    return (sound(GameLuck, game, "luck") if game.luck_at else None) or GameLuck()


@every(seconds=30, name="luck of games")
def work_out() -> int:
    """Compute the luck of games that lack it, the oldest first, then those behind the last ones
    that were tried. Returns the number of games. Raises the errors of games that cannot be read,
    after all others of this run."""
    due = Game.objects.filter(status=Game.Status.CONFIRMED, luck_at=None)
    games = list(_behind(due, resume_place()).select_related("campaign")[:AT_ONCE])
    number, errors = 0, []
    for game in games:
        try:
            number += _keep(game, luck_of(game))
        except Exception as error:
            # One game would stop all others of this run.
            error.add_note(f"The game is {game.pk}.")
            errors.append(error)
        renew_lease()
    # Counting all of them would read them all.
    waiting = due.order_by()[: AT_ONCE * MOST_COUNTED].count()
    # Games that cannot be read would fill every run, so the next run goes on behind them.
    is_end = len(games) < AT_ONCE
    note_progress(place="" if is_end else _place_of(games[-1]), backlog=waiting)
    if errors:
        raise ExceptionGroup("The luck of some games cannot be worked out", errors)
    return number


def _behind(games: QuerySet[Game], place: str) -> QuerySet[Game]:
    """The games in the order of the task, without those up to a game's place, if given."""
    if place:
        at, key = place.split()
        there = datetime.fromisoformat(at)
        games = games.filter(created_at__gte=there).exclude(created_at=there, pk__lte=UUID(key))
    return games.order_by("created_at", "pk")


def _place_of(game: Game) -> str:
    return f"{game.created_at.isoformat()} {game.pk}"


def _keep(game: Game, luck: GameLuck) -> bool:
    """Store the luck of a game, unless the game has changed since it was read: then it is computed
    again."""
    with transaction.atomic():
        locked = Game.objects.select_for_update(no_key=True).filter(pk=game.pk).first()
        if locked is None or locked.version != game.version:
            return False
        locked.luck, locked.luck_at = luck.model_dump(mode="json"), timezone.now()
        locked.save(update_fields=["luck", "luck_at"])
    return True
