"""Forms to invite somebody to a campaign, and to leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from common.forms import NameField
from gangs.models import Gang

TAKE, BEHIND = "take", "behind"
WAYS = [
    (TAKE, gettext_lazy("Take it with me: what it did here stays, and it can play elsewhere.")),
    (BEHIND, gettext_lazy("Leave it to the campaign: an organiser can give it to somebody.")),
]


# The largest primary key that a database can hold.
BIGGEST_KEY = 2**63 - 1


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


class PartingForm(forms.Form):
    """For each gang that has played: whether its owner takes it along or leaves it behind."""

    def __init__(self, gangs: Sequence[Gang], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for gang in gangs:
            self.fields[f"gang-{gang.pk}"] = forms.ChoiceField(
                label=gang.name, choices=WAYS, widget=forms.RadioSelect
            )

    def behind(self) -> frozenset[str]:
        """The keys of the gangs that are left to the campaign."""
        ways = self.cleaned_data.items()
        return frozenset(name.removeprefix("gang-") for name, way in ways if way == BEHIND)
