"""The forms that report a game: a form for the result, and a form for each gang that played."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns import holders
from campaigns.colours import colours_of
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.credits import Deeds, deeds
from campaigns.engine.report import Capture, SideKind
from campaigns.forms import DayField
from campaigns.games.due_fates import find_due_fates
from campaigns.games.side_form import SideForm
from campaigns.models import Game, Side
from campaigns.table.people import name_nonplayers
from campaigns.table.report import TableAccount
from campaigns.text import side_names
from common.forms import NameField, NotesField, helper, number, set_choices
from gangs.engine.roster import HeldPlace
from gangs.models import Gang
from gangs.pictures.faces import colour_of
from gangs.text.formats import localize, money_unit, with_unit
from rules.book.model import Book, Rules
from rules.book.season import TOGETHER, ResultType

# The answer to "Who won?" for a draw that the rulebook does not have. No key begins like this.
DRAW = "~draw"


@dataclass(frozen=True)
class Ending:
    """An answer to "Who won?", a gang or a result without a winner, or an answer to "How?".
    ``text``: the meaning of a result without a winner; ``hue``: the number of the gang's colour."""

    value: str
    label: str
    is_chosen: bool
    gang: Gang | None = None
    hue: int | None = None
    text: str = ""


class ResultForm(forms.Form):
    """The winner of a game, and how it ended. Correcting a confirmed result takes a reason.

    The answer to "Who won?" is a gang, or a result without a winner; against the book, where all
    gangs win or lose together, it is a result ("How did it end?"). The form asks "How?" only
    where there are several ways to win; an empty answer follows from the members that are still
    fit (``work_out``). Three or more sides may have places; equal sides share one.
    """

    # The fields below everything else.
    BESIDES = frozenset({"played_on", "note"})

    winner = forms.ChoiceField(
        label=gettext_lazy("Who won?"), widget=forms.RadioSelect, required=False
    )
    result = forms.ChoiceField(label=gettext_lazy("How?"), widget=forms.RadioSelect, required=False)
    played_on = DayField(label=gettext_lazy("Day"))
    captures = forms.MultipleChoiceField(
        label=gettext_lazy("What the winner captured"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    note = NotesField(label=gettext_lazy("Anything worth remembering?"), max_length=2000)
    why = NameField(
        label=gettext_lazy("Why is the result corrected?"),
        help_text=gettext_lazy("All players see it."),
        max_length=300,
    )

    def __init__(
        self,
        game: Game,
        sides: Sequence[Side],
        *args: Any,
        captured: Sequence[Capture] = (),
        **options: Any,
    ) -> None:
        """``captured``: the captures in the report to begin with."""
        super().__init__(*args, **options)
        rules = game.campaign.rules
        self.game, self.sides, self.names = game, sides, side_names(sides)
        self.rows = rules.result
        self.level = [row for row in self.rows.values() if row.kind != "decided"]
        # A result that the players agree on may have a winner, too.
        self.won = [row for row in self.rows.values() if row.kind != "level"]
        self.is_together = game.campaign.book.who_plays.is_together
        if self.is_together:
            # The result is the same for all gangs: nobody asks who won.
            self.level, self.won = list(self.rows.values()), []
            self.fields["winner"].label = _("How did it end?")
        self.meanings = {row.key: _meaning(rules, row) for row in self.rows.values()}
        self.labels = {
            row.key: _("%(name)s: %(text)s")
            % {"name": localize(row.name), "text": self.meanings[row.key]}
            for row in self.rows.values()
        }
        set_choices(self, "result", self.labels.items())
        winners = [(str(side), name) for side, name in self.names.items()]
        levels = [(row.key, localize(row.name)) for row in self.level]
        if not self.level:
            levels = [(DRAW, _("Draw"))]
        set_choices(self, "winner", [*(winners if self.won else ()), *levels])
        if len(self.rows) == 1 and not self.initial.get("result"):
            self.initial["result"] = next(iter(self.rows))
        if not self.initial.get("winner") and self.initial.get("result") in dict(levels):
            self.initial["winner"] = self.initial["result"]
        if len(sides) > 2 and not self.is_together:
            for side in sides:
                self.fields[place_name(side)] = _place_field(self.names[side.pk], len(sides))
        self.capturable = _capturable(game, sides, captured)
        if self.capturable:
            set_choices(self, "captures", self._captures())
        else:
            del self.fields["captures"]
        if game.status != Game.Status.CONFIRMED:
            del self.fields["why"]
        self.helper = helper()

    @cached_property
    def colours(self) -> dict[str, int]:
        """The number of each gang's colour, by its key. Makes a query."""
        return colours_of(self.game.campaign)

    def _colour(self, side: Side) -> int:
        key = str(side.gang_id or f"name:{side.name}")
        return self.colours[key] if key in self.colours else colour_of(key)

    def endings(self) -> list[Ending]:
        """The answers to "Who won?": each gang, then each result without a winner."""
        chosen, found = self["winner"].value(), []
        for side in self.sides if self.won else ():
            key, hue = str(side.pk), self._colour(side)
            found.append(Ending(key, self.names[side.pk], chosen == key, side.gang, hue))
        for row in self.level:
            text = self.meanings[row.key]
            found.append(Ending(row.key, localize(row.name), chosen == row.key, text=text))
        if not self.level:
            text = _("The rulebook has no draw: your club says what it brings.")
            found.append(Ending(DRAW, _("Draw"), chosen == DRAW, text=text))
        return found

    def places(self) -> list[forms.BoundField]:
        """The places of three or more sides."""
        return [field for field in self if field.name.startswith(PLACE)]

    def ways(self) -> list[Ending]:
        """The answers to "How?": the results with a winner, if there are several."""
        if len(self.won) < 2:
            return []
        chosen = self["result"].value()
        return [Ending(row.key, self.labels[row.key], chosen == row.key) for row in self.won]

    def only_way(self) -> str:
        """The meaning of the result with a winner, if there is only one."""
        return self.labels[self.won[0].key] if len(self.won) == 1 else ""

    def besides(self) -> list[forms.BoundField]:
        """The day and the note."""
        return [field for field in self if field.name in self.BESIDES]

    @property
    def is_open(self) -> bool:
        """Whether the part with the day and the note is unfolded: it has a note, or an error."""
        return bool(self["note"].value() or any(field.errors for field in self.besides()))

    def clean(self) -> dict[str, Any]:
        """Check that the result has a winner exactly if it needs one."""
        cleaned: dict[str, Any] = self.cleaned_data
        cleaned["how"] = "played"
        if cleaned.get("winner") in self.rows:
            cleaned["result"], cleaned["winner"] = cleaned["winner"], ""
        cleaned["places"] = self._read_places()
        if cleaned.get("winner") == DRAW or self._is_shared():
            # The rulebook has no such result.
            cleaned |= {"how": "recorded", "result": "", "winner": ""}
            return cleaned
        row, winner = self.rows.get(cleaned.get("result", "")), cleaned.get("winner")
        if row is None:
            if not winner and not self.errors:
                words = _("Who won? Choose one of these.")
                if self.is_together:
                    words = _("How did it end? Choose one of these.")
                self.add_error("winner", words)
        elif row.kind == "decided" and not winner:
            self.add_error("winner", _("With this result somebody won: who?"))
        elif row.kind == "level" and winner:
            self.add_error("winner", _("With this result nobody won."))
        return cleaned

    def _read_places(self) -> dict[int, int]:
        """The places of a posted form by the sides' keys, checked; empty if there are none. The
        only first place names the winner."""
        cleaned = self.cleaned_data
        found = {
            side.pk: int(place)
            for side in self.sides
            if (place := cleaned.get(place_name(side)) or "")
        }
        if not found or any(field.errors for field in self.places()):
            return {}
        order = sorted(found.values())
        # 1, 1, 3: equal sides share a place, and the next place is free.
        fits = all(order.index(place) == place - 1 for place in order)
        first = [pk for pk, place in found.items() if place == 1]
        if len(found) < len(self.sides) or not fits:
            words = _("Give every side a place: 1, 2, 3; equal sides share one: 1, 1, 3.")
            self.add_error(place_name(self.sides[0]), words)
            return {}
        is_level = cleaned.get("winner") == DRAW or self._is_level()
        if is_level and len(first) < len(found):
            self.add_error("winner", _("With this result nobody won: leave the places empty."))
            return {}
        if len(first) == 1 and not cleaned.get("winner"):
            cleaned["winner"] = str(first[0])
        elif not is_level and cleaned.get("winner") and cleaned["winner"] != str(first[0]):
            self.add_error("winner", _("The places name another winner."))
        return found

    def _is_level(self) -> bool:
        """Whether a result was chosen that never has a winner."""
        row = self.rows.get(self.cleaned_data.get("result", ""))
        return row is not None and row.kind == "level"

    def _is_shared(self) -> bool:
        """Whether several sides share the first place, and no result of the rulebook says so."""
        first = [place for place in self.cleaned_data["places"].values() if place == 1]
        known = {row.key for row in self.level}
        return len(first) > 1 and self.cleaned_data.get("result") not in known

    def work_out(self, *, none_left: bool) -> None:
        """Complete the result from the winner: it is the only result with a winner, or the one for
        losers with nobody (``none_left``), or somebody, left to fight."""
        if self.cleaned_data.get("result") or not self.cleaned_data.get("winner"):
            return
        decided = [row for row in self.won if row.kind == "decided"] or self.won
        fitting = [row for row in decided if row.none_left == none_left] or decided
        if len(fitting) == 1:
            self.cleaned_data["result"] = fitting[0].key
        else:
            self.add_error("result", _("How did it end? Choose one of these."))

    def _captures(self) -> Iterator[tuple[str, str]]:
        """The values and labels of everything that can be captured."""
        gangs = {str(side.gang_id): self.names[side.pk] for side in self.sides}
        for key, one in self.capturable.items():
            held = HeldPlace(id=one.place, key=one.holding, name=one.name)
            values = {
                "holding": localize(held.own_name(self.game.campaign.book)),
                "gang": gangs[one.gang],
            }
            yield key, _("%(holding)s, from %(gang)s") % values

    def captured(self) -> tuple[Capture, ...]:
        """The captures that a valid form reports."""
        return tuple(self.capturable[key] for key in self.cleaned_data.get("captures", ()))

    def check_captures(self) -> None:
        """Check that the winner captures no more than the result allows, and nothing of their own.
        Only after ``work_out``."""
        row, captured = self.rows.get(self.cleaned_data.get("result", "")), self.captured()
        if not captured or (row is None and self.cleaned_data.get("how") != "recorded"):
            return
        winner = {str(side.gang_id) for side in self.sides if self.kind(side) == "winner"}
        if row is None or not winner or not row.captures:
            self.add_error("captures", _("With this result nobody captures anything."))
        elif len(captured) > row.captures:
            words = ngettext(
                "The winner captures %(count)s holding at most.",
                "The winner captures %(count)s holdings at most.",
                row.captures,
            )
            self.add_error("captures", words % {"count": row.captures})
        elif any(one.gang in winner for one in captured):
            self.add_error("captures", _("The winner already holds this."))

    def kind(self, side: Side) -> SideKind:
        """Whether a side won, lost or came out level."""
        if self.is_together:
            row = self.rows.get(self.cleaned_data.get("result", ""))
            return TOGETHER[row.kind] if row is not None else "level"
        winner, place = self.cleaned_data.get("winner"), self.place(side)
        if not winner:
            return "level" if place in (None, 1) else "loser"
        return "winner" if winner == str(side.pk) else "loser"

    def place(self, side: Side) -> int | None:
        """A side's place in a valid form, if it has one."""
        places: dict[int, int] = self.cleaned_data.get("places") or {}
        return places.get(side.pk)


PLACE = "place-"


def place_name(side: Side) -> str:
    """The name of the field for a side's place."""
    return f"{PLACE}{side.pk}"


def _place_field(name: str, sides: int) -> forms.ChoiceField:
    numbers = [(str(place), str(place)) for place in range(1, sides + 1)]
    return forms.ChoiceField(label=name, choices=[("", "–"), *numbers], required=False)


def _capturable(
    game: Game, sides: Sequence[Side], captured: Sequence[Capture]
) -> dict[str, Capture]:
    """Holdings that can be captured in the game, by their value in the form: those of the sides
    that no other game has taken already, and those that the report has. Makes no query in a game
    without captures."""
    campaign = game.campaign
    if not any(row.captures for row in campaign.rules.results):
        return {}
    going = holders.pending(campaign)
    found = list(captured)
    for side in sides:
        for held in side.gang.roster.holdings if side.gang else ():
            row, gang = campaign.book.holding.get(held.key), str(side.gang_id)
            if row is not None and row.captured and (gang, held.id) not in going:
                found.append(Capture(gang=gang, place=held.id, holding=held.key, name=held.name))
    present = {str(side.gang_id) for side in sides if side.gang}
    return {f"{one.gang}:{one.place}": one for one in found if one.gang in present}


def _meaning(rules: Rules, row: ResultType) -> str:
    """The meaning of a result with, in a campaign that pays, its reward."""
    reward = _reward(rules.book, row) if rules.pays else ""
    notes = " · ".join(note for note in (reward, _("house value") if row.is_house else "") if note)
    return f"{localize(row.text)} ({notes})" if notes else localize(row.text)


def _reward(book: Book, row: ResultType) -> str:
    """A result's payment in words; "" if it pays nothing, or the sum is unknown."""
    unit = money_unit(book)
    if row.kind == "decided" and (row.winner or row.loser):
        won, lost = with_unit(row.winner, unit), with_unit(row.loser, unit)
        return _("%(won)s for the winner, %(lost)s for the loser") % {"won": won, "lost": lost}
    each = {"level": row.each, "won": row.winner, "lost": row.loser}.get(row.kind, 0)
    if each:
        return _("%(amount)s each") % {"amount": with_unit(each, unit)}
    return ""


def _initial_places(account: Account) -> dict[str, Any]:
    """The values to begin with for places, and for a draw that the rulebook does not have."""
    places = {f"{PLACE}{pk}": str(part.place or "") for pk, part in account.sides.items()}
    is_draw = all(part.side == "level" for part in account.sides.values())
    return places | ({"winner": DRAW} if account.how == "recorded" and is_draw else {})


class ReportForms:
    """The result's form and the sides' forms together.

    ``account``: the initial values, from a report or from the ``table``; ``data``: the posted form;
    ``typed``: a posted form to show again without validating it; ``on_paper``: a form to fill in by
    hand, which mentions no other games, so they are not read; ``completed``: the keys of the sides
    whose reports are added to a result that stays, so only their forms are asked and checked; None:
    all are. The turns in which members went out always come from the table.
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
        on_paper: bool = False,
        completed: Collection[int] | None = None,
    ) -> None:
        side_accounts = account.sides if account else {}
        reports = {pk: part.report for pk, part in side_accounts.items()}
        captured = [one for report in reports.values() for one in report.captures]
        self.rules = game.campaign.rules
        is_together = self.rules.book.who_plays.is_together
        winners = [str(pk) for pk, part in side_accounts.items() if part.side == "winner"]
        winner = next(iter(winners), "") if not is_together else ""
        initial: dict[str, Any] = {
            # A game planned for a later day was played today at the latest.
            "played_on": min(game.played_on, timezone.localdate()),
            "winner": winner,
        }
        if account is not None:
            initial["result"] = account.result
        if isinstance(account, Account):
            initial |= _initial_places(account)
        initial["captures"] = [f"{one.gang}:{one.place}" for one in captured]
        if isinstance(account, Account):
            initial |= {"played_on": account.played_on, "note": account.note}
        self.sides = sides
        self.marks = list(self.rules.marks)
        if typed is not None:
            places = [name for name in typed if name.startswith(PLACE)]
            initial = {name: typed.get(name, "") for name in (*ResultForm.base_fields, *places)}
            initial["captures"] = typed.getlist("captures")
        self.result = ResultForm(game, sides, data, initial=initial, captured=captured)
        if completed is not None:
            self.result.fields.pop("why", None)
        names = side_names(sides)
        turns = {pk: part.report.turns for pk, part in table.sides.items()} if table else {}
        due = {} if on_paper else find_due_fates(game, sides)
        never_came = table.never_came if table else frozenset()
        # A report may name one who came although nobody tapped that.
        named = {by for report in reports.values() for by in report.by_nonplayers.values()}
        nonplayers = {
            number: name
            for number, name in name_nonplayers(game).items()
            if number not in never_came or number in named
        }
        self.side_forms = [
            SideForm(
                side,
                names[side.pk],
                reports.get(side.pk),
                data,
                turns.get(side.pk, {}),
                due.get(str(side.gang_id), {}),
                nonplayers,
            )
            for side in sides
            if side.gang is not None
        ]
        self.is_whole = completed is None
        self.asked_sides = [
            form for form in self.side_forms if completed is None or form.side.pk in completed
        ]
        for form in self.side_forms:
            form.meet([] if is_together else self.side_forms)
        if typed is not None:
            for form in self.side_forms:
                form.type_in(typed)
        elif isinstance(account, TableAccount):
            self.fill_in()
        elif account is not None and data is None:
            deeds_by_gang = self._deeds()
            for form in self.side_forms:
                form.keep_none(deeds_by_gang[str(form.side.gang_id)])
                form.leave_to_deeds(deeds_by_gang[str(form.side.gang_id)])

    def doubts(self) -> list[str]:
        """Questions about the doubtful points of a valid report."""
        due = [doubt for form in self.asked_sides for doubt in form.due_doubts()]
        row = self.result.rows.get(self.result.cleaned_data.get("result", ""))
        if row is None or not row.none_left:
            return due
        return due + [
            ngettext(
                "%(result)s, though %(count)s of %(gang)s was still fit?",
                "%(result)s, though %(count)s of %(gang)s were still fit?",
                count,
            )
            % {"result": localize(row.name), "count": count, "gang": form.name}
            for form in self.asked_sides
            if self.result.kind(form.side) == "loser" and (count := form.fit())
        ]

    def fill_in(self) -> int:
        """Work out the empty counts from the members taken out. Return the number filled in."""
        deeds_by_gang = self._deeds()
        return sum(form.fill_in(deeds_by_gang[str(form.side.gang_id)]) for form in self.side_forms)

    def all_took_part(self, side: str) -> None:
        """Tick every member of one side."""
        for form in self.side_forms:
            if form.side.pk == number(side):
                form.all_took_part()

    def is_valid(self) -> bool:
        """Whether all forms that are asked are valid. Reads every form, so that all errors show
        together, and works out the empty counts first."""
        for read in (self.result, *self.side_forms):
            read.is_valid()
        winner = self.result.cleaned_data.get("winner")
        losers = [form for form in self.side_forms if str(form.side.pk) != winner]
        self.result.work_out(none_left=not any(form.fit() for form in losers))
        self.result.check_captures()
        deeds_by_gang = self._deeds()
        by_gang = {str(form.side.gang_id): form for form in self.side_forms}
        for gang, form in by_gang.items():
            form.complete(deeds_by_gang[gang])
            form.compare(deeds_by_gang[gang], by_gang)
        return all(form.is_valid() for form in self._asked())

    def _asked(self) -> list[forms.Form]:
        """The forms whose errors count: nobody sees, or could correct, the errors of others."""
        return [*([self.result] if self.is_whole else ()), *self.asked_sides]

    def wrong(self) -> list[tuple[str, str]]:
        """The first error of each part: its anchor on the page, and a name."""
        errors = self.result.errors.keys() if self.is_whole else set()
        result = [("report-result", _("Result"))] if errors - ResultForm.BESIDES else []
        sides = [form.first_wrong() for form in self.asked_sides]
        besides = [("report-besides", _("Day"))] if errors & ResultForm.BESIDES else []
        return [*result, *(place for place in sides if place is not None), *besides]

    def account(self) -> Account:
        """The whole account. The report on a deleted gang stays as it was."""
        data = self.result.cleaned_data
        reports = {form.side.pk: form.report() for form in self.side_forms}
        for side, report in reports.items():
            if str(side) == data["winner"]:
                reports[side] = report.model_copy(update={"captures": self.result.captured()})
        return Account(
            result=data["result"],
            how=data["how"],
            played_on=data["played_on"],
            note=data["note"],
            sides={
                side.pk: SideAccount(
                    self.result.kind(side),
                    reports.get(side.pk, side.parsed_report),
                    self.result.place(side),
                )
                for side in self.sides
            },
        )

    def _deeds(self) -> dict[str, Deeds]:
        return deeds(self.rules, [form.losses() for form in self.side_forms])
