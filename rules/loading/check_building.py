"""Checks whether a well-formed rulebook makes sense: parts of a gang, limits, reference tables."""

from __future__ import annotations

from string import Formatter

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book import fates, limits, schema
from rules.book.amounts import ItemSelector
from rules.book.characteristics import ascending
from rules.book.labels import unknown
from rules.book.look import Look, find_illegible
from rules.book.model import Archetype, Book, Sample, SampleMember
from rules.book.offers import ItemOffer
from rules.book.reference import Reference, Zone
from rules.book.season import Quota
from rules.book.suggesting import suggest
from rules.book.vocabulary import Add, AddValue, Between, Row, Selector, Set
from rules.bounds.work import TooMuch
from rules.engine.cells import columns_of
from rules.engine.compiling import BadRoll
from rules.engine.dice import parse, parse_amount
from rules.engine.expressions import BadExpression
from rules.engine.fitting import fits
from rules.engine.reference_odds import work_out_cells
from rules.loading import checks
from rules.loading.check_advances import ADVANCE_CHECKS, check_price, check_start
from rules.loading.check_campaign import CAMPAIGN_CHECKS, IN_WORDS, MOST_DICE, brings_itself
from rules.loading.check_evening import EVENING_CHECKS, check_phases
from rules.loading.check_holdings import HOLDING_CHECKS
from rules.loading.check_prices import check_item_prices, check_offer
from rules.loading.check_rolls import ROLL_CHECKS, check_cells, check_together, unknown_column
from rules.loading.check_size import too_many_steps
from rules.loading.checks import Checks, RowPath, Wrong, check_known

NO_ORIGINS = _("has no effect: add “origins” to the rulebook")
# A label beside boxes has to fit on the smallest card.
LONGEST_TICK = 24
# Small models: an unknown key is reported at the model, not at its field.
WHOLES = (
    Selector,
    ItemSelector,
    Quota,
    fates.Leaves,
    fates.Suffers,
    fates.LosesItem,
    fates.Gains,
    fates.ChoosesTrait,
    fates.Finds,
    fates.Joins,
    fates.Rises,
    fates.Promotes,
    fates.RollsOn,
    fates.Takes,
)
PLACEHOLDERS = {
    "count": {"count", "minimum", "maximum"},
    "share": {"count", "among", "needed"},
    "highest": {"name", "rank"},
    "items": {"count", "minimum", "maximum"},
    "holdings": {"count", "minimum", "maximum"},
    "trait_count": {"name", "count", "minimum", "maximum"},
    "squad": {"squad", "count", "minimum", "maximum"},
    "carried": {"name", "count", "maximum"},
    "level": {"name", "item", "level", "value", "excess"},
    "points_over": {"name", "count", "maximum"},
    "points_left": {"name", "count", "maximum", "left"},
    "range": {"name", "characteristic", "value", "minimum", "maximum"},
    "traits": {"name", "count", "maximum"},
    "repeated": {"name", "trait"},
    "profession": {"name"},
    "unnamed": {"name"},
    "group": {"name", "group", "count", "maximum"},
    "unavailable": {"name", "what"},
    "unfit": {"name", "what"},
    "unlisted": {"name", "what"},
    "owner": {"name", "rank"},
    "overspent": {"amount", "budget"},
    "unspent": {"amount", "budget"},
    "debt": {"amount"},
}


def check(book: Book, *, stored: bool = False) -> list[tuple[RowPath, str]]:
    """Every mistake of sense in ``book``, each with its path and a sentence.

    ``stored``: the book is a version that a site has stored and that gangs are played with. The
    site must always be able to open it, so faults that version 0.9 accepted are not mistakes in it.
    """
    # If it is too large, looking for other mistakes would take too long.
    if oversized := [*too_many_steps(book)]:
        return oversized
    every = BUILDING_CHECKS | CAMPAIGN_CHECKS | ADVANCE_CHECKS | HOLDING_CHECKS
    every = every | ROLL_CHECKS | EVENING_CHECKS
    found = [*checks.find_mistakes(book, every, WHOLES), *check_together(book), *check_phases(book)]
    return found if stored else [*found, *_since_0_9(book)]


