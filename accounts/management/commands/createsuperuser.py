"""``manage.py createsuperuser``: make an administrator, whose address counts as confirmed."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.management.commands import createsuperuser

from accounts.models import User


class Command(createsuperuser.Command):
    """Django's command; it also stores the address with which the account signs in and gets
    mail."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the account. The person at the console vouches for its address, unless another
        account has confirmed it."""
        known = list(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        super().handle(*args, **options)
        for user in User.objects.filter(is_superuser=True).exclude(pk__in=known).exclude(email=""):
            address = user.email.lower()
            taken = EmailAddress.objects.filter(email=address, verified=True).exists()
            EmailAddress.objects.create(user=user, email=address, primary=True, verified=not taken)
