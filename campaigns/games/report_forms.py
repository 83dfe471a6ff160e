"""The forms that report a game: one for the result, and one for each gang that played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.credits import Deeds, deeds
from campaigns.engine.report import SideKind, marks, results
from campaigns.forms import DayField
from campaigns.games.side_form import SideForm
from campaigns.models import Game, Side
from campaigns.table.reporting import TableAccount
from campaigns.text import side_names
from common.forms import NameField, NotesField, helper, number, set_choices
from gangs.text.formats import localized, money_unit, with_unit
from rules.book.model import Book
from rules.book.season import ResultType


class ResultForm(forms.Form):
    """How the game ended, and who won it. A confirmed result is corrected with a reason."""

    played_on = DayField(label=gettext_lazy("Day"))
    result = forms.ChoiceField(label=gettext_lazy("Result"), widget=forms.RadioSelect)
    winner = forms.ChoiceField(label=gettext_lazy("Who won?"), required=False)
    note = NotesField(label=gettext_lazy("Anything worth remembering?"), max_length=2000)
    why = NameField(
        label=gettext_lazy("Why is the result corrected?"),
        help_text=gettext_lazy("All players see it."),
        max_length=300,
    )

    def __init__(self, game: Game, sides: Sequence[Side], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        book, settings = game.campaign.book, game.campaign.settings
        self.rows = results(book, settings)
        pays = book.pays(settings)
        choices = []
        for row in self.rows.values():
            label = _("%(name)s: %(text)s") % {
                "name": localized(row.name),
                "text": localized(row.text),
            }
            reward = _reward(book, row) if pays else ""
            notes = [reward, _("house value") if row.is_house else ""]
            if remarks := "; ".join(note for note in notes if note):
                label += f" ({remarks})"
            choices.append((row.key, label))
        set_choices(self, "result", choices)
        if len(choices) == 1 and not self.initial.get("result"):
            self.initial["result"] = choices[0][0]
        names = [(str(side), name) for side, name in side_names(sides).items()]
        set_choices(self, "winner", [("", _("Nobody")), *names])
        if game.status != Game.Status.CONFIRMED:
            del self.fields["why"]
        self.helper = helper()

    def clean(self) -> dict[str, Any]:
        """Somebody won a game that was decided; nobody won one that was not."""
        cleaned: dict[str, Any] = self.cleaned_data
        row = self.rows.get(cleaned.get("result", ""))
        if row is not None and row.kind == "decided" and not cleaned.get("winner"):
            self.add_error("winner", _("With this result somebody won: who?"))
        if row is not None and row.kind == "level" and cleaned.get("winner"):
            self.add_error("winner", _("With this result nobody won."))
        return cleaned

    def kind(self, side: Side) -> SideKind:
        """How a side came out."""
        winner = self.cleaned_data["winner"]
        if not winner:
            return "level"
        return "winner" if winner == str(side.pk) else "loser"


def _reward(book: Book, row: ResultType) -> str:
    """The money that a result brings, in words; "" if it brings none, or none that is known."""
    unit = money_unit(book)
    if row.kind == "decided" and (row.winner or row.loser):
        won, lost = with_unit(row.winner, unit), with_unit(row.loser, unit)
        return _("%(won)s for the winner, %(lost)s for the loser") % {"won": won, "lost": lost}
    if row.kind == "level" and row.each:
        return _("%(amount)s each") % {"amount": with_unit(row.each, unit)}
    return ""


class ReportForms:
    """The result's form and the sides' forms as one.

    ``account``: what to begin with, if anything is told yet, by somebody or at the ``table``;
    ``data``: what was sent; ``typed``: what was typed so far, to be shown again without being
    judged. In which turn somebody went out only the table says, whatever else is typed.
    """

    def __init__(
        self,
        game: Game,
        sides: Sequence[Side],
        account: Account | TableAccount | None = None,
        *,
        table: TableAccount | None = None,
        data: QueryDict | None = None,
        typed: QueryDict | None = None,
    ) -> None:
        side_accounts = account.sides if account else {}
        reports = {pk: part.report for pk, part in side_accounts.items()}
        winner = next((str(pk) for pk, part in side_accounts.items() if part.side == "winner"), "")
        initial: dict[str, Any] = {
            # Planned for another day, it was played today at the latest.
            "played_on": min(game.played_on, timezone.localdate()),
            "winner": winner,
        }
        if account is not None:
            initial["result"] = account.result
        if isinstance(account, Account):
            initial |= {"played_on": account.played_on, "note": account.note}
        self.sides = sides
        self.book, self.settings = game.campaign.book, game.campaign.settings
        self.marks = list(marks(self.book, self.settings).values())
        if typed is not None:
            initial = {name: typed.get(name, "") for name in ResultForm.base_fields}
        self.result = ResultForm(game, sides, data, initial=initial)
        living = [side for side in sides if side.gang is not None]
        names = side_names(sides)
        told = table.sides if table else {}
        turns = {pk: part.report.turns for pk, part in told.items()}
        self.side_forms = [
            SideForm(side, names[side.pk], reports.get(side.pk), data, turns.get(side.pk, {}))
            for side in living
        ]
        for form in self.side_forms:
            form.meet(self.side_forms)
        if typed is not None:
            for form in self.side_forms:
                form.type_in(typed)
        elif isinstance(account, TableAccount):
            self.fill_in()
        elif account is not None and data is None:
            deeds_by_gang = self._deeds()
            for form in self.side_forms:
                form.keep_none(deeds_by_gang[str(form.side.gang_id)])

    def doubts(self) -> list[str]:
        """What is hard to believe of a report that is in order, as questions."""
        row = self.result.rows[self.result.cleaned_data["result"]]
        if not row.none_left:
            return []
        return [
            ngettext(
                "%(result)s, though %(count)s of %(gang)s was still fit?",
                "%(result)s, though %(count)s of %(gang)s were still fit?",
                count,
            )
            % {"result": localized(row.name), "count": count, "gang": form.name}
            for form in self.side_forms
            if self.result.kind(form.side) == "loser" and (count := form.fit())
        ]

    def fill_in(self) -> int:
        """Fill in what follows from who put out whom, where nothing is typed; how many numbers."""
        deeds_by_gang = self._deeds()
        return sum(form.fill_in(deeds_by_gang[str(form.side.gang_id)]) for form in self.side_forms)

    def all_took_part(self, side: str) -> None:
        """Tick everybody of one side."""
        for form in self.side_forms:
            if form.side.pk == number(side):
                form.all_took_part()

    def is_valid(self) -> bool:
        """Whether all of them are; every one is checked, so that all errors show at once.

        What was left empty is filled in first, as the button does.
        """
        valid = all([self.result.is_valid(), *(form.is_valid() for form in self.side_forms)])
        deeds_by_gang = self._deeds()
        by_gang = {str(form.side.gang_id): form for form in self.side_forms}
        for gang, form in by_gang.items():
            form.complete(deeds_by_gang[gang])
            form.compare(deeds_by_gang[gang], by_gang)
        return valid and all(form.is_valid() for form in self.side_forms)

    def wrong(self) -> list[tuple[str, str]]:
        """The first wrong place of each part, as an anchor of the page and a name."""
        found = [form.first_wrong() for form in self.side_forms]
        result = [("report-result", _("Result"))] if self.result.errors else []
        return [*result, *(place for place in found if place is not None)]

    def account(self) -> Account:
        """The whole of what is told; of a deleted gang, what was before."""
        data = self.result.cleaned_data
        reports = {form.side.pk: form.report() for form in self.side_forms}
        return Account(
            result=data["result"],
            played_on=data["played_on"],
            note=data["note"],
            sides={
                side.pk: SideAccount(
                    self.result.kind(side), reports.get(side.pk, side.parsed_report)
                )
                for side in self.sides
            },
        )

    def _deeds(self) -> dict[str, Deeds]:
        losses = [form.losses() for form in self.side_forms]
        return deeds(self.book, self.settings, losses)
