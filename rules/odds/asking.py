"""Reads the question in the address of the odds page; each part decides about the next parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django import forms
from django.forms.boundfield import BoundField
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from pydantic import BaseModel

from accounts.language import rules_language
from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance, Roll, Use
from rules.book.vocabulary import Settings
from rules.engine.compiling import Ready, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from rules.engine.situations import TABLE_NAMES, Side, bearer_names
from rules.hooks import Fighter
from rules.odds import fighters
from rules.odds.chances import (
    Question,
    WeaponUse,
    arm,
    find_carried,
    reads_item,
    serving,
    states,
    target_uses,
    uses,
    ways,
)
from rules.odds.fighters import HAND, starts
from rules.odds.forms import (
    PartForm,
    choice,
    circumstance_field,
    count_field,
    hand_fields,
    list_choices,
    number,
    option_fields,
    score_fields,
    state_fields,
    tick,
)
from rules.odds.player_items import with_fittings, with_items
from rules.odds.suggesting import suggest

MOST_LIFE = 99
# No weapon at all, in the address.
NOTHING = "-"
# Subjects that have states although they are not figures.
APART = ("item", "at_item", "gang", "enemy")


@dataclass
class Party:
    """One side of the form: the figure (``who``), changes to it, and its weapon.

    ``compared``: the question with each weapon to compare: the figure's own if it has several, else
    all that fit.
    """

    prefix: str
    label: str
    who: PartForm
    hand: PartForm | None
    scores: PartForm
    weapon: PartForm | None = None
    compared: dict[str, Question] = field(default_factory=dict)

    @property
    def forms(self) -> list[PartForm]:
        """All parts of this side's form."""
        parts = (self.who, self.hand, self.scores, self.weapon)
        return [part for part in parts if part is not None]

    @property
    def open(self) -> bool:
        """Whether the form changes anything about the figure."""
        parts = (self.hand, self.scores)
        return any(part is not None and (part.given or part.errors) for part in parts)

    @property
    def numbers(self) -> list[BoundField]:
        """The fields of numbers, shown side by side."""
        return [one for one in self.scores if one.name != "state"]


@dataclass
class Asked:
    """The whole form, and its question; None if a part of the form is invalid."""

    roll: PartForm
    options: PartForm
    parties: list[Party] = field(default_factory=list)
    said: PartForm | None = None
    question: Question | None = None

    @property
    def parts(self) -> list[PartForm]:
        """All parts of the form."""
        found = [self.roll, *(part for party in self.parties for part in party.forms)]
        return [*found, *([self.said] if self.said else []), self.options]

    @property
    def valid(self) -> bool:
        """Whether every part is valid."""
        return all(part.is_valid() for part in self.parts)

    @property
    def query(self) -> str:
        """The shortest query that asks the same."""
        return urlencode([pair for part in self.parts for pair in part.given])


