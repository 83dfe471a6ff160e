"""What an address asks, read part by part: each says what the next may be."""

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
from rules.book.fates import Condition
from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance, Roll, Step, Use
from rules.book.schema import Trait
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
    serving,
    states,
    target_uses,
    uses,
    ways,
)
from rules.odds.fighters import HAND
from rules.odds.forms import (
    PartForm,
    choice,
    circumstance_field,
    count_field,
    hand_fields,
    number,
    option_fields,
    score_fields,
    state_fields,
    tick,
)
from rules.odds.player_items import with_items
from rules.odds.starting import starts

MOST_LIFE = 99
# No weapon at all, as the address has it.
NOTHING = "-"
# States of what is no figure, by the name that expressions ask for them under.
APART = ("item", "at_item", "gang", "enemy")


@dataclass
class Party:
    """One side's part of the form: ``who`` they are, what is said of them, and their weapon.

    ``compared``: the question with each weapon that is compared, which are somebody's own if they
    have several.
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
        """All its parts."""
        parts = (self.who, self.hand, self.scores, self.weapon)
        return [part for part in parts if part is not None]

    @property
    def open(self) -> bool:
        """Whether anything is said of them besides who they are."""
        parts = (self.hand, self.scores)
        return any(part is not None and (part.given or part.errors) for part in parts)

    @property
    def numbers(self) -> list[BoundField]:
        """The fields of numbers, which stand side by side."""
        return [one for one in self.scores if one.name != "state"]


@dataclass
class Asked:
    """The whole form, and what it asks; ``question`` is None where there is nothing to work out."""

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
        """Whether every part makes sense."""
        return all(part.is_valid() for part in self.parts)

    @property
    def query(self) -> str:
        """The shortest query that asks the same."""
        return urlencode([pair for part in self.parts for pair in part.given])


class Reader:
    """Reads an address for one version of a rulebook."""

    def __init__(self, request: HttpRequest, book: Book, digest: str) -> None:
        self.request, self.book, self.digest = request, book, digest
        self.data: QueryDict = request.GET
        self.people = fighters.choices(request, book, digest)

    def read(self) -> Asked:
        """Everything that the address asks."""
        found = {side: self._fighter(side) for side in ("by", "at")}
        own = {item.key: item for one in found.values() if one for item in one.items}
        if own:
            self.book = with_items(self.book, own.values())
        for fighter in found.values():
            self._also(fighter)
        chosen = next((one.settings for one in found.values() if one), {})
        start = {**self.book.default_settings(), **_known(self.book, chosen)}
        every = PartForm(self.data, option_fields(self.book.settings, start), "option")
        rules = self.book.under({row.key: every.value(row.key) for row in self.book.settings})
        rolls = rules.rolls or self.book.rolls
        listed = [(row.key, row.name.translated(rules_language())) for row in rolls]
        kit = found["by"].figure.items if found["by"] else ()
        first = _first(self.book, rolls, kit)
        roll_form = PartForm(self.data, {"key": choice(_("Roll"), listed, first)}, "roll")
        roll = self.book.roll[roll_form.value("key") or first]
        # Which roll and weapon come first depends on what somebody carries, who may get other
        # things: an address that is handed on names both.
        roll_form.given = [("roll-key", roll.key)]
        matter = _settings_of(self.book, roll)
        rows = [row for row in self.book.settings if row.key in matter]
        options = PartForm(self.data, option_fields(rows, start), "option")
        asked = Asked(roll_form, options)
        self._sides(asked, roll, rules, found)
        return asked

    def _fighter(self, side: str) -> Fighter | None:
        key = self.data.get(f"{side}-who", HAND)
        return None if key == HAND else fighters.find(self.request, self.book, self.digest, key)

    def _also(self, fighter: Fighter | None) -> None:
        """Whoever is no one's own to choose can be chosen where they are asked for, and so can
        everybody in their gang."""
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
        if f"{side}.life" in made.reads and self.book.life:
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
        life_left = scores.value("life") if scores.has("life") else None
        figure = replace(figure, told=told)
        return Party(side, label, who, hand, scores), Side(figure, life=life_left)

    def _by_hand(self, side: str, roll: Roll, made: Ready, rules: Rules) -> tuple[PartForm, Figure]:
        start = starts(rules, roll)[side]
        asks = asks_of(roll, made)
        traits = _traits(rules, asks, side)
        conditions = _conditions(rules, asks, side)
        fields = hand_fields(rules, traits, conditions, start)
        hand = PartForm(self.data, fields, side)
        rank = hand.value("rank") or start.rank
        return hand, Figure(
            rank=rank,
            worth_rank=rank,
            origin=(hand.value("origin") if hand.has("origin") else None) or None,
            profession=(hand.value("profession") if hand.has("profession") else None) or None,
            traits=tuple((hand.value("trait") if hand.has("trait") else None) or ()),
            conditions=tuple((hand.value("condition") if hand.has("condition") else None) or ()),
        )

    def _in_states(self, question: Question, party: Party) -> Question:
        if not party.scores.has("state"):
            return question
        # Read again with the field that has come.
        party.scores = PartForm(self.data, dict(party.scores.fields), party.prefix)
        chosen = tuple(party.scores.value("state") or ())
        if party.prefix == "by":
            assert question.by is not None
            return replace(question, by=replace(question.by, states=chosen))
        assert question.at is not None
        return replace(question, at=replace(question.at, states=chosen))

    def _situation(self, made: Ready, rows: Iterable[Circumstance]) -> PartForm:
        fields: dict[str, forms.Field] = {row.key: circumstance_field(row) for row in rows}
        for name in TABLE_NAMES:
            if name in made.reads:
                fields[_spelled(name)] = count_field(name)
        whose = {"item": _("Weapon"), "at_item": _("Target’s weapon")}
        whose |= {"gang": _("Your side"), "enemy": _("The enemy")}
        for name in sorted(made.reads):
            subject, _dot, asked = name.partition(".in_state:")
            if subject in APART and asked in self.book.state:
                state = self.book.state[asked].name.translated(rules_language())
                label = _("%(name)s: %(value)s") % {"name": whose[subject], "value": state}
                fields[_spelled(name)] = tick(label)
        return PartForm(self.data, fields, "is")

    def _arm(self, asked: Asked, question: Question) -> Question:
        """The question with the weapons that were chosen, the target's first."""
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
        # What they carry; or what is made for it, before what can also be used so.
        ordered = [*mine, *(use for use in listed if use.mode is None), *listed]
        start = ordered[0].key if ordered else ""
        key = self._weapon(party, _("Weapon"), weapon_choices(mine, listed), start)
        # Who was made by hand carries nothing of their own.
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
        # Somebody without anything fights with what everybody has, or as the roll needs it.
        serves = len(listed) < len([*ways(self.book, [*own, *every])])
        start = next((use.key for use in mine or (listed if serves else [])), NOTHING)
        key = self._weapon(party, _("Target’s weapon"), choices, start)
        use = next((use for use in listed if use.key == key), None)
        return question if use is None else arm(question, use, "at")

    def _weapon(self, party: Party, label: str, choices: object, start: str) -> str:
        """The key of the weapon that was chosen."""
        party.weapon = PartForm(self.data, {"item": choice(label, choices, start)}, party.prefix)
        party.weapon.fields["item"].error_messages["invalid_choice"] = _(
            "That weapon does not fit this roll."
        )
        key = str(party.weapon.value("item") or start)
        party.weapon.given = [(f"{party.prefix}-item", key)] if key else []
        return key


