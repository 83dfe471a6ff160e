"""A whole rulebook as one frozen value, and its rules under chosen options."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Annotated, Literal, cast

from pydantic import ConfigDict, Field, RootModel, StringConstraints

from common.wording.sentences import Label
from common.wording.sentences import gettext_noop as _
from common.wording.texts import FIRST, OWN, USUAL, Code, in_each, needed, text_keys
from rules.book import evening, fates, reference, schema, season
from rules.book import holdings as held
from rules.book import rolls as dice
from rules.book.advancement import AdvancementRow
from rules.book.labels import Table, Values
from rules.book.limits import Limit, LimitRow
from rules.book.look import HOUSE_LOOK, Look
from rules.book.offers import ItemOffer
from rules.book.outfits import Outfit
from rules.book.vocabulary import (
    HOUSE,
    ByKey,
    CharacteristicKey,
    Frozen,
    Key,
    Line,
    MemberOrigins,
    Row,
    Settings,
    Text,
    applies,
)

# Rules kept for each book, by their settings.
MOST_RULES = 64


class Source(Frozen):
    """A document that rows come from."""

    title: Line
    text: Text


class Rating(Frozen):
    """The measure of a gang's present worth.

    ``counts``: the prices of members, or the ``worth`` of their rank, traits and items.
    ``counts_experience``: also their experience, one for every ``experience_step`` of it.
    """

    editing = Table(_("Rating"))
    name: Annotated[Text, _("Name")]
    unit: Annotated[Text, _("Unit")]
    counts: Annotated[
        Literal["price", "worth"],
        _("What counts"),
        Values(price=_("price"), worth=_("what they are worth")),
    ] = "price"
    counts_experience: Annotated[bool, _("Experience counts too")] = False
    experience_step: Annotated[int, Field(gt=0), _("One for this much experience")] = 1


class Money(Frozen):
    """The unit of prices and payments."""

    editing = Table(_("Money"))
    name: Annotated[Text, _("Name")]
    unit: Annotated[Text, _("Unit")]


class SampleMember(Outfit):
    """One member of a ready-made gang. ``owner``: the name of the member before them whom they
    belong to."""

    name: Line
    owner: str = ""


class Archetype(Row, Outfit):
    """A complete recruit, recruited with one press. Without an origin, they have the gang's. Pages
    leave out archetypes that the gang's limits or its present members rule out."""


class Sample(Frozen):
    """A ready-made gang, for newcomers and for the demo."""

    key: Key
    name: Line
    text: Text
    settings: Settings = {}
    members: tuple[SampleMember, ...]


# A name that leaves room for a number behind it.
PersonName = Annotated[str, StringConstraints(min_length=1, max_length=60, strip_whitespace=True)]


class Names(RootModel[dict[Code, Annotated[tuple[PersonName, ...], Field(max_length=500)]]]):
    """Names for members who have none yet, in each language. Readers whose language has none get
    those of another."""

    model_config = ConfigDict(frozen=True)

    def __bool__(self) -> bool:
        return any(self.root.values())

    def translated(self, language: str) -> tuple[str, ...]:
        """The names for a reader of ``language``."""
        found = [self.root[key] for key in text_keys(language) if self.root.get(key)]
        return next(filter(None, (*found, self.root.get(FIRST), *self.root.values())), ())


class Variation(Frozen):
    """Marks a variant of a rulebook: its key and name, and the number of its state."""

    key: Line
    name: Line
    number: int


