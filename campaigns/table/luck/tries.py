"""What dice were hoped or feared to bring, and what they brought: at a table, and after a game."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from campaigns.models import Throw
from campaigns.statistics.luck import Source
from campaigns.table.attempts.effects import Act, side_of
from campaigns.table.attempts.outcomes import Attempt
from campaigns.table.fold import fold
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import Logged, Rolled
from rules.book.fates import DiceTable
from rules.book.model import Book
from rules.engine.dice import look_up, row_chance
from rules.engine.odds import HOPELESS
from rules.engine.table_odds import gone

logger = logging.getLogger(__name__)


def attempts(
    start: Start, now: TableNow, log: Sequence[Logged]
) -> Iterator[tuple[int, Source, float, bool]]:
    """The attempts at a table whose dice fell: the number of the side that threw, who threw the
    dice, the chance that it comes as hoped, and whether it did.

    What was spent on dice counts for nothing: as they fell first is what luck was. Dice of the
    application count even if they were taken back: otherwise luck would be what players left
    standing. Other dice that were taken back were typed in wrongly, as far as anybody knows. Left
    out is also what cannot be worked out. ``now``: the table as the ``log`` leaves it.
    """
    begun: dict[UUID, int] = {}
    thrown = set()
    for place, logged in enumerate(log):
        tap, first = logged.tap, begun.setdefault(logged.act, place)
        if not isinstance(tap, Rolled) or logged.act in thrown or logged.key in now.unknown:
            continue
        if logged.key in now.struck and not tap.thrown:
            continue
        thrown.add(logged.act)
        hoped = _hoped(start.book, tap)
        if not hoped or not tap.faces or tap.outcome is None or tap.spent:
            continue
        chance = _chance(start, fold(start, log[:first]), tap, hoped)
        if chance is not None:
            source: Source = "app" if tap.thrown else "phone" if tap.by_phone else "table"
            yield side_of(tap.by), source, chance, tap.outcome in hoped


def _hoped(book: Book, tap: Rolled) -> frozenset[str]:
    row = book.roll.get(tap.roll)
    outcomes = row.outcomes if row is not None else ()
    return frozenset(outcome.key for outcome in outcomes if outcome.hoped)


def _chance(start: Start, before: TableNow, tap: Rolled, hoped: Iterable[str]) -> float | None:
    """How likely one of the outcomes was; None for what this table cannot throw."""
    act = Act(tap.by, tap.at, tap.item, tap.mode, tap.at_item, tap.at_mode)
    try:
        found = Attempt(tap.roll, act, dict(tap.facts)).asked(start, before).odds.outcomes
    except (*HOPELESS, LookupError) as error:
        logger.info("The odds of %s cannot be worked out: %s", tap.roll, error)
        return None
    return float(sum(found.get(key, 0) for key in hoped))


def fates(book: Book, throws: Iterable[Throw]) -> Iterator[tuple[int, Source, float, bool]]:
    """The dice of post-games that may cost somebody: the side's key, who threw them, the chance
    that one throw means that a member is gone for good, and whether it did. As at a table, those of
    the application count even if they were taken back."""
    for throw in throws:
        roll, table = throw.sound_roll, book.table.get(throw.sound_about.table or "")
        if roll is None or table is None or throw.side_id is None:
            continue
        if throw.taken_back_at is not None and roll.thrown_by != "app":
            continue
        if roll.why:
            # An organiser said what it counts as: no dice showed it.
            continue
        last = _last_rows(book, table)
        chance = float(sum(row_chance(table, table.rows[place]) for place in last))
        try:
            row = look_up(table, roll)
        except LookupError:
            continue
        yield throw.side_id, roll.thrown_by, chance, table.rows.index(row) in last


def _last_rows(book: Book, table: DiceTable) -> frozenset[int]:
    """The places of a table's rows that mean, by themselves, that a member is gone for good."""
    return frozenset(
        place for place, row in enumerate(table.rows) if gone(book, row.outcomes).least == 1
    )
