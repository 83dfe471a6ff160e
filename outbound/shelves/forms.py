"""The form for the address of a shelf or a game on another site."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, NameField
from outbound.client import LONGEST_ADDRESS, Refused
from outbound.shelves.fetching import Pasted, read_address


class AddressForm(CrispyForm):
    """A pasted address. When valid, ``cleaned_data["address"]`` is a ``Pasted``."""

    address = NameField(
        label=gettext_lazy("Address of a shelf or a game"),
        max_length=LONGEST_ADDRESS,
        help_text=gettext_lazy("Such as https://club.example/rules/, copied from your browser."),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off"}),
    )

    def clean_address(self) -> Pasted:
        """Find the shelf that the address leads to."""
        try:
            return read_address(self.cleaned_data["address"])
        except Refused as refused:
            raise forms.ValidationError(str(refused)) from None
