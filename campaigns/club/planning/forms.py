"""Forms to plan a game: its gangs, day, scenario, roles and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.dates import date_format
from campaigns.club.nights import schedule
from campaigns.club.nights.schedule import Guest
from campaigns.club.planning.plans import ROLL, TYPED, Plan, choose_scenario, may_be_rolled
from campaigns.forms import PlannedDayField, TokenField, offer_gangs
from campaigns.models import Campaign, Game, Night, Side
from campaigns.refusals import refusal_sentence
from campaigns.story import story_of
from campaigns.text import scenario_name, side_names
from common.errors import Refusal
from common.forms import NameField, helper, set_choices
from gangs.models import Gang
from gangs.text.dice import bad_faces_sentence
from gangs.text.formats import localize
from rules.book.reference import Scenario
from rules.engine.dice import BadFaces

# The choice that leaves the scenario as it is.
KEEP = "keep"


class PlanForm(forms.Form):
    """The day of a game and its scenario: chosen, rolled by the site, or rolled by the players."""

    night = forms.ChoiceField(label=gettext_lazy("Night"), required=False)
    played_on = PlannedDayField(
        label=gettext_lazy("Day"), initial=timezone.localdate, required=False
    )
    scenario = forms.ChoiceField(label=gettext_lazy("Scenario"), required=False)
    faces = NameField(
        label=gettext_lazy("Our dice"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Only if you rolled yourselves: each die, as in “3 5”."),
    )

    def __init__(
        self,
        campaign: Campaign,
        to_come: Sequence[Night],
        *args: Any,
        first: Sequence[tuple[str, str]] = (),
        **options: Any,
    ) -> None:
        """``to_come``: the nights to choose from; ``first``: choices above the rulebook's
        scenarios."""
        super().__init__(*args, **options)
        self.book, self.rules = campaign.book, campaign.rules
        self.nights = {str(night.pk): night for night in to_come}
        if self.nights:
            named = [(key, night_label(night)) for key, night in self.nights.items()]
            set_choices(self, "night", [("", _("Not on a game night")), *named])
            self.fields["played_on"].help_text = _("On a game night, that night’s day counts.")
        else:
            del self.fields["night"]
        self._add_scenarios(campaign, first)
        self.helper = helper()

    def _add_scenarios(self, campaign: Campaign, first: Sequence[tuple[str, str]]) -> None:
        choices = [*first, ("", _("Decide later, or play our own"))]
        table, rows = self.book.campaign.scenario_table, self.rules.scenarios
        self.story = story_of(campaign)
        if self.story is not None:
            ahead, is_open = self.story.next, self.story.open
            names = {row.key: localize(row.name) for row in rows}
            first = [*first, *((key, _("Next: %(name)s") % {"name": names[key]}) for key in ahead)]
            choices = [*first, choices[-1]]
            rows = tuple(row for row in rows if row.key in is_open and row.key not in ahead)
        if table is not None:
            dice = self.book.table[table].dice
            if not all(may_be_rolled(row, self.story) for row in self.book.table[table].rows):
                self.fields["scenario"].help_text = _(
                    "Dice that show a closed scenario are rolled again."
                )
            choices += [
                (ROLL, _("Roll %(dice)s for us now") % {"dice": dice}),
                (TYPED, _("We rolled %(dice)s ourselves") % {"dice": dice}),
            ]
        else:
            del self.fields["faces"]
            if len(rows) > 1:
                choices.append((ROLL, _("Roll for us now, each equally likely")))
        self._may_roll = table is not None or len(rows) > 1
        if not rows and table is None and not first:
            # There is nothing to choose from.
            del self.fields["scenario"]
            return
        set_choices(self, "scenario", [*choices, *((row.key, localize(row.name)) for row in rows)])

    def clean(self) -> dict[str, Any]:
        """Take the day from the night, and check that the table's roll can show the dice."""
        cleaned: dict[str, Any] = self.cleaned_data
        cleaned["night"] = self.nights.get(cleaned.get("night", ""))
        if cleaned["night"] is not None:
            cleaned["played_on"] = schedule.day_of(cleaned["night"])
            self.errors.pop("played_on", None)
        elif not cleaned.get("played_on") and "played_on" not in self.errors:
            self.add_error("played_on", _("Which day?"))
        if cleaned.get("scenario") == TYPED and "faces" in self.fields:
            table = self.book.table[self.book.campaign.scenario_table or ""]
            try:
                faces = cleaned.get("faces", "")
                choose_scenario(self.rules, TYPED, faces, story=self.story)
            except BadFaces as bad:
                self.add_error("faces", bad_faces_sentence(bad, table.dice))
            except Refusal as refusal:
                self.add_error("faces", refusal_sentence(refusal))
        return cleaned

    @property
    def rolls(self) -> str:
        """The value of the button that lets the site roll the scenario; "" if it may not."""
        return ROLL if self._may_roll and "scenario" in self.fields else ""

    def gangs_playing(self) -> int:
        """The number of gangs in the game."""
        return len(self.cleaned_data["gangs"])

    def plan(self) -> Plan:
        """The plan. Rolls the dice for its scenario, if the site rolls them."""
        data = self.cleaned_data
        wanted = data.get("scenario", "")
        if wanted == KEEP:
            return Plan(data["played_on"], data["night"], scenario=None)
        gangs, faces = self.gangs_playing(), data.get("faces", "")
        chosen = choose_scenario(self.rules, wanted, faces, gangs, self.story)
        return Plan(data["played_on"], data["night"], *chosen)