def _since_0_9(book: Book) -> Wrong:
    yield from brings_itself(book)
    for index, setting in enumerate(book.settings):
        if setting.gang_only and setting.campaign_only:
            message = _(
                "nobody can choose this setting: keep only one of “campaign_only” and “gang_only”"
            )
            yield ("settings", index, "gang_only"), message
    for index, row in enumerate(book.characteristics):
        if row.start is not None:
            yield from checks.check_bounds(("characteristics", index, "start"), row, row.start)
    for index, rank in enumerate(book.ranks):
        for key, written in rank.values.items():
            path = ("ranks", index, "values", key)
            if key in book.characteristic:
                yield from checks.check_bounds(path, book.characteristic[key], written)


def _book(book: Book, path: RowPath, part: Book) -> Wrong:
    yield from checks.check_unique(path, part)
    yield from _origin_setting(book)
    if book.member_origins == "own" and not book.origins:
        yield ("member_origins",), NO_ORIGINS
    life = book.characteristic.get(book.life or "")
    if life is not None and life.kind not in ("number", "track"):
        yield (
            ("life",),
            say(
                _("“%(key)s” must be a number or a track, so that players can tick it off"),
                key=life.key,
            ),
        )
    if book.budgets and book.money is None:
        yield ("budgets",), _("this needs money: add “money” to the rulebook")


def _origin_setting(book: Book) -> Wrong:
    key = book.origin_setting
    if key is None:
        if book.origins:
            yield (
                ("origin_setting",),
                _("is missing: name the setting that decides a gang’s origin"),
            )
        return
    setting = book.setting.get(key)
    if setting is None or setting.kind != "choice":
        yield ("origin_setting",), checks.not_of_choices(book, key)
    elif {choice.key for choice in setting.choices}.isdisjoint(book.origin):
        yield ("origin_setting",), _("at least one choice must have the key of an origin")


def _row(book: Book, path: RowPath, row: Row) -> Wrong:
    cells = {*type(row).model_fields, *_columns(book, row)}
    yield from check_known((*path, "house"), row.house, cells, _("cell"))


def _columns(book: Book, row: Row) -> set[str]:
    """The keys of a row's cells: the columns of an item's group, or the characteristics in a rank's
    profile."""
    if isinstance(row, schema.Rank):
        return set(row.values)
    if isinstance(row, schema.Item) and row.group in book.group:
        return {column.key for column in book.group[row.group].columns}
    return set()


def _choice(book: Book, path: RowPath, setting: schema.ChoiceSetting) -> Wrong:
    keys = [choice.key for choice in setting.choices]
    yield from check_known((*path, "default"), [setting.default], keys, _("choice"))
    if len(set(keys)) < len(keys):
        yield (*path, "choices"), _("each choice must have a different key")


def _number(book: Book, path: RowPath, setting: schema.NumberSetting) -> Wrong:
    if not setting.accepts(setting.default):
        yield (*path, "default"), _("must be between the minimum and the maximum")


def _characteristic(book: Book, path: RowPath, row: schema.Characteristic) -> Wrong:
    if row.start is not None:
        yield from checks.check_value((*path, "start"), row, row.start)
    if row.kind == "number" and row.minimum > row.maximum:
        yield (*path, "maximum"), _("must not be below the minimum")
    if row.kind == "number":
        yield from _maxima(path, row)
    if row.kind == "die" and not ascending(row.sizes):
        yield (*path, "sizes"), _("must be dice such as d6, from the smallest to the largest")
    if row.kind == "word" and len({word.key for word in row.words}) < len(row.words):
        yield (*path, "words"), _("each word must have a different key")


def _maxima(path: RowPath, row: schema.Number) -> Wrong:
    """Check that a number with maxima of some members rises to them, and that they are lower."""
    if row.maxima and row.better == "low":
        yield (*path, "maxima"), _("is only used where a high number is better")
    for index, one in enumerate(row.maxima):
        here = (*path, "maxima", index)
        if not row.minimum <= one.maximum <= row.maximum:
            ends = {"least": row.minimum, "most": row.maximum}
            message = _("must be between the minimum and the maximum, %(least)s and %(most)s")
            yield (*here, "maximum"), say(message, **ends)
        if one.of.numbers:
            yield (*here, "of"), _("a maximum cannot depend on “numbers”")


