"""Signing up: an account, its address and the place of its invitation at once, or nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import SignupForm
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.internal.userkit import get_user_by_username
from allauth.account.models import Login
from allauth.account.views import SignupView
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.authentication import invitations
from accounts.authentication.invitations import UsedUp
from accounts.authentication.safe_views import is_password_of
from accounts.models import User

# How long after signing up the same form signs in.
JUST_NOW = timedelta(minutes=5)


class SignUpForm(SignupForm):  # type: ignore[misc]
    """A name and a password, perhaps an address. ``hashed``: the password as it is stored."""

    hashed: str

    def try_save(self, request: HttpRequest) -> tuple[User, HttpResponse | None]:
        """Store the account with its address. Raises UsedUp, or IntegrityError if somebody was
        faster to take the name."""
        # Hashing takes its time, and others wait for the transaction.
        self.hashed = make_password(self.cleaned_data["password1"])
        with transaction.atomic():
            saved: tuple[User, HttpResponse | None] = super().try_save(request)
        return saved


class SignUp(SignupView):  # type: ignore[misc]
    """An account; the second of two forms leads on with the account that the first has made."""

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Make the account and sign in."""
        try:
            response: HttpResponse = super().form_valid(form)
        except UsedUp:
            return self.closed()
        except IntegrityError:
            # Another form took the name between the check and now.
            form.add_error("username", get_adapter().validation_error("username_taken"))
            return self.form_invalid(form)
        return response

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """Say what is wrong, unless it is that all is done."""
        response: HttpResponse = self._signed_up(form) or super().form_invalid(form)
        return response

    def closed(self) -> HttpResponse:
        """Say that the site takes nobody (more), unless it has just taken whoever asks."""
        form = self.get_form() if self.request.method == "POST" else None
        response: HttpResponse | None = self._signed_up(form) if form is not None else None
        if response is None:
            context = {"invitation": invitations.key_of(self.request)}
            response = render(self.request, "account/signup_closed.html", context)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The page carries its invitation along."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"invitation": invitations.key_of(self.request)}

    def _signed_up(self, form: BaseForm) -> HttpResponse | None:
        """Sign in whoever has just signed up with this name and password."""
        name = form.data.get("username", "").strip()
        password = form.data.get("password1", "")
        # PostgreSQL cannot be asked for everything that a form can carry.
        user = get_user_by_username(name) if name.isprintable() else None
        if user is None or timezone.now() - user.date_joined > JUST_NOW:
            return None
        if not is_password_of(self.request, user, password):
            return None
        login = Login(user=user, redirect_url=self.get_success_url(), signup=True)
        response: HttpResponse = perform_password_login(self.request, {"username": name}, login)
        return response
