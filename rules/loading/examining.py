"""Findings for a rulebook's author: mistakes, and notes on rows that are declared but never used.

``manage.py books check`` prints them. Notes are not mistakes: a row may be intended, or be there
for later use, and the site uses the book anyway.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.advancement import AnyAdvancement
from rules.book.amounts import Each
from rules.book.fates import ChoosesTrait, Gains, Leaves, RollsOn, Suffers, Takes
from rules.book.model import Book
from rules.book.outfits import NonPlayer
from rules.book.roll_effects import Then
from rules.book.rolls import LookUp
from rules.book.schema import ChoiceSetting
from rules.book.season import AdvancesStep, FatesStep
from rules.book.vocabulary import HOUSE, TAKEN_OUT, Frozen
from rules.engine.expressions import parse as read_expression
from rules.engine.situations import spell
from rules.loading.check_advances import find_useless
from rules.loading.check_rolls import FORMULAS, formulas, note_spends
from rules.loading.checks import RowPath, named_keys, parts, reach
from rules.loading.doubts import find_doubts, find_slips, find_unlimited_leaders
from rules.loading.reader import BadBook, Mistake, RawBook, open_folder, parse
from rules.loading.try_rolls import try_rolls

Notes = Iterator[tuple[RowPath, str]]
# Finds notes of its own on a rulebook.
Examiner = Callable[[Book], Iterable[tuple[RowPath, str]]]


def no_more(book: Book) -> Iterable[tuple[RowPath, str]]:
    """No further notes."""
    return ()


@dataclass(frozen=True)
class Examined:
    """A rulebook and its findings. A mistake keeps it from being used (a roll that cannot be worked
    out, only from being thrown); a note is for its author to think about."""

    name: str
    mistakes: tuple[Mistake, ...]
    notes: tuple[Mistake, ...] = ()


def examine(folder: Path, more: Examiner = no_more) -> Examined:
    """The findings for the rulebook in ``folder``. ``more``: finds further notes."""
    name = folder.resolve().name
    try:
        return _examine(name, open_folder(folder), more)
    except BadBook as bad:
        return Examined(name, tuple(bad.mistakes))
    except Exception as error:
        return Examined(name, (checker_failed(name, error),))


def checker_failed(name: str, error: Exception) -> Mistake:
    """The mistake to report for a folder whose examination failed by a fault of the checker, so
    that other folders are still examined. It names the place in the checker's code."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    words = "the checker failed: please report this fault"
    return Mistake(name, "", f"{words}: {type(error).__name__} in {where}: {error}")


def examine_data(name: str, data: dict[str, object], more: Examiner = no_more) -> Examined:
    """The findings for the data of a stored rulebook. ``more``: as for ``examine``."""
    try:
        return _examine(name, RawBook(data, name), more)
    except Exception as error:
        return Examined(name, (checker_failed(name, error),))


def _examine(name: str, raw: RawBook, more: Examiner) -> Examined:
    try:
        book = parse(raw)
    except BadBook as bad:
        return Examined(name, tuple(bad.mistakes))
    noted = raw.mistakes([*find_slips(book, raw.data), *notes(book), *more(book)])
    return Examined(name, tuple(raw.mistakes(try_rolls(book))), tuple(noted))


def notes(book: Book) -> list[tuple[RowPath, str]]:
    """Every row, field and source that is never used, every value that is probably a slip, every
    row that does the opposite of what its author meant, every empty cell that rolls may read, and
    every spend that would count more than once, each with its place and a sentence."""
    inside = _inside(book)
    return [
        *_unused_rows(book, inside),
        *_idle_fields(book, inside),
        *_unused_sources(book, inside),
        *find_useless(book),
        *find_doubts(book),
        *find_unlimited_leaders(book),
        *_blank_cells(book),
        *note_spends(book),
    ]


