"""Signing in: with the user name or with the address, whichever comes to mind."""

from __future__ import annotations

from allauth.account.forms import LoginForm
from django.utils.translation import gettext_lazy


class SignInForm(LoginForm):  # type: ignore[misc]
    """Says what it wants. A label "Login" does not."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = gettext_lazy("User name or e-mail address")
        self.fields["login"].widget.attrs.pop("placeholder", None)
        self.fields["password"].widget.attrs.pop("placeholder", None)