class Reader:
    """Reads the address for one version of a rulebook."""

    def __init__(self, request: HttpRequest, book: Book, digest: str) -> None:
        self.request, self.book, self.digest = request, with_fittings(book), digest
        self.data: QueryDict = request.GET
        self.people = fighters.choices(request, book, digest)

    def read(self) -> Asked:
        """Read the whole address."""
        self._suggest()
        found = {side: self._fighter(side) for side in ("by", "at")}
        own = {
            item.key: item
            for one in found.values()
            if one
            for item in one.items
            if item.key not in self.book.item
        }
        if own:
            self.book = with_items(self.book, own.values())
        for fighter in found.values():
            self._also(fighter)
        chosen = next((one.settings for one in found.values() if one), {})
        start = {**self.book.default_settings(), **_known(self.book, chosen)}
        every = PartForm(self.data, option_fields(self.book.settings, start), "option")
        rules = self.book.under({row.key: every.value(row.key) for row in self.book.settings})
        rolls = rules.rolls or self.book.rolls
        listed = list_choices(rolls)
        kit = found["by"].figure.items if found["by"] else ()
        first = _first(self.book, rolls, kit)
        roll_form = PartForm(self.data, {"key": choice(_("Roll"), listed, first)}, "roll")
        roll = self.book.roll[roll_form.value("key") or first]
        # The first roll and weapon depend on the items of a figure, which may change: an address to
        # share names both.
        roll_form.given = [("roll-key", roll.key)]
        matter = _settings_of(self.book, roll)
        rows = [row for row in self.book.settings if row.key in matter]
        options = PartForm(self.data, option_fields(rows, start), "option")
        asked = Asked(roll_form, options)
        self._sides(asked, roll, rules, found)
        return asked

    def _suggest(self) -> None:
        """If the address names no figure, name figures for which its roll is possible."""
        if any(key.startswith(("by-", "at-")) for key in self.data):
            return
        rules = self.book.usual
        rolls = rules.rolls or self.book.rolls
        key = self.data.get("roll-key", "")
        roll = self.book.roll.get(key) or self.book.roll[_first(self.book, rolls, ())]
        if suggested := suggest(rules, roll):
            self.data = self.data.copy()
            for name, values in suggested.items():
                self.data.setlist(name, values)

    def _fighter(self, side: str) -> Fighter | None:
        key = self.data.get(f"{side}-who", HAND)
        return None if key == HAND else fighters.find(self.request, self.book, self.digest, key)

    def _also(self, fighter: Fighter | None) -> None:
        """Add a figure of another player that the address names, and its gang, to the choices."""
        people = (members for _name, members in self.people if isinstance(members, list))
        if fighter is not None and fighter.key not in {key for one in people for key, _ in one}:
            self.people.append((fighter.gang, [*fighter.mates]))

    def _sides(
        self, asked: Asked, roll: Roll, rules: Rules, found: dict[str, Fighter | None]
    ) -> None:
        made = ready(rules, roll.key)
        sides: dict[str, Side] = {}
        for side, used in (("by", roll.by), ("at", roll.at)):
            if used == "member":
                party, sides[side] = self._party(side, roll, made, rules, found[side])
                asked.parties.append(party)
        question = Question(rules, roll, sides.get("by"), sides.get("at"))
        for party in asked.parties:
            states_there = states(question, party.prefix)
            party.scores.fields.update(state_fields(_("State"), states_there))
            question = self._in_states(question, party)
        rows = circumstances(rules, roll, made)
        asked.said = self._situation(made, rows)
        question = replace(question, said=read_situation(asked.said, made, rows))
        question = self._arm(asked, question)
        asked.question = question if asked.valid else None

    def _party(
        self, side: str, roll: Roll, made: Ready, rules: Rules, fighter: Fighter | None
    ) -> tuple[Party, Side]:
        label = _("Target") if side == "at" else _("Attacker")
        if side == "by" and roll.at != "member":
            label = _("Who rolls")
        who = PartForm(self.data, {"who": choice(_("Figure"), self.people, HAND)}, side)
        who.fields["who"].error_messages["invalid_choice"] = _(
            "This figure does not exist here, or you may not see it."
        )
        hand, figure = None, fighter.figure if fighter else None
        if figure is None:
            hand, figure = self._by_hand(side, roll, made, rules)
        known = profile(rules, figure)
        fields = score_fields(known)
        if f"{side}.life" in asks_of(roll, made) and self.book.life:
            life = self.book.characteristic[self.book.life]
            label_left = _("%(track)s left") % {"track": life.short.translated(rules_language())}
            fields["life"] = number(label_left, 0, MOST_LIFE)
            names = bearer_names(self.book, figure, known)
            fields["life"].widget.attrs["placeholder"] = str(names["by.life"])
        scores = PartForm(self.data, fields, side)
        told = {
            name.removeprefix("is-"): value
            for name in scores.fields
            if name.startswith("is-") and (value := scores.value(name)) not in (None, "")
        }
        figure = replace(figure, told=told)
        return Party(side, label, who, hand, scores), Side(figure, life=scores.value("life"))

    def _by_hand(self, side: str, roll: Roll, made: Ready, rules: Rules) -> tuple[PartForm, Figure]:
        start = starts(rules, roll)[side]
        asks = asks_of(roll, made)
        # The traits and conditions that matter: the roll reads them, or they change a profile.
        traits = [
            row
            for row in rules.traits
            if f"{side}.has_trait:{row.key}" in asks
            or row.effects
            or row.level_allowance
            or row.item
            or row.value is not None
        ]
        conditions = [
            row
            for row in rules.conditions
            if f"{side}.has_condition:{row.key}" in asks or row.effects
        ]
        hand = PartForm(self.data, hand_fields(rules, traits, conditions, start), side)
        rank = hand.value("rank") or start.rank
        return hand, Figure(
            rank=rank,
            worth_rank=rank,
            origin=hand.value("origin") or None,
            profession=hand.value("profession") or None,
            traits=tuple(hand.value("trait") or ()),
            conditions=tuple(hand.value("condition") or ()),
        )

    def _in_states(self, question: Question, party: Party) -> Question:
        if not party.scores.has("state"):
            return question
        # Read the form again, now with the field of states.
        party.scores = PartForm(self.data, dict(party.scores.fields), party.prefix)
        return question.with_side(party.prefix, states=tuple(party.scores.value("state") or ()))

    def _situation(self, made: Ready, rows: Iterable[Circumstance]) -> PartForm:
        fields: dict[str, forms.Field] = {row.key: circumstance_field(row) for row in rows}
        for name in TABLE_NAMES:
            if name in made.reads:
                fields[_spell(name)] = count_field(name)
        whose = {"item": _("Weapon"), "at_item": _("Target’s weapon")}
        whose |= {"gang": _("Your side"), "enemy": _("The enemy")}
        for name in sorted(made.reads):
            subject, _dot, asked = name.partition(".in_state:")
            if subject in APART and asked in self.book.state:
                state = self.book.state[asked].name.translated(rules_language())
                label = _("%(name)s: %(value)s") % {"name": whose[subject], "value": state}
                fields[_spell(name)] = tick(label)
        return PartForm(self.data, fields, "is")

    def _arm(self, asked: Asked, question: Question) -> Question:
        """Return the question with the weapons that were chosen, the target's first."""
        every = [item.key for item in self.book.items]
        for party in reversed(asked.parties):
            if party.prefix == "by" and question.roll.using == "item":
                question = self._arm_attacker(party, question, every)
            elif party.prefix == "at" and reads_item(
                asks_of(question.roll, question.ready), "at_item"
            ):
                question = self._arm_target(party, question, every)
        return question

    def _arm_attacker(self, party: Party, question: Question, every: list[str]) -> Question:
        assert question.by is not None
        own = find_carried(question.rules, question.by.figure)
        weapons = uses(question, [*own, *every])
        listed = [one.use for one in weapons.values() if one.use]
        mine = [use for use in listed if use.item.key in own]
        # First their own items, then items made for the roll, then items with a mode for it.
        ordered = [*mine, *(use for use in listed if use.mode is None), *listed]
        start = ordered[0].key if ordered else ""
        key = self._weapon(party, _("Weapon"), weapon_choices(mine, listed), start)
        # A figure entered by hand has no items.
        own_kit = party.hand is None and len(mine) > 1
        party.compared = {use.key: weapons[use.key] for use in mine} if own_kit else weapons
        if key not in weapons:
            return question
        party.compared[key] = weapons[key]
        return weapons[key]

    def _arm_target(self, party: Party, question: Question, every: list[str]) -> Question:
        assert question.at is not None
        own = find_carried(question.rules, question.at.figure)
        listed = target_uses(question, [*own, *every], every)
        mine = [use for use in listed if use.item.key in own]
        choices = [(NOTHING, "–"), *weapon_choices(mine, listed)]
        # Without items they fight with those that everybody has, or with one that the roll needs.
        serves = len(listed) < len([*ways(self.book, [*own, *every])])
        start = next((use.key for use in mine or (listed if serves else [])), NOTHING)
        key = self._weapon(party, _("Target’s weapon"), choices, start)
        use = next((use for use in listed if use.key == key), None)
        return question if use is None else arm(question, use, "at")

    def _weapon(self, party: Party, label: str, choices: object, start: str) -> str:
        """Add the field of a weapon, and return the key that was chosen."""
        party.weapon = PartForm(self.data, {"item": choice(label, choices, start)}, party.prefix)
        party.weapon.fields["item"].error_messages["invalid_choice"] = _(
            "That weapon does not fit this roll."
        )
        key = str(party.weapon.value("item") or start)
        party.weapon.given = [(f"{party.prefix}-item", key)] if key else []
        return key


