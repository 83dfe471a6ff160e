"""Findings for a rulebook's author: mistakes, and notes on rows that are declared but never used.

``manage.py books check`` prints them. Notes are not mistakes: a row may be intended, or be there
for later use, and the site uses the book anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from rules.book.fates import Gains, Leaves, RollsOn, Suffers, Takes
from rules.book.model import Book
from rules.book.schema import ChoiceSetting
from rules.book.season import AdvancesStep, FatesStep
from rules.book.vocabulary import HOUSE, Frozen
from rules.loading.check_rolls import FORMULAS
from rules.loading.checks import Path, named_keys, parts, reach
from rules.loading.reader import BadBook, Mistake, RawBook, open_folder, parse
from rules.loading.try_rolls import try_rolls

Notes = Iterator[tuple[Path, str]]


@dataclass(frozen=True)
class Examined:
    """A rulebook and its findings. A mistake keeps it from being used (a roll that cannot be worked
    out, only from being thrown); a note is for its author to think about."""

    name: str
    mistakes: tuple[Mistake, ...]
    notes: tuple[Mistake, ...] = ()


def examine(folder: FilePath) -> Examined:
    """The findings for the rulebook in ``folder``."""
    name = folder.resolve().name
    try:
        return _examine(name, open_folder(folder))
    except BadBook as bad:
        return Examined(name, tuple(bad.mistakes))


def examine_data(name: str, data: dict[str, object]) -> Examined:
    """The findings for the data of a stored rulebook."""
    return _examine(name, RawBook(data, name))


def _examine(name: str, raw: RawBook) -> Examined:
    try:
        book = parse(raw)
    except BadBook as bad:
        return Examined(name, tuple(bad.mistakes))
    return Examined(name, tuple(raw.mistakes(try_rolls(book))), tuple(raw.mistakes(notes(book))))


def notes(book: Book) -> list[tuple[Path, str]]:
    """Every row and source that is never used, each with its place and a sentence."""
    return [*_unused_rows(book), *_unused_sources(book)]


def _unused_rows(book: Book) -> Notes:
    campaign, inside = book.campaign, _inside(book)

    def unused(table: str, used: set[Any], message: str) -> Notes:
        """The rows of a table with keys that are not ``used``."""
        *outer, name = table.split(".")
        for index, row in enumerate(getattr(campaign if outer else book, name)):
            # A row that is no longer on offer is kept for those who have it.
            if row.key not in used and getattr(row, "status", "offered") == "offered":
                yield (*outer, name, index), f"“{row.key}” {message}"

    yield from unused("tables", _rolled_tables(book), "is rolled on by nothing")
    suffered = {part.condition for part in inside if isinstance(part, Suffers)}
    yield from unused("conditions", suffered, "affects nobody: no outcome causes it")
    gained = _gained_traits(book) | {part.trait for part in inside if isinstance(part, Gains)}
    yield from unused("traits", gained, "is neither sold nor gained: nobody can have it")
    steps = [step for step in campaign.steps if isinstance(step, FatesStep)]
    fates = [fate for step in steps for fate in step.fates]
    if not any(step.table for step in steps) and all(fate.marks for fate in fates):
        ended = {key for fate in fates for key in fate.marks}
        ended |= {mark.key for mark in campaign.marks if mark.dies}
        message = "has no fate: it has no effect after the game"
        yield from unused("campaign.marks", ended, message)
    taken = {part.departure for part in inside if isinstance(part, Leaves)}
    taken |= {row.departure for row in campaign.promotions if row.departure}
    yield from unused("campaign.departures", taken, "is taken by nobody")
    yield from unused("campaign.tallies", _counted_tallies(book), "is counted for nothing")
    held = {row.key for row in book.holdings if row.price is not None}
    held |= {part.holding for part in inside if isinstance(part, Takes)}
    message = "has no price, and no outcome takes it: no gang can have it"
    yield from unused("holdings", held, message)
    groups: set[Any] = {item.group for item in book.items}
    groups |= {mode.group for item in book.items for mode in item.modes}
    yield from unused("groups", groups, "has no items")
    had = {key for rank in book.ranks for key in rank.values}
    had |= {row.key for row in book.characteristics if row.start is not None}
    message = "is had by no rank: give it a start, or ranks a value"
    yield from unused("characteristics", had, message)
    ranks = {rank.key for rank in book.ranks if rank.profession == "required"}
    open_to = {row.key for row in book.professions if ranks & {*(row.ranks or ranks)}}
    message = "is open to no rank: none of its ranks has professions"
    yield from unused("professions", open_to, message)
    setting = book.setting.get(book.origin_setting or "")
    if isinstance(setting, ChoiceSetting):
        origins = {choice.key for choice in setting.choices}
        origins |= {one.origin for sample in book.samples for one in sample.members if one.origin}
        message = f"is nobody's: it is no choice of “{setting.key}”"
        yield from unused("origins", origins, message)
    # A scenario that names no deployment is played with any of them.
    if book.scenarios and all(scenario.deployments for scenario in book.scenarios):
        places = {key for scenario in book.scenarios for key in scenario.deployments}
        yield from unused("deployments", places, "is used in no scenario")
    options = _named(book, "settings") | {book.origin_setting}
    for part in inside:
        for name in ("when", "sold_when", "option"):
            found = getattr(part, name, None)
            options |= set(found) if isinstance(found, dict) else set()
    # It may still be an agreement between the players.
    yield from unused("settings", options, "changes nothing: no row hangs on it")
    yield from unused("grids", _named(book, "grids"), "is looked up by no roll")
    yield from unused("hands", _named(book, "hands"), "is thrown by no roll")
    message = "does nothing: no roll begins it and nothing reads it"
    yield from unused("states", _used_states(book), message)


def _unused_sources(book: Book) -> Notes:
    cited = {part.source for part in _inside(book) if hasattr(part, "source")}
    words = {word for source in cited for word in source.split()} - {HOUSE}
    for key in book.sources:
        if key not in words:
            yield ("sources", key), f"“{key}” is cited by no row"


def _rolled_tables(book: Book) -> set[str]:
    """The dice tables that a step, fate or condition names, or a table among these leads to."""
    ahead = {
        table.key: {part.table for part in _inside(table) if isinstance(part, RollsOn)}
        for table in book.tables
    }
    starts = _named(book.changed(tables=()), "tables")
    return starts.union(*(reach(key, lambda key: ahead.get(key, ())) for key in starts))


def _gained_traits(book: Book) -> set[str]:
    """The traits that are sold, or that come by themselves, by a succession or by an advance."""
    gained = {row.key for row in book.traits if row.sold or row.sold_when or row.gained_at}
    gained |= {row.trait for row in book.campaign.successions if row.trait}
    advancement = book.campaign.advancement
    if advancement and any(isinstance(step, AdvancesStep) for step in book.campaign.steps):
        tags = set(advancement.trait_tags)
        gained |= {row.key for row in book.traits if not tags or row.tags & tags}
    return gained


def _counted_tallies(book: Book) -> set[str]:
    """The tallies that bring money, points or experience, or count enemies taken out."""
    awarded = {award.each for award in book.campaign.awards} | {"taken_out"}
    awarded |= {haul.tally for haul in book.campaign.hauls}
    return {
        row.key
        for row in book.campaign.tallies
        if row.money or row.points or row.takes_out or row.key in awarded
    }


def _used_states(book: Book) -> set[str]:
    """The states that something begins or reads, or that have an effect by themselves."""
    used = {row.key for row in book.states if row.stops or row.effects or row.mark or row.given}
    every = [
        formula
        for part in _inside(book)
        for name, formula in part
        if name in FORMULAS and isinstance(formula, str)
    ]
    used |= {row.key for row in book.states if any(f"'{row.key}'" in one for one in every)}
    return used | _named(book, "states")


def _inside(part: Frozen) -> list[Any]:
    return [inner for _path, inner in parts((), part)]


def _named(book: Book, table: str) -> set[Any]:
    """The keys of a table's rows that fields anywhere in the book name."""
    return {key for part in _inside(book) for key in named_keys(part, table)}
