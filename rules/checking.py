"""Whether a well-formed rulebook makes sense: every key it names exists, every table is whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from string import Formatter

from rules.book import Book
from rules.characteristics import read
from rules.dice import uncovered
from rules.schema import Characteristic, CountLimit, Item, Limit, Selector
from rules.vocabulary import HOUSE, Effect, Row, Settings, Text, When

Path = tuple[int | str, ...]
Wrong = Iterator[tuple[Path, str]]

TABLES = (
    "settings",
    "characteristics",
    "ranks",
    "traits",
    "professions",
    "groups",
    "items",
    "conditions",
    "tables",
    "scenarios",
    "deployments",
)
CAMPAIGN_TABLES = ("results", "marks", "tallies", "awards", "promotions", "steps")
CAPS = {"none", "session", "size", "total"}
PLACEHOLDERS = {
    "count": {"count", "minimum", "maximum"},
    "share": {"count", "among", "needed"},
    "carried": {"name", "count", "maximum"},
    "level": {"name", "item", "level", "value"},
    "points_over": {"name", "count", "maximum"},
    "points_left": {"name", "count", "maximum"},
    "range": {"name", "characteristic", "value", "minimum", "maximum"},
    "traits": {"name", "count", "maximum"},
    "repeated": {"name", "trait"},
    "profession": {"name"},
    "unnamed": {"name"},
    "group": {"name", "group", "count", "maximum"},
    "unavailable": {"name", "what"},
    "overspent": {"amount", "budget"},
    "unspent": {"amount", "budget"},
    "debt": {"amount"},
}


def check(book: Book) -> list[tuple[Path, str]]:
    """Every mistake of sense in ``book``, each with its path and a sentence."""
    return [
        *_rows(book),
        *_settings(book),
        *_building(book),
        *_effects(book),
        *_limits(book),
        *_tables(book),
        *_campaign(book),
        *_samples(book),
    ]


def _all_rows(book: Book) -> Iterator[tuple[Path, Row]]:
    for table in TABLES:
        for index, row in enumerate(getattr(book, table)):
            yield (table, index), row
    for table in CAMPAIGN_TABLES:
        for index, row in enumerate(getattr(book.campaign, table)):
            yield ("campaign", table, index), row


def _rows(book: Book) -> Wrong:
    seen: set[tuple[object, ...]] = set()
    for path, row in _all_rows(book):
        identity = (*path[:-1], row.key)
        if identity in seen:
            yield (*path, "key"), f"“{row.key}” is there twice"
        seen.add(identity)
        yield from _source(book, (*path, "source"), row.source)
        yield from _when(book, (*path, "when"), row.when)
        cells = {*type(row).model_fields, *_columns(book, row)}
        for key in row.house:
            yield from _known((*path, "house"), key, cells, "cell of this row")


def _columns(book: Book, row: Row) -> set[str]:
    """The cells that an item has because of its group."""
    if isinstance(row, Item) and row.group in book.group:
        return {column.key for column in book.group[row.group].columns}
    return set()


def _source(book: Book, path: Path, source: str) -> Wrong:
    if source.split()[0] not in {HOUSE, *book.sources}:
        known = ", ".join([*book.sources, HOUSE])
        yield path, f"“{source}” starts with no known source ({known})"


def _when(book: Book, path: Path, when: When) -> Wrong:
    for key, values in when.items():
        setting = book.setting.get(key)
        if setting is None or setting.kind != "choice":
            yield (*path, key), "is no setting with choices"
            continue
        choices = {choice.key for choice in setting.choices}
        for value in values:
            if value not in choices:
                yield (*path, key), f"“{value}” is no choice of this setting"


def _known(path: Path, key: str | None, table: Collection[str], what: str) -> Wrong:
    if key is not None and key not in table:
        yield path, f"“{key}” is no {what} of this rulebook"


def _settings(book: Book) -> Wrong:
    for index, setting in enumerate(book.settings):
        path: Path = ("settings", index)
        if setting.kind == "choice":
            keys = [choice.key for choice in setting.choices]
            if setting.default not in keys:
                yield (*path, "default"), f"“{setting.default}” is not one of its choices"
            if len(set(keys)) < len(keys):
                yield (*path, "choices"), "the same choice is there twice"
        elif not setting.minimum <= setting.default <= setting.maximum:
            yield (*path, "default"), "is outside minimum and maximum"


def _value(path: Path, characteristic: Characteristic | None, written: int | str) -> Wrong:
    if characteristic is None:
        yield path, f"“{path[-1]}” is no characteristic of this rulebook"
        return
    try:
        read(characteristic, written)
    except ValueError as error:
        yield path, str(error)


def _building(book: Book) -> Wrong:
    yield from _known(("life",), book.life, book.characteristic, "characteristic")
    for index, row in enumerate(book.characteristics):
        if row.start is not None:
            yield from _value(("characteristics", index, "start"), row, row.start)
    for index, rank in enumerate(book.ranks):
        for key, written in rank.values.items():
            path: Path = ("ranks", index, "values", key)
            yield from _value(path, book.characteristic.get(key), written)
    for index, trait in enumerate(book.traits):
        if trait.gained_at:
            path = ("traits", index, "gained_at", "characteristic")
            key = trait.gained_at.characteristic
            yield from _known(path, key, book.characteristic, "characteristic")
    for index, group in enumerate(book.groups):
        path = ("groups", index, "level_against")
        yield from _known(path, group.level_against, book.characteristic, "characteristic")
    for index, item in enumerate(book.items):
        path = ("items", index)
        yield from _known((*path, "group"), item.group, book.group, "group of items")
        if item.group in book.group:
            columns = {column.key for column in book.group[item.group].columns}
            for key in item.columns:
                yield from _known((*path, "columns", key), key, columns, "column of its group")
    for index, budget in enumerate(book.budgets):
        path = ("budgets", index)
        if (budget.amount is None) == (budget.setting is None):
            yield path, "needs an amount or a setting, and not both"
        yield from _number_setting(book, (*path, "setting"), budget.setting)
        yield from _when(book, (*path, "when"), budget.when)


def _number_setting(book: Book, path: Path, key: str | None) -> Wrong:
    if key is not None and (key not in book.setting or book.setting[key].kind != "number"):
        yield path, f"“{key}” is no setting that holds a number"


def _effects(book: Book) -> Wrong:
    for table in ("traits", "professions", "conditions"):
        for index, row in enumerate(getattr(book, table)):
            effects: Iterable[Effect] = row.effects
            for number, effect in enumerate(effects):
                path: Path = (table, index, "effects", number)
                yield from _when(book, (*path, "when"), effect.when)
                characteristic = book.characteristic.get(effect.characteristic)
                if characteristic is None:
                    message = f"“{effect.characteristic}” is no characteristic of this rulebook"
                    yield (*path, "characteristic"), message
                elif effect.kind == "set":
                    yield from _value((*path, "value"), characteristic, effect.value)


def _selector(book: Book, path: Path, selector: Selector) -> Wrong:
    for key in (*selector.ranks, *selector.not_ranks):
        yield from _known(path, key, book.rank, "rank")
    tags = {tag for item in book.items for tag in item.tags}
    for key in selector.item_tags:
        yield from _known(path, key, tags, "tag of an item")
    tags = {tag for trait in book.traits for tag in trait.tags}
    for key in selector.trait_tags:
        yield from _known(path, key, tags, "tag of a trait")


def _limits(book: Book) -> Wrong:
    for index, limit in enumerate(book.limits):
        path: Path = ("limits", index)
        yield from _source(book, (*path, "source"), limit.source)
        yield from _when(book, (*path, "when"), limit.when)
        yield from _placeholders((*path, "text"), limit.text, PLACEHOLDERS[limit.kind])
        yield from _limit(book, path, limit)


def _limit(book: Book, path: Path, limit: Limit) -> Wrong:
    if limit.kind == "count" or limit.kind == "share":
        yield from _selector(book, (*path, "of"), limit.of)
    if limit.kind == "share":
        yield from _selector(book, (*path, "among"), limit.among)
        if not 0 < limit.part <= limit.whole:
            yield (*path, "part"), "part and whole must make a share between 0 and 1"
    if limit.kind == "carried":
        key = limit.characteristic
        yield from _known((*path, "characteristic"), key, book.characteristic, "characteristic")
    if limit.kind == "count":
        yield from _bounds(path, limit)


def _bounds(path: Path, limit: CountLimit) -> Wrong:
    if limit.maximum is not None and limit.maximum < limit.minimum:
        yield (*path, "maximum"), "is below the minimum"
    if not limit.minimum and limit.maximum is None and not limit.maximum_by_size:
        yield path, "limits nothing: give a minimum, a maximum or a maximum_by_size"


def _placeholders(path: Path, text: Text, allowed: set[str]) -> Wrong:
    for language in ("en", "fr"):
        try:
            parts = list(Formatter().parse(text.said(language)))
        except ValueError:
            yield (*path, language), "has a brace { or } without its partner"
            continue
        for _, name, detail, conversion in parts:
            if name is not None and (name not in allowed or detail or conversion):
                known = ", ".join(sorted(allowed))
                yield (*path, language), f"unknown placeholder {{{name}}}; known: {known}"


def _tables(book: Book) -> Wrong:
    for index, table in enumerate(book.tables):
        for sentence in uncovered(table):
            yield ("tables", index), sentence
        for number, row in enumerate(table.rows):
            path: Path = ("tables", index, "rows", number)
            yield from _source(book, (*path, "source"), row.source)
            yield from _known((*path, "scenario"), row.scenario, book.scenario, "scenario")
            for place, outcome in enumerate(row.outcomes):
                where: Path = (*path, "outcomes", place)
                if outcome.kind == "suffers":
                    yield from _known(where, outcome.condition, book.condition, "condition")
                elif outcome.kind == "rolls_on":
                    yield from _known(where, outcome.table, book.table, "table")
                elif outcome.kind == "loses_item":
                    for key in outcome.groups:
                        yield from _known(where, key, book.group, "group of items")
    yield from _endless(book)


def _endless(book: Book) -> Wrong:
    """A table that sends the roller round in a circle would never end."""
    for index, start in enumerate(book.tables):
        reached: set[str] = set()
        ahead = [start.key]
        while ahead:
            for key in _next_tables(book, ahead.pop()):
                if key not in reached:
                    reached.add(key)
                    ahead.append(key)
        if start.key in reached:
            yield ("tables", index), "leads back to itself"


def _next_tables(book: Book, key: str) -> list[str]:
    rows = book.table[key].rows if key in book.table else ()
    return [outcome.table for row in rows for outcome in row.outcomes if outcome.kind == "rolls_on"]


def _campaign(book: Book) -> Wrong:
    campaign = book.campaign
    yield from _known(("campaign", "scenario_table"), campaign.scenario_table, book.table, "table")
    tallies = {tally.key for tally in campaign.tallies}
    for index, award in enumerate(campaign.awards):
        yield from _known(("campaign", "awards", index, "each"), award.each, tallies, "tally")
    for index, promotion in enumerate(campaign.promotions):
        for key in (promotion.start, promotion.to):
            yield from _known(("campaign", "promotions", index), key, book.rank, "rank")
    if campaign.growth:
        yield from _number_setting(book, ("campaign", "growth", "ceiling"), campaign.growth.ceiling)
    if campaign.recruiting:
        setting = book.setting.get(campaign.recruiting.cap)
        choices = (
            {choice.key for choice in setting.choices}
            if setting and setting.kind == "choice"
            else set()
        )
        if not choices or not choices <= CAPS:
            known = ", ".join(sorted(CAPS))
            yield ("campaign", "recruiting", "cap"), f"must be a setting with choices among {known}"
    for index, step in enumerate(campaign.steps):
        path: Path = ("campaign", "steps", index)
        if step.kind == "fates":
            yield from _known((*path, "table"), step.table, book.table, "table")
        elif step.kind == "captives":
            yield from _known((*path, "condition"), step.condition, book.condition, "condition")


def _samples(book: Book) -> Wrong:
    for index, sample in enumerate(book.samples):
        path: Path = ("samples", index)
        yield from _sample_settings(book, (*path, "settings"), sample.settings)
        for number, member in enumerate(sample.members):
            where: Path = (*path, "members", number)
            yield from _known((*where, "rank"), member.rank, book.rank, "rank")
            yield from _known(
                (*where, "profession"), member.profession, book.profession, "profession"
            )
            for key in member.points:
                yield from _known((*where, "points"), key, book.characteristic, "characteristic")
            for key in member.traits:
                yield from _known((*where, "traits"), key, book.trait, "trait")
            for key in member.items:
                yield from _known((*where, "items"), key, book.item, "item")


def _sample_settings(book: Book, path: Path, settings: Settings) -> Wrong:
    for key, value in settings.items():
        setting = book.setting.get(key)
        if setting is None:
            yield (*path, key), f"“{key}” is no setting of this rulebook"
        elif not setting.accepts(value):
            yield (*path, key), f"“{value}” is no value of this setting"