def _rank(book: Book, path: RowPath, rank: schema.Rank) -> Wrong:
    for key, written in rank.values.items():
        here = (*path, "values", key)
        if key in book.characteristic:
            yield from checks.check_value(here, book.characteristic[key], written)
        else:
            yield here, unknown(key, _("characteristic"), book.characteristic)
    yield from check_start(path, rank)
    yield from _rank_traits(book, path, rank)
    if rank.belongs_to is not None:
        yield from _belonging(book, (*path, "belongs_to"), rank, rank.belongs_to)
    if rank.origins == "own" and not book.origins:
        yield (*path, "origins"), NO_ORIGINS
    for key in rank.lacks:
        if key in rank.values or key in rank.rolled:
            yield (
                (*path, "lacks"),
                say(_("this rank has a value for “%(key)s”: leave out one of the two"), key=key),
            )
    for key, dice in rank.rolled.items():
        if key in book.characteristic:
            yield from _rolled((*path, "rolled", key), book.characteristic[key], dice)
        else:
            yield (*path, "rolled", key), unknown(key, _("characteristic"), book.characteristic)


def _belonging(book: Book, path: RowPath, rank: schema.Rank, row: schema.Belonging) -> Wrong:
    """Check that somebody can own members of a rank, and has the numbers that they copy."""
    named = row.owners.ranks or tuple(one.key for one in book.ranks)
    among = [book.rank[key] for key in named if key in book.rank]
    if not any(one.belongs_to is None and one.key not in row.owners.not_ranks for one in among):
        message = _("nobody could own them: members of these ranks belong to others themselves")
        yield (*path, "owners"), message
    for key in row.copies:
        if key in rank.lacks or key in rank.rolled:
            message = _("this rank lacks or rolls “%(key)s”: leave out one of the two")
            yield (*path, "copies"), say(message, key=key)


def _owners(book: Book, path: RowPath, sample: Sample) -> Wrong:
    """Check the owners of those who belong to members of a ready-made gang."""
    for place, member in enumerate(sample.members):
        rank, here = book.rank.get(member.rank), (*path, "members", place)
        if rank is None:
            continue
        owners = [one for one in sample.members[:place] if one.name == member.owner]
        if rank.belongs_to is None and member.owner:
            yield (*here, "owner"), _("members of this rank belong to nobody: leave it out")
        elif rank.belongs_to is not None and not member.owner:
            yield here, _("give “owner”: members of this rank belong to another member")
        elif member.owner and not owners:
            message = _("no member before this one is called “%(name)s”")
            yield (*here, "owner"), say(message, name=member.owner)
        elif owners and owners[0].owner:
            message = _("“%(name)s” belongs to somebody, and so owns nobody")
            yield (*here, "owner"), say(message, name=member.owner)


def _rank_traits(book: Book, path: RowPath, rank: schema.Rank) -> Wrong:
    """Check that members of a rank could have all its traits."""
    place: RowPath = (*path, "traits")
    for key in dict.fromkeys(key for key in rank.traits if key in book.trait):
        trait = book.trait[key]
        if trait.ranks and rank.key not in trait.ranks:
            message = _("“%(key)s” is not for this rank: add the rank to the trait’s “ranks”")
            yield place, say(message, key=key)
        if rank.traits.count(key) > trait.most:
            yield place, say(_("“%(key)s” is listed more often than “most” allows"), key=key)
        rival = schema.find_excluded(
            trait, (book.trait[one] for one in rank.traits if one in book.trait)
        )
        if rival is not None:
            message = _("“%(key)s” and “%(other)s” exclude each other")
            yield place, say(message, key=key, other=rival.key)
        for other in trait.requires:
            if other not in rank.traits:
                message = _("“%(key)s” requires “%(other)s”: give the rank both")
                yield place, say(message, key=key, other=other)


def _rolled(path: RowPath, row: schema.Characteristic, written: str) -> Wrong:
    """Check that the row is a number that follows no rank, and has room for all that dice show."""
    amount = parse_amount(written)
    if row.kind != "number" or row.follows_rank:
        yield (
            path,
            say(
                _(
                    "“%(key)s” must be a number characteristic that members keep when their rank "
                    "changes"
                ),
                key=row.key,
            ),
        )
    elif amount.dice is None:
        yield path, _("must be dice, such as 2d6")
    elif parse(amount.dice)[0] > MOST_DICE:
        yield path, say(_("at most %(most)s dice are allowed"), most=MOST_DICE)
    elif amount.is_cut or amount.least < row.minimum or amount.most > row.maximum:
        message = _("%(written)s is outside the range of “%(key)s”, %(least)s to %(most)s")
        ends = {"least": row.minimum, "most": row.maximum}
        yield path, say(message, written=written, key=row.key, **ends)