def _first(book: Book, rolls: Sequence[Roll], kit: Iterable[str]) -> str:
    """Return the key of the roll to start with: the attack that allows most of the attacker's
    weapons, or most of the book's."""
    attack = ("member", "member", "item")
    attacks = [roll for roll in rolls if (roll.by, roll.at, roll.using) == attack]
    every = [item.key for item in book.items if item.key == item.row_key]
    ordered = sorted(
        attacks, key=lambda roll: (-serving(book, roll, kit), -serving(book, roll, every))
    )
    return (ordered or rolls)[0].key


def _known(book: Book, settings: Settings) -> Settings:
    """The settings of a gang that this rulebook has, with values that it allows."""
    return {
        row.key: settings[row.key]
        for row in book.settings
        if row.key in settings and row.accepts(settings[row.key])
    }


def weapon_choices(
    mine: Iterable[WeaponUse], every: Iterable[WeaponUse]
) -> list[tuple[str, object]]:
    """The choices of weapons: the figure's own first, then the book's."""
    own = [(use.key, use.name.translated(rules_language())) for use in mine]
    known = {key for key, _name in own}
    others = [
        (use.key, use.name.translated(rules_language())) for use in every if use.key not in known
    ]
    if not own or not others:
        return [*own, *others]
    return [(_("Carried"), own), (_("Others"), others)]


