"""A whole rulebook as one frozen value, with its rows ready to be found by key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import Field

from rules.book import season
from rules.book.evening import Activation, Alarm, Phase, Track
from rules.book.fates import Condition, DiceTable
from rules.book.labels import Table, Values
from rules.book.labels import gettext_noop as _
from rules.book.limits import Limit, LimitRow
from rules.book.look import HOUSE_LOOK, Look
from rules.book.reference import Deployment, Pace, Reference, Scenario, Term
from rules.book.rolls import (
    Action,
    Circumstance,
    Grid,
    HandOfDice,
    Modifier,
    Procedure,
    Roll,
    Spend,
    State,
)
from rules.book.schema import (
    Adjustment,
    Budget,
    Characteristic,
    Column,
    Item,
    ItemGroup,
    Origin,
    Profession,
    Rank,
    Rounding,
    Setting,
    Tag,
    Tick,
    Trait,
)
from rules.book.vocabulary import (
    HOUSE,
    LANGUAGES,
    ByKey,
    CharacteristicKey,
    Frozen,
    ItemKey,
    Key,
    Language,
    Line,
    OriginKey,
    ProfessionKey,
    RankKey,
    Row,
    Settings,
    Text,
    TraitKey,
    applies,
)

# Rules kept per book, each for other settings.
MOST_RULES = 64


class Source(Frozen):
    """A document that rows come from."""

    title: Line
    text: Text


class Rating(Frozen):
    """What a gang is worth now, and the parts of a member that count towards it.

    ``counts``: what they cost, or the ``worth`` of their rank, traits and items.
    ``counts_experience``: their experience too, one for every ``experience_step`` of it.
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
    """The unit in which things are paid."""

    editing = Table(_("Money"))
    name: Annotated[Text, _("Name")]
    unit: Annotated[Text, _("Unit")]


class Outfit(Frozen):
    """Somebody complete: of a rank, with everything that a player would choose for them."""

    rank: RankKey
    origin: OriginKey | None = None
    profession: ProfessionKey | None = None
    squad: str = ""
    points: dict[CharacteristicKey, int] = {}
    traits: tuple[TraitKey, ...] = ()
    items: tuple[ItemKey, ...] = ()


class SampleMember(Outfit):
    """One member of a ready-made gang."""

    name: Line


class Archetype(Row, Outfit):
    """A complete recruit, to be had by one press; no origin: the gang's. Those that a gang may not
    have, by its limits or what it already has, are not shown."""


class Sample(Frozen):
    """A ready-made gang: a start for a newcomer, and the demo's cast."""

    key: Key
    name: Line
    text: Text
    settings: Settings = {}
    members: tuple[SampleMember, ...]


class Variation(Frozen):
    """Tells a variant from the rulebook that it changes: whose it is, and which state of it."""

    key: Line
    name: Line
    number: int


