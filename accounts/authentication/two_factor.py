"""Two-factor authentication: besides the password a code of an app, or one of the codes kept on
paper. django-allauth does it; here is what we do our way."""

from __future__ import annotations

import io
from typing import Any

import segno
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import DeactivateTOTPForm
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy

from accounts.models import User

TOTP = Authenticator.Type.TOTP


class TwoFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Codes to scan are drawn by what draws ours."""

    def build_totp_svg(self, url: str) -> str:
        """An SVG of the code that an app scans."""
        drawn = io.BytesIO()
        segno.make(url, micro=False).save(drawn, kind="svg", scale=5, border=3, light="#fff")
        return drawn.getvalue().decode()


class DeactivateForm(DeactivateTOTPForm):  # type: ignore[misc]
    """The password: whoever finds a browser signed in does not take the second factor away."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        strip=False,
    )

    def clean_password(self) -> str:
        """Whoever guesses must wait."""
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.authenticator.user, password):
            raise forms.ValidationError(gettext_lazy("That is not your password."))
        return password


@method_decorator(login_required, name="dispatch")
class Activate(ActivateTOTPView):  # type: ignore[misc]
    """Scan a code, and type what the app shows."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Whoever has done so need not do it again."""
        if is_mfa_enabled(request.user, [TOTP]):
            return redirect("mfa_index")
        try:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        except IntegrityError:
            # The same form came twice at once.
            return redirect("mfa_index")
        return response


@method_decorator(login_required, name="dispatch")
class Deactivate(DeactivateTOTPView):  # type: ignore[misc]
    """Do without."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Whoever has done so need not do it again."""
        if not is_mfa_enabled(request.user, [TOTP]):
            return redirect("mfa_index")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def _dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The form asks for the password itself, however lately it was given."""
        response: HttpResponseBase = super(DeactivateTOTPView, self).dispatch(
            request, *args, **kwargs
        )
        return response

    def get_form_kwargs(self) -> dict[str, Any]:
        """A page that is only read has no mistakes yet."""
        kwargs: dict[str, Any] = super().get_form_kwargs()
        return kwargs if self.request.method == "POST" else kwargs | {"data": None}

    def form_valid(self, form: forms.BaseForm) -> HttpResponse:
        """Delete the app's secret, and the codes on paper."""
        reauthenticate_by_password(self.request)
        response: HttpResponse = super().form_valid(form)
        return response


def take_away(user: User) -> bool:
    """Let a user sign in with their password alone, who has lost app and codes; whether they had
    any. For whoever runs the site."""
    return bool(Authenticator.objects.filter(user=user).delete()[0])
