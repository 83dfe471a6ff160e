"""Forms about who takes part in a campaign, and how gangs leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from campaigns.models import Participant
from common.forms import NameField
from gangs.models import Gang

TAKE, BEHIND = "take", "behind"
WAYS = [
    (TAKE, gettext_lazy("Take it with me: what it did here stays, and it can play elsewhere.")),
    (BEHIND, gettext_lazy("Leave it to the campaign: an organiser can give it to somebody.")),
]

# No row has a larger one, and no database knows one.
BIGGEST_KEY = 2**63 - 1


class InviteForm(forms.Form):
    """Whom to invite."""

    whom = NameField(
        label=gettext_lazy("User name or e-mail address"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def clean_whom(self) -> str:
        """An address must be one."""
        whom: str = self.cleaned_data["whom"]
        return forms.EmailField().clean(whom) if "@" in whom else whom


class RoleForm(forms.Form):
    """What somebody does from now on; ``seen``: what they did when the page was shown."""

    role = forms.ChoiceField(choices=Participant.Role.choices)
    seen = NameField()


class HandOverForm(forms.Form):
    """Who gets a gang; ``seen``: the primary key of whose it was when the page was shown."""

    to = forms.IntegerField(min_value=0, max_value=BIGGEST_KEY)
    seen = forms.IntegerField(required=False, min_value=0, max_value=BIGGEST_KEY)


class PartingForm(forms.Form):
    """For each gang that has played: whether its owner takes it along."""

    def __init__(self, gangs: Sequence[Gang], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for gang in gangs:
            self.fields[f"gang-{gang.pk}"] = forms.ChoiceField(
                label=gang.name, choices=WAYS, widget=forms.RadioSelect
            )

    def behind(self) -> frozenset[str]:
        """The keys of the gangs that stay."""
        ways = self.cleaned_data.items()
        return frozenset(name.removeprefix("gang-") for name, way in ways if way == BEHIND)
