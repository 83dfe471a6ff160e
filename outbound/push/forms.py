"""The form that a browser sends to get notices, and the topics that a device shows."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from py_vapid.utils import b64urldecode

from accounts.notices import topics_for
from common.forms import CrispyForm, NameField, set_choices
from outbound import client
from outbound.push.models import PushDevice

# Bytes of a browser's shared secret (RFC 8291).
AUTH_LENGTH = 16


class BrowserForm(forms.Form):
    """The address and keys of a browser, as its push service gave them."""

    endpoint = NameField(max_length=2000)
    p256dh = NameField(max_length=100)
    auth = NameField(max_length=40)

    def clean_endpoint(self) -> str:
        """Require an address to which the site may send something."""
        endpoint: str = self.cleaned_data["endpoint"]
        try:
            host = client.check_address(endpoint)
        except client.Refused as refused:
            raise forms.ValidationError(str(refused)) from None
        if ":" in host:
            raise forms.ValidationError(str(client.Reason.NOT_PUBLIC.label))
        return endpoint

    def clean_p256dh(self) -> str:
        """Require a point of the curve."""
        key: str = self.cleaned_data["p256dh"]
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(key))
        except ValueError:
            raise forms.ValidationError(_("The browser’s key is invalid.")) from None
        return key

    def clean_auth(self) -> str:
        """Require a secret of the right length."""
        secret: str = self.cleaned_data["auth"]
        length = 0
        with suppress(ValueError):
            length = len(_decode(secret))
        if length != AUTH_LENGTH:
            raise forms.ValidationError(_("The browser’s key is invalid."))
        return secret


class RenewalForm(BrowserForm):
    """The present address and keys of a browser. ``old``: the address that it had before, if the
    browser says so."""

    old = NameField(max_length=2000, required=False)


class TopicsForm(CrispyForm):
    """The topics of notices that a device shows."""

    topics = forms.MultipleChoiceField(
        label=_("Show these on this device"), widget=forms.CheckboxSelectMultiple, required=False
    )

    def __init__(self, device: PushDevice, data: QueryDict | None = None, **more: Any) -> None:
        wanted = {"topics": device.topics}
        super().__init__(data, initial=wanted, auto_id=f"device-{device.pk}-%s", **more)
        set_choices(self, "topics", topics_for(device.user).items())


def _decode(text: str) -> bytes:
    """Decode base64url. Raises ValueError."""
    decoded: bytes = b64urldecode(text.encode("ascii"))
    return decoded
