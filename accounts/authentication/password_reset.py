"""A forgotten password: the link to choose another goes to whoever has the address."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.forms import ResetPasswordForm, default_token_generator
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.http import HttpRequest
from django.tasks import task
from django.urls import reverse
from django.utils import translation

from accounts import mailing
from accounts.adapter import account_mail
from accounts.http import site_url


class ForgottenPasswordForm(ResetPasswordForm):  # type: ignore[misc]
    """The address. Whether somebody has it is found out after the page is answered: neither what
    the page says nor how long that takes tells anybody."""

    def clean_email(self) -> str:
        """The address, as it is stored with accounts."""
        address: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        return address

    def save(self, request: HttpRequest, **kwargs: object) -> str:
        """Have the link sent, if there is an account."""
        address: str = self.cleaned_data["email"]
        send_link.enqueue(address, site_url(request), translation.get_language() or "")
        return address


@task
def send_link(address: str, site: str, language: str) -> None:
    """Send a link to everybody who has confirmed this address, or who alone has given it.

    ``site``: the address of the site as they know it; ``language``: what they read there.
    """
    users = filter_users_by_email(address, is_active=True, prefer_verified=True, for_login=True)
    with translation.override(language or settings.LANGUAGE_CODE):
        for user in users:
            key = {
                "uidb36": user_pk_to_url_str(user),
                "key": default_token_generator.make_token(user),
            }
            path = reverse("account_reset_password_from_key", kwargs=key)
            context = {"username": user.username, "password_reset_url": f"{site}{path}"}
            mailing.post([account_mail("account/email/password_reset_key", address, context)])
