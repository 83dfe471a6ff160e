"""Sign-in, and the account of a session with what every page says about it."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from accounts.authentication.attempts import users_named
from accounts.models import Notice, User


class NoticedBackend(AuthenticationBackend):  # type: ignore[misc]
    """The usual sign-in. Every user it finds comes with the number of their unread notices.

    A wrong password takes the same time for every name, whoever has it.
    """

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        """Check the password of whose name or address it is, once each. (django-allauth does so
        twice for an address, so the time of its answer tells that somebody has it.)"""
        login = credentials.get("username") or credentials.get("email") or ""
        for user in users_named(login):
            found: User | None = self._check_password(user, credentials["password"])
            if found is not None:
                return found
        return None

    def get_user(self, user_id: int) -> User | None:
        """The user of a session, with ``unread``. One query."""
        unread = Notice.objects.filter(user=OuterRef("pk"), read_at=None).order_by()
        counted = unread.values("user").annotate(count=Count("pk")).values("count")
        found = User.objects.annotate(unread=Coalesce(Subquery(counted), 0))
        user = found.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
