"""The form of a club's rules for results that its rulebook does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.engine.how import (
    FORFEITS,
    ClubResults,
    Manner,
    ResultRules,
    by_the_book,
    result_rules,
)
from campaigns.models import Campaign, Game
from common.forms import NameField, helper
from gangs.text.formats import localize, money_unit

MOST_POINTS = 1_000
MOST_MONEY = 100_000
MOST_PLACES = 20
# The kinds of results with rules of their own, and what the form asks about each.
FORFEIT_FIELDS = ("winner_points", "loser_points", "winner_money", "loser_money", "counts_loss")
LEVEL_FIELDS = ("each_points", "each_money", "counts_draw")
ASKED: dict[Manner, tuple[str, ...]] = {
    **dict.fromkeys(FORFEITS, FORFEIT_FIELDS),
    "abandoned": LEVEL_FIELDS,
    "recorded": ("each_points", "each_money"),
}
EXPLAINED = {
    "no-show": gettext_lazy("One side came, the other did not."),
    "walk-over": gettext_lazy("One side could not play, and had said so."),
    "conceded": gettext_lazy("One side gave up before the game."),
    "abandoned": gettext_lazy("The game began, and was not finished."),
    "recorded": gettext_lazy("A draw where the rulebook knows none, or a shared win."),
}


@dataclass(frozen=True)
class RulesGroup:
    """The fields about results of one kind, with a heading and a sentence."""

    heading: str
    text: str
    fields: list[forms.BoundField]


class NumbersField(NameField):
    """Whole numbers separated by blanks or commas."""

    def __init__(self, *, lowest: int, highest: int, **options: Any) -> None:
        self.lowest, self.highest = lowest, highest
        widget = forms.TextInput(attrs={"autocomplete": "off"})
        super().__init__(**{"required": False, "max_length": 120, "widget": widget, **options})

    def to_python(self, value: Any) -> Any:
        """Return the numbers as a tuple. Raises ValidationError for anything else."""
        parts = super().to_python(value).replace(",", " ").split()
        try:
            found = tuple(map(int, parts))
        except ValueError:
            raise ValidationError(
                _("Whole numbers, separated by spaces: 5 3 1."), "numbers"
            ) from None
        if len(found) > MOST_PLACES or not all(self.lowest <= one <= self.highest for one in found):
            values = {"lowest": self.lowest, "highest": self.highest, "most": MOST_PLACES}
            words = _("At most %(most)s numbers, each from %(lowest)s to %(highest)s.")
            raise ValidationError(words % values, "range")
        return found


class ResultRulesForm(forms.Form):
    """The form for the gains of results without a battle, draws and places.

    It asks for points only where the rulebook counts them, for money only where the campaign pays.
    """

    def __init__(self, campaign: Campaign, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        book, self.rules = campaign.book, campaign.rules
        self.points = localize(book.campaign.points_name) if book.campaign.points_name else ""
        self.unit = money_unit(book)
        self.known = campaign.club_results
        is_together = book.who_plays.is_together
        # On one side, no gang gives a game to another, and none is before another.
        self.asked: dict[Manner, tuple[str, ...]] = {
            how: names for how, names in ASKED.items() if how == "abandoned" or not is_together
        }
        for how, names in self.asked.items():
            for name in names:
                if (field := self._make_field(name, how)) is not None:
                    field.initial = getattr(result_rules(self.rules, self.known, how), name)
                    self.fields[f"{how}-{name}"] = field
        if self.points and not is_together:
            self._add_places("place_points", -MOST_POINTS, MOST_POINTS, self.points)
        if self.rules.pays and not is_together:
            self._add_places("place_money", 0, MOST_MONEY, self.unit)
        self.helper = helper()

    def _make_field(self, name: str, how: Manner) -> forms.Field | None:
        match name:
            case "counts_loss":
                label = _("Counts as a loss for the side that gave the game away")
                return forms.BooleanField(label=label, required=False)
            case "counts_draw":
                return forms.BooleanField(label=_("Counts as a drawn game"), required=False)
        if name.endswith("_points"):
            return self._points_field(name) if self.points else None
        if not self.rules.pays:
            return None
        labels = {
            "winner_money": _("For the winner (%(unit)s)"),
            "loser_money": _("For the other side (%(unit)s)"),
            "each_money": _("For each (%(unit)s)"),
        }
        return forms.IntegerField(
            label=labels[name] % {"unit": self.unit},
            required=False,
            min_value=0,
            max_value=MOST_MONEY,
        )

    def _points_field(self, name: str) -> forms.Field:
        labels = {
            "winner_points": _("%(points)s for the winner"),
            "loser_points": _("%(points)s for the other side"),
            "each_points": _("%(points)s for each"),
        }
        field = forms.IntegerField(
            label=labels[name] % {"points": self.points},
            required=False,
            min_value=-MOST_POINTS,
            max_value=MOST_POINTS,
        )
        if name == "winner_points":
            field.help_text = _("Empty: as for a win.")
        return field

    def _add_places(self, name: str, lowest: int, highest: int, what: str) -> None:
        self.fields[name] = NumbersField(
            lowest=lowest,
            highest=highest,
            label=_("By place: %(what)s") % {"what": what},
            help_text=_("For the first, the second, the third … Empty: as the rulebook says."),
            initial=" ".join(map(str, getattr(self.known, name))),
        )

    def groups(self) -> Iterator[RulesGroup]:
        """The fields by kind of result."""
        for how in self.asked:
            fields = [field for field in self if field.name.startswith(f"{how}-")]
            if fields:
                yield RulesGroup(str(Game.How(how).label), str(EXPLAINED[how]), fields)
        places = [field for field in self if field.name.startswith("place_")]
        if places:
            text = _("In games with three or more sides, once their places are entered.")
            yield RulesGroup(_("Three or more sides"), text, places)

    def chosen(self) -> ClubResults:
        """The club's rules from a valid form. Everything else stays as it was."""
        results: dict[Manner, ResultRules] = {}
        for how, names in self.asked.items():
            values = {
                name: self._value(f"{how}-{name}", name)
                for name in names
                if f"{how}-{name}" in self.cleaned_data
            }
            rules = result_rules(self.rules, self.known, how).model_copy(update=values)
            if rules != by_the_book(self.rules, how):
                results[how] = rules
        return ClubResults(
            results=results,
            place_points=self.cleaned_data.get("place_points", self.known.place_points),
            place_money=self.cleaned_data.get("place_money", self.known.place_money),
        )

    def _value(self, field: str, name: str) -> Any:
        value = self.cleaned_data[field]
        return value if value is not None or name == "winner_points" else 0
