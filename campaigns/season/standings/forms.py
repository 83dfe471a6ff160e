"""Forms for a club's rules of the standings, and for a bonus or penalty."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from crispy_forms.layout import Layout
from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.engine.league.standings_rules import (
    BY_THE_BOOK,
    MOST_POINTS,
    SIDES,
    Criterion,
    ResultPoints,
    StandingsRules,
    possible_columns,
    possible_criteria,
    usual_columns,
)
from campaigns.forms import TokenField, offer_gangs
from campaigns.season.standings.text import column_name, criterion_name
from common.forms import CrispyForm, NameField, helper
from gangs.models import Gang
from gangs.text.formats import localize
from rules.book.model import Book

# The longest order of ranking that the form offers.
MOST_CRITERIA = 6


class PointsRow(NamedTuple):
    """A result, and the fields for its points: winner, loser, each side of a level game; None for
    a side that it does not have."""

    name: str
    fields: Sequence[forms.BoundField | None]


def offer_ranking(
    form: forms.Form,
    book: Book,
    possible: Sequence[Criterion],
    current: Sequence[Criterion],
    *,
    least: int = 0,
    first: int = 0,
) -> None:
    """Add the fields for an order of criteria to a form, which show the ``current`` one. At
    ``least`` this number of them must be filled in. ``first``: the number of the first tie-break;
    with 0, the first field is the main criterion."""
    named = [(key, capfirst(criterion_name(book, key))) for key in possible]
    for number in range(1, MOST_CRITERIA + 1):
        place = number - 1 + first
        form.fields[f"by_{number}"] = forms.ChoiceField(
            label=_("Tie-break %(number)s") % {"number": place} if place else _("Ranked by"),
            choices=named if number <= least else [("", "–"), *named],
            required=number <= least,
            initial=current[number - 1] if number <= len(current) else "",
        )


def ranking_fields(form: forms.Form) -> list[forms.BoundField]:
    """The fields for the order of criteria."""
    return [form[name] for name in form.fields if name.startswith("by_")]


def check_ranking(form: forms.Form) -> None:
    """Reject a criterion that is chosen twice."""
    seen: set[str] = set()
    for field in ranking_fields(form):
        chosen = form.cleaned_data.get(field.name)
        if chosen and chosen in seen:
            form.add_error(field.name, _("This is in the list already."))
        seen.add(chosen or "")


def chosen_ranking(form: forms.Form) -> tuple[Criterion, ...]:
    """The order of criteria, once the form is valid."""
    picked = [form.cleaned_data[field.name] for field in ranking_fields(form)]
    return tuple(cast(Criterion, key) for key in picked if key)


class RulesForm(forms.Form):
    """The order of ranking, the columns, and the points of each result."""

    columns = forms.MultipleChoiceField(
        label=gettext_lazy("Columns"), widget=forms.CheckboxSelectMultiple, required=False
    )

    def __init__(self, book: Book, rules: StandingsRules, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.book, self.rules = book, rules
        current, least = rules.ranking_of(book), int(bool(book.campaign.standings))
        offer_ranking(self, book, possible_criteria(book), current, least=least)
        self._offer_points()
        column_field = self.fields["columns"]
        assert isinstance(column_field, forms.MultipleChoiceField)
        names = [(key, column_name(book, key)) for key in possible_columns(book)]
        column_field.choices = [(key, capfirst(meaning or name)) for key, (name, meaning) in names]
        column_field.initial = list(rules.columns_of(book))
        self.helper = helper()

    def _offer_points(self) -> None:
        for result in self.book.campaign.results:
            current = self.rules.points_of(self.book, result.key)
            for place in _places(result.kind):
                self.fields[_points_name(result.key, place)] = forms.IntegerField(
                    min_value=-MOST_POINTS,
                    max_value=MOST_POINTS,
                    initial=current[place],
                    label=f"{localize(result.name)}: {_side_names()[place]}",
                    widget=forms.NumberInput(attrs={"class": "form-control"}),
                )

    @property
    def criteria(self) -> list[forms.BoundField]:
        """The fields for the order of ranking."""
        return ranking_fields(self)

    @property
    def side_names(self) -> tuple[str, str, str]:
        """The headings of the points: winner, loser, each side of a level game."""
        return _side_names()

    @property
    def points_rows(self) -> Iterator[PointsRow]:
        """The results with the fields for their points."""
        for result in self.book.campaign.results:
            places = _places(result.kind)
            names = [_points_name(result.key, place) for place in range(len(SIDES))]
            fields = [self[name] if place in places else None for place, name in enumerate(names)]
            yield PointsRow(localize(result.name), fields)

    def clean(self) -> dict[str, Any]:
        """Reject a criterion that is chosen twice."""
        check_ranking(self)
        return self.cleaned_data

    def chosen(self) -> StandingsRules:
        """The rules, once the form is valid; as the rulebook's wherever they are the same. Lots
        that were drawn once stay drawn."""
        data, book = self.cleaned_data, self.book
        ranking = chosen_ranking(self)
        seed = self.rules.seed or (secrets.token_hex(16) if "lots" in ranking else "")
        ranked = ranking or book.campaign.standings
        columns = tuple(key for key in possible_columns(book) if key in data["columns"])
        usual = {*ranked, *usual_columns(book)} & {*possible_columns(book)}
        return StandingsRules(
            ranking=() if ranking == book.campaign.standings else ranking,
            columns=() if {*columns, *ranked} & {*possible_columns(book)} == usual else columns,
            points=self._changed_points(data),
            seed=seed,
            edition=self.rules.edition,
        )

    def _changed_points(self, data: Mapping[str, Any]) -> dict[str, ResultPoints]:
        found: dict[str, ResultPoints] = {}
        for result in self.book.campaign.results:
            usual = BY_THE_BOOK.points_of(self.book, result.key)
            first, second, third = (
                data.get(_points_name(result.key, place), usual[place])
                for place in range(len(SIDES))
            )
            if (first, second, third) != usual:
                found[result.key] = first, second, third
        return found


def _places(kind: str) -> range:
    """The places in a result's points of the sides that such a result has."""
    known = {"decided": range(2), "won": range(1), "lost": range(1, 2), "level": range(2, 3)}
    return known.get(kind, range(3))


def _points_name(result: str, place: int) -> str:
    return f"points-{result}-{SIDES[place]}"


def _side_names() -> tuple[str, str, str]:
    return _("winner"), _("loser"), _("each, if level")


class AdjustmentForm(CrispyForm):
    """A bonus or penalty for a gang, with its reason."""

    gang = forms.TypedChoiceField(label=gettext_lazy("Gang"))
    points = forms.IntegerField(
        label=gettext_lazy("Points"),
        min_value=-MOST_POINTS,
        max_value=MOST_POINTS,
        help_text=gettext_lazy("A penalty has a minus: −2."),
    )
    reason = NameField(
        label=gettext_lazy("Why?"),
        max_length=300,
        help_text=gettext_lazy("It is in the chronicle, for everybody to read."),
    )
    token = TokenField()

    def __init__(self, gangs: Mapping[Gang, str], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_gangs(self, "gang", gangs)
        self.helper = helper()
        self.helper.layout = Layout("gang", "points", "reason", "token")

    def clean_points(self) -> int:
        """Reject 0 points."""
        points: int = self.cleaned_data["points"]
        if points == 0:
            raise forms.ValidationError(_("Neither a bonus nor a penalty: choose another number."))
        return points
