"""Signing up: account, address and the invitation's place are saved together or not at all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.forms import SignupForm
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.internal.userkit import get_user_by_username
from allauth.account.models import Login
from allauth.account.views import SignupView
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.authentication import invitations
from accounts.authentication.invitations import UsedUp
from accounts.authentication.passwords import shorten
from accounts.authentication.safe_views import is_password_of
from accounts.models import User

# For this long after a sign-up, submitting the same form again signs in.
JUST_NOW = timedelta(minutes=5)


class SignUpForm(SignupForm):  # type: ignore[misc]
    """A name, a password and perhaps an address. ``hashed``: the password as stored."""

    hashed: str

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        shorten(self)
        self.fields["username"].label = gettext_lazy("User name")
        if settings.MAIL_SERVER:
            self.fields["email"].help_text = gettext_lazy(
                "To choose a new password if you forget yours."
            )

    def try_save(self, request: HttpRequest) -> tuple[User, HttpResponse | None]:
        """Store the account with its address. Raises UsedUp, or ValidationError if another request
        has just taken the name."""
        # Hashed before the transaction, for which others wait, since hashing is slow.
        self.hashed = make_password(self.cleaned_data["password1"])
        with transaction.atomic():
            saved: tuple[User, HttpResponse | None] = super().try_save(request)
        return saved


class SignUp(SignupView):  # type: ignore[misc]
    """Creates an account; the second of two equal forms continues with the account of the first."""

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Make the account and sign in."""
        try:
            response: HttpResponse = super().form_valid(form)
        except UsedUp:
            return self.closed(is_used_up=True)
        except ValidationError as taken:
            # Another form took the name, or one like it, between the check and now.
            form.add_error("username", taken)
            return self.form_invalid(form)
        return response

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """Show the errors, unless the visitor has just signed up with this form."""
        response: HttpResponse = self._signed_up(form) or super().form_invalid(form)
        return response

    def closed(self, *, is_used_up: bool = False) -> HttpResponse:
        """Say that nobody (else) may sign up, unless the visitor has just signed up.
        ``is_used_up``: somebody else was faster with the same invitation."""
        form = self.get_form() if self.request.method == "POST" else None
        response: HttpResponse | None = self._signed_up(form) if form is not None else None
        if response is None:
            context = {"invitation": is_used_up or invitations.key_of(self.request)}
            response = render(self.request, "account/signup_closed.html", context)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Keep the invitation on the page."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"invitation": invitations.key_of(self.request)}

    def _signed_up(self, form: BaseForm) -> HttpResponse | None:
        """Sign in a visitor who has just signed up with this name and password."""
        name = form.data.get("username", "").strip()
        password = form.data.get("password1", "")
        # PostgreSQL rejects some characters that a form can contain.
        user = get_user_by_username(name) if name.isprintable() else None
        if user is None or timezone.now() - user.date_joined > JUST_NOW:
            return None
        if not is_password_of(self.request, user, password):
            return None
        login = Login(user=user, redirect_url=self.get_success_url(), signup=True)
        response: HttpResponse = perform_password_login(self.request, {"username": name}, login)
        return response