class Book(Frozen):
    """One game: everything that differs from one game to another.

    ``licence``: what others may do with this rulebook.
    ``rating`` and ``money``: None in a game without them. ``life``: the characteristic that is
    ticked off during a game. ``origin_setting``: the setting for the gang's origin; its choices may
    be keys of ``origins``, and members are of that origin unless they have their own, which
    ``member_origins`` may forbid (a rank may say otherwise).
    ``profession_name``, ``squad_name``, ``traits_name`` and ``experience_name``: the game's words
    for a profession, a squad, traits, experience. ``look``: the look of its pages and prints.
    ``play``: the gangs in its games; ``pace``: the turns of its games, if they are counted;
    ``activation``: how members act in them.
    ``languages``: the languages of its texts; with one language, texts may be plain. ``names``: for
    members who have none yet. ``variant``: only for players' variants.
    """

    slug: Key
    name: Text
    summary: Text
    edition: Line
    author: Line
    licence: Line | None = None
    languages: Annotated[tuple[Code, ...], Field(min_length=1, max_length=10)] = USUAL
    rating: Rating | None = None
    money: Money | None = None
    life: CharacteristicKey | None = None
    origin_setting: Key | None = None
    member_origins: MemberOrigins = "any"
    profession_name: Text | None = None
    squad_name: Text | None = None
    experience_name: Text | None = None
    traits_name: Text | None = None
    look: Look = HOUSE_LOOK
    play: season.Play | None = None
    pace: reference.Pace | None = None
    activation: evening.Activation | None = None
    variant: Variation | None = None
    # In the order in which players look for them.
    sources: dict[Key, Source]
    items: tuple[schema.Item, ...] = ()
    ranks: tuple[schema.Rank, ...]
    traits: tuple[schema.Trait, ...] = ()
    characteristics: tuple[schema.Characteristic, ...] = ()
    limits: tuple[Limit, ...] = ()
    settings: tuple[schema.Setting, ...] = ()
    budgets: tuple[schema.Budget, ...] = ()
    professions: tuple[schema.Profession, ...] = ()
    origins: tuple[schema.Origin, ...] = ()
    groups: tuple[schema.ItemGroup, ...] = ()
    tags: tuple[schema.Tag, ...] = ()
    ticks: tuple[schema.Tick, ...] = ()
    adjustments: tuple[schema.Adjustment, ...] = ()
    offers: tuple[ItemOffer, ...] = ()
    roundings: tuple[schema.Rounding, ...] = ()
    conditions: tuple[fates.Condition, ...] = ()
    tables: tuple[fates.DiceTable, ...] = ()
    circumstances: tuple[dice.Circumstance, ...] = ()
    rolls: tuple[dice.Roll, ...] = ()
    modifiers: tuple[dice.Modifier, ...] = ()
    procedures: tuple[dice.Procedure, ...] = ()
    grids: tuple[dice.Grid, ...] = ()
    hands: tuple[dice.HandOfDice, ...] = ()
    states: tuple[dice.State, ...] = ()
    actions: tuple[dice.Action, ...] = ()
    spends: tuple[dice.Spend, ...] = ()
    phases: tuple[evening.Phase, ...] = ()
    tracks: tuple[evening.Track, ...] = ()
    alarms: tuple[evening.Alarm, ...] = ()
    cautions: tuple[evening.Caution, ...] = ()
    campaign: season.Campaign
    currencies: tuple[schema.Currency, ...] = ()
    holdings: tuple[held.Holding, ...] = ()
    scenarios: tuple[reference.Scenario, ...] = ()
    deployments: tuple[reference.Deployment, ...] = ()
    references: tuple[reference.Reference, ...] = ()
    glossary: tuple[reference.Term, ...] = ()
    archetypes: tuple[Archetype, ...] = ()
    samples: tuple[Sample, ...] = ()
    names: Names = Names({})

    @property
    def who_plays(self) -> season.Play:
        """The table ``play`` or, without it, gangs against each other."""
        return self.play or season.USUAL_PLAY

    @property
    def experience_word(self) -> Text | Label:
        """The game's word for experience, or the usual one."""
        return self.experience_name or _("Experience")

    @property
    def only_language(self) -> str | None:
        """The language of its texts, if it has only one."""
        return self.languages[0] if len(self.languages) == 1 else None

    @property
    def text_languages(self) -> tuple[str, ...]:
        """The languages that each of its texts has."""
        return needed(self.languages)

    @cached_property
    def translations(self) -> list[str]:
        """The languages of its translations that have most of its words. The site keeps this list;
        it is no part of the book (``rules.words.table``)."""
        return []

    @property
    def translated_into(self) -> tuple[str, ...]:
        """The languages into which the site has translated it."""
        return tuple(self.translations)

    def language_for(self, language: str) -> str:
        """The language in which a reader reads this book: the first of theirs that it has, or else
        English, or else its first one."""
        known = (*self.languages, *self.translated_into)
        found = (key for key in text_keys(language) if key in known)
        return next(found, FIRST if FIRST in known else known[0])

    @property
    def title(self) -> Text:
        """The game's name, with the name and number of the variant."""
        if self.variant is None:
            return self.name
        ours = f"{self.variant.name} {self.variant.number}"
        return in_each([self.name], lambda language: f"{self.name.translated(language)} · {ours}")

    @cached_property
    def own_abbreviations(self) -> frozenset[str]:
        """The languages that have other abbreviations for its characteristics."""
        found = {one for row in self.characteristics for one in row.short.languages}
        return frozenset(one.removesuffix(OWN) for one in found if one.endswith(OWN))

    # Rows by key.
    rank = ByKey[schema.Rank]("ranks")
    origin = ByKey[schema.Origin]("origins")
    trait = ByKey[schema.Trait]("traits")
    profession = ByKey[schema.Profession]("professions")
    group = ByKey[schema.ItemGroup]("groups")
    item = ByKey[schema.Item]("items")
    tag = ByKey[schema.Tag]("tags")
    currency = ByKey[schema.Currency]("currencies")
    holding = ByKey[held.Holding]("holdings")
    offer = ByKey[ItemOffer]("offers")
    characteristic = ByKey[schema.Characteristic]("characteristics")
    condition = ByKey[fates.Condition]("conditions")
    table = ByKey[fates.DiceTable]("tables")
    scenario = ByKey[reference.Scenario]("scenarios")
    setting = ByKey[schema.Setting]("settings")
    deployment = ByKey[reference.Deployment]("deployments")
    circumstance = ByKey[dice.Circumstance]("circumstances")
    roll = ByKey[dice.Roll]("rolls")
    modifier = ByKey[dice.Modifier]("modifiers")
    procedure = ByKey[dice.Procedure]("procedures")
    grid = ByKey[dice.Grid]("grids")
    hand = ByKey[dice.HandOfDice]("hands")
    state = ByKey[dice.State]("states")
    action = ByKey[dice.Action]("actions")
    spend = ByKey[dice.Spend]("spends")
    phase = ByKey[evening.Phase]("phases")
    track = ByKey[evening.Track]("tracks")
    alarm = ByKey[evening.Alarm]("alarms")
    caution = ByKey[evening.Caution]("cautions")

    @cached_property
    def has_fixed_prices(self) -> bool:
        """Whether every item costs its list price for every buyer."""
        priced = any(row.price is not None or row.included for row in self.offers)
        return not (self.adjustments or priced or any(row.next_prices for row in self.items))

    @cached_property
    def acting_phase(self) -> evening.Phase | None:
        """The first phase of a turn in which figures act, if there is one."""
        return next((row for row in self.phases if row.acts), None)

    @cached_property
    def given(self) -> dict[str, schema.Trait]:
        """The items that come with a trait, each with its trait. Nobody buys them."""
        return {trait.item: trait for trait in self.traits if trait.item is not None}

    @cached_property
    def automatic_traits(self) -> tuple[schema.Trait, ...]:
        """The traits that members gain at a threshold."""
        return tuple(trait for trait in self.traits if trait.gained_at is not None)

    @cached_property
    def has_powers(self) -> bool:
        """Whether a trait has a value."""
        return any(trait.value is not None for trait in self.traits)

    def keeps_origin(self, rank: str) -> bool:
        """Whether all members of a rank are of their gang's origin."""
        return (self.rank[rank].origins or self.member_origins) == "own"

    def is_free(self, item: schema.Item) -> bool:
        """Whether the item is not for sale, because everybody or a trait has it."""
        return item.innate or item.key in self.given

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical form: equal books from different files have equal digests."""
        return digest_of(self.canonical())

    def canonical(self) -> str:
        """The book as JSON in one fixed form: sorted keys, defaults left out."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    def changed(self, **fields: object) -> Book:
        """This book with other values for some fields."""
        copied = self.model_copy(update=fields)
        # They share their texts, and so the translations of these.
        copied.__dict__["translations"] = self.translations
        return copied

    def default_settings(self) -> Settings:
        """Every setting at its default."""
        return {setting.key: setting.default for setting in self.settings}

    def campaign_settings(self, settings: Settings) -> Settings:
        """The ``settings`` that a campaign decides for all its gangs."""
        own = {setting.key for setting in self.settings if setting.gang_only}
        return {key: value for key, value in settings.items() if key not in own}

    def under(self, settings: Settings) -> Rules:
        """The rules of this book under these settings; the same value for equal settings."""
        return self._under(tuple(sorted(settings.items())))

    @cached_property
    def _under(self) -> Callable[[tuple[tuple[str, str | int], ...]], Rules]:
        return lru_cache(maxsize=MOST_RULES)(lambda chosen: Rules(self, dict(chosen)))

    @cached_property
    def usual(self) -> Rules:
        """The rules with every setting at its default."""
        return self.under(self.default_settings())

    def cites_house(self, row: Row) -> bool:
        """Whether any part of ``row`` is a house value."""
        return row.is_house or bool(row.house) or f"+ {HOUSE}" in row.source


