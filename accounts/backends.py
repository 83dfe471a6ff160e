"""Who is signed in, with what a page says about them, in one query."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from accounts.authentication.attempts import users_named
from accounts.models import Notice, User
from common.cache import Statement


def _noticed(user_id: int) -> QuerySet[User]:
    unread = Notice.objects.filter(user=OuterRef("pk"), read_at=None).order_by()
    counted = unread.values("user").annotate(count=Count("pk")).values("count")
    return User.objects.annotate(unread=Coalesce(Subquery(counted), 0)).filter(pk=user_id)


# Every page asks this: nobody has the number -1.
NOTICED = Statement(_noticed, User._meta.pk, -1)


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
        """The user of a session, with ``unread``."""
        user = next(iter(User.objects.raw(*NOTICED.sql(user_id))), None)
        return user if user is not None and self.user_can_authenticate(user) else None