class Book(Frozen):
    """One game: everything that makes it differ from another game.

    ``rating`` and ``money``: none in a game that weighs nothing, or pays nothing. ``life``: the
    characteristic that is ticked off while playing. ``origin_setting``: the setting that says
    where a gang is from; its choices may be keys of ``origins``, and its members are of that
    origin unless they say otherwise. ``profession_name``, ``squad_name``, ``traits_name`` and
    ``experience_name``: what the game calls a profession, a squad, its traits, experience.
    ``look``: how its pages and prints look; the house's unless it says. ``pace``: the turns of its
    games, if they are counted; ``activation``: how members act in them. ``languages``: those it is
    written in; where it is one, its texts may be plain. ``variant``: set for players' variants.
    """

    slug: Key
    name: Text
    summary: Text
    edition: Line
    author: Line
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = LANGUAGES
    rating: Rating | None = None
    money: Money | None = None
    life: CharacteristicKey | None = None
    origin_setting: Key | None = None
    profession_name: Text | None = None
    squad_name: Text | None = None
    experience_name: Text = Text(en="Experience", fr="Expérience")
    traits_name: Text | None = None
    look: Look = HOUSE_LOOK
    pace: Pace | None = None
    activation: Activation | None = None
    variant: Variation | None = None
    # In the order in which players look for them.
    sources: dict[Key, Source]
    items: tuple[Item, ...] = ()
    ranks: tuple[Rank, ...]
    traits: tuple[Trait, ...] = ()
    characteristics: tuple[Characteristic, ...]
    limits: tuple[Limit, ...] = ()
    settings: tuple[Setting, ...] = ()
    budgets: tuple[Budget, ...] = ()
    professions: tuple[Profession, ...] = ()
    origins: tuple[Origin, ...] = ()
    groups: tuple[ItemGroup, ...] = ()
    tags: tuple[Tag, ...] = ()
    ticks: tuple[Tick, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    roundings: tuple[Rounding, ...] = ()
    conditions: tuple[Condition, ...] = ()
    tables: tuple[DiceTable, ...] = ()
    circumstances: tuple[Circumstance, ...] = ()
    rolls: tuple[Roll, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    procedures: tuple[Procedure, ...] = ()
    grids: tuple[Grid, ...] = ()
    hands: tuple[HandOfDice, ...] = ()
    states: tuple[State, ...] = ()
    actions: tuple[Action, ...] = ()
    spends: tuple[Spend, ...] = ()
    phases: tuple[Phase, ...] = ()
    tracks: tuple[Track, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    campaign: season.Campaign
    scenarios: tuple[Scenario, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    references: tuple[Reference, ...] = ()
    glossary: tuple[Term, ...] = ()
    archetypes: tuple[Archetype, ...] = ()
    samples: tuple[Sample, ...] = ()

    @property
    def only_language(self) -> Language | None:
        """The language of its texts, where it is written in one only."""
        return self.languages[0] if len(self.languages) == 1 else None

    @cached_property
    def title(self) -> Text:
        """The game's name, and which variant of it this is."""
        if self.variant is None:
            return self.name
        ours = f"{self.variant.name} {self.variant.number}"
        return Text(en=f"{self.name.en} · {ours}", fr=f"{self.name.fr} · {ours}")

    @cached_property
    def own_abbreviations(self) -> frozenset[Language]:
        """The languages in which its characteristics can be had with abbreviations of their own."""
        return frozenset({"fr"} if any(row.short.fr_own for row in self.characteristics) else ())

    # Rows by key.
    rank = ByKey[Rank]("ranks")
    origin = ByKey[Origin]("origins")
    trait = ByKey[Trait]("traits")
    profession = ByKey[Profession]("professions")
    group = ByKey[ItemGroup]("groups")
    item = ByKey[Item]("items")
    tag = ByKey[Tag]("tags")
    characteristic = ByKey[Characteristic]("characteristics")
    condition = ByKey[Condition]("conditions")
    table = ByKey[DiceTable]("tables")
    scenario = ByKey[Scenario]("scenarios")
    setting = ByKey[Setting]("settings")
    deployment = ByKey[Deployment]("deployments")
    circumstance = ByKey[Circumstance]("circumstances")
    roll = ByKey[Roll]("rolls")
    modifier = ByKey[Modifier]("modifiers")
    procedure = ByKey[Procedure]("procedures")
    grid = ByKey[Grid]("grids")
    hand = ByKey[HandOfDice]("hands")
    state = ByKey[State]("states")
    action = ByKey[Action]("actions")
    spend = ByKey[Spend]("spends")
    phase = ByKey[Phase]("phases")
    track = ByKey[Track]("tracks")
    alarm = ByKey[Alarm]("alarms")
    archetype = ByKey[Archetype]("archetypes")

    @cached_property
    def acting_phase(self) -> Phase | None:
        """The first phase of a turn in which figures act; None where turns have no such part."""
        return next((row for row in self.phases if row.acts), None)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical form: equal books have equal digests, whatever their files."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def canonical(self) -> str:
        """The book as JSON in one fixed form: sorted keys, nothing that is a default."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    def changed(self, **fields: object) -> Book:
        """This book with other values for some fields."""
        return self.model_copy(update=fields)

    def default_settings(self) -> Settings:
        """Every setting at its default."""
        return {setting.key: setting.default for setting in self.settings}

    def campaign_settings(self, settings: Settings) -> Settings:
        """Those of ``settings`` that a campaign decides for all its gangs."""
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


type Ruled = Row | LimitRow | Rounding | Budget


class InForce[R: Ruled](cached_property[tuple[R, ...]]):
    """The rows of one of the book's tables that are on offer and whose condition holds."""

    def __init__(self, table: str) -> None:
        find = attrgetter(table)
        super().__init__(lambda rules: tuple(row for row in find(rules.book) if rules.has(row)))


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a book that are in force under some settings: ``Book.under`` makes them, once.

    Each table is the one of the book (or of its campaign) without the rows that are hidden or
    banned, or whose condition the settings do not meet. ``book`` knows all rows, as members may
    keep what is no longer on offer.
    """

    book: Book
    settings: Settings

    characteristics = InForce[Characteristic]("characteristics")
    ranks = InForce[Rank]("ranks")
    origins = InForce[Origin]("origins")
    professions = InForce[Profession]("professions")
    traits = InForce[Trait]("traits")
    groups = InForce[ItemGroup]("groups")
    items = InForce[Item]("items")
    archetypes = InForce[Archetype]("archetypes")
    ticks = InForce[Tick]("ticks")
    conditions = InForce[Condition]("conditions")
    tables = InForce[DiceTable]("tables")
    circumstances = InForce[Circumstance]("circumstances")
    rolls = InForce[Roll]("rolls")
    modifiers = InForce[Modifier]("modifiers")
    states = InForce[State]("states")
    actions = InForce[Action]("actions")
    spends = InForce[Spend]("spends")
    phases = InForce[Phase]("phases")
    tracks = InForce[Track]("tracks")
    alarms = InForce[Alarm]("alarms")
    scenarios = InForce[Scenario]("scenarios")
    deployments = InForce[Deployment]("deployments")
    references = InForce[Reference]("references")
    steps = InForce[season.AnyStep]("campaign.steps")
    results = InForce[season.ResultType]("campaign.results")
    marks = InForce[season.Mark]("campaign.marks")
    tallies = InForce[season.Tally]("campaign.tallies")
    awards = InForce[season.Award]("campaign.awards")
    underdog = InForce[season.UnderdogMoney]("campaign.underdog")
    promotions = InForce[season.Promotion]("campaign.promotions")
    successions = InForce[season.Succession]("campaign.successions")
    limits = InForce[Limit]("limits")
    adjustments = InForce[Adjustment]("adjustments")
    roundings = InForce[Rounding]("roundings")
    budgets = InForce[Budget]("budgets")

    # Rows in force by key.
    result = ByKey[season.ResultType]("results")
    mark = ByKey[season.Mark]("marks")

    @cached_property
    def identity(self) -> tuple[str, frozenset[tuple[str, str | int]]]:
        """Equal for equal books under equal settings, to remember by what was worked out."""
        return self.book.digest, frozenset(self.settings.items())

    def has(self, row: Ruled) -> bool:
        """Whether a row is on offer (a limit always is) and its condition holds."""
        offered = getattr(row, "status", "offered") == "offered"
        return offered and applies(row.when, self.settings)

    @cached_property
    def innate(self) -> tuple[Item, ...]:
        """The items that everybody has without buying them."""
        return tuple(row for row in self.items if row.innate)

    def columns(self, group: ItemGroup) -> list[Column]:
        """The columns of a group's items in force."""
        return [column for column in group.columns if applies(column.when, self.settings)]

    def sells(self, trait: Trait) -> bool:
        """Whether a trait can be bought at all."""
        return trait.sold and applies(trait.sold_when, self.settings)

    @cached_property
    def recruited(self) -> tuple[Rank, ...]:
        """The ranks that can be recruited."""
        return tuple(row for row in self.ranks if row.recruited)

    @property
    def budget(self) -> int | None:
        """What a new gang may spend; None where the game sets no budget."""
        for row in self.budgets:
            return row.amount if row.setting is None else int(self.settings[row.setting])
        return None

    @property
    def keeps_budget(self) -> bool:
        """Whether what is left of the founding budget goes into the treasury."""
        return any(row.kept for row in self.budgets[:1])

    @cached_property
    def teaches(self) -> bool:
        """Whether members learn from games."""
        return any(step.kind == "experience" for step in self.steps)

    @cached_property
    def pays(self) -> bool:
        """Whether money comes in between games, and so goes out too."""
        return any(step.kind == "income" for step in self.steps)