def _unused_rows(book: Book, inside: list[Any]) -> Notes:
    """The rows that nothing uses. ``inside``: every part of the book."""
    campaign = book.campaign

    def unused(table: str, used: set[Any], message: str) -> Notes:
        """The rows of a table with keys that are not ``used``."""
        *outer, name = table.split(".")
        for index, row in enumerate(getattr(campaign if outer else book, name)):
            # A row that is no longer on offer is kept for those who have it.
            if row.key not in used and getattr(row, "status", "offered") == "offered":
                yield (
                    (*outer, name, index),
                    say(_("“%(key)s” %(what)s"), key=row.key, what=message),
                )

    yield from unused(
        "tables", _rolled_tables(book), _("is never used: no step or outcome rolls on this table")
    )
    suffered = {part.condition for part in inside if isinstance(part, Suffers)}
    yield from unused("conditions", suffered, _("never happens: no outcome causes this condition"))
    gained = _gained_traits(book, inside) | {
        part.trait for part in inside if isinstance(part, Gains)
    }
    yield from unused(
        "traits", gained, _("cannot be bought or gained: no member can have this trait")
    )
    steps = [step for step in campaign.steps if isinstance(step, FatesStep)]
    fates = [fate for step in steps for fate in step.fates]
    if not any(step.table for step in steps) and all(fate.marks for fate in fates):
        ended = {key for fate in fates for key in fate.marks}
        ended |= {mark.key for mark in campaign.marks if mark.dies or mark.stands}
        message = _("has no effect after the game: add a row for this mark to “fates”")
        yield from unused("campaign.marks", ended, message)
    taken = {part.departure for part in inside if isinstance(part, Leaves)}
    taken |= {row.departure for row in campaign.promotions if row.departure}
    yield from unused(
        "campaign.departures",
        taken,
        _("is never used: no outcome or promotion leads to this departure"),
    )
    yield from unused(
        "campaign.tallies",
        _counted_tallies(book, inside),
        _("has no effect: this tally brings neither money, points nor experience"),
    )
    held = {row.key for row in book.holdings if row.price is not None}
    held |= {part.holding for part in inside if isinstance(part, Takes)}
    message = _("has no price, and no outcome brings this holding: no gang can have it")
    yield from unused("holdings", held, message)
    groups: set[Any] = {item.group for item in book.items}
    groups |= {mode.group for item in book.items for mode in item.modes}
    yield from unused("groups", groups, _("has no items"))
    had = {key for rank in book.ranks for key in rank.values}
    had |= {row.key for row in book.characteristics if row.start is not None}
    message = _("has no value at any rank: give a start, or a value to at least one rank")
    yield from unused("characteristics", had, message)
    ranks = {rank.key for rank in book.ranks if rank.profession == "required"}
    open_to = {row.key for row in book.professions if ranks & {*(row.ranks or ranks)}}
    message = _("is not open to any rank: give professions to one of its ranks")
    yield from unused("professions", open_to, message)
    setting = book.setting.get(book.origin_setting or "")
    if isinstance(setting, ChoiceSetting):
        origins = {choice.key for choice in setting.choices}
        origins |= {one.origin for sample in book.samples for one in sample.members if one.origin}
        words = say(_("cannot be chosen: add a choice with this key to “%(key)s”"), key=setting.key)
        yield from unused("origins", origins, words)
    # A scenario that names no deployment is played with any of them.
    if book.scenarios and all(scenario.deployments for scenario in book.scenarios):
        places = {key for scenario in book.scenarios for key in scenario.deployments}
        yield from unused("deployments", places, _("is not used in any scenario"))
    options = _named(inside, "settings") | {book.origin_setting}
    for part in inside:
        for name in ("when", "sold_when", "option"):
            found = getattr(part, name, None)
            options |= set(found) if isinstance(found, dict) else set()
    # It may still be an agreement between the players.
    yield from unused("settings", options, _("has no effect: no row depends on this setting"))
    yield from unused("grids", _named(inside, "grids"), _("is not used by any roll"))
    yield from unused("hands", _named(inside, "hands"), _("is not used by any roll"))
    message = _("has no effect: no roll starts this state, and no expression uses it")
    yield from unused("states", _used_states(book, inside), message)


def _idle_fields(book: Book, inside: list[Any]) -> Notes:
    """Fields of rolls and of tables' columns without an effect where they are."""
    following = {part.roll for part in inside if isinstance(part, Then)}
    behaviours = {part.behaves for part in inside if isinstance(part, NonPlayer)}
    for number, roll in enumerate(book.rolls):
        for place, outcome in enumerate(roll.outcomes):
            is_shown = outcome.free or roll.key in behaviours
            if outcome.text is not None and not is_shown:
                where = ("rolls", number, "outcomes", place, "text")
                yield (
                    where,
                    say(
                        _("the text of “%(key)s” is never shown: only a “free” outcome shows it"),
                        key=outcome.key,
                    ),
                )
        if roll.when_out == "dropped" and roll.key not in following:
            yield ("rolls", number, "when_out"), _("is only used if another roll leads to this one")
    message = _("name an outcome, a number or a modifier to work out in this column")
    for number, table in enumerate(book.references):
        for place, column in enumerate(table.chances.columns if table.chances else ()):
            # A column without anything keeps its typed text; these fields would do nothing.
            if column.is_typed and (column.roll or column.names):
                yield ("references", number, "chances", "columns", place), say(message)


