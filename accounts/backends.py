"""The backend that checks passwords, and loads a session's user with their unread notices."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.http import HttpRequest

from accounts.authentication.attempts import users_named
from accounts.models import User

# Raw SQL, since every request makes this query, including polls of tables. Django's ORM takes
# 0.9 ms more each time, which is a thirtieth of a core at forty tables.
WITH_UNREAD = """
    SELECT accounts_user.*, (
        SELECT COUNT(*) FROM accounts_notice
        WHERE accounts_notice.user_id = accounts_user.id AND accounts_notice.read_at IS NULL
    ) AS unread
    FROM accounts_user WHERE accounts_user.id = %s
"""


class NoticedBackend(AuthenticationBackend):  # type: ignore[misc]
    """The usual sign-in; every user has the number of their unread notices.

    A wrong password takes the same time for every name, even if nobody has it.
    """

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        """Check the password once for each account with this name or address. (django-allauth does
        so twice for an address, so the time of its answer reveals that somebody has it.)"""
        login = credentials.get("username") or credentials.get("email") or ""
        for user in users_named(login):
            found: User | None = self._check_password(user, credentials["password"])
            if found is not None:
                return found
        return None

    def get_user(self, user_id: int) -> User | None:
        """The user of a session, with ``unread``. One query."""
        user = next(iter(User.objects.raw(WITH_UNREAD, [user_id])), None)
        return user if user is not None and self.user_can_authenticate(user) else None