def _first(book: Book, rolls: Sequence[Roll], kit: Iterable[str]) -> str:
    """The roll that is asked for unless another is: the attack that most of the attacker's weapons
    are for, or most of the book's."""
    attack = ("member", "member", "item")
    attacks = [roll for roll in rolls if (roll.by, roll.at, roll.using) == attack]
    every = [item.key for item in book.items]
    ordered = sorted(
        attacks, key=lambda roll: (-serving(book, roll, kit), -serving(book, roll, every))
    )
    return (ordered or rolls)[0].key


def _known(book: Book, settings: Settings) -> Settings:
    """Those settings of a gang that are this rulebook's, each with a value that it may have."""
    return {
        row.key: settings[row.key]
        for row in book.settings
        if row.key in settings and row.accepts(settings[row.key])
    }


def weapon_choices(
    mine: Iterable[WeaponUse], every: Iterable[WeaponUse]
) -> list[tuple[str, object]]:
    """The choices of weapons: what they carry first, then what the book has."""
    own = [(use.key, use.name.translated(rules_language())) for use in mine]
    known = {key for key, _name in own}
    others = [
        (use.key, use.name.translated(rules_language())) for use in every if use.key not in known
    ]
    if not own or not others:
        return [*own, *others]
    return [(_("Carried"), own), (_("Others"), others)]


