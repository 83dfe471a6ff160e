"""Cookies of this site: each states its purpose; those that must not be forged are signed.

Declare every cookie next to its name; the privacy page lists them all.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise

DAY = 24 * 3600


@dataclass(frozen=True)
class Cookie:
    """A cookie as the privacy page lists it.

    ``max_age`` is its life in seconds; 0 means until the browser closes.
    """

    name: str
    purpose: str | Promise
    max_age: int

    @property
    def days(self) -> int:
        """The cookie's life in days."""
        return self.max_age // DAY


_declared: dict[str, Cookie] = {}


def declare(name: str, purpose: str | Promise, max_age: int) -> None:
    """List this cookie on the privacy page."""
    _declared[name] = Cookie(name, purpose, max_age)


def declared_cookies() -> list[Cookie]:
    """Return every cookie that this site sets, by name."""
    return [cookie for _name, cookie in sorted(_declared.items())]


def remember_choice(response: HttpResponseBase, name: str, value: str) -> None:
    """Store a reader's display preference in a cookie, for as long as their language."""
    response.set_cookie(
        name,
        value,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@dataclass(frozen=True)
class SignedCookie:
    """A signed cookie that replaces a session: it cannot be forged, and the server stores nothing.

    A value given to a visitor is kept when they sign in. A value given to a signed-in user is
    ignored after they sign out, so the browser's next user does not get it.
    """

    name: str
    purpose: str | Promise = field(compare=False)
    max_age: int

    def __post_init__(self) -> None:
        declare(self.name, self.purpose, self.max_age)

    def read(self, request: HttpRequest) -> str:
        """Return the value; "" if the cookie is missing, expired, forged or somebody else's."""
        text = request.get_signed_cookie(self.name, "", salt=self.name, max_age=self.max_age)
        whose, _, value = str(text).partition(":")
        return value if whose in ("", _sign_in(request)) else ""

    def write(self, request: HttpRequest, response: HttpResponseBase, value: str) -> None:
        """Set the cookie to ``value`` for the current visitor or sign-in."""
        response.set_signed_cookie(
            self.name,
            f"{_sign_in(request)}:{value}",
            salt=self.name,
            max_age=self.max_age,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )

    def clear(self, response: HttpResponseBase) -> None:
        """Delete the cookie from the browser."""
        response.delete_cookie(self.name, samesite="Lax")


def _sign_in(request: HttpRequest) -> str:
    """Return a fingerprint of the current sign-in; "" for visitors."""
    if not request.user.is_authenticated:
        return ""
    return hashlib.sha256(str(request.session.session_key).encode()).hexdigest()[:16]