class GameForm(PlanForm):
    """A new game: its night or day, gangs and scenario."""

    gangs = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Who plays?"), widget=forms.CheckboxSelectMultiple, required=False
    )
    token = TokenField()
    field_order = ["night", "played_on", "gangs", "scenario", "faces", "token"]

    def __init__(
        self,
        campaign: Campaign,
        guests: Sequence[Guest],
        to_come: Sequence[Night],
        *args: Any,
        **options: Any,
    ) -> None:
        """``guests``: the gangs to choose from, with their answers for the game's night."""
        super().__init__(campaign, to_come, *args, **options)
        offer_gangs(self, "gangs", {guest.gang: guest_label(guest) for guest in guests})
        if len(guests) == campaign.book.who_plays.fewest:
            # There is nobody else to choose.
            self.fields["gangs"].initial = [str(guest.gang.pk) for guest in guests]


class ReplanForm(PlanForm):
    """A change of a game's plan. The scenario stays unless another one is chosen; only organisers
    can replace a scenario that dice chose."""

    field_order = ["night", "played_on", "scenario", "faces"]

    def __init__(
        self, game: Game, to_come: Sequence[Night], *args: Any, organises: bool, **options: Any
    ) -> None:
        self.game = game
        is_set = bool(game.scenario or game.scenario_roll)
        name = scenario_name(game.campaign.book, game)
        first = [(KEEP, _("Keep: %(name)s") % {"name": name})] if is_set else []
        initial = {
            "night": str(game.night_id or ""),
            "played_on": game.played_on,
            "scenario": KEEP if is_set else "",
        }
        super().__init__(game.campaign, to_come, *args, initial=initial, first=first, **options)
        if game.scenario_roll and not organises:
            set_choices(self, "scenario", first)
            self.fields["scenario"].help_text = _(
                "The dice have chosen: only an organiser can change that."
            )
            self.fields.pop("faces", None)
            self._may_roll = False

    def gangs_playing(self) -> int:
        """The number of gangs in the game, which this form does not change."""
        return self.game.sides.count()


