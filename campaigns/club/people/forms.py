"""Forms of a campaign: its settings, invitations, leaving it, deleting it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.forms import CampaignForm
from campaigns.models import Campaign
from common.forms import NameField
from gangs.models import Gang

TAKE, BEHIND = "take", "behind"
WAYS = [
    (TAKE, gettext_lazy("Take it with me: what it did here stays, and it can play elsewhere.")),
    (BEHIND, gettext_lazy("Leave it to the campaign: an organiser can give it to somebody.")),
]


# The largest primary key that a database can hold.
BIGGEST_KEY = 2**63 - 1


class CampaignSettingsForm(CampaignForm):
    """A campaign's settings: also who may join, and with which gangs."""

    joining = forms.ChoiceField(
        label=gettext_lazy("Who may join"), choices=Campaign.Joining.choices, required=False
    )
    legal_only = forms.BooleanField(
        label=gettext_lazy("Only gangs that keep to the rules"),
        help_text=gettext_lazy("A gang with an error cannot join."),
        required=False,
    )
    least_members = forms.IntegerField(
        label=gettext_lazy("Minimum number of members"),
        min_value=0,
        max_value=100,
        required=False,
        help_text=gettext_lazy("Smaller gangs cannot join. Empty: any number."),
    )


class InviteForm(forms.Form):
    """The account or e-mail address to invite."""

    whom = NameField(
        label=gettext_lazy("User name or e-mail address"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def clean_whom(self) -> str:
        """Check that a text with an @ is an e-mail address."""
        whom: str = self.cleaned_data["whom"]
        return forms.EmailField().clean(whom) if "@" in whom else whom


class HandOverForm(forms.Form):
    """The new owner of a gang; ``seen``: the primary key of the owner that the page showed."""

    to = forms.IntegerField(min_value=0, max_value=BIGGEST_KEY)
    seen = forms.IntegerField(required=False, min_value=0, max_value=BIGGEST_KEY)


class DeleteForm(forms.Form):
    """The name of a campaign, typed by the organiser who deletes it."""

    name = NameField(
        label=gettext_lazy("Its name, to be sure"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, expected: str, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._expected = expected

    def clean_name(self) -> str:
        """Reject any other name; capitals do not matter."""
        name: str = self.cleaned_data["name"]
        if name.casefold() != self._expected.casefold():
            raise forms.ValidationError(_("That is not the campaign’s name."), "other_name")
        return name


class PartingForm(forms.Form):
    """For each gang that has played: whether its owner takes it along or leaves it behind.
    ``names``: of all gangs of the campaign."""

    def __init__(
        self, gangs: Sequence[Gang], names: Mapping[uuid.UUID, str], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for gang in gangs:
            self.fields[f"gang-{gang.pk}"] = forms.ChoiceField(
                label=names[gang.pk], choices=WAYS, widget=forms.RadioSelect
            )

    def behind(self) -> frozenset[str]:
        """The keys of the gangs that are left to the campaign."""
        ways = self.cleaned_data.items()
        return frozenset(name.removeprefix("gang-") for name, way in ways if way == BEHIND)
