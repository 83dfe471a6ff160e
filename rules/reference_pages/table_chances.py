"""What a roll on a dice table comes to, in words: how likely nothing happens, or the worst."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from rules.book.fates import DiceTable
from rules.book.model import Book
from rules.book.season import FatesStep
from rules.engine.table_odds import Reach, find_reach_of_roll, nothing_happens
from rules.percent import percent


def reach_in_words(reach: Reach) -> str:
    """How likely somebody is to be gone for good, by the best choice and by the worst."""
    if reach.certain:
        return percent(reach.least)
    return _("%(least)s to %(most)s, by choice") % {
        "least": percent(reach.least),
        "most": percent(reach.most),
    }


def table_chips(book: Book, table: DiceTable) -> Iterator[str]:
    """What a roll on the table comes to as a whole, if members roll on it for what befalls them:
    how likely nothing happens, and how likely somebody is gone for good."""
    if not any(row.outcomes for row in table.rows):
        return
    if nothing := nothing_happens(book, table):
        yield _("nothing happens: %(chance)s") % {"chance": percent(nothing)}
    if (reach := find_reach_of_roll(book, table)).most:
        yield say_gone_for_good(reach)


def say_gone_for_good(reach: Reach) -> str:
    """How likely somebody is to be gone for good, as a sentence."""
    return _("lost for good: %(chance)s") % {"chance": reach_in_words(reach)}


def only_table(step: FatesStep) -> str | None:
    """The table that everybody rolls on in a step; None where there are several, or none."""
    tables = {key for key in (step.table, *(fate.table for fate in step.fates)) if key}
    return tables.pop() if len(tables) == 1 else None


def step_chips(book: Book, step: FatesStep) -> tuple[str, ...]:
    """What a step of the post-game comes to for whoever rolls in it; nothing where not everybody
    rolls on the same table."""
    key = only_table(step)
    return tuple(table_chips(book, book.table[key])) if key else ()
