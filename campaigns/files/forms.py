"""The form for importing a campaign."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from campaigns.forms import TokenField
from common.forms import NameField, helper


class CampaignFileForm(forms.Form):
    """A campaign's file, and the user's name in it."""

    file = forms.FileField(
        label=gettext_lazy("Campaign file"),
        widget=forms.ClearableFileInput(attrs={"accept": "application/json,.json"}),
        help_text=gettext_lazy("A .json file that was exported from this site or another."),
    )
    own_name = NameField(
        label=gettext_lazy("My name in it"),
        required=False,
        max_length=150,
        help_text=gettext_lazy(
            "As written on the other site; that player’s gangs become yours. Leave it empty if "
            "you did not take part. Everybody else is known by name only, until you hand their "
            "gangs over to accounts here."
        ),
    )
    token = TokenField()
    helper = helper()
