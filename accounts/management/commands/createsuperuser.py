"""``manage.py createsuperuser``: make an administrator, whose address counts as confirmed."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.management.commands import createsuperuser
from django.core.exceptions import ValidationError

from accounts.models import User, check_letters


class Command(createsuperuser.Command):
    """Django's command; it also stores the address with which the account signs in and gets mail,
    and names follow the same rules as at sign-up."""

    def _validate_username(self, username: str, name: str, database: str) -> str | None:
        """The reason why the account cannot have this name, or None."""
        try:
            check_letters(username)
            User.objects.check_name(username)
        except ValidationError as error:
            return " ".join(error.messages)
        reason: str | None = super()._validate_username(username, name, database)  # type: ignore[misc]
        return reason

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the account. The person at the console vouches for its address, unless another
        account has confirmed it."""
        known = list(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        super().handle(*args, **options)
        for user in User.objects.filter(is_superuser=True).exclude(pk__in=known).exclude(email=""):
            address = user.email.lower()
            taken = EmailAddress.objects.filter(email=address, verified=True).exists()
            EmailAddress.objects.create(user=user, email=address, primary=True, verified=not taken)
