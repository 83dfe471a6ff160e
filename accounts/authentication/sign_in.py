"""Forms for signing in by user name or address, and for the link after a forgotten password."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.forms import LoginForm, ResetPasswordForm, default_token_generator
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy

from accounts import mailing
from accounts.adapter import account_mail
from accounts.authentication.passwords import shorten
from accounts.http import site_url
from common.background import add_jobs, carries_out, make_job
from common.models import Job


class SignInForm(LoginForm):  # type: ignore[misc]
    """Replaces the label "Login" by one that explains itself."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        shorten(self)
        self.fields["login"].label = gettext_lazy("User name or e-mail address")


# The kind of the jobs that find the account and send the link.
LINK = "password link"


class ForgottenPasswordForm(ResetPasswordForm):  # type: ignore[misc]
    """The address of an account. A job looks the account up later, so that neither the content nor
    the time of the response reveals whether it exists."""

    def clean_email(self) -> str:
        """Convert the address to its stored form."""
        address: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        return address

    def save(self, request: HttpRequest, **kwargs: object) -> str:
        """Add the job that sends the link, if there is an account."""
        address: str = self.cleaned_data["email"]
        values = {"address": address, "site": site_url(request)}
        add_jobs([make_job(LINK, language=translation.get_language() or "", **values)])
        return address


@carries_out(LINK)
def send_link(job: Job) -> None:
    """Send a link to every account with this confirmed address, or to the only one with it.

    The job contains the address, the site's address as the reader knows it, and their language.
    """
    address, site, language = (job.body[name] for name in ("address", "site", "language"))
    users = filter_users_by_email(address, is_active=True, prefer_verified=True, for_login=True)
    mails = []
    with translation.override(language or settings.LANGUAGE_CODE):
        for user in users:
            key = {
                "uidb36": user_pk_to_url_str(user),
                "key": default_token_generator.make_token(user),
            }
            path = reverse("account_reset_password_from_key", kwargs=key)
            context = {"user": user, "username": user.username}
            context["password_reset_url"] = f"{site}{path}"
            mails.append(account_mail("account/email/password_reset_key", address, context))
    mailing.post(mails)
