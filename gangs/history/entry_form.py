"""The form for an entry in a gang's past. It has the entry's fields; its choices come from the
rulebook and the roster of that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal, get_args, get_origin

from annotated_types import MaxLen
from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import ValidationError

from common.forms import CrispyForm, NameField, NotesField
from gangs import hooks
from gangs.engine import entries as kinds
from gangs.engine.entries import KINDS, Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, book_now
from gangs.engine.own_items import extend_book
from gangs.engine.purses import Costs, costs_of
from gangs.engine.roster import Member, Roster
from gangs.ledger.storage import roster_when, stored_book
from gangs.models import Gang, StoredEntry
from gangs.text.dice import bad_faces_sentence, face_names, shown_faces
from gangs.text.formats import localize, money_unit, rank_name, shown_name
from gangs.text.refusals import MISFITS
from rules.book.fates import DiceTable, all_outcomes
from rules.book.model import Book
from rules.book.season import SearchStep
from rules.book.vocabulary import Row
from rules.engine.dice import BadFaces, DiceRoll, parse_roll

Choices = list[tuple[str, Any]]

# Kinds that can be added to the present gang, to put something right.
ADDED: dict[str, Promise] = {
    "earned": gettext_lazy("Money received"),
    "fined": gettext_lazy("Money paid"),
    "learned": gettext_lazy("Experience"),
    "rose": gettext_lazy("Characteristic raised"),
    "suffered": gettext_lazy("Condition gained"),
    "recovered": gettext_lazy("Condition ended"),
    "trait_taken": gettext_lazy("Trait gained"),
    "trait_dropped": gettext_lazy("Trait lost"),
    "bought": gettext_lazy("Item gained"),
    "discarded": gettext_lazy("Item lost"),
    "moved": gettext_lazy("Item moved"),
    "sold": gettext_lazy("Item sold"),
    "used": gettext_lazy("Item used"),
    "tracked": gettext_lazy("Tracker that lasts"),
    "promoted": gettext_lazy("Change of rank"),
    "profession": gettext_lazy("Choice of profession"),
    "owner": gettext_lazy("New owner of a member"),
    "recruited": gettext_lazy("New member"),
    "holding_gained": gettext_lazy("Holding gained"),
    "holding_lost": gettext_lazy("Holding lost"),
    "died": gettext_lazy("Death"),
    "left": gettext_lazy("Departure"),
    "named": gettext_lazy("New name for a member"),
    "renamed": gettext_lazy("New name for the gang"),
}
LABELS: dict[str, Promise] = {
    "member": gettext_lazy("Who"),
    "name": gettext_lazy("Name"),
    "text": gettext_lazy("Text"),
    "rank": gettext_lazy("Rank"),
    "paid": gettext_lazy("Paid"),
    "amount": gettext_lazy("How much"),
    "holding": gettext_lazy("Holding"),
    "place": gettext_lazy("Holding"),
    "captured_from": gettext_lazy("Captured from"),
    "captured_by": gettext_lazy("Captured by"),
    "unpaid": gettext_lazy("Its upkeep was not paid"),
    "upkeep": gettext_lazy("Upkeep"),
    "origin": gettext_lazy("Origin"),
    "position": gettext_lazy("Place in the list, from 0"),
    "characteristic": gettext_lazy("Characteristic"),
    "profession": gettext_lazy("Profession"),
    "squad": gettext_lazy("Squad"),
    "trait": gettext_lazy("Trait"),
    "advance": gettext_lazy("As an advance from experience"),
    "experience": gettext_lazy("Experience spent"),
    "item": gettext_lazy("Item"),
    "price": gettext_lazy("Price"),
    "level": gettext_lazy("Level"),
    "hands": gettext_lazy("Hands"),
    "table": gettext_lazy("Table"),
    "roll": gettext_lazy("What the dice showed"),
    "price_roll": gettext_lazy("What the dice for the price showed"),
    "stock_roll": gettext_lazy("What the dice for the number showed"),
    "plus": gettext_lazy("Added to the dice"),
    "gear": gettext_lazy("Their gear"),
    "departure": gettext_lazy("How"),
    "condition": gettext_lazy("Condition"),
    "games": gettext_lazy("For how many games (0: until something ends it)"),
    "against": gettext_lazy("From which gang"),
    "captors": gettext_lazy("Held by"),
    "award": gettext_lazy("For what"),
    "why": gettext_lazy("Why"),
    "key": gettext_lazy("More exactly"),
    "keeps_price": gettext_lazy("Keeps their old value"),
    "profile": gettext_lazy("Characteristics"),
    "restarts": gettext_lazy("Experience restarts at 0"),
    "uses": gettext_lazy("How many uses"),
    "track": gettext_lazy("Tracker"),
    "to": gettext_lazy("New number"),
    "offer": gettext_lazy("What they looked for"),
    "on": gettext_lazy("Fitted to"),
    "owner": gettext_lazy("Belongs to"),
    "teacher": gettext_lazy("Learned from"),
    "currency": gettext_lazy("Currency (none: money)"),
    "included": gettext_lazy("As part of the kit that they joined with"),
}
WORDS: dict[str, dict[str, Promise]] = {
    "gear": {
        "lost": gettext_lazy("is lost"),
        "stash": gettext_lazy("goes to the stash"),
        "kept": gettext_lazy("stays with them"),
    },
    "why": {
        "result": gettext_lazy("the result of a game"),
        "tally": gettext_lazy("what was done in a game"),
        "gift": gettext_lazy("a gift"),
        "underdog": gettext_lazy("underdog bonus"),
        "ransom": gettext_lazy("a ransom"),
        "roll": gettext_lazy("a dice table"),
        "yield": gettext_lazy("an income per holder"),
        "haul": gettext_lazy("an income by size"),
        "unfought": gettext_lazy("a game without a battle"),
    },
    "profile": {
        "new": gettext_lazy("those of the new rank"),
        "kept": gettext_lazy("as they were"),
        "best": gettext_lazy("the better of each"),
    },
}
# The rows of a rulebook that a field is chosen from.
ROWS = {
    "rank": "ranks",
    "trait": "traits",
    "condition": "conditions",
    "departure": "campaign.departures",
    "table": "tables",
    "profession": "professions",
    "origin": "origins",
    "award": "campaign.awards",
    "holding": "holdings",
    "upkeep": "campaign.upkeep",
    "offer": "offers",
    "currency": "currencies",
}
NOTHING = ("", "–")
# Payments in money or in one other currency.
PAYMENTS = (kinds.Fined, kinds.UpkeepPaid, kinds.Recovered)
# The field that names the row that an entry pays for, which may cost other currencies, too.
COSTLY: dict[type[Entry], str] = {
    kinds.Recruited: "rank",
    kinds.TraitTaken: "trait",
    kinds.Bought: "item",
    kinds.HoldingGained: "holding",
}
# Only changed together with the rest of the entry: they make no sense without it.
UNASKED = {"group", "columns", "tags", "adds", "by_roll", "members", "places", "costs", "numbers"}
# The fields with dice; asked only where an entry has them.
DICE = ("roll", "price_roll", "stock_roll")
FACES = gettext_lazy("Every face, as “3 5”.")


@dataclass(frozen=True)
class EntryMoment:
    """A gang before an entry. ``number``: the entry's; ``neighbours``: keys and names of the gangs
    that may hold somebody of this one.
    """

    first_book: Book
    roster: Roster
    number: int
    neighbours: tuple[tuple[str, str], ...] = ()

    @cached_property
    def book(self) -> Book:
        """The rulebook of that moment, with the gang's own items."""
        return extend_book(self.rules, self.roster)

    @property
    def rules(self) -> Book:
        """The rulebook of that moment."""
        return book_now(self.first_book, self.roster, stored_book)

    @classmethod
    def of(cls, gang: Gang, row: StoredEntry | None = None) -> EntryMoment:
        """The gang before ``row``; the present gang for a new entry."""
        number = row.number if row else gang.last_seq + 1
        roster = roster_when(gang, row) if row else gang.roster
        return cls(gang.first_book, roster, number, hooks.oversight.neighbours(gang))


