"""django-allauth's pages, where a form that arrives twice is one: a double click, a reload."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.internal.userkit import get_user_by_username
from allauth.account.models import EmailAddress, EmailConfirmationHMAC, Login
from allauth.account.utils import url_str_to_user_pk
from allauth.account.views import (
    INTERNAL_RESET_SESSION_KEY,
    ConfirmEmailView,
    EmailView,
    PasswordResetFromKeyView,
    SignupView,
)
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator

from accounts.authentication import invitations
from accounts.authentication.invitations import UsedUp
from accounts.models import User

# How long after signing up the same form signs in.
JUST_NOW = timedelta(minutes=5)


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
        if not _is_password_of(self.request, user, password):
            return None
        login = Login(user=user, redirect_url=self.get_success_url(), signup=True)
        response: HttpResponse = perform_password_login(self.request, {"username": name}, login)
        return response


class ConfirmEmail(ConfirmEmailView):  # type: ignore[misc]
    """The link of a mail; an address that is confirmed stays so."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm the address."""
        try:
            response: HttpResponse = super().post(*args, **kwargs)
        except Http404:
            self.object = self._confirmed()
            response = self.respond(True)
        return response

    def _confirmed(self) -> EmailConfirmationHMAC:
        """What the link has confirmed before. Raises Http404 if that is nothing."""
        age = timedelta(days=app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS)
        try:
            key = signing.loads(self.kwargs["key"], max_age=age, salt=app_settings.SALT)
            return EmailConfirmationHMAC(EmailAddress.objects.get(pk=key, verified=True))
        except (signing.BadSignature, EmailAddress.DoesNotExist) as error:
            raise Http404 from error


class Email(EmailView):  # type: ignore[misc]
    """One's addresses."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """What another request has just written need not be written again."""
        try:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        except IntegrityError:
            return redirect("account_email")
        return response


@method_decorator(login_not_required, name="dispatch")
class ResetPassword(PasswordResetFromKeyView):  # type: ignore[misc]
    """Another password, by the link of a mail, which is good for one."""

    def dispatch(
        self, request: HttpRequest, uidb36: str, key: str, **kwargs: Any
    ) -> HttpResponseBase:
        """Whoever sends the password that the link has just set has set it."""
        response: HttpResponseBase = super().dispatch(request, uidb36, key, **kwargs)
        if getattr(self, "reset_user", None) is None and self._done(request, uidb36):
            return redirect(self.success_url)
        return response

    def _done(self, request: HttpRequest, uidb36: str) -> bool:
        if request.method != "POST" or INTERNAL_RESET_SESSION_KEY not in request.session:
            return False
        try:
            user = User.objects.get(pk=url_str_to_user_pk(uidb36))
        except (ValueError, User.DoesNotExist):
            return False
        return _is_password_of(request, user, request.POST.get("password1", ""))


def _is_password_of(request: HttpRequest, user: User, password: str) -> bool:
    """Whether it is; whoever guesses must wait."""
    try:
        found = get_adapter().authenticate(request, username=user.username, password=password)
    except ValidationError:
        return False
    return bool(found == user)
