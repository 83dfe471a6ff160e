"""The forms that report a game: one for the result, one for each gang that played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crispy_forms.layout import HTML, Div, Field, Layout
from django import forms
from django.http import QueryDict
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.forms import DayField
from campaigns.models import Game, Side
from campaigns.results import Told
from campaigns.situation import TAKEN_OUT, Report, SideKind, cannot_play, marks, results, tallies
from gangs.forms import NotesField, helper
from gangs.roster import Member, Roster
from gangs.wording import money_unit, shown_name, spoken
from rules.book import Book


class ResultForm(forms.Form):
    """How the game ended, and who won it."""

    played_on = DayField(label=gettext_lazy("Day"))
    result = forms.ChoiceField(label=gettext_lazy("Result"), widget=forms.RadioSelect)
    winner = forms.ChoiceField(label=gettext_lazy("Who won?"), required=False)
    note = NotesField(label=gettext_lazy("What will be remembered?"))

    def __init__(self, game: Game, sides: Sequence[Side], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.rows = results(game.campaign.book, game.campaign.settings)
        choices = []
        for row in self.rows.values():
            label = _("%(name)s: %(text)s") % {"name": spoken(row.name), "text": spoken(row.text)}
            if row.is_house:
                label += f" ({_('house value')})"
            choices.append((row.key, label))
        self._choices("result", choices)
        winners = [("", _("Nobody"))] + [(str(side.pk), side.name) for side in sides]
        self._choices("winner", winners)
        self.helper = helper()

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean(self) -> dict[str, Any]:
        """Somebody won a game that was decided; nobody won one that was not."""
        cleaned: dict[str, Any] = self.cleaned_data
        row = self.rows.get(cleaned.get("result", ""))
        if row is not None and row.kind == "decided" and not cleaned.get("winner"):
            self.add_error("winner", _("With this result somebody won: who?"))
        if row is not None and row.kind == "level":
            cleaned["winner"] = ""
        return cleaned

    def kind(self, side: Side) -> SideKind:
        """How a side came out."""
        winner = self.cleaned_data["winner"]
        if not winner:
            return "level"
        return "winner" if winner == str(side.pk) else "loser"


class SideForm(forms.Form):
    """What is told about one gang: who took part, how they ended, what was counted."""

    def __init__(self, side: Side, data: QueryDict | None = None) -> None:
        assert side.gang is not None
        super().__init__(data, prefix=f"side{side.pk}")
        campaign = side.game.campaign
        self.side = side
        self.book: Book = campaign.book
        self.settings = campaign.settings
        roster: Roster = side.gang.roster
        self.members = [member for member in roster.members if not self._is_away(member)]
        self.away = [member for member in roster.members if self._is_away(member)]
        self.told = side.told if side.report else None
        rows = tallies(self.book, self.settings, "member")
        # Where the sorts of enemies are told apart, how many they were is their sum.
        self.taking_out = [row.key for row in rows if row.takes_out]
        self.counts = {} if self.taking_out else {TAKEN_OUT: _("Took out")}
        for row in rows:
            self.counts[row.key] = spoken(row.name)
        self.helper = helper()
        self.helper.layout = Layout(*[self._member_row(member) for member in self.members])
        self._add_gang_fields()

    @property
    def name(self) -> str:
        """The gang's name."""
        return self.side.name

    def away_names(self) -> list[str]:
        """Those who could not play."""
        return [shown_name(self.book, member) for member in self.away]

    def _is_away(self, member: Member) -> bool:
        return cannot_play(self.book, [suffered.condition for suffered in member.afflictions])

    def _member_row(self, member: Member) -> Div:
        """Adds the fields of one member and lays them out in a row."""
        told, key = self.told, member.id
        rank = spoken(self.book.rank[member.rank].name)
        name = shown_name(self.book, member)
        label = name if name == rank else f"{name}, {rank}"
        fielded = told is None or key in told.fielded
        self.fields[f"in-{key}"] = forms.BooleanField(label=label, required=False, initial=fielded)
        rows = marks(self.book, self.settings)
        several = len(self.counts) > 1
        width = "col-7 col-md-5" if several and rows else "col-12 col-md-5"
        columns = [Div(Field(f"in-{key}", wrapper_class="mb-0"), css_class=f"{width} fw-semibold")]
        if rows:
            choices = [("", _("fit")), *((row.key, spoken(row.name)) for row in rows.values())]
            field = forms.ChoiceField(
                label="" if several else _("At the end"),
                choices=choices,
                required=False,
                initial=told.marks.get(key, "") if told else "",
            )
            field.widget.attrs["aria-label"] = _("%(name)s at the end") % {"name": name}
            self.fields[f"mark-{key}"] = field
            width = "col-5 col-md-3" if several else "col-6 col-md"
            columns.append(Div(Field(f"mark-{key}", wrapper_class="mb-1"), css_class=width))
        for tally, words in self.counts.items():
            self.fields[f"{tally}-{key}"] = _count_field(
                words, told.counts.get(tally, {}).get(key) if told else None, self._most(tally)
            )
        columns += self._folded(key) if several else self._count_columns(key, "col-6 col-md")
        return Div(
            *columns,
            css_class="row g-2 border-top py-2 align-items-md-center "
            + ("align-items-center" if several else "align-items-end"),
        )

    def _count_columns(self, key: int, width: str) -> list[Div]:
        """What was counted of one member, field by field."""
        return [
            Div(Field(f"{tally}-{key}", wrapper_class="mb-2"), css_class=width)
            for tally in self.counts
        ]

    def _folded(self, key: int) -> list[Div]:
        """Several things counted of one member: folded away until there is something to see."""
        names = [f"{tally}-{key}" for tally in self.counts]
        data, told = self.data, self.fields
        known = any(data.get(self.add_prefix(name)) or told[name].initial for name in names)
        opened = " open" if known else ""
        summary = escape(_("What this member did"))
        columns = self._count_columns(key, "col-12 col-sm-4 col-md-12")
        return [
            Div(
                HTML(f"<details{opened}><summary>{summary}</summary>"),
                Div(*columns, css_class="row g-2 pt-2 align-items-end"),
                HTML("</details>"),
                css_class="col-12 col-md-4",
            )
        ]

    def _most(self, tally: str) -> int:
        rows = self.book.campaign.tallies
        return next((row.maximum for row in rows if row.key == tally), 99)

    def _add_gang_fields(self) -> None:
        told = self.told
        gang_rows = tallies(self.book, self.settings, "gang")
        width = "col-6 col-md-4" if len(gang_rows) > 1 else "col-12"
        columns = []
        for row in gang_rows:
            field = _count_field(
                spoken(row.name), told.tallies.get(row.key) if told else None, row.maximum
            )
            field.help_text = escape(spoken(row.text))
            self.fields[f"tally-{row.key}"] = field
            columns.append(Div(Field(f"tally-{row.key}", wrapper_class="mb-2"), css_class=width))
        if columns:
            self.helper.layout.append(Div(*columns, css_class="row g-2 border-top pt-2"))
        rows = results(self.book, self.settings).values()
        if any(row.kind == "open" for row in rows):
            unit = money_unit(self.book)
            label = _("Money agreed on (%(unit)s)") % {"unit": unit}
            self.fields["money"] = _count_field(label, told.money if told else None, 10_000)
            self.helper.layout.append(Field("money"))

    def clean(self) -> dict[str, Any]:
        """Only those who took part can have ended somehow, or have done something."""
        cleaned: dict[str, Any] = self.cleaned_data
        if not any(cleaned.get(f"in-{member.id}") for member in self.members):
            raise forms.ValidationError(_("Nobody of this gang played? Tick who took part."))
        for member in self.members:
            if cleaned.get(f"in-{member.id}"):
                continue
            for name in [f"mark-{member.id}", *(f"{key}-{member.id}" for key in self.counts)]:
                if cleaned.get(name):
                    self.add_error(name, _("Tick above that this member took part."))
        return cleaned

    def report(self) -> Report:
        """The report on this gang."""
        data = self.cleaned_data
        members = [member.id for member in self.members]
        counts = {
            tally: {key: data[f"{tally}-{key}"] for key in members if data[f"{tally}-{key}"]}
            for tally in self.counts
        }
        if self.taking_out:
            sums = {
                key: sum(counts[tally].get(key, 0) for tally in self.taking_out) for key in members
            }
            counts[TAKEN_OUT] = {key: count for key, count in sums.items() if count}
        return Report(
            fielded=tuple(key for key in members if data[f"in-{key}"]),
            marks={key: data[f"mark-{key}"] for key in members if data.get(f"mark-{key}")},
            counts=counts,
            tallies={
                row.key: data[f"tally-{row.key}"] or 0
                for row in tallies(self.book, self.settings, "gang")
            },
            money=data.get("money") or 0,
        )


