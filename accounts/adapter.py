"""Changes to the behaviour of django-allauth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_email, user_username
from allauth.core import context as allauth_context
from django.conf import settings
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy

from accounts import mailing
from accounts.authentication import attempts, invitations
from accounts.authentication.addresses import client_address
from accounts.http import public_url, site_url
from accounts.models import User, check_letters
from common.models import Job

if TYPE_CHECKING:
    from accounts.authentication.sign_up import SignUpForm


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Stores mails of accounts as jobs, and lets ``accounts.authentication`` count attempts to sign
    in and decide who may sign up."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": gettext_lazy(
            "The address or the password is not correct. You can sign in with an address that you"
            " have confirmed; your user name always works."
        ),
    }

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Store the mail made from these templates, without contacting a mail server."""
        mailing.post([account_mail(template_prefix, email, context)])

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: EmailConfirmationHMAC, signup: bool
    ) -> None:
        """Ask for a confirmation; if the address belongs to another account, mail its owner."""
        given: EmailAddress = emailconfirmation.email_address
        others = EmailAddress.objects.filter(email=given.email, verified=True)
        owner = others.exclude(pk=given.pk).select_related("user").first()
        # Loaded in both cases, so that the time of the answer reveals nothing.
        prefetch_related_objects([given], "user")
        if owner is None:
            super().send_confirmation_mail(request, emailconfirmation, signup)
            return
        site = site_url(request)
        context = {
            "user": owner.user,
            "username": owner.user.username,
            "login_url": f"{site}{reverse('account_login')}",
            "password_reset_url": f"{site}{reverse('account_reset_password')}",
        }
        with translation.override(owner.user.language or translation.get_language()):
            self.send_mail("account/email/account_already_exists", given.email, context)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this visitor may sign up."""
        return invitations.may_sign_up(request)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Check a new name. The sign-up reserves it when it stores it."""
        check_letters(username)
        if not shallow:
            User.objects.check_name(username)
        # Its own check of other names is ours.
        cleaned: str = super().clean_username(username, shallow=True)
        return cleaned

    def save_user(
        self, request: HttpRequest, user: User, form: SignUpForm, commit: bool = True
    ) -> User:
        """Store an account, in the form's transaction. Raises UsedUp if its invitation has no place
        left, and ValidationError if somebody has just taken its name, or one like it."""
        user_username(user, form.cleaned_data["username"])
        user_email(user, form.cleaned_data.get("email"))
        user.password = form.hashed
        if commit:
            User.objects.reserve_name(user.username)
            user.save()
            invitations.take_place(request, user)
        return user

    def get_client_ip(self, request: HttpRequest) -> str:
        """The visitor's address, for limits."""
        return client_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Do nothing, since ``authenticate`` counts attempts."""

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Tell a blocked user, who has just given the right password, why and whom to ask."""
        return render(request, "accounts/blocked.html", {"why": user.blocked_why}, status=403)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """The user with this name and password. Raises ValidationError if they must still wait."""
        login = credentials.get("username") or credentials.get("email") or ""
        counters = attempts.begin(request, login)
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            attempts.forgive(counters)
        return user


def account_mail(template_prefix: str, to: str, context: dict[str, Any]) -> Job:
    """Make a mail about ``user`` of the context from two templates, ``…_subject.txt`` and
    ``…_message.txt``."""
    request = allauth_context.request
    site = site_url(request) if request is not None else public_url()
    values = {
        "request": request,
        "email": to,
        **context,
        # Last: allauth puts the address of the request where the site's name belongs.
        "current_site": {"name": settings.SITE_NAME, "domain": urlsplit(site).netloc},
    }
    subject = render_to_string(f"{template_prefix}_subject.txt", values)
    body = render_to_string(f"{template_prefix}_message.txt", values)
    return mailing.compose(subject, body.strip(), to, of=context.get("user"))
