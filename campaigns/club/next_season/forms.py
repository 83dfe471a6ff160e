"""The form to start the next season."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import User
from campaigns.club.next_season.storage import find_later
from campaigns.club.people.forms import CampaignSettingsForm
from campaigns.forms import offer_gangs
from campaigns.models import Campaign, Participant
from common.forms import helper, set_choices
from gangs.models import Gang


class NextSeasonForm(CampaignSettingsForm):
    """The new season: its name and options, who goes on, which gangs are carried over, and whether
    its nights are scheduled now."""

    seats = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Who goes on"),
        widget=forms.CheckboxSelectMultiple,
        coerce=int,
        required=False,
    )
    carried = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Gangs that are carried over"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    plan_nights = forms.BooleanField(label=gettext_lazy("Schedule its nights now"), required=False)

    def __init__(
        self, campaign: Campaign, gangs: Mapping[Gang, str], *args: Any, **options: Any
    ) -> None:
        """``gangs``: those that can be carried over, with their names."""
        super().__init__(campaign.book, campaign.settings, *args, **options)
        seats = [seat for seat in campaign.seats if not seat.user.stands_for]
        set_choices(self, "seats", [(seat.pk, _describe(seat)) for seat in seats])
        self.fields["seats"].initial = [seat.pk for seat in seats]
        offer_gangs(self, "carried", gangs)
        self.fields["carried"].initial = [str(gang.pk) for gang in gangs]


def _describe(seat: Participant) -> str:
    return f"{seat.user} ({seat.get_role_display()})"


def propose_name(name: str) -> str:
    """The name of the season after the one with this name: a number at its end goes up by one."""
    words = name.rsplit(" ", 1)
    if len(words) == 2 and words[1].isdecimal() and len(words[1]) < 5:
        return f"{words[0]} {int(words[1]) + 1}"
    return f"{name[:78]} 2"


class LinkForm(forms.Form):
    """The campaign that was the season before."""

    previous = forms.ModelChoiceField(
        label=gettext_lazy("The season before"),
        queryset=Campaign.objects.none(),
        required=False,
        empty_label=gettext_lazy("None: this is the first"),
    )

    def __init__(self, campaign: Campaign, user: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["previous"]
        assert isinstance(field, forms.ModelChoiceField)
        known = Campaign.objects.organised_by(user).exclude(pk__in=find_later(campaign))
        field.queryset = known.filter(book_version__slug=campaign.book_version.slug)
        field.initial = campaign.previous_id
        self.helper = helper()