class ReportForms:
    """The result's form and the sides' forms as one."""

    def __init__(self, game: Game, sides: Sequence[Side], data: QueryDict | None = None) -> None:
        winner = next((str(side.pk) for side in sides if side.side == "winner"), "")
        initial = {
            "played_on": game.played_on,
            "result": game.result,
            "winner": winner,
            "note": game.note,
        }
        self.sides = sides
        self.result = ResultForm(game, sides, data, initial=initial)
        self.side_forms = [SideForm(side, data) for side in sides if side.gang is not None]

    def is_valid(self) -> bool:
        """Whether all of them are; every one is checked, so that all errors show at once."""
        return all([self.result.is_valid(), *(form.is_valid() for form in self.side_forms)])

    def told(self) -> dict[int, Told]:
        """What is told about each side, by its primary key; of a deleted gang, what was before."""
        reports = {form.side.pk: form.report() for form in self.side_forms}
        return {
            side.pk: Told(self.result.kind(side), reports.get(side.pk, side.told))
            for side in self.sides
        }


def _count_field(label: str, initial: int | None, most: int) -> forms.IntegerField:
    field = forms.IntegerField(
        label=label, min_value=0, max_value=most, required=False, initial=initial or None
    )
    field.widget.attrs.update({"inputmode": "numeric", "placeholder": "0"})
    return field
