"""Whether a well-formed rulebook makes sense: every key it names exists, every table is whole."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from rules.book import Book
from rules.characteristics import ascending
from rules.checking_season import check_season
from rules.complaints import (
    Path,
    Wrong,
    effects,
    item_tags,
    known,
    number_characteristic,
    number_setting,
    selector,
    source,
    table_tags,
    trait_tags,
    value,
    when,
)
from rules.limits import CountLimit, ItemsLimit, Limit
from rules.look import illegible
from rules.reference import Zone
from rules.schema import Item
from rules.vocabulary import Row, Settings, Text

TABLES = (
    "settings",
    "characteristics",
    "ranks",
    "origins",
    "traits",
    "professions",
    "groups",
    "items",
    "tags",
    "ticks",
    "adjustments",
    "conditions",
    "tables",
    "scenarios",
    "deployments",
    "references",
    "glossary",
)
# A label beside boxes has to fit on the smallest card.
LONGEST_TICK = 24
CAMPAIGN_TABLES = (
    "results",
    "marks",
    "tallies",
    "awards",
    "underdog",
    "promotions",
    "successions",
    "departures",
    "steps",
)
PLACEHOLDERS = {
    "count": {"count", "minimum", "maximum"},
    "share": {"count", "among", "needed"},
    "highest": {"name", "rank"},
    "items": {"count", "minimum", "maximum"},
    "squad": {"squad", "count", "minimum", "maximum"},
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
    "unfit": {"name", "what"},
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
        *check_season(book),
        *_reading(book),
        *_look(book),
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
        yield from source(book, (*path, "source"), row.source)
        yield from when(book, (*path, "when"), row.when)
        cells = {*type(row).model_fields, *_columns(book, row)}
        for key in row.house:
            yield from known((*path, "house"), key, cells, "cell of this row")


def _columns(book: Book, row: Row) -> set[str]:
    """The cells that an item has because of its group."""
    if isinstance(row, Item) and row.group in book.group:
        return {column.key for column in book.group[row.group].columns}
    return set()


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


def _building(book: Book) -> Wrong:
    yield from _characteristics(book)
    yield from _origin_setting(book)
    for index, rank in enumerate(book.ranks):
        for key, written in rank.values.items():
            path: Path = ("ranks", index, "values", key)
            yield from value(path, book.characteristic.get(key), written)
        if rank.squad and not 0 < rank.squad.minimum <= rank.squad.maximum:
            yield ("ranks", index, "squad"), "needs a minimum above 0 and no maximum below it"
    yield from _traits(book)
    for index, profession in enumerate(book.professions):
        for key in profession.ranks:
            yield from known(("professions", index, "ranks"), key, book.rank, "rank")
    for index, group in enumerate(book.groups):
        path = ("groups", index, "level_against")
        yield from number_characteristic(book, path, group.level_against)
    for index, item in enumerate(book.items):
        path = ("items", index)
        yield from known((*path, "group"), item.group, book.group, "group of items")
        for key in item.columns:
            yield from known(
                (*path, "columns", key), key, _columns(book, item), "column of its group"
            )
    yield from _tags(book)
    yield from _ticks(book)
    yield from _prices(book)


def _tags(book: Book) -> Wrong:
    used = item_tags(book) | trait_tags(book) | table_tags(book)
    for index, tag in enumerate(book.tags):
        if tag.key not in used:
            yield ("tags", index, "key"), f"no row has the tag “{tag.key}”"


def _ticks(book: Book) -> Wrong:
    for index, tick in enumerate(book.ticks):
        path: Path = ("ticks", index)
        for language in ("en", "fr"):
            if len(tick.name.said(language)) > LONGEST_TICK:
                place: Path = (*path, "name", language)
                yield place, f"has more than {LONGEST_TICK} letters: there is no room on paper"
        yield from selector(book, (*path, "of"), tick.of)
        for key in tick.groups:
            yield from known((*path, "groups"), key, book.group, "group of items")
        for field in ("items", "not_items"):
            for key in getattr(tick, field):
                yield from known((*path, field), key, book.item, "item")
        if tick.not_items and not tick.groups:
            yield (
                (*path, "not_items"),
                "leaves out items, but there are no groups to leave them out of",
            )


def _characteristics(book: Book) -> Wrong:
    for index, row in enumerate(book.characteristics):
        path: Path = ("characteristics", index)
        if row.start is not None:
            yield from value((*path, "start"), row, row.start)
        if row.kind == "number" and row.minimum > row.maximum:
            yield (*path, "maximum"), "is below the minimum"
        if row.kind == "die" and not ascending(row.sizes):
            yield (*path, "sizes"), "must be dice such as d6, the smallest first"
    yield from known(("life",), book.life, book.characteristic, "characteristic")
    life = book.characteristic.get(book.life or "")
    if life is not None and life.kind not in ("number", "track"):
        yield ("life",), f"“{life.key}” cannot be ticked off: it is neither number nor track"


def _origin_setting(book: Book) -> Wrong:
    key = book.origin_setting
    if key is None:
        if book.origins:
            yield ("origin_setting",), "is missing: it says which of the origins a gang is from"
        return
    setting = book.setting.get(key)
    if setting is None or setting.kind != "choice":
        yield ("origin_setting",), f"“{key}” is no setting with choices"
    elif {choice.key for choice in setting.choices}.isdisjoint(book.origin):
        yield ("origin_setting",), "has no choice that is one of the origins"


def _traits(book: Book) -> Wrong:
    for index, trait in enumerate(book.traits):
        path: Path = ("traits", index)
        yield from when(book, (*path, "sold_when"), trait.sold_when)
        if trait.gained_at:
            place = (*path, "gained_at", "characteristic")
            yield from number_characteristic(book, place, trait.gained_at.characteristic)
        for key in trait.requires:
            yield from known((*path, "requires"), key, book.trait, "trait")
        for key in trait.ranks:
            yield from known((*path, "ranks"), key, book.rank, "rank")
        if trait.key in _required(book, trait.key):
            yield (*path, "requires"), "requires itself in the end"


def _required(book: Book, key: str) -> set[str]:
    """Every trait that one needs before this one."""
    found: set[str] = set()
    ahead = [key]
    while ahead:
        trait = book.trait.get(ahead.pop())
        for needed in trait.requires if trait else ():
            if needed not in found:
                found.add(needed)
                ahead.append(needed)
    return found


def _prices(book: Book) -> Wrong:
    for index, adjustment in enumerate(book.adjustments):
        path: Path = ("adjustments", index)
        yield from selector(book, (*path, "of"), adjustment.of)
        for key in adjustment.groups:
            yield from known((*path, "groups"), key, book.group, "group of items")
        for key in adjustment.item_tags:
            yield from known((*path, "item_tags"), key, item_tags(book), "tag of an item")
        picky = adjustment.groups or adjustment.item_tags or adjustment.first
        if adjustment.on != "items" and picky:
            yield path, "picks items, but is not on items"
    for index, rounding in enumerate(book.roundings):
        yield from when(book, ("roundings", index, "when"), rounding.when)
    if book.budgets and book.money is None:
        yield ("budgets",), "there is no money to budget"
    for index, budget in enumerate(book.budgets):
        path = ("budgets", index)
        if (budget.amount is None) == (budget.setting is None):
            yield path, "needs an amount or a setting, and not both"
        yield from number_setting(book, (*path, "setting"), budget.setting)
        yield from when(book, (*path, "when"), budget.when)


def _effects(book: Book) -> Wrong:
    for table in ("origins", "traits", "professions", "items", "conditions"):
        for index, row in enumerate(getattr(book, table)):
            yield from effects(book, (table, index, "effects"), row.effects)


def _limits(book: Book) -> Wrong:
    for index, limit in enumerate(book.limits):
        path: Path = ("limits", index)
        yield from source(book, (*path, "source"), limit.source)
        yield from when(book, (*path, "when"), limit.when)
        allowed = PLACEHOLDERS[limit.kind]
        if limit.kind == "items":
            allowed = allowed | {"member": {"name"}, "copies": {"item"}, "gang": set()}[limit.per]
        yield from _placeholders((*path, "text"), limit.text, allowed)
        yield from _limit(book, path, limit)


def _limit(book: Book, path: Path, limit: Limit) -> Wrong:
    if limit.kind in ("count", "share", "highest", "items"):
        yield from selector(book, (*path, "of"), limit.of)
    if limit.kind == "share":
        yield from selector(book, (*path, "among"), limit.among)
        if not 0 < limit.part <= limit.whole:
            yield (*path, "part"), "part and whole must make a share between 0 and 1"
    if limit.kind == "carried":
        yield from number_characteristic(book, (*path, "characteristic"), limit.characteristic)
    if limit.kind == "items":
        for key in limit.groups:
            yield from known((*path, "groups"), key, book.group, "group of items")
        for key in limit.item_tags:
            yield from known((*path, "item_tags"), key, item_tags(book), "tag of an item")
        yield from _bounds(path, limit, stepped=False)
    if limit.kind == "count":
        yield from _bounds(path, limit, stepped=bool(limit.maximum_by_size))


def _bounds(path: Path, limit: CountLimit | ItemsLimit, *, stepped: bool) -> Wrong:
    if limit.maximum is not None and limit.maximum < limit.minimum:
        yield (*path, "maximum"), "is below the minimum"
    if not limit.minimum and limit.maximum is None and not stepped:
        yield path, "limits nothing: give a minimum or a maximum"


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


def _reading(book: Book) -> Wrong:
    for index, scenario in enumerate(book.scenarios):
        for key in scenario.deployments:
            places = {row.key for row in book.deployments}
            yield from known(("scenarios", index, "deployments"), key, places, "deployment")
    for index, counted in enumerate(book.pace.counted if book.pace else ()):
        yield from when(book, ("pace", "counted", index, "when"), counted.when)
    for index, place in enumerate(book.deployments):
        for number, zone in enumerate(place.zones):
            if zone.shape == "triangle":
                yield from _triangle(("deployments", index, "zones", number), zone)
    for index, reference in enumerate(book.references):
        for number, line in enumerate(reference.lines):
            if len(line.cells) != len(reference.columns):
                path: Path = ("references", index, "lines", number)
                yield path, f"has {len(line.cells)} cells for {len(reference.columns)} columns"


def _triangle(path: Path, zone: Zone) -> Wrong:
    """Its right angle is in a corner of the table, and it has sides along both edges."""
    if {zone.x, zone.y} - {0, 100}:
        yield path, "a triangle stands in a corner of the table: x and y are 0 or 100"
    if not (zone.width and zone.height):
        yield path, "a triangle needs a width and a height"


def _look(book: Book) -> Wrong:
    for (field, theme), message in illegible(book.look):
        yield ("look", field, theme), message


def _samples(book: Book) -> Wrong:
    seen: set[str] = set()
    for index, sample in enumerate(book.samples):
        path: Path = ("samples", index)
        if sample.key in seen:
            yield (*path, "key"), f"“{sample.key}” is there twice"
        seen.add(sample.key)
        yield from _sample_settings(book, (*path, "settings"), sample.settings)
        for number, member in enumerate(sample.members):
            where: Path = (*path, "members", number)
            yield from known((*where, "rank"), member.rank, book.rank, "rank")
            yield from known((*where, "origin"), member.origin, book.origin, "origin")
            yield from known(
                (*where, "profession"), member.profession, book.profession, "profession"
            )
            for key in member.points:
                yield from known((*where, "points"), key, book.characteristic, "characteristic")
            for key in member.traits:
                yield from known((*where, "traits"), key, book.trait, "trait")
            for key in member.items:
                yield from known((*where, "items"), key, book.item, "item")


def _sample_settings(book: Book, path: Path, settings: Settings) -> Wrong:
    for key, chosen in settings.items():
        setting = book.setting.get(key)
        if setting is None:
            yield (*path, key), f"“{key}” is no setting of this rulebook"
        elif not setting.accepts(chosen):
            yield (*path, key), f"“{chosen}” is no value of this setting"
