"""Views of django-allauth, changed so that a form submitted twice has the effect of one: after a
double click, or a reload."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import url_str_to_user_pk
from allauth.account.views import (
    INTERNAL_RESET_SESSION_KEY,
    ConfirmEmailView,
    EmailView,
    PasswordResetFromKeyView,
)
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator

from accounts.models import User
from common.errors import Stale


class ConfirmEmail(ConfirmEmailView):  # type: ignore[misc]
    """Confirm an address by a mail's link, also for the second time."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm the address, unless another account has confirmed it before."""
        try:
            response = self._confirm(*args, **kwargs)
        except Http404:
            self.object = self._confirmed()
            response = self.respond(True)
        return response

    def _confirm(self, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                response: HttpResponse = super().post(*args, **kwargs)
        except IntegrityError:
            # Another account confirmed it at the same moment: now this is seen before it is stored.
            response = super().post(*args, **kwargs)
        return response

    def _confirmed(self) -> EmailConfirmationHMAC:
        """The address that the link has confirmed before. Raises Http404 if there is none."""
        age = timedelta(days=app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS)
        try:
            key = signing.loads(self.kwargs["key"], max_age=age, salt=app_settings.SALT)
            return EmailConfirmationHMAC(EmailAddress.objects.get(pk=key, verified=True))
        except (signing.BadSignature, EmailAddress.DoesNotExist) as error:
            raise Http404 from error


class Email(EmailView):  # type: ignore[misc]
    """The user's addresses."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Go on as if successful if another request has just saved the same."""
        try:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        except IntegrityError:
            return redirect("account_email")
        return response


@method_decorator(login_not_required, name="dispatch")
class ResetPassword(PasswordResetFromKeyView):  # type: ignore[misc]
    """Set a new password by the link of a mail, which works once."""

    def dispatch(
        self, request: HttpRequest, uidb36: str, key: str, **kwargs: Any
    ) -> HttpResponseBase:
        """Go on as if successful if the link has already set this password."""
        response: HttpResponseBase = super().dispatch(request, uidb36, key, **kwargs)
        if getattr(self, "reset_user", None) is None and self._done(request, uidb36):
            return redirect(self.success_url)
        return response

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Set the password, unless the link was used at the same moment."""
        try:
            response: HttpResponse = super().form_valid(form)
        except Stale:
            self.reset_user = None
            response = self.render_to_response(self.get_context_data(token_fail=True))
        return response

    def _done(self, request: HttpRequest, uidb36: str) -> bool:
        if request.method != "POST" or INTERNAL_RESET_SESSION_KEY not in request.session:
            return False
        try:
            user = User.objects.get(pk=url_str_to_user_pk(uidb36))
        except (ValueError, User.DoesNotExist):
            return False
        return is_password_of(request, user, request.POST.get("password1", ""))


def is_password_of(request: HttpRequest, user: User, password: str) -> bool:
    """Whether the password is right. Counts as an attempt to sign in, which may have to wait."""
    try:
        found = get_adapter().authenticate(request, username=user.username, password=password)
    except ValidationError:
        return False
    return bool(found == user)