def _spell(name: str) -> str:
    """Spell a name as a field in the address."""
    return name.replace(".", "-").replace(":", "-")


def circumstances(rules: Rules, roll: Roll, made: Ready) -> tuple[Circumstance, ...]:
    """The circumstances that a roll, a spend on it, or the condition that it is possible reads."""
    spends = [row for row in rules.book.spends if not row.rolls or roll.key in row.rolls]
    reads = {name for row in spends if row.given for name in parse(row.given).names} | made.reads
    # Values that follow from taps need no field.
    possible = asks_of(roll, made) - reads
    return tuple(
        row
        for row in rules.circumstances
        if row.key in reads or (row.key in possible and not (row.known or row.tapped))
    )


def read_situation(form: PartForm, made: Ready, rows: Iterable[Circumstance]) -> dict[str, Value]:
    """Read the situation from a form, by the names that expressions read."""
    said: dict[str, Value] = {}
    for row in rows:
        value = form.value(row.key)
        if value in (None, ""):
            continue
        said[row.key] = str(value) if row.kind == "choice" else int(value)
    for name in made.reads:
        if "." in name and (value := form.value(_spell(name))) is not None:
            said[name] = int(value)
    return said


def asks_of(roll: Roll, made: Ready) -> frozenset[str]:
    """All names that a roll reads, including the names that decide whether it is possible."""
    return made.reads | (parse(roll.usable).names if roll.usable else frozenset())


def _settings_of(book: Book, roll: Roll) -> set[str]:
    """The options that a roll depends on, from the ``when`` of its rows and their parts."""
    rows: list[object] = [roll, *book.circumstances, *book.characteristics]
    rows += [row for row in book.modifiers if not row.rolls or roll.key in row.rolls]
    rows += [row for row in book.spends if not row.rolls or roll.key in row.rolls]
    found: set[str] = set()
    used: set[str] = set()
    # The list of rows grows by the procedures that they use.
    for row in rows:
        for part in _parts(row):
            found |= getattr(part, "when", {}).keys()
            if isinstance(part, Use) and part.use not in used and part.use in book.procedure:
                used.add(part.use)
                rows.append(book.procedure[part.use])
    return found


def _parts(part: object) -> Iterator[object]:
    """Yield a row and everything inside it."""
    if isinstance(part, BaseModel):
        yield part
        for name in type(part).model_fields:
            yield from _parts(getattr(part, name))
    elif isinstance(part, tuple):
        for inner in part:
            yield from _parts(inner)