class RolesForm(forms.Form):
    """The role of each side, in a scenario that has roles."""

    def __init__(self, scenario: Scenario, sides: Sequence[Side], *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.roles = {role.key: localize(role.name) for role in scenario.roles}
        self.sides = list(sides)
        names = side_names(self.sides)
        for side in self.sides:
            self.fields[f"role{side.pk}"] = forms.ChoiceField(
                label=names[side.pk],
                required=False,
                choices=[("", _("Not decided yet")), *self.roles.items()],
                initial=side.role,
            )
        self.helper = helper()

    def clean(self) -> dict[str, Any]:
        """Give the other role to the other of two sides, and check that every role is taken."""
        cleaned: dict[str, Any] = self.cleaned_data
        given = [role for role in self.chosen().values() if role]
        if len(self.sides) == len(self.roles) == 2 and len(given) == 1:
            (other,) = self.roles.keys() - given
            for side in self.sides:
                name = f"role{side.pk}"
                cleaned[name] = cleaned.get(name) or other
        elif len(given) == len(self.sides) >= len(self.roles) and len(set(given)) < len(self.roles):
            raise ValidationError(_("Every role needs somebody: who is the other?"), "missing")
        return cleaned

    def chosen(self) -> dict[int, str]:
        """The role of each side, by its primary key."""
        return {side.pk: self.cleaned_data.get(f"role{side.pk}", "") for side in self.sides}


def guest_label(guest: Guest) -> str:
    """The label of a gang in a list of choices: its name, player and answer."""
    gang, answer = guest.gang, guest.answer_name
    name = f"{gang.name} ({gang.owner})" if gang.owner else gang.name
    return f"{name} – {answer}" if answer else name


def night_label(night: Night) -> str:
    """The label of a night in a list of choices: its time and place."""
    words = date_format(timezone.localtime(night.starts_at), "l j F Y, H:i")
    return f"{words} · {night.place}" if night.place else words


class ProposalForm(forms.Form):
    """The gangs to pair, and the order of the criteria. It is sent by GET and changes nothing."""

    gangs = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Who wants to play?"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    by = forms.ChoiceField(label=gettext_lazy("What counts most?"), widget=forms.RadioSelect)
    odd = forms.ChoiceField(label=gettext_lazy("The odd one out"), widget=forms.RadioSelect)

    def __init__(
        self, guests: Sequence[Guest], *args: Any, has_rating: bool, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        by = [("meetings", _("Gangs that have met least often, planned games included"))]
        if has_rating:
            met = _("Gangs that have met least often, planned games included; then rating")
            closest = _("The closest rating; then gangs that have met least often")
            by = [("rating", closest), ("meetings", met)]
        set_choices(self, "by", by)
        set_choices(self, "odd", [("rests", _("sits out")), ("joins", _("joins a game of three"))])
        offer_gangs(self, "gangs", {guest.gang: guest_label(guest) for guest in guests})
        self.helper = helper()


class GroupsForm(forms.Form):
    """The gangs that want to play, and how many of them wish to play together. It is sent by GET
    and changes nothing."""

    gangs = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Who wants to play?"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    size = forms.TypedChoiceField(label=gettext_lazy("How many play together?"), coerce=int)

    def __init__(
        self, guests: Sequence[Guest], *args: Any, sizes: Sequence[int], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        set_choices(self, "size", [(str(size), str(size)) for size in sizes])
        offer_gangs(self, "gangs", {guest.gang: guest_label(guest) for guest in guests})
        self.helper = helper()


class PairsForm(forms.Form):
    """The proposed pairs that are to play: each value holds the keys of two or more gangs."""

    pair = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = TokenField()

    def __init__(self, gangs: Sequence[Gang], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.by_key = {str(gang.pk): gang for gang in gangs}

    def clean_pair(self) -> list[list[Gang]]:
        """The ticked pairs, as gangs."""
        ticked = self.cleaned_data["pair"]
        if not ticked:
            raise ValidationError(_("Tick at least one of the pairs."), "none")
        try:
            return [[self.by_key[key] for key in pair.split()] for pair in ticked]
        except KeyError:
            raise ValidationError(_("One of these gangs is no longer here."), "gone") from None
