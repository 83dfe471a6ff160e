"""Forms of channels: a new one, and the settings of one."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, NameField
from outbound.client import LONGEST_ADDRESS, Refused
from outbound.hooks.addresses import THREAD, Address, NotAWebhook, read_address
from outbound.models import Kind, all_kinds


class ChannelForm(CrispyForm):
    """The settings of a channel. ``with_thread``: it may be one of Discord."""

    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("What it gets"),
        choices=Kind.choices,
        initial=all_kinds,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the messages"), choices=settings.LANGUAGES
    )
    thread = NameField(
        label=gettext_lazy("Thread (optional)"),
        max_length=30,
        required=False,
        help_text=gettext_lazy(
            "For Discord: the number of a thread of the channel. In a forum, the site opens a "
            "thread of its own."
        ),
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, with_thread: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)
        if not with_thread:
            del self.fields["thread"]

    def clean_thread(self) -> str:
        """Accept only a number."""
        thread: str = self.cleaned_data["thread"]
        if thread and not THREAD.fullmatch(thread):
            raise forms.ValidationError(_("A thread’s number has only digits."), "thread")
        return thread


class NewChannelForm(ChannelForm):
    """A new channel: its address, and its settings. ``token`` recognises a form that is sent
    twice."""

    address = forms.URLField(
        label=gettext_lazy("Address of the webhook"),
        max_length=LONGEST_ADDRESS,
        assume_scheme="https",
        help_text=gettext_lazy(
            "In Discord: Edit channel, Integrations, Webhooks, New webhook, Copy webhook URL."
        ),
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    token = forms.UUIDField(initial=uuid.uuid4, widget=forms.HiddenInput)
    field_order = ["address"]

    def clean_address(self) -> Address:
        """Take the address apart."""
        try:
            return read_address(self.cleaned_data["address"])
        except Refused as refused:
            raise forms.ValidationError(str(refused), refused.reason) from None
        except NotAWebhook:
            raise forms.ValidationError(
                _(
                    "This is an address of Discord, but not a webhook’s. Copy it there with “Copy "
                    "webhook URL”."
                ),
                "not_a_webhook",
            ) from None
