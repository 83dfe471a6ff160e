"""A whole rulebook as one frozen value, with its rows ready to be found by key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from rules.book.evening import Activation, Alarm, Phase, Track
from rules.book.fates import Condition, DiceTable
from rules.book.labels import Table, Values
from rules.book.labels import gettext_noop as _
from rules.book.limits import Limit
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
from rules.book.season import Campaign
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
    campaign: Campaign
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

    def in_force[R: Row](self, rows: Iterable[R], settings: Settings) -> tuple[R, ...]:
        """Those of ``rows`` that are on offer and whose condition holds under ``settings``."""
        return tuple(row for row in rows if row.status == "offered" and applies(row.when, settings))

    def budget(self, settings: Settings) -> int | None:
        """What a new gang may spend under ``settings``; None where the game sets no budget."""
        row = self._budget(settings)
        if row is None or row.setting is None:
            return None if row is None else row.amount
        return int(settings[row.setting])

    def keeps_budget(self, settings: Settings) -> bool:
        """Whether what is left of the founding budget goes into the treasury."""
        row = self._budget(settings)
        return row is not None and row.kept

    def _budget(self, settings: Settings) -> Budget | None:
        return next((row for row in self.budgets if applies(row.when, settings)), None)

    def teaches(self, settings: Settings) -> bool:
        """Whether members learn from games under ``settings``."""
        return self._has_step("experience", settings)

    def pays(self, settings: Settings) -> bool:
        """Whether money comes in between games under ``settings``, and so goes out too."""
        return self._has_step("income", settings)

    def _has_step(self, kind: str, settings: Settings) -> bool:
        return any(step.kind == kind for step in self.in_force(self.campaign.steps, settings))

    def cites_house(self, row: Row) -> bool:
        """Whether any part of ``row`` is a house value."""
        return row.is_house or bool(row.house) or f"+ {HOUSE}" in row.source