def _between(book: Book, path: RowPath, bounds: Between) -> Wrong:
    low, high = bounds.minimum, bounds.maximum
    if low is None and high is None:
        yield path, _("give a minimum or a maximum")
    elif low is not None and high is not None and high < low:
        yield (*path, "maximum"), _("must not be below the minimum")


def _outfit(book: Book, path: RowPath, outfit: Archetype | SampleMember) -> Wrong:
    if outfit.origin and outfit.rank in book.rank and book.keeps_origin(outfit.rank):
        yield (*path, "origin"), _("members of this rank have their gang’s origin: leave it out")


def _squad(book: Book, path: RowPath, squad: schema.SquadSize) -> Wrong:
    if not 0 < squad.minimum <= squad.maximum:
        yield path, _("the minimum must be at least 1, and the maximum not below the minimum")


def _effect(book: Book, path: RowPath, effect: Add | Set) -> Wrong:
    row = book.characteristic.get(effect.characteristic)
    if row is None:
        return
    if effect.kind == "set":
        yield from checks.check_value((*path, "value"), row, effect.value)
    elif row.kind == "word":
        yield path, say(IN_WORDS, key=row.key)
    elif effect.part is not None and row.kind != "pair":
        yield (*path, "part"), say(_("“%(key)s” is not a pair of numbers"), key=row.key)


def _add_value(book: Book, path: RowPath, effect: AddValue) -> Wrong:
    powers = {row.key: row.tags for row in book.traits if row.value is not None}
    for key in effect.traits:
        if key in book.trait and key not in powers:
            yield (*path, "traits"), say(_("“%(key)s” has no value to change"), key=key)
    for tag in effect.trait_tags:
        if tag in checks.tags(book.traits) and all(tag not in tags for tags in powers.values()):
            yield (
                (*path, "trait_tags"),
                say(_("no trait with the tag “%(tag)s” has a value"), tag=tag),
            )
    if not powers and not (effect.traits or effect.trait_tags):
        yield path, _("has no effect: give at least one trait a value")


def _item(book: Book, path: RowPath, item: schema.Item) -> Wrong:
    columns = _columns(book, item)
    for key in item.columns:
        if key not in columns:
            yield (*path, "columns", key), unknown_column(key, columns)
    yield from _excludes(path, item)
    for key in item.excludes:
        if key in book.item and book.item[key].innate:
            yield (*path, "excludes"), say(_("everybody already has “%(item)s”"), item=key)
    yield from check_cells(book, path, item)
    yield from check_item_prices(book, path, item)
    if item.fits is not None:
        yield from _fitting(book, (*path, "fits"), item, item.fits)


def _fitting(book: Book, path: RowPath, item: schema.Item, fitting: schema.Fitting) -> Wrong:
    """Check that an item can be fitted to something, and has columns there to change."""
    if item.innate:
        yield path, _("an item that everybody has cannot be fitted to others")
    if not (fitting.items or fitting.groups or fitting.item_tags):
        yield path, _("give “items”, “groups” or “item_tags” to fit it to")
        return
    for key in fitting.items:
        if key in book.item and book.item[key].fits is not None:
            message = say(_("“%(key)s” is itself fitted to other items"), key=key)
            yield (*path, "items"), message
    hosts = [host for host in book.items if fits(item, host)]
    if not hosts:
        yield path, _("no item can have it")
        return
    columns = {key: column for host in hosts for key, column in columns_of(book, host).items()}
    for key in fitting.adds.keys() | fitting.columns.keys():
        if key not in columns:
            field = "adds" if key in fitting.adds else "columns"
            yield (*path, field, key), unknown_column(key, columns)
    for key in fitting.adds:
        if key in columns and columns[key].kind not in ("number", "length"):
            yield (*path, "adds", key), _("only columns of numbers and lengths can be added to")
    replaced = {key: cell for key, cell in fitting.columns.items() if key in columns}
    for host in hosts:
        known = {key: cell for key, cell in replaced.items() if key in columns_of(book, host)}
        yield from check_cells(book, path, host.model_copy(update={"columns": known, "modes": ()}))


def _excludes(path: RowPath, row: schema.Item | schema.Trait) -> Wrong:
    if row.key in row.excludes:
        yield (*path, "excludes"), _("must not name its own row")


