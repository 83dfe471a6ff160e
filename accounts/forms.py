"""Forms about one's own account."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import User


class MailForm(forms.Form):
    """Whether notices come by e-mail, too."""

    mail_notices = forms.BooleanField(
        label=gettext_lazy("Send me notices by e-mail, too"), required=False
    )


class DeleteAccountForm(forms.Form):
    """The password, before an account is deleted."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        strip=False,
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Only who knows it deletes the account; whoever guesses must wait."""
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise forms.ValidationError(gettext_lazy("That is not your password."))
        return password
