"""Fields and parts of the odds form: options, roll, figures and situation.

The address contains the whole form. A field that it leaves out has its default; a value that makes
no sense is reported beside its field, and counts as the default.
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
from rules.book.characteristics import parse_value, show_value
from rules.book.fates import Condition
from rules.book.model import Rules
from rules.book.rolls import Circumstance, Named, State
from rules.book.schema import Characteristic, Choice, Setting, Trait
from rules.book.vocabulary import Row, Settings
from rules.engine.profiles import Profile
from rules.engine.situations import TABLE_NAMES
from rules.odds.fighters import Start

LONGEST_VALUE = 30
MOST_COUNTED = 99
COUNTS = {
    "gang.standing": gettext_lazy("Members standing"),
    "gang.start": gettext_lazy("Members at the start"),
    "gang.lost": gettext_lazy("Members lost"),
    "gang.lost_this_turn": gettext_lazy("Members lost this turn"),
    "gang.lost_worth": gettext_lazy("Worth of the members lost"),
    "gang.leaders_out": gettext_lazy("Leaders lost"),
    "gang.leaders_lost_this_turn": gettext_lazy("Leaders lost this turn"),
    "enemy.standing": gettext_lazy("Enemies standing"),
    "enemy.start": gettext_lazy("Enemies at the start"),
    "enemy.lost": gettext_lazy("Enemies lost"),
    "enemy.leaders_out": gettext_lazy("Enemy leaders lost"),
    "table.turn": gettext_lazy("Turn"),
    "table.sides": gettext_lazy("Gangs at the table"),
    "table.nonplayers": gettext_lazy("Non-players in play"),
}


class PartForm(forms.Form):
    """A part of the page's form, filled from the address; ``given``: the names and values that
    differ from the defaults."""

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
            # An empty value counts if it is one of the choices but not the default.
            nothing = "" if start and ("", "–") in getattr(field, "choices", ()) else None
            self.given += [
                (key, value)
                for value in values
                if value != str(start) and (value or value == nothing)
            ]
        self.data, self.is_bound = filled, True

    def value(self, name: str) -> Any:
        """The value of a field, or its default if the value is invalid; None for no such field."""
        self.is_valid()
        field = self.fields.get(name)
        return self.cleaned_data.get(name, field.initial if field else None)

    def has(self, name: str) -> bool:
        """Whether the form has this field."""
        return name in self.fields


def choice(label: object, choices: Any, start: str = "") -> forms.ChoiceField:
    """Make a field for one of several choices."""
    field = forms.ChoiceField(
        label=str(label), choices=choices, initial=start, required=False, widget=Choose
    )
    field.widget.attrs["class"] = "form-select form-select-sm"
    # Django's own message would repeat the value, whatever its length.
    field.error_messages["invalid_choice"] = _("That choice does not exist.")
    return field


def number(label: object, least: int, most: int, start: int | None = None) -> forms.IntegerField:
    """Make a field for a number."""
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
    """Make a field for yes or no, no by default."""
    field = forms.BooleanField(label=str(label), required=False)
    field.widget.attrs |= {"class": "form-check-input", "value": "1"}
    return field


def list_choices(rows: Iterable[Row | Choice | Named]) -> list[tuple[str, str]]:
    """List the keys and names of rows, in the reader's language."""
    return [(row.key, row.name.translated(rules_language())) for row in rows]


def ticks(label: object, rows: Iterable[Row]) -> forms.MultipleChoiceField:
    """Make a field for any number of rows."""
    field = forms.MultipleChoiceField(
        label=str(label),
        choices=list_choices(rows),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    field.widget.attrs["class"] = "form-check-input"
    field.error_messages["invalid_choice"] = _("That choice does not exist.")
    return field


def option_fields(settings: Iterable[Setting], start: Settings) -> dict[str, forms.Field]:
    """Make a field for each option of a rulebook, starting with its value in ``start``."""
    fields: dict[str, forms.Field] = {}
    for row in settings:
        name, now = row.name.translated(rules_language()), start[row.key]
        if row.kind == "number":
            fields[row.key] = number(name, row.minimum, row.maximum, int(now))
        else:
            fields[row.key] = choice(name, list_choices(row.choices), str(now))
    return fields


def hand_fields(
    rules: Rules, traits: Iterable[Trait], conditions: Iterable[Condition], start: Start
) -> dict[str, forms.Field]:
    """Make the fields of a figure made by hand, starting with ``start``."""

    ranks = choice(_("Rank"), list_choices(rules.ranks), start.rank)
    fields: dict[str, forms.Field] = {"rank": ranks}
    if origins := rules.origins:
        fields["origin"] = choice(_("Origin"), [("", "–"), *list_choices(origins)])
    if professions := rules.professions:
        name = rules.book.profession_name
        fields["profession"] = choice(
            name.translated(rules_language()) if name else _("Profession"),
            [("", "–"), *list_choices(professions)],
            start.profession,
        )
    if found := tuple(traits):
        name = rules.book.traits_name
        fields["trait"] = ticks(name.translated(rules_language()) if name else _("Traits"), found)
    if lasting := tuple(conditions):
        fields["condition"] = ticks(_("Conditions"), lasting)
    return fields


class CharacteristicField(forms.CharField):
    """A field for the value of a characteristic that is not a number."""

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
        """Return the value as the rulebook writes it."""
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
    """Make a field for each characteristic; empty keeps its value."""
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
        elif row.kind == "word":
            now = show_value(row, score.value, rules_language())
            named = [(word.key, word.name.translated(rules_language())) for word in row.words]
            field = choice(label, [("", f"({now})"), *named])
        else:
            field = CharacteristicField(row, now)
        field.widget.attrs["title"] = row.name.translated(rules_language())
        fields[f"is-{key}"] = field
    return fields


def state_fields(label: object, rows: tuple[State, ...]) -> dict[str, forms.Field]:
    """Make the field for a figure's states, if it can have any."""
    return {"state": ticks(label, rows)} if rows else {}


def circumstance_field(row: Circumstance) -> forms.Field:
    """Make the field for a circumstance."""
    name = row.name.translated(rules_language())
    if row.kind == "choice":
        field: forms.Field = choice(name, list_choices(row.choices), row.choices[0].key)
    elif row.kind == "number":
        field = number(name, row.minimum, row.maximum, row.start)
    elif row.start:
        # An unticked box is left out of the address: if the default is yes, offer both.
        field = choice(name, [("1", _("Yes")), ("0", _("No"))], "1")
    else:
        field = tick(name)
    field.help_text = row.text.translated(rules_language()) if row.text else ""
    return field


def count_field(name: str) -> forms.Field:
    """Make the field for a count of the game."""
    return number(COUNTS[name], 0, MOST_COUNTED, TABLE_NAMES[name])


class Choose(forms.Select):
    """A list of choices, some of them under headings.

    It and ``Typed`` render without Django's templates, which saves 4 to 7 ms of a page.
    """

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """Render the list."""
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
    """A field for a text or number."""

    def __init__(self, kind: str = "text") -> None:
        super().__init__()
        self.input_type = kind

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """Render the field."""
        more = {} if value in (None, "") else {"value": value}
        every = {"type": self.input_type, "name": name, **self.attrs, **(attrs or {}), **more}
        return mark_safe(f"<input{flatatt(every)}>")
