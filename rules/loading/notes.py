"""What a rulebook declares and never uses. No mistake: it may be meant so, or for later.

An author sees it printed by ``manage.py books check``; the site uses the book all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from rules.book.fates import Gains, Leaves, RollsOn, Suffers
from rules.book.model import Book
from rules.book.schema import ChoiceSetting
from rules.book.season import AdvancesStep, FatesStep, Tally
from rules.book.vocabulary import HOUSE, Frozen
from rules.loading.check_rolls import FORMULAS
from rules.loading.checks import Path, named_keys, parts, reached

Notes = Iterator[tuple[Path, str]]


def notes(book: Book) -> list[tuple[Path, str]]:
    """What is never used, each with its place and a sentence."""
    return [note for find in NOTES for note in find(book)]


def _tables(book: Book) -> Notes:
    """A dice table is come to from a step, a fate, a condition, or a table that is come to."""
    ahead = {
        table.key: {part.table for part in _inside(table) if isinstance(part, RollsOn)}
        for table in book.tables
    }
    outside = book.changed(tables=())
    starts = set(_named(outside, "tables"))
    come_to = starts.union(*(reached(key, lambda key: ahead.get(key, ())) for key in starts))
    yield from _unused(book, "tables", come_to, "is rolled on by nothing")


def _conditions(book: Book) -> Notes:
    suffered = {part.condition for part in _inside(book) if isinstance(part, Suffers)}
    yield from _unused(book, "conditions", suffered, "befalls nobody: no outcome brings it")


def _traits(book: Book) -> Notes:
    """A trait is bought, comes by itself, by an outcome, a succession or an advance."""
    gained = {part.trait for part in _inside(book) if isinstance(part, Gains)}
    gained |= {succession.trait for succession in book.campaign.successions if succession.trait}
    advancement = book.campaign.advancement
    if advancement is not None and _has_step(book, AdvancesStep):
        tags = set(advancement.trait_tags)
        gained |= {row.key for row in book.traits if not tags or row.tags & tags}
    gained |= {row.key for row in book.traits if row.sold or row.sold_when or row.gained_at}
    message = "is neither sold nor gained: nobody can have it"
    yield from _unused(book, "traits", gained, message)


def _marks(book: Book) -> Notes:
    """A mark means death, or there is a fate for it."""
    steps = [step for step in book.campaign.steps if isinstance(step, FatesStep)]
    fates = [fate for step in steps for fate in step.fates]
    used = {key for fate in fates for key in fate.marks}
    used |= {mark.key for mark in book.campaign.marks if mark.dies}
    if any(step.table for step in steps) or any(not fate.marks for fate in fates):
        return
    message = "has no fate: nothing comes of it after the game"
    yield from _unused(book, "campaign.marks", used, message)


def _departures(book: Book) -> Notes:
    used = {part.departure for part in _inside(book) if isinstance(part, Leaves)}
    used |= {row.departure for row in book.campaign.promotions if row.departure}
    yield from _unused(book, "campaign.departures", used, "is taken by nobody")


def _tallies(book: Book) -> Notes:
    """A tally brings money, points or experience, or counts as an enemy taken out."""
    counted = {award.each for award in book.campaign.awards}

    def counts(tally: Tally) -> bool:
        brings = tally.money or tally.points or tally.takes_out or tally.key == "taken_out"
        return bool(brings) or tally.key in counted

    used = {tally.key for tally in book.campaign.tallies if counts(tally)}
    yield from _unused(book, "campaign.tallies", used, "is counted for nothing")


def _groups(book: Book) -> Notes:
    used = {item.group for item in book.items}
    used |= {mode.group for item in book.items for mode in item.modes if mode.group}
    yield from _unused(book, "groups", used, "has no items")


def _characteristics(book: Book) -> Notes:
    had = {key for rank in book.ranks for key in rank.values}
    had |= {row.key for row in book.characteristics if row.start is not None}
    message = "is had by no rank: give it a start, or ranks a value"
    yield from _unused(book, "characteristics", had, message)


def _professions(book: Book) -> Notes:
    with_one = {rank.key for rank in book.ranks if rank.profession == "required"}
    taken = {
        row.key
        for row in book.professions
        if with_one and (not row.ranks or {*row.ranks} & with_one)
    }
    message = "is open to no rank: none of its ranks has professions"
    yield from _unused(book, "professions", taken, message)


def _deployments(book: Book) -> Notes:
    if all(scenario.deployments for scenario in book.scenarios):
        used = {key for scenario in book.scenarios for key in scenario.deployments}
        if book.scenarios:
            yield from _unused(book, "deployments", used, "is used in no scenario")


def _settings(book: Book) -> Notes:
    """An option that no row hangs on is an agreement between players, which may be all it is."""
    used = set(_named(book, "settings")) | {book.origin_setting}
    for part in _inside(book):
        for name in ("when", "sold_when", "option"):
            found = getattr(part, name, None)
            used |= set(found) if isinstance(found, dict) else set()
    message = "changes nothing: no row hangs on it"
    yield from _unused(book, "settings", used, message)


def _choices(book: Book) -> Notes:
    """The choices of the option that says where a gang is from lead to every origin."""
    setting = book.setting.get(book.origin_setting or "")
    if isinstance(setting, ChoiceSetting):
        chosen = {choice.key for choice in setting.choices}
        message = f"is nobody's: it is no choice of “{setting.key}”"
        yield from _unused(book, "origins", chosen | set(_sampled_origins(book)), message)


def _sampled_origins(book: Book) -> Iterable[str]:
    return (one.origin for sample in book.samples for one in sample.members if one.origin)


def _sources(book: Book) -> Notes:
    cited = {part.source for part in _inside(book) if hasattr(part, "source")}
    words = {word for source in cited for word in source.split()} - {HOUSE}
    for key in book.sources:
        if key not in words:
            yield ("sources", key), f"“{key}” is cited by no row"


def _dice(book: Book) -> Notes:
    yield from _unused(book, "grids", set(_named(book, "grids")), "is looked up by no roll")
    yield from _unused(book, "hands", set(_named(book, "hands")), "is thrown by no roll")


def _states(book: Book) -> Notes:
    """A state is begun by something, or read, or does something by itself."""
    used = set(_named(book, "states"))
    used |= {row.key for row in book.states if row.stops or row.effects or row.mark or row.given}
    every = _formulas(book)
    used |= {row.key for row in book.states if any(f"'{row.key}'" in one for one in every)}
    message = "does nothing: no roll begins it and nothing reads it"
    yield from _unused(book, "states", used, message)


def _formulas(book: Book) -> list[str]:
    """Every expression of the book, as it is written."""
    return [
        formula
        for part in _inside(book)
        for name, formula in part
        if name in FORMULAS and isinstance(formula, str)
    ]


NOTES: tuple[Callable[[Book], Notes], ...] = (
    _tables,
    _conditions,
    _traits,
    _marks,
    _departures,
    _tallies,
    _groups,
    _characteristics,
    _professions,
    _choices,
    _deployments,
    _settings,
    _sources,
    _dice,
    _states,
)


def _inside(part: Frozen) -> Iterator[Any]:
    return (inner for _path, inner in parts((), part))


def _named(book: Book, table: str) -> Iterable[str]:
    """The keys of rows of a table that fields anywhere name."""
    return chain.from_iterable(named_keys(part, table) for part in _inside(book))


def _has_step(book: Book, kind: type[Frozen]) -> bool:
    return any(isinstance(step, kind) for step in book.campaign.steps)


def _unused(book: Book, table: str, used: set[Any], message: str) -> Notes:
    *outer, name = table.split(".")
    owner: Any = book.campaign if outer else book
    for index, row in enumerate(getattr(owner, name)):
        # What is no longer on offer is kept for those who have it.
        if row.key not in used and getattr(row, "status", "offered") == "offered":
            yield (*outer, name, index), f"“{row.key}” {message}"