def reads_item(reads: frozenset[str], subject: str) -> bool:
    """Whether something is read of the weapon of one side ("item", "at_item")."""
    return any(name.startswith(f"{subject}.") and "in_state" not in name for name in reads)


def _spelled(name: str) -> str:
    """A name as the address has it."""
    return name.replace(".", "-").replace(":", "-")


def circumstances(rules: Rules, roll: Roll, made: Ready) -> tuple[Circumstance, ...]:
    """What is asked about a roll, and about what may be spent on it."""
    spends = [row for row in rules.book.spends if not row.rolls or roll.key in row.rolls]
    reads = {name for row in spends if row.given for name in parse(row.given).names} | made.reads
    return tuple(row for row in rules.circumstances if row.key in reads)


def read_situation(form: PartForm, made: Ready, rows: Iterable[Circumstance]) -> dict[str, Value]:
    """What a form says of the situation, by the names that expressions read."""
    said: dict[str, Value] = {}
    for row in rows:
        value = form.value(row.key)
        if value in (None, ""):
            continue
        said[row.key] = str(value) if row.kind == "choice" else int(value)
    for name in made.reads:
        spelled = _spelled(name)
        if "." in name and form.has(spelled) and form.value(spelled) is not None:
            said[name] = int(form.value(spelled))
    return said


def asks_of(roll: Roll, made: Ready) -> frozenset[str]:
    """Everything that a roll reads, whether it can be thrown at all included."""
    return made.reads | (parse(roll.usable).names if roll.usable else frozenset())


def _traits(rules: Rules, reads: frozenset[str], side: str) -> Iterator[Trait]:
    """The traits that matter for one side of a roll: it asks for them, or they change a profile."""
    for row in rules.traits:
        if f"{side}.has_trait:{row.key}" in reads or row.effects or row.level_allowance:
            yield row


def _conditions(rules: Rules, reads: frozenset[str], side: str) -> Iterator[Condition]:
    """The lasting conditions that matter for one side of a roll, as traits do."""
    for row in rules.conditions:
        if f"{side}.has_condition:{row.key}" in reads or row.effects:
            yield row


def _settings_of(book: Book, roll: Roll) -> set[str]:
    """The options that a roll depends on: those that its rows are under."""
    procedures = [book.procedure[key] for key in _used(book, roll.steps) if key in book.procedure]
    modifiers = [row for row in book.modifiers if not row.rolls or roll.key in row.rolls]
    spends = [row for row in book.spends if not row.rolls or roll.key in row.rolls]
    rows = [roll, *procedures, *modifiers, *spends, *book.circumstances, *book.characteristics]
    return {key for row in rows for part in _parts(row) for key in getattr(part, "when", {})}


def _used(book: Book, steps: Iterable[Step], depth: int = 12) -> set[str]:
    found: set[str] = set()
    for step in steps:
        if isinstance(step, Use) and depth:
            found.add(step.use)
            if step.use in book.procedure:
                found |= _used(book, book.procedure[step.use].steps, depth - 1)
        found |= _used(book, getattr(step, "steps", ()), depth)
    return found


def _parts(part: object) -> Iterator[object]:
    """A row and everything inside it."""
    if isinstance(part, BaseModel):
        yield part
        for name in type(part).model_fields:
            yield from _parts(getattr(part, name))
    elif isinstance(part, tuple):
        for inner in part:
            yield from _parts(inner)