type Ruled = Row | LimitRow | schema.Rounding | schema.Budget


class InForce[R: Ruled](cached_property[tuple[R, ...]]):
    """The rows of one of the book's tables that are on offer and whose condition is met."""

    def __init__(self, table: str) -> None:
        find = attrgetter(table)
        super().__init__(lambda rules: tuple(row for row in find(rules.book) if rules.has(row)))


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a book that are in force under some settings, made once by ``Book.under``.

    Each table is a table of the book (or of its campaign) without rows that are hidden or banned,
    or whose condition the settings do not meet. ``book`` has all rows, because members may keep
    rows that are no longer on offer.
    """

    book: Book
    settings: Settings

    characteristics = InForce[schema.Characteristic]("characteristics")
    ranks = InForce[schema.Rank]("ranks")
    origins = InForce[schema.Origin]("origins")
    professions = InForce[schema.Profession]("professions")
    traits = InForce[schema.Trait]("traits")
    groups = InForce[schema.ItemGroup]("groups")
    items = InForce[schema.Item]("items")
    currencies = InForce[schema.Currency]("currencies")
    holdings = InForce[held.Holding]("holdings")
    archetypes = InForce[Archetype]("archetypes")
    ticks = InForce[schema.Tick]("ticks")
    conditions = InForce[fates.Condition]("conditions")
    tables = InForce[fates.DiceTable]("tables")
    circumstances = InForce[dice.Circumstance]("circumstances")
    rolls = InForce[dice.Roll]("rolls")
    modifiers = InForce[dice.Modifier]("modifiers")
    states = InForce[dice.State]("states")
    actions = InForce[dice.Action]("actions")
    spends = InForce[dice.Spend]("spends")
    phases = InForce[evening.Phase]("phases")
    tracks = InForce[evening.Track]("tracks")
    alarms = InForce[evening.Alarm]("alarms")
    cautions = InForce[evening.Caution]("cautions")
    scenarios = InForce[reference.Scenario]("scenarios")
    deployments = InForce[reference.Deployment]("deployments")
    references = InForce[reference.Reference]("references")
    steps = InForce[season.AnyStep]("campaign.steps")
    results = InForce[season.ResultType]("campaign.results")
    unfought = InForce[season.Unfought]("campaign.unfought")
    marks = InForce[season.Mark]("campaign.marks")
    tallies = InForce[season.Tally]("campaign.tallies")
    awards = InForce[season.Award]("campaign.awards")
    advancements = InForce[AdvancementRow]("campaign.advancements")
    underdog = InForce[season.UnderdogMoney]("campaign.underdog")
    yields = InForce[held.Yield]("campaign.yields")
    hauls = InForce[held.Haul]("campaign.hauls")
    upkeep = InForce[held.Upkeep]("campaign.upkeep")
    trophies = InForce[season.Trophy]("campaign.trophies")
    promotions = InForce[season.Promotion]("campaign.promotions")
    successions = InForce[season.Succession]("campaign.successions")
    limits = InForce[Limit]("limits")
    adjustments = InForce[schema.Adjustment]("adjustments")
    offers = InForce[ItemOffer]("offers")
    roundings = InForce[schema.Rounding]("roundings")
    budgets = InForce[schema.Budget]("budgets")

    # Rows in force by key.
    result = ByKey[season.ResultType]("results")
    mark = ByKey[season.Mark]("marks")

    @cached_property
    def identity(self) -> tuple[str, frozenset[tuple[str, str | int]]]:
        """A key for caches: equal for equal books under equal settings."""
        return self.book.digest, frozenset(self.settings.items())

    def has(self, row: Ruled) -> bool:
        """Whether a row is on offer (a limit always is) and its condition is met."""
        offered = getattr(row, "status", "offered") == "offered"
        return offered and applies(row.when, self.settings)

    @cached_property
    def usual_mark(self) -> str | None:
        """The mark of members who went down, if nobody says how."""
        return next((row.key for row in self.marks if not row.stands), None)

    @cached_property
    def innate(self) -> tuple[schema.Item, ...]:
        """The items that everybody has without buying them."""
        return tuple(row for row in self.items if row.innate)

    def columns(self, group: schema.ItemGroup) -> list[schema.Column]:
        """The columns of a group's items in force."""
        return [column for column in group.columns if applies(column.when, self.settings)]

    def sells(self, trait: schema.Trait) -> bool:
        """Whether a trait can be bought at all."""
        return trait.sold and applies(trait.sold_when, self.settings)

    @cached_property
    def _places_of_offers(self) -> dict[tuple[str, str], list[int]]:
        """The places of offers in their table, by the item, kind or property that they name."""
        found = defaultdict[tuple[str, str], list[int]](list)
        for place, row in enumerate(self.offers):
            names = (("item", row.items), ("group", row.groups), ("tag", row.item_tags))
            for kind, keys in names:
                for key in keys:
                    found[kind, key].append(place)
        return found

    @cached_property
    def _limits_by_kind(self) -> dict[type[LimitRow], tuple[LimitRow, ...]]:
        return {}

    def limits_of[L: LimitRow](self, kind: type[L]) -> tuple[L, ...]:
        """The limits of a kind, in order. Pages ask for them once for each offer."""
        known = cast("dict[type[L], tuple[L, ...]]", self._limits_by_kind)
        if kind not in known:
            known[kind] = tuple(row for row in self.limits if isinstance(row, kind))
        return known[kind]

    @cached_property
    def _offers_by_rank(self) -> dict[str, tuple[ItemOffer, ...]]:
        return {}

    def offers_for(self, rank: str) -> tuple[ItemOffer, ...]:
        """The offers that may be for members of a rank, in order: those that name other ranks are
        left out."""
        found = self._offers_by_rank.get(rank)
        if found is None:
            found = tuple(row for row in self.offers if row.of.may_pick_rank(rank))
            self._offers_by_rank[rank] = found
        return found

    def offers_of(self, item: schema.Item) -> list[ItemOffer]:
        """The offers that name an item, in order. A picker asks for each of its items, and a large
        book has hundreds of offers."""
        known = self._places_of_offers
        names = [("item", item.key), ("group", item.group), *(("tag", tag) for tag in item.tags)]
        places = {place for name in names for place in known.get(name, ())}
        return [self.offers[place] for place in sorted(places)]

    @cached_property
    def recruited(self) -> tuple[schema.Rank, ...]:
        """The ranks that can be recruited."""
        return tuple(row for row in self.ranks if row.recruited)

    @property
    def budget(self) -> int | None:
        """The budget of a new gang; None if the game sets none."""
        for row in self.budgets:
            return row.amount if row.setting is None else int(self.settings[row.setting])
        return None

    @property
    def keeps_budget(self) -> bool:
        """Whether the rest of the founding budget goes into the treasury."""
        return any(row.kept for row in self.budgets[:1])

    @cached_property
    def spends_experience(self) -> bool:
        """Whether members buy traits with experience."""
        return any(row.experience for row in self.traits)

    @cached_property
    def teaches(self) -> bool:
        """Whether members learn from games."""
        return any(step.kind == "experience" for step in self.steps)

    @cached_property
    def pays(self) -> bool:
        """Whether gangs have income between games, and so expenses."""
        return any(step.kind == "income" for step in self.steps)


def digest_of(canonical: str) -> str:
    """Return the digest of the book with this canonical form."""
    return hashlib.sha256(canonical.encode()).hexdigest()
