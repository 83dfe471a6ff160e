"""The parts of the page's form: options and roll, who throws and at whom, and what is said of it.

All of it stands in the address. What is not there is as it is by default; what makes no sense there
is answered beside its field, and counts as if it were not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.language import rules_language
from rules.book.characteristics import parse_value
from rules.book.fates import Condition
from rules.book.model import Rules
from rules.book.rolls import Circumstance, State
from rules.book.schema import Characteristic, Setting, Trait
from rules.book.vocabulary import Row, Settings
from rules.engine.profiles import Profile
from rules.engine.situations import TABLE_NAMES
from rules.odds.starting import Start

LONGEST_VALUE = 30
MOST_COUNTED = 99
COUNTS = {
    "gang.standing": gettext_lazy("Members standing"),
    "gang.start": gettext_lazy("Members at the start"),
    "gang.lost": gettext_lazy("Members lost"),
    "gang.lost_this_turn": gettext_lazy("Members lost this turn"),
    "gang.lost_worth": gettext_lazy("What the members lost were worth"),
    "gang.leaders_out": gettext_lazy("Leaders lost"),
    "gang.leaders_lost_this_turn": gettext_lazy("Leaders lost this turn"),
    "enemy.standing": gettext_lazy("Enemies standing"),
    "enemy.start": gettext_lazy("Enemies at the start"),
    "enemy.lost": gettext_lazy("Enemies lost"),
    "enemy.leaders_out": gettext_lazy("Enemy leaders lost"),
    "table.turn": gettext_lazy("Turn"),
    "table.sides": gettext_lazy("Gangs at the table"),
}


class PartForm(forms.Form):
    """A part of the page's form, filled from the address; ``given``: what of it is not as it is by
    default, as pairs of names and values."""

    def __init__(self, data: QueryDict, fields: Mapping[str, forms.Field], prefix: str) -> None:
        super().__init__(prefix=prefix)
        self.fields.update(fields)
        filled = data.copy()
        self.given: list[tuple[str, str]] = []
        for name, field in self.fields.items():
            key, start = self.add_prefix(name), field.initial
            values = data.getlist(key)
            if not values and start is not None and not isinstance(field, forms.BooleanField):
                filled.setlist(key, start if isinstance(start, list) else [str(start)])
            # Nothing says something where it is a choice, and not the one there is by default.
            nothing = "" if start and ("", "–") in getattr(field, "choices", ()) else None
            self.given += [
                (key, value)
                for value in values
                if value != str(start) and (value or value == nothing)
            ]
        self.data, self.is_bound = filled, True

    def value(self, name: str) -> Any:
        """What a field says; what it says by default if that makes no sense."""
        self.is_valid()
        return self.cleaned_data.get(name, self.fields[name].initial)

    def has(self, name: str) -> bool:
        """Whether there is such a field."""
        return name in self.fields


def choice(label: object, choices: Any, start: str = "") -> forms.ChoiceField:
    """A field that is one of several."""
    field = forms.ChoiceField(
        label=str(label), choices=choices, initial=start, required=False, widget=Choose
    )
    field.widget.attrs["class"] = "form-select form-select-sm"
    # A text of any length is told back in the message.
    field.error_messages["invalid_choice"] = _("That choice does not exist.")
    return field


def number(label: object, least: int, most: int, start: int | None = None) -> forms.IntegerField:
    """A field that is a number."""
    field = forms.IntegerField(
        label=str(label),
        min_value=least,
        max_value=most,
        initial=start,
        required=False,
        widget=Typed("number"),
    )
    field.widget.attrs |= {"class": "form-control form-control-sm", "inputmode": "numeric"}
    return field


def tick(label: object) -> forms.BooleanField:
    """A field that is yes or no, and no by default."""
    field = forms.BooleanField(label=str(label), required=False)
    field.widget.attrs |= {"class": "form-check-input", "value": "1"}
    return field


def ticks(label: object, rows: Iterable[Row]) -> forms.MultipleChoiceField:
    """A field that is any of some rows."""
    choices = [(row.key, row.name.translated(rules_language())) for row in rows]
    field = forms.MultipleChoiceField(
        label=str(label), choices=choices, required=False, widget=forms.CheckboxSelectMultiple
    )
    field.widget.attrs["class"] = "form-check-input"
    field.error_messages["invalid_choice"] = _("That choice does not exist.")
    return field


def option_fields(settings: Iterable[Setting], start: Settings) -> dict[str, forms.Field]:
    """A field for each option of a rulebook, as it was chosen so far."""
    return {
        row.key: number(
            row.name.translated(rules_language()), row.minimum, row.maximum, int(start[row.key])
        )
        if row.kind == "number"
        else choice(
            row.name.translated(rules_language()),
            [(one.key, one.name.translated(rules_language())) for one in row.choices],
            str(start[row.key]),
        )
        for row in settings
    }


def hand_fields(
    rules: Rules, traits: Iterable[Trait], conditions: Iterable[Condition], start: Start
) -> dict[str, forms.Field]:
    """What makes a figure that is made by hand, and is as ``start`` unless something is said."""

    def rows(name: object, found: tuple[Row, ...], key: str = "") -> forms.Field:
        listed = [(row.key, row.name.translated(rules_language())) for row in found]
        return choice(name, [("", "–"), *listed], key)

    ranks = [(row.key, row.name.translated(rules_language())) for row in rules.ranks]
    fields: dict[str, forms.Field] = {"rank": choice(_("Rank"), ranks, start.rank)}
    if origins := rules.origins:
        fields["origin"] = rows(_("Origin"), origins)
    if professions := rules.professions:
        name = rules.book.profession_name
        fields["profession"] = rows(
            name.translated(rules_language()) if name else _("Profession"),
            professions,
            start.profession,
        )
    if found := tuple(traits):
        name = rules.book.traits_name
        fields["trait"] = ticks(name.translated(rules_language()) if name else _("Traits"), found)
    if lasting := tuple(conditions):
        fields["condition"] = ticks(_("Conditions"), lasting)
    return fields


class CharacteristicField(forms.CharField):
    """A value of a characteristic that is not a number."""

    def __init__(self, row: Characteristic, now: str) -> None:
        super().__init__(
            label=row.short.translated(rules_language()),
            required=False,
            max_length=LONGEST_VALUE,
            widget=Typed,
        )
        self.row, self.now = row, now
        self.widget.attrs |= {"class": "form-control form-control-sm", "placeholder": now}

    def clean(self, value: object) -> str:
        """The value as the rulebook writes it."""
        text = str(super().clean(value))
        for written in (text, text.lower(), text.upper()):
            try:
                parse_value(self.row, written)
            except ValueError:
                continue
            return written
        if text:
            raise forms.ValidationError(_("Write it like %(value)s.") % {"value": self.now})
        return text


def score_fields(profile: Profile) -> dict[str, forms.Field]:
    """A field for each characteristic, empty for as it is."""
    fields: dict[str, forms.Field] = {}
    for key, score in profile.scores.items():
        row, now = score.characteristic, str(score.value)
        label = row.short.translated(rules_language())
        if row.kind == "number":
            least = row.minimum if row.worst is None else min(row.worst, row.minimum)
            field: forms.Field = number(label, least, row.maximum)
            field.widget.attrs["placeholder"] = now
        elif row.kind == "die":
            sizes = [(size, size.upper()) for size in row.sizes]
            field = choice(label, [("", f"({now})"), *sizes])
        else:
            field = CharacteristicField(row, now)
        field.widget.attrs["title"] = row.name.translated(rules_language())
        fields[f"is-{key}"] = field
    return fields


def state_fields(label: object, rows: tuple[State, ...]) -> dict[str, forms.Field]:
    """Which states somebody is in."""
    return {"state": ticks(label, rows)} if rows else {}


def circumstance_field(row: Circumstance) -> forms.Field:
    """What is asked about a roll."""
    name = row.name.translated(rules_language())
    if row.kind == "choice":
        choices = [(one.key, one.name.translated(rules_language())) for one in row.choices]
        field: forms.Field = choice(name, choices, row.choices[0].key)
    elif row.kind == "number":
        field = number(name, row.minimum, row.maximum, row.start)
    elif row.start:
        # A tick that is not there is a no: where yes is usual, both are said.
        field = choice(name, [("1", _("Yes")), ("0", _("No"))], "1")
    else:
        field = tick(name)
    field.help_text = row.text.translated(rules_language()) if row.text else ""
    return field


def count_field(name: str) -> forms.Field:
    """How many of something there are in the game."""
    return number(COUNTS[name], 0, MOST_COUNTED, TABLE_NAMES[name])


class Choose(forms.Select):
    """A list of choices, some of them under heads."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """The list as HTML."""
        attributes = flatatt({**self.attrs, **(attrs or {}), "name": name})
        options = "".join(_options(self.choices, "" if value is None else str(value)))
        return mark_safe(f"<select{attributes}>{options}</select>")


def _options(choices: Iterable[Any], chosen: str) -> Iterable[str]:
    for key, label in choices:
        if isinstance(label, list):
            inside = "".join(_options(label, chosen))
            yield f'<optgroup label="{escape(str(key))}">{inside}</optgroup>'
        else:
            selected = " selected" if str(key) == chosen else ""
            yield f'<option value="{escape(str(key))}"{selected}>{escape(str(label))}</option>'


class Typed(forms.TextInput):
    """A text or number that is typed in."""

    def __init__(self, kind: str = "text") -> None:
        super().__init__()
        self.input_type = kind

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """The field as HTML."""
        more = {} if value in (None, "") else {"value": value}
        every = {"type": self.input_type, "name": name, **self.attrs, **(attrs or {}), **more}
        return mark_safe(f"<input{flatatt(every)}>")