def _tag(book: Book, path: RowPath, tag: schema.Tag) -> Wrong:
    results = (row for table in book.tables for row in table.rows)
    fittings = (item.fits for item in book.items if item.fits)
    used = checks.tags([*book.items, *book.traits, *results, *fittings])
    if tag.key not in used:
        yield (
            (*path, "key"),
            suggest(say(_("no row has the tag “%(tag)s”"), tag=tag.key), tag.key, used),
        )


def _tick(book: Book, path: RowPath, tick: schema.Tick) -> Wrong:
    for language, name in tick.name:
        if len(name) > LONGEST_TICK:
            place: RowPath = (*path, "name", language)
            yield (
                place,
                say(
                    _("must have at most %(most)s letters to fit on paper"),
                    most=LONGEST_TICK,
                ),
            )
    if tick.not_items and not tick.groups:
        yield (
            (*path, "not_items"),
            _("is only used with “groups”"),
        )


def _trait(book: Book, path: RowPath, trait: schema.Trait) -> Wrong:
    required = {row.key: row.requires for row in book.traits}
    if trait.key in checks.reach(trait.key, lambda key: required.get(key, ())):
        yield (*path, "requires"), _("the trait ends up requiring itself")
    yield from _excludes(path, trait)
    for key in trait.requires:
        if key in trait.excludes:
            message = _("“%(key)s” is in “requires”, too: leave out one of the two")
            yield (*path, "excludes"), say(message, key=key)
    yield from check_price(path, trait)
    if trait.item in book.item:
        if book.item[trait.item].innate:
            yield (*path, "item"), say(_("everybody already has “%(item)s”"), item=trait.item)
        if book.given[trait.item].key != trait.key:
            yield (
                (*path, "item"),
                say(
                    _("“%(key)s” already gives “%(item)s”"),
                    key=book.given[trait.item].key,
                    item=trait.item,
                ),
            )
        group = book.group.get(book.item[trait.item].group)
        if group is not None and any(column.key == "power" for column in group.columns):
            yield (
                (*path, "item"),
                _(
                    "the item’s group has a column “power”, which hides the trait’s value: rename "
                    "the column"
                ),
            )
        if trait.gained_at is not None:
            yield (*path, "item"), _("a trait that members gain automatically cannot give an item")


def _adjustment(book: Book, path: RowPath, adjustment: schema.Adjustment) -> Wrong:
    picky = adjustment.groups or adjustment.item_tags or adjustment.first
    if adjustment.on != "items" and picky:
        yield path, _("only prices of items can have “groups”, “item_tags” or “first”")


def _budget(book: Book, path: RowPath, budget: schema.Budget) -> Wrong:
    if (budget.amount is None) == (budget.setting is None):
        yield path, _("give either “amount” or “setting”, not both")


def _limit(book: Book, path: RowPath, limit: limits.Limit) -> Wrong:
    allowed = PLACEHOLDERS[limit.kind]
    if limit.kind == "items":
        allowed = allowed | {"member": {"name"}, "copies": {"item"}, "gang": set()}[limit.per]
    if limit.kind == "trait_count" and limit.per == "gang":
        allowed = allowed - {"name"}
    if limit.kind in ("overspent", "unspent") and getattr(limit, "currency", None) is not None:
        yield (*path, "currency"), _("is only used with the kind “debt”")
    for language, text in limit.text:
        yield from _placeholders((*path, "text", language), text, allowed)


def _placeholders(path: RowPath, text: str, allowed: set[str]) -> Wrong:
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        yield path, _("each { needs a }, and each } needs a {")
        return
    for _text, name, detail, conversion in parts:
        if name is not None and (name not in allowed or detail or conversion):
            message = _("unknown placeholder %(name)s (known: %(listed)s)")
            listed = ", ".join(sorted(allowed))
            mistake = say(message, name=f"{{{name}}}", listed=listed)
            yield path, mistake if name in allowed else suggest(mistake, name, allowed)


def _share(book: Book, path: RowPath, limit: limits.ShareLimit) -> Wrong:
    if not 0 < limit.part <= limit.whole:
        yield (*path, "part"), _("“part” must be above 0 and at most “whole”")