def _unused_sources(book: Book, inside: list[Any]) -> Notes:
    cited = {part.source for part in inside if hasattr(part, "source")}
    words = {word for source in cited for word in source.split()} - {HOUSE}
    for key in book.sources:
        if key not in words:
            yield ("sources", key), say(_("no row cites “%(key)s”"), key=key)


def _blank_cells(book: Book) -> Notes:
    """The columns and grids that rolls read and that do not say what an empty cell is worth. Any
    cell of an item may be empty, because players have custom items."""
    message = _("is used by rolls: give the value of an empty cell in “blank”")
    read = set()
    tables = ("rolls", "procedures", "modifiers", "actions", "spends")
    for row in (row for table in tables for row in getattr(book, table)):
        for _place, formula in formulas(row, ()):
            for name in read_expression(formula).names:
                subject, _dot, rest = name.partition(".")
                if subject in ("item", "at_item"):
                    read.add(rest.partition(".")[0])
    for number, group in enumerate(book.groups):
        for place, column in enumerate(group.columns):
            is_number = column.kind in ("number", "length", "die")
            if is_number and column.blank is None and spell(column.key) in read:
                yield (
                    ("groups", number, "columns", place),
                    say(_("“%(key)s” %(what)s"), key=column.key, what=message),
                )
    gaps = {row.key for row in book.grids if any("-" in cells for cells in row.cells)}
    for table in ("rolls", "procedures"):
        for number, row in enumerate(getattr(book, table)):
            for path, part in parts((table, number), row):
                if isinstance(part, LookUp) and part.grid in gaps and part.blank is None:
                    yield path, say(_("“%(key)s” %(what)s"), key=part.grid, what=message)


def _rolled_tables(book: Book) -> set[str]:
    """The dice tables that a step, fate or condition names, or a table among these leads to."""
    ahead = {
        table.key: {part.table for part in _inside(table) if isinstance(part, RollsOn)}
        for table in book.tables
    }
    starts = _named(_inside(book.changed(tables=())), "tables")
    return starts.union(*(reach(key, lambda key: ahead.get(key, ())) for key in starts))


def _gained_traits(book: Book, inside: list[Any]) -> set[str]:
    """The traits that are sold, or that come by themselves, with a rank, by a succession or by an
    advance."""
    gained = {row.key for row in book.traits if row.sold or row.sold_when or row.gained_at}
    gained |= {row.trait for row in book.campaign.successions if row.trait}
    gained |= {key for rank in book.ranks for key in rank.traits}
    choices = [set(part.trait_tags) for part in inside if isinstance(part, ChoosesTrait)]
    if any(isinstance(step, AdvancesStep) for step in book.campaign.steps):
        rows: list[AnyAdvancement] = [
            row for row in book.campaign.advancements if row.table is None
        ]
        rows += [book.campaign.advancement] if book.campaign.advancement else []
        choices += [set(row.trait_tags) for row in rows]
    for tags in choices:
        gained |= {row.key for row in book.traits if not tags or row.tags & tags}
    return gained


def _counted_tallies(book: Book, inside: list[Any]) -> set[str]:
    """The tallies that bring money, points or experience, or count enemies taken out."""
    awarded = {award.each for award in book.campaign.awards} | {TAKEN_OUT}
    awarded |= {part.tally for part in inside if isinstance(part, Each)}
    awarded |= {haul.tally for haul in book.campaign.hauls}
    return {
        row.key
        for row in book.campaign.tallies
        if row.money or row.points or row.takes_out or row.key in awarded
    }


def _used_states(book: Book, inside: list[Any]) -> set[str]:
    """The states that something begins or reads, or that have an effect by themselves."""
    used = {row.key for row in book.states if row.stops or row.effects or row.mark or row.given}
    every = [
        formula
        for part in inside
        for name, formula in part
        if name in FORMULAS and isinstance(formula, str)
    ]
    used |= {row.key for row in book.states if any(f"'{row.key}'" in one for one in every)}
    return used | _named(inside, "states")


def _inside(part: Frozen) -> list[Any]:
    return [inner for _path, inner in parts((), part)]


def _named(inside: list[Any], table: str) -> set[Any]:
    """The keys of a table's rows that fields of these parts name."""
    return {key for part in inside for key in named_keys(part, table)}
