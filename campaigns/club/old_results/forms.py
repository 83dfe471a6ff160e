"""The forms that explain a table of old results: its columns, its names and its words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from campaigns.club.old_results.lines import NAME, NEW
from campaigns.club.old_results.reading import (
    MOST_CHARACTERS,
    Column,
    DateOrder,
    Grid,
    Winner,
    fold_name,
    guess_columns,
    guess_order,
    has_headings,
)
from common.forms import CrispyForm, PlainField
from common.text import quote
from gangs.models import Gang

COLUMNS: Mapping[Column, Promise] = {
    "date": _("Date"),
    "a": _("First side"),
    "b": _("Second side"),
    "result": _("Result"),
    "points_a": _("Points of the first side"),
    "points_b": _("Points of the second side"),
    "scenario": _("Scenario"),
    "note": _("Note"),
}
NEEDED: Sequence[Column] = ("date", "a", "b")
# A post with a mapping has this field.
MAPPED = "mapped"
# In the place of an order of dates: the one that the table shows.
AS_SHOWN = "shown"
ORDERS: Mapping[DateOrder, Promise] = {
    "day": _("day first: 31/12/2025"),
    "month": _("month first: 12/31/2025"),
}


class SourceForm(CrispyForm):
    """The table: a file, or pasted text."""

    file = forms.FileField(
        label=_("A file (CSV)"),
        required=False,
        help_text=_(
            "From any spreadsheet: “Save as”, CSV. One row for each game. A games.csv of this site "
            "works, too."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
    )
    text = PlainField(
        label=_("Or paste the table"),
        required=False,
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )


class ColumnsForm(CrispyForm):
    """The use of each column, as far as the headings do not say it."""

    headed = forms.BooleanField(label=_("The first row has headings"), required=False)
    order = forms.ChoiceField(
        label=_("Dates in numbers"),
        help_text=_("The first date that only fits one order decides for its table."),
    )

    def __init__(self, grid: Grid, data: QueryDict | None) -> None:
        """``data``: a post with a mapping; None: the columns are guessed."""
        super().__init__(_guess(grid) if data is None else data)
        self.shown_order = _order_in(grid, self.data.get("column-date", ""))
        as_shown = gettext("as in this table (%(order)s)") % {"order": ORDERS[self.shown_order]}
        order = cast(forms.ChoiceField, self.fields["order"])
        order.choices = [(AS_SHOWN, as_shown), *ORDERS.items()]
        heads = [*grid.rows[0], *[""] * (grid.width - len(grid.rows[0]))]
        choices = [("", "–")]
        for place, head in enumerate(heads):
            shown = gettext("Column %(number)s: %(head)s")
            values = {"number": place + 1, "head": quote(head, 40)}
            choices.append((str(place), shown % values))
        for column, label in COLUMNS.items():
            field = forms.ChoiceField(label=str(label), required=column in NEEDED, choices=choices)
            self.fields[f"column-{column}"] = field

    def clean(self) -> dict[str, Any]:
        """Check that the result is somewhere, and that no column has two uses."""
        data: dict[str, Any] = super().clean() or {}
        used = self.columns(data)
        if "result" not in used and not {"points_a", "points_b"} <= used.keys():
            words = gettext("Choose the column with the result, or both columns with points.")
            self.add_error("column-result", words)
        for column, place in used.items():
            if list(used.values()).index(place) != list(used).index(column):
                self.add_error(f"column-{column}", gettext("This column has another use already."))
        return data

    def columns(self, data: Mapping[str, Any] | None = None) -> dict[Column, int]:
        """The places of the columns that were chosen."""
        data = self.cleaned_data if data is None else data
        return {column: int(place) for column in COLUMNS if (place := data.get(f"column-{column}"))}

    @property
    def date_order(self) -> DateOrder:
        """Whether the day or the month comes first."""
        order = self.cleaned_data["order"]
        return self.shown_order if order == AS_SHOWN else cast(DateOrder, order)


def _guess(grid: Grid) -> dict[str, str]:
    headed = has_headings(grid)
    columns = guess_columns(grid, headed=headed)
    guessed = {f"column-{column}": str(place) for column, place in columns.items()}
    return guessed | {"order": AS_SHOWN} | ({"headed": "on"} if headed else {})


def _order_in(grid: Grid, place: str) -> DateOrder:
    """The order of the dates in the column at this place; "day" if there is no such column."""
    column = {str(number): number for number in range(grid.width)}.get(place)
    return guess_order(row[column] for row in grid.rows if column is not None and column < len(row))


class MeaningsForm(forms.Form):
    """One choice for each of some texts of the table. ``kind`` begins the fields' names."""

    def __init__(
        self,
        kind: str,
        texts: Iterable[str],
        choices: Sequence[tuple[Any, Any]],
        data: QueryDict | None,
        guesses: Mapping[str, str],
    ) -> None:
        # Named after the texts, so that a choice stays with its text if the table changes.
        self.texts = {f"{kind}-{_hash(text)}": text for text in texts}
        guessed = {name: guesses.get(text, "") for name, text in self.texts.items()}
        given = {} if data is None else {name: data.get(name) for name in self.texts}
        chosen = {
            name: guess if given.get(name) is None else given[name]
            for name, guess in guessed.items()
        }
        super().__init__(chosen)
        select = forms.Select(attrs={"class": "form-select"})
        for name, text in self.texts.items():
            self.fields[name] = forms.ChoiceField(
                label=text, required=False, choices=choices, widget=select
            )

    def chosen(self) -> dict[str, str]:
        """The choices by their texts."""
        self.is_valid()
        return {text: self.cleaned_data.get(name, "") for name, text in self.texts.items()}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def names_form(names: Sequence[str], gangs: Sequence[Gang], data: QueryDict | None) -> MeaningsForm:
    """Choose a gang for each name. The gang, or the player, of the same name is proposed, also if
    the name is the gang's with its player's."""
    guesses: dict[str, str] = {}
    for name in names:
        folded = fold_name(name)
        alike = [
            str(gang.pk)
            for gang in gangs
            if folded
            in (
                fold_name(gang.name),
                fold_name(str(gang.owner or "")),
                fold_name(f"{gang.name} ({gang.owner})"),
            )
        ]
        if len(alike) == 1:
            guesses[name] = alike[0]
    choices = [
        ("", _("Choose…")),
        *(
            (str(gang.pk), f"{gang.name} ({gang.owner})" if gang.owner else gang.name)
            for gang in gangs
        ),
        (NEW, _("A new gang of this name, without a player yet")),
        (NAME, _("Nobody here: keep only the name")),
    ]
    return MeaningsForm("who", names, choices, data, guesses)


def results_form(texts: Sequence[str], data: QueryDict | None) -> MeaningsForm:
    """Choose the meaning of each result that the site does not understand."""
    choices = [
        ("", _("Choose…")),
        ("a", _("The first side won")),
        ("b", _("The second side won")),
        ("draw", _("Draw")),
    ]
    return MeaningsForm("means", texts, choices, data, {})


def meanings(form: MeaningsForm) -> dict[str, Winner]:
    """The meanings that were chosen."""
    return {text: cast(Winner, value) for text, value in form.chosen().items() if value}
