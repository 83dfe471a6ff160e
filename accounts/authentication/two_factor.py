"""Two-factor authentication by an app's codes or by recovery codes: our changes to
django-allauth."""

from __future__ import annotations

import io
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import DeactivateTOTPForm
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy

from accounts.models import User

TOTP = Authenticator.Type.TOTP
# Seconds for which an app's code is valid.
CODES_LAST = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)


class TwoFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Draws QR codes with the same library as the rest of the site."""

    def build_totp_svg(self, url: str) -> str:
        """An SVG of the QR code for the app."""
        import segno

        drawn = io.BytesIO()
        segno.make(url, micro=False).save(drawn, kind="svg", scale=5, border=3, light="#fff")
        return drawn.getvalue().decode()


class OnceForm(BaseAuthenticateForm):  # type: ignore[misc]
    """A code of the app, which works once as long as it is valid, or a recovery code."""

    def clean_code(self) -> str:
        """Use the code up. allauth forgets an app's code before it expires."""
        try:
            code: str = super().clean_code()
        except Authenticator.DoesNotExist:
            # The second factor was removed at the same moment.
            raise get_mfa_adapter().validation_error("incorrect_code") from None
        used = f"accounts.totp-used.{self.user.pk}.{normalize_user_code(code)}"
        if self.authenticator.type == TOTP and not cache.add(used, True, CODES_LAST):
            raise get_mfa_adapter().validation_error("incorrect_code")
        return code


class SecondFactorForm(OnceForm, AuthenticateForm):  # type: ignore[misc]
    """The code at a sign-in."""


class SecondFactorAgainForm(OnceForm, ReauthenticateForm):  # type: ignore[misc]
    """The code before a sensitive page."""


class DeactivateForm(DeactivateTOTPForm):  # type: ignore[misc]
    """The password, so that nobody removes the second factor in a browser left signed in."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        strip=False,
    )

    def clean_password(self) -> str:
        """Require the account's password; after some wrong ones the user must wait."""
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.authenticator.user, password):
            raise forms.ValidationError(gettext_lazy("That is not your password."))
        return password


@method_decorator(login_required, name="dispatch")
class Activate(ActivateTOTPView):  # type: ignore[misc]
    """Activate an app: scan the QR code, and type the code that the app shows."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Leave the page if an app is already active."""
        if is_mfa_enabled(request.user, [TOTP]):
            return redirect("mfa_index")
        try:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        except IntegrityError:
            # The same form came twice at the same moment.
            return redirect("mfa_index")
        return response


@method_decorator(login_required, name="dispatch")
class Deactivate(DeactivateTOTPView):  # type: ignore[misc]
    """Deactivate the app."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Leave the page if no app is active."""
        if not is_mfa_enabled(request.user, [TOTP]):
            return redirect("mfa_index")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def _dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Skip the usual reauthentication, since the form itself asks for the password."""
        response: HttpResponseBase = super(DeactivateTOTPView, self).dispatch(
            request, *args, **kwargs
        )
        return response

    def get_form_kwargs(self) -> dict[str, Any]:
        """Do not validate the form before it is submitted."""
        kwargs: dict[str, Any] = super().get_form_kwargs()
        return kwargs if self.request.method == "POST" else kwargs | {"data": None}

    def form_valid(self, form: forms.BaseForm) -> HttpResponse:
        """Delete the app's secret and the recovery codes."""
        reauthenticate_by_password(self.request)
        response: HttpResponse = super().form_valid(form)
        return response


def take_away(user: User) -> bool:
    """Remove the second factor of a user who has lost app and codes; returns whether they had one.
    For administrators."""
    return bool(Authenticator.objects.filter(user=user).delete()[0])