def _bounds(
    book: Book,
    path: RowPath,
    limit: limits.CountLimit | limits.ItemsLimit | limits.TraitsLimit | limits.HoldingsLimit,
) -> Wrong:
    if limit.maximum is not None and limit.maximum < limit.minimum:
        yield (*path, "maximum"), _("must not be below the minimum")
    stepped = limit.kind == "count" and limit.maximum_by_size
    if not limit.minimum and limit.maximum is None and not stepped:
        yield path, _("give a minimum or a maximum")


def _holdings_limit(book: Book, path: RowPath, limit: limits.HoldingsLimit) -> Wrong:
    yield from _bounds(book, path, limit)
    if not book.holdings:
        yield path, _("has no effect: add “holdings” to the rulebook")


def _reference(book: Book, path: RowPath, reference: Reference) -> Wrong:
    columns, chances, drawn = len(reference.columns), reference.chances, reference.modifiers
    worked = chances is not None and len(chances.columns) == columns
    if chances is not None and not worked:
        message = say(
            _("has %(count)s columns, but the table has %(columns)s"),
            count=len(chances.columns),
            columns=columns,
        )
        yield (*path, "chances", "columns"), message
    if drawn is not None and len(drawn.columns) != columns:
        yield (
            (*path, "modifiers", "columns"),
            say(
                _("has %(count)s columns, but the table has %(columns)s"),
                count=len(drawn.columns),
                columns=columns,
            ),
        )
    if drawn is not None and (drawn.after or 0) > len(reference.lines):
        yield (
            (*path, "modifiers", "after"),
            say(
                _("must be at most %(count)s, the number of lines in the table"),
                count=len(reference.lines),
            ),
        )
    for number, line in enumerate(reference.lines):
        if len(line.cells) != columns and (line.cells or chances is None):
            worked = False
            yield (
                (*path, "lines", number),
                say(
                    _("has %(count)s cells for %(columns)s columns"),
                    count=len(line.cells),
                    columns=columns,
                ),
            )
    if worked:
        try:
            work_out_cells(book, reference)
        except LookupError as error:
            yield (
                (*path, "chances"),
                say(_("“%(name)s” has no value here"), name=error.args[0]),
            )
        except (BadRoll, BadExpression, TooMuch) as error:
            yield (*path, "chances"), say(_("cannot be worked out: %(error)s"), error=error)


def _zone(book: Book, path: RowPath, zone: Zone) -> Wrong:
    """Check that a triangle's right angle is in a corner of the table, with sides along both
    edges."""
    if zone.shape == "triangle" and {zone.x, zone.y} - {0, 100}:
        yield path, _("a triangle must be in a corner of the table: “x” and “y” must be 0 or 100")
    if zone.shape == "triangle" and not (zone.width and zone.height):
        yield path, _("a triangle needs a width and a height")


def _look(book: Book, path: RowPath, look: Look) -> Wrong:
    for place, message in find_illegible(look):
        yield (*path, *place), message


def _sample(book: Book, path: RowPath, sample: Sample) -> Wrong:
    yield from _owners(book, path, sample)
    for key, chosen in sample.settings.items():
        setting = book.setting.get(key)
        if setting is None:
            yield (*path, "settings", key), unknown(key, _("setting"), book.setting)
        elif not setting.accepts(chosen):
            mistake = say(_("this setting does not allow “%(chosen)s”"), chosen=chosen)
            choices = setting.choices if setting.kind == "choice" else ()
            known = (choice.key for choice in choices)
            yield (*path, "settings", key), suggest(mistake, str(chosen), known)


BUILDING_CHECKS: Checks = {
    Book: _book,
    Row: _row,
    schema.ChoiceSetting: _choice,
    schema.NumberSetting: _number,
    schema.Measured: _characteristic,
    schema.Rank: _rank,
    schema.SquadSize: _squad,
    Between: _between,
    Add: _effect,
    Set: _effect,
    AddValue: _add_value,
    schema.Item: _item,
    schema.Tag: _tag,
    schema.Tick: _tick,
    schema.Trait: _trait,
    schema.Adjustment: _adjustment,
    ItemOffer: check_offer,
    schema.Budget: _budget,
    limits.LimitRow: _limit,
    limits.ShareLimit: _share,
    limits.CountLimit: _bounds,
    limits.ItemsLimit: _bounds,
    limits.TraitsLimit: _bounds,
    limits.HoldingsLimit: _holdings_limit,
    Reference: _reference,
    Zone: _zone,
    Look: _look,
    Sample: _sample,
    Archetype: _outfit,
    SampleMember: _outfit,
}