def _adds_to_searches(book: Book) -> bool:
    """Whether a step adds something to the dice of a search."""
    steps = book.campaign.steps
    return any(isinstance(step, SearchStep) and step.plus for step in steps)


def _has_teachers(book: Book) -> bool:
    """Whether members learn from other members: by advances, or by a dice table."""
    campaign = book.campaign
    outcomes = [one for table in book.tables for row in table.rows for one in row.outcomes]
    rows = [campaign.advancement, *campaign.advancements, *all_outcomes(outcomes)]
    return any(getattr(row, "teachers", None) is not None for row in rows)


class EntryForm(CrispyForm):
    """An entry, with a field for each of its values."""

    def __init__(
        self,
        moment: EntryMoment,
        kind: str,
        entry: Entry | None,
        data: QueryDict | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        """``entry``: the one to correct, None for a new one; ``initial``: values typed earlier, if
        the form is shown again."""
        self.moment, self.kind, self.entry = moment, kind, entry
        self.model = KINDS[kind]
        self.new_entry: Entry | None = None
        known = {} if entry is None else {key: self._typed(entry, key) for key in self.asked()}
        super().__init__(data, initial={**known, **(initial or {})})
        for key in self.asked():
            self.fields[key] = self._field(key)

    def asked(self) -> list[str]:
        """The names of the entry's fields that the form has."""
        keys = [key for key in self.model.model_fields if key not in UNASKED]
        keys = [key for key in keys if key not in DICE or getattr(self.entry, key, None)]
        if not self.moment.neighbours and "captors" in keys:
            keys.remove("captors")
        rules = self.moment.rules
        if self.model is kinds.TraitTaken and not any(row.experience for row in rules.traits):
            keys.remove("experience")
        if self.model is kinds.Searched and not _adds_to_searches(rules):
            keys.remove("plus")
        if self._may_pay_otherwise():
            keys.append("currency")
        if "currency" in keys and not rules.currencies:
            keys.remove("currency")
        if "on" in keys and not any(row.fits for row in rules.items):
            keys.remove("on")
        if "owner" in keys and not any(row.belongs_to for row in rules.ranks):
            keys.remove("owner")
        has_teacher = getattr(self.entry, "teacher", None) is not None
        if "teacher" in keys and not has_teacher and not _has_teachers(rules):
            keys.remove("teacher")
        if self.model is kinds.Rolled and not any(row.table for row in rules.campaign.advancements):
            keys.remove("advance")
        return keys

    def _may_pay_otherwise(self) -> bool:
        """Whether the form asks for the currency of a payment: it is in one only."""
        if self.model not in PAYMENTS:
            return False
        costs: Costs = getattr(self.entry, "costs", {})
        return not costs or (len(costs) == 1 and not getattr(self.entry, "paid", 0))

    def _label(self, key: str) -> str:
        """The label of a field, in the game's own words where it has some."""
        book = self.moment.book
        own = {
            "profession": book.profession_name,
            "squad": book.squad_name,
            "trait": book.traits_name,
        }.get(key)
        return localize(own) if own else str(LABELS.get(key, key.replace("_", " ")))

    def _field(self, key: str) -> forms.Field:
        label = self._label(key)
        # A payment has its currency among its costs.
        info = self.model.model_fields.get(key, kinds.Earned.model_fields["currency"])
        if info.annotation is bool:
            return forms.BooleanField(label=label, required=False)
        choices = _choices(self.moment, self.model, key)
        if choices is not None:
            field = forms.ChoiceField(label=label, choices=choices)
            field.required = not field.valid_value("")
            current = self.initial.get(key)
            if isinstance(current, str) and current and not field.valid_value(current):
                # A row that the rulebook no longer has, or a value typed by hand.
                field.choices = [*choices, (current, current)]
            return field
        match key:
            case "text" if self.model is kinds.Noted:
                return NotesField(label=label)
            case "captors":
                return forms.MultipleChoiceField(
                    label=label, choices=self.moment.neighbours, required=False
                )
            case _ if info.annotation is str:
                named = self.model in (kinds.Renamed, kinds.ItemDeclared) and key == "name"
                longest = [mark.max_length for mark in info.metadata if isinstance(mark, MaxLen)]
                return NameField(label=label, required=named, max_length=min(longest))
            case _ if key in DICE:
                faces = ", ".join(face_names(self._table(self.entry)))
                return NameField(label=label, help_text=faces or str(FACES))
            case "paid":
                label = _with_unit(label, self.moment.book)
                return forms.FloatField(label=label, min_value=0, required=info.is_required())
            case "amount" if self.model in (kinds.Earned, kinds.Sold):
                return forms.FloatField(label=_with_unit(label, self.moment.book), min_value=0)
        # Points may come back, and characteristics may fall or be negative.
        free = (
            kinds.PointsSpread,
            kinds.Rose,
            kinds.ProfileRolled,
            kinds.Searched,
            kinds.Tracked,
        )
        least = None if self.model in free else 0
        return forms.IntegerField(label=label, min_value=least, required=info.is_required())

    def clean(self) -> dict[str, Any]:
        """Make the entry, if every field is valid and the entry fits in its place."""
        data = super().clean() or {}
        if not self.errors:
            values = {} if self.entry is None else self.entry.model_dump()
            values |= {key: self._value(key, data[key]) for key in self.asked()}
            values |= self._find_costs(values)
        if not self.errors:
            try:
                self.new_entry = self.model.model_validate(values)
            except ValidationError as error:
                self._complain(error)
        if self.new_entry is not None and not self.errors:
            self._check(self.new_entry)
        if self.errors:
            self.new_entry = None
        return data

    def _find_costs(self, values: dict[str, Any]) -> dict[str, Any]:
        """The payment of an entry in money and other currencies, which has a field of its own only
        for the currency. Takes a currency that is no field of the entry out of its values."""
        amount = "amount" if "amount" in values else "paid"
        currency = values.get("currency")
        if currency and values[amount] != int(values[amount]):
            self.add_error(amount, _("Only money is paid in fractions: give a whole number."))
            return {}
        if self.model in PAYMENTS and "currency" in values:
            del values["currency"]
            paid = values["paid"]
            return {
                "paid": 0 if currency else paid,
                "costs": {currency: int(paid)} if currency else {},
            }
        field = COSTLY.get(self.model, "")
        if self.entry is None or not field or values[field] == getattr(self.entry, field):
            return {}
        old = self._costs_of_row(field, getattr(self.entry, field))
        was_paid = old is None or getattr(self.entry, "costs", {}) == old
        return {"costs": (self._costs_of_row(field, values[field]) or {}) if was_paid else {}}

    def _costs_of_row(self, field: str, key: str) -> Costs | None:
        """The costs of a row in other currencies; None if the rulebook does not have it."""
        rows = getattr(self.moment.book, field)
        return costs_of(self.moment.book, rows[key]) if key in rows else None

    def _value(self, key: str, value: Any) -> Any:
        """The entry's value for a typed one."""
        if key in DICE:
            return self._roll(key, value)
        if key not in self.model.model_fields:
            return value or None
        kind = self.model.model_fields[key].annotation
        if value == "" and kind is not str:
            return None
        return 0 if value is None and type(None) not in get_args(kind) else value

    def _typed(self, entry: Entry, key: str) -> Any:
        """A value of an entry as somebody would type it."""
        costs: Costs = getattr(entry, "costs", {})
        if key == "currency" and key not in self.model.model_fields:
            return next(iter(costs), "")
        value = getattr(entry, key)
        if key == "paid" and costs and self._may_pay_otherwise():
            return next(iter(costs.values()))
        if isinstance(value, DiceRoll):
            return " ".join(shown_faces(value, self._table(entry)))
        if value is None:
            return ""
        return str(value) if key in ("member", "item", "place", "on", "owner", "teacher") else value

    def _table(self, entry: Entry | None) -> DiceTable | None:
        return self.moment.book.table.get(getattr(entry, "table", ""))

    def _roll(self, key: str, text: str) -> DiceRoll | None:
        """The dice of a field as typed; the same roll if nobody changed them."""
        roll: DiceRoll | None = getattr(self.entry, key, None)
        if roll is None or self.entry is None or text == self._typed(self.entry, key):
            return roll
        table = self._table(self.entry)
        names = table.spellings if table else []
        try:
            return parse_roll(roll.dice, text, names)
        except BadFaces as bad:
            self.add_error(key, bad_faces_sentence(bad, roll.dice, table))
            return roll

    def _complain(self, error: ValidationError) -> None:
        for mistake in error.errors():
            field = next((part for part in mistake["loc"] if part in self.fields), None)
            self.add_error(str(field) if field else None, _("This is impossible."))

    def _check(self, new: Entry) -> None:
        if new == self.entry:
            self.add_error(None, _("Nothing has changed."))
            return
        moment = self.moment
        try:
            apply(moment.rules, moment.roster, moment.number, new, stored_book)
        except Misfit as misfit:
            values = {"why": MISFITS[misfit.code]}
            self.add_error(None, _("This does not fit there: %(why)s.") % values)


def _with_unit(label: str, book: Book) -> str:
    unit = money_unit(book)
    return f"{label} ({unit})" if unit else label


def _rows(rows: Iterable[Row]) -> Choices:
    return [(row.key, localize(row.name)) for row in rows]


def _choices(moment: EntryMoment, model: type[Entry], key: str) -> Choices | None:
    """The choices of a field; None if it is typed."""
    book, roster = moment.book, moment.roster
    kind = model.model_fields.get(key, kinds.Earned.model_fields["currency"]).annotation
    if get_origin(kind) is Literal:
        return [(value, str(WORDS[key][value])) for value in get_args(kind)]
    match key:
        case "member":
            return _members(book, roster, model)
        case "on":
            return [NOTHING, *_owned(book, roster)]
        case "owner" | "teacher":
            others = [(str(one.id), _called(book, one)) for one in roster.members]
            return [NOTHING] * (type(None) in get_args(kind)) + others
        case "item":
            return _items(book) if model is kinds.Bought else _owned(book, roster)
        case "characteristic":
            every = model is kinds.Rose
            return _rows(row for row in book.characteristics if every or row.kind == "number")
        case "key":
            season = book.campaign
            incomes = [*season.tallies, *season.underdog, *season.yields, *season.hauls]
            rows: list[Row] = [*season.results, *incomes, *filter(_pays_out, book.tables)]
            return [NOTHING, *_rows(rows)]
        case "place":
            held = roster.holdings
            return [(str(one.id), localize(one.own_name(book))) for one in held]
        case "track":
            return _rows(row for row in book.tracks if row.lasts)
    if key not in ROWS:
        return None
    return [NOTHING] * (type(None) in get_args(kind)) + _rows(attrgetter(ROWS[key])(book))


def _pays_out(table: DiceTable) -> bool:
    """Whether a row of the table brings the gang money."""
    found = (part.kind for row in table.rows for part in all_outcomes(row.outcomes))
    return "earns" in found


def _members(book: Book, roster: Roster, model: type[Entry]) -> Choices:
    members = [(str(member.id), _called(book, member)) for member in roster.members]
    if model.model_fields["member"].is_required() and model is not kinds.Moved:
        return members
    gangs = (kinds.Noted, kinds.Rolled, kinds.Fined)
    nobody = _("the gang") if model in gangs else _("the stash")
    return [("", nobody), *members]


def _called(book: Book, member: Member) -> str:
    """A member's name with their rank, to tell namesakes apart; or only their rank."""
    name, rank = shown_name(book, member), rank_name(book, member)
    return f"{name} ({rank})" if member.name else name


def _items(book: Book) -> Choices:
    """All items, by group."""
    groups: dict[str, Choices] = {}
    for item in book.items:
        groups.setdefault(item.group, []).append((item.key, localize(item.name)))
    return [(localize(book.group[key].name), listed) for key, listed in groups.items()]


def _owned(book: Book, roster: Roster) -> Choices:
    """The items that the gang owns, by owner."""
    holders = [(shown_name(book, member), member.items) for member in roster.members]
    holders.append((_("the stash"), roster.stash))
    return [
        (name, [(str(owned.id), localize(book.item[owned.key].name)) for owned in items])
        for name, items in holders
        if items
    ]
